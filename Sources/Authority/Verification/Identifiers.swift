// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The identity of a test on servers: the SHA-256 of the key under which boards register and laboratories report (itself
/// the SHA-256 of the scanned GUID; `cwa-protocols` section 4).
///
/// The key is hashed once more so that nobody can register other people's tests with a copy of a database.
public struct TestIdentity: Hashable, Sendable {
    /// The identity, 32 bytes. Anybody who knows a test's code can compute it, so it must not be logged.
    public let bytes: [UInt8]

    /// Creates the identity from a test's key, 64 hexadecimal digits in any case; the case does not change the identity.
    /// `nil` for any other text.
    public init?(key: String) {
        guard key.utf8.count == 64, let bytes = Hex.bytes(key.lowercased()) else { return nil }
        self.bytes = SHA256.digest(of: bytes)
    }

    /// Creates the identity from a key that includes the date of birth: 64 hexadecimal digits in any case, the first of
    /// which may be an x (`cwa-protocols` section 4, `keyDob`: `^[XxA-Fa-f0-9][A-Fa-f0-9]{63}$`). With an x the identity is
    /// the SHA-256 of the 64 characters in lower case; otherwise it is that of ``init(key:)``. `nil` for any other text.
    public init?(birthKey: String) {
        let text = birthKey.lowercased()
        guard text.utf8.first == UInt8(ascii: "x") else {
            self.init(key: birthKey)
            return
        }
        guard text.utf8.count == 64, Hex.bytes("0" + text.dropFirst()) != nil else { return nil }
        self.init(stored: SHA256.digest(of: Array(text.utf8)))
    }

    /// Creates the identity of a rapid test from the key that its laboratory reports, which is not hashed (**tr**
    /// `TestResultService.convertQuickTest`). The key of ``init(key:)`` is the SHA-256 of these 64 hexadecimal digits as
    /// written, so upper and lower case give two tests. `nil` for any other text.
    public init?(rapidKey: String) {
        guard rapidKey.utf8.count == 64, Hex.bytes(rapidKey.lowercased()) != nil else { return nil }
        self.init(key: Hex.string(SHA256.digest(of: Array(rapidKey.utf8))))
    }
}

/// A random UUID of version 4 in lower case, 36 characters: what tokens and TANs look like.
enum RandomUUID {
    /// From 16 bytes, of which six bits are lost (RFC 9562, 5.4).
    static func text(_ bytes: some Collection<UInt8>) -> String {
        var bytes = Array(bytes.prefix(16))
        bytes += [UInt8](repeating: 0, count: 16 - bytes.count)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Hex.string(bytes)
        var result = ""
        for (index, character) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { result.append("-") }
            result.append(character)
        }
        return result
    }

    static func text(using generator: inout some RandomNumberGenerator) -> String {
        text((0..<16).map { _ in UInt8.random(in: 0 ... .max, using: &generator) })
    }

    /// The 16 bytes of a UUID of any version, in any case; `nil` for anything else.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
        return Hex.bytes(parts.joined().lowercased())
    }
}
