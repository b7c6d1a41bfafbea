// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import Glibc
import PluginKit

/// What the page keeps: its transport key with the certificate, and the key of its forms. Sealed, as all storage of plugins is.
struct Keys {
    private let store: KeyValueStore

    init(_ store: KeyValueStore) { self.store = store }

    private struct Transport: Codable {
        var key: String
        var certificate: String
        var names: [String]
    }

    /// Before the end of a certificate; the self-check speaks of three weeks.
    private static let renewalSeconds: Int64 = 42 * UTCDay.seconds

    private struct Forms: Codable {
        var key: String
        var start: String
    }

    /// Key and certificate (PEM) for a listener at `place`; made anew when there are none, the names are others, or it ends soon: in time not to
    /// be found by the self-check. The key stays.
    ///
    /// - Parameter now: Unix seconds, as good as the board's clock is. A wrong one renews a certificate that was good still, and no more.
    func transport(_ place: ListenerPlace, names: [String], now: Int64) throws -> (key: String, certificate: String) {
        let hosts = ["vigil.local"] + names.filter { !$0.hasPrefix("[") && $0 != "vigil.local" }
        let wanted = hosts + [place.text]
        let known = store.value("transport", as: Transport.self)
        let spans = known.map { CertificateValidity.all(pem: $0.certificate) } ?? []
        let isGood = spans.first.map { $0.notAfter - now > Self.renewalSeconds } ?? false
        if let known, known.names == wanted, isGood { return (known.key, known.certificate) }
        let key =
            try known.map { try P256.SigningKey(pemOrDER: SecretBytes(copying: Array($0.key.utf8) + [0])) } ?? .generate()
        // PEM ends with a NUL.
        let text = key.withEncoded { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        var random = SystemRandomNumberGenerator()
        let certificate = try TransportCertificate.make(
            key, names: hosts.map { .host($0) } + [.address(place.address)],
            serial: (0..<15).map { _ in UInt8.random(in: 0 ... .max, using: &random) }, now: now)
        try store.set(Transport(key: text, certificate: certificate, names: wanted), for: "transport")
        return (text, certificate)
    }

    /// The key of form tokens: of this start of the board, since the page itself comes and goes while somebody reads it.
    func forms() -> SecretBytes {
        let start = getenv("VIGIL_BOOT_ID").map { String(cString: $0) } ?? ""
        if let known = store.value("forms", as: Forms.self), known.start == start, !start.isEmpty,
            let bytes = Hex.bytes(known.key)
        {
            return SecretBytes(copying: bytes)
        }
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
        // Without it forms that are open hold no longer than the page's process: a nuisance, no danger.
        try? store.set(Forms(key: Hex.string(bytes), start: start), for: "forms")
        return SecretBytes(copying: bytes)
    }
}
