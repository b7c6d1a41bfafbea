// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Enrolment

/// Where boards enrol, as their device files say it.
public struct EnrolmentPlace: Hashable, Sendable {
    /// The longest file of certificates, in bytes.
    public static let maximumByteCount = 32_768

    /// The address of the EST server, without a slash at its end.
    public let address: String
    /// The certificates by which boards know that server, in PEM: these alone, whatever else stood in the file.
    public let anchor: String

    /// The most certificates that a board takes, and the most bytes of each in PEM: `settings` in `Plugins/Enrolment/plugin.json`.
    static let (mostCertificates, longestCertificate) = (8, 4_096)

    /// Takes an address of `https` and the certificates, as bytes of a file in PEM, that its server is checked by. Throws
    /// ``EnrolmentPlaceFault`` for what a board would refuse, and for a file with a private key in it, which would go onto each card.
    public init(address: String, anchor: [UInt8]) throws(EnrolmentPlaceFault) {
        guard let text = String(validating: anchor, as: UTF8.self) else { throw .unusable }
        guard !Self.hasPrivateKey(text) else { throw .privateKey }
        guard EnrolmentOrder.fault(address: address, anchor: text) == nil else { throw .unusable }
        (self.address, self.anchor) = (address, Self.certificates(in: text).joined())
        guard (1...65_535).contains(server.port) else { throw .unusable }
        let certificates = certificates
        guard certificates.count <= Self.mostCertificates else { throw .tooMany(certificates.count) }
        for (index, certificate) in certificates.enumerated() where certificate.utf8.count > Self.longestCertificate {
            throw .tooLong(position: index + 1, bytes: certificate.utf8.count)
        }
    }

    /// Host and port of the server; port 0 for what is none. What is no host is found when the grants are checked.
    var server: (host: String, port: Int) {
        let place = address.dropFirst("https://".utf8.count).prefix { $0 != "/" }
        // The colons of an IPv6 address are within brackets.
        guard let colon = place.lastIndex(of: ":"), !place[colon...].contains("]") else { return (place.lowercased(), 443) }
        return (place[..<colon].lowercased(), Int(place[place.index(after: colon)...]) ?? 0)
    }

    /// The certificates, one text of PEM each.
    var certificates: [String] { Self.certificates(in: anchor) }

    private static func certificates(in text: String) -> [String] {
        PEM.blocks("CERTIFICATE", in: text, longest: maximumByteCount).map { PEM.text($0, label: "CERTIFICATE") }
    }

    /// Of any kind, encrypted or not.
    private static func hasPrivateKey(_ text: String) -> Bool { text.contains("PRIVATE KEY-----") }

    /// Whether a card whose record has this text as its anchor was made with these certificates. Cards used to have the whole file, remarks included; one
    /// that got a private key that way was made with something else.
    func isMade(with text: String) -> Bool { Self.certificates(in: text) == certificates && !Self.hasPrivateKey(text) }
}

/// The reason why boards cannot enrol at a place.
public enum EnrolmentPlaceFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The address is none, or there is no certificate.
    case unusable
    /// There is a private key in the file.
    case privateKey
    /// More certificates than a board takes.
    case tooMany(Int)
    /// A certificate, counted from 1, that is longer than a board takes.
    case tooLong(position: Int, bytes: Int)

    /// An English sentence for the operator: what is wrong, and what to do.
    public var description: String {
        switch self {
        case .unusable: "give an address like https://ra.example/.well-known/est, and a file with a certificate in PEM"
        case .privateKey:
            "the file of --enrolment-anchor has a private key in it, which every board would carry; give a file with the certificate alone"
        case .tooMany(let count):
            "the file of --enrolment-anchor has \(count) certificates, and a board takes \(EnrolmentPlace.mostCertificates); leave those that end the chain of the authority's web server"
        case .tooLong(let position, let bytes):
            "certificate \(position) of the file of --enrolment-anchor has \(bytes) bytes in PEM, and a board takes \(EnrolmentPlace.longestCertificate); give another one of the chain"
        }
    }
}
