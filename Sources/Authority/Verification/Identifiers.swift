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
