// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The stored form of a password: PBKDF2-HMAC-SHA256 with a random salt for each password. Two are equal if salt, rounds
/// and hash are; the hashes are compared in constant time.
public struct PasswordHash: Equatable, Sendable {
    /// The rounds of PBKDF2 for new passwords: 600,000 (OWASP's Password Storage Cheat Sheet for PBKDF2-HMAC-SHA256).
    public static let iterations: UInt32 = 600_000
    /// The lengths that a password may have, in bytes of UTF-8: 12 to 256. Our own choice: NIST SP 800-63B asks for at
    /// least 8 characters, and these passwords protect a page on the Internet.
    public static let passwordBytes = 12...256
    static let saltCount = 16
    static let hashCount = 32

    let salt: [UInt8]
    let iterations: UInt32
    let hash: SecretBytes

    /// What a database holds.
    init(salt: [UInt8], iterations: UInt32, hash: [UInt8]) {
        self.salt = salt
        self.iterations = iterations
        self.hash = SecretBytes(copying: hash)
    }

    /// Computes the hash of a new password (UTF-8) with a salt of 16 bytes from `generator`, which must be
    /// cryptographically secure outside of tests. Blocks for a time in proportion to `iterations` (at least 1), a fraction
    /// of a second for ``iterations``. Throws `invalidPassword` when the password's length is not in ``passwordBytes``, and
    /// `cryptography` when the library refuses, for instance 0 rounds.
    public init(
        of password: SecretBytes, iterations: UInt32 = Self.iterations, using generator: inout some RandomNumberGenerator
    ) throws(PortalError) {
        guard Self.passwordBytes.contains(password.count) else { throw PortalError(.invalidPassword) }
        salt = (0..<Self.saltCount).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
        self.iterations = iterations
        hash = try Self.derived(password, salt, iterations)
    }

    /// For a user who does not exist: takes as long as any, and no password fits.
    static func nobody(iterations: UInt32) -> PasswordHash {
        PasswordHash(salt: [UInt8](repeating: 0, count: saltCount), iterations: iterations, hash: [])
    }

    /// Whether it is this password; in time that depends on `iterations` only.
    func fits(_ password: SecretBytes) throws(PortalError) -> Bool {
        try Self.derived(password, salt, iterations) == hash
    }

    private static func derived(
        _ password: SecretBytes, _ salt: [UInt8], _ iterations: UInt32
    ) throws(PortalError) -> SecretBytes {
        do {
            return try PBKDF2SHA256.derive(from: password, salt: salt, iterations: iterations, count: hashCount)
        } catch { throw PortalError(.cryptography, "\(error)") }
    }
}
