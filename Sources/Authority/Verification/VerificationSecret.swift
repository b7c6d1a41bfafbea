// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import Glibc
import SystemCalls

/// The secret of one server, stored outside its database: 32 bytes in a file of their own.
///
/// Tokens, TANs and teleTANs are stored as HMAC-SHA256 under the secret. A teleTAN has only 59 bits: from plain hashes,
/// anybody with a copy of the database could compute the teleTANs. Tokens and TANs that can be requested again are derived
/// from the secret and never stored.
public final class VerificationSecret: Sendable {
    private let secret: SecretBytes
    static let byteCount = 32

    /// Creates a server's secret from `secret`, which must be 32 random bytes; neither length nor randomness is
    /// checked.
    public init(_ secret: SecretBytes) { self.secret = secret }

    /// Loads the secret of 32 bytes from the file at `path`. If there is none, creates one at random in a file that
    /// only its owner may read, durable when this returns; the folder must exist. Throws `storageUnusable` when the
    /// file cannot be read or created, is a symbolic link or no ordinary file, does not have 32 bytes, or gives
    /// rights to anybody but its owner (below `$CREDENTIALS_DIRECTORY`, where systemd puts credentials: anybody but
    /// owner and group).
    public static func load(path: String) throws(VerificationError) -> VerificationSecret {
        if let known = try read(path) { return VerificationSecret(known) }
        var generator = SystemRandomNumberGenerator()
        let bytes: [UInt8] = (0..<byteCount).map { _ in .random(in: 0 ... .max, using: &generator) }
        try write(bytes, to: path)
        // Another process may have been first; its secret is the one that counts.
        guard let secret = try read(path) else { throw failure(path, "read it") }
        return VerificationSecret(secret)
    }

    /// Loads the secret from a file that must exist, because another server checks the same secret. Throws
    /// `storageUnusable` when there is none, and as ``load(path:)`` does.
    public static func existing(path: String) throws(VerificationError) -> VerificationSecret {
        guard let known = try read(path) else {
            throw VerificationError(.storageUnusable, "\(path): there is no such secret")
        }
        return VerificationSecret(known)
    }

    /// The secret in 64 hexadecimal digits, as it is sent in a header; must not be logged.
    package var hexadecimal: String { secret.withBytes { Hex.string($0) } }

    /// The 32 bytes of the secret, for other uses than this server's codes.
    public var bytes: SecretBytes { secret }

    /// systemd hands credentials over with an access list for the service's user, which shows as rights of the group.
    private static func isCredential(_ path: String) -> Bool {
        guard let folder = getenv("CREDENTIALS_DIRECTORY").map({ String(cString: $0) }), !folder.isEmpty else {
            return false
        }
        return path.hasPrefix(folder + "/")
    }

    /// Throws `storageUnusable` unless `descriptor`, which was opened at `path`, is an ordinary file on which only
    /// its owner has any rights (below `$CREDENTIALS_DIRECTORY`, where systemd puts credentials: owner and group).
    package static func requirePrivate(_ descriptor: Int32, _ path: String) throws(VerificationError) {
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG,
            information.st_mode & (isCredential(path) ? 0o007 : 0o077) == 0
        else { throw VerificationError(.storageUnusable, "\(path): others may read this secret; chmod 600") }
    }

    private static func read(_ path: String) throws(VerificationError) -> SecretBytes? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(path, "open it")
        }
        defer { close(descriptor) }
        try requirePrivate(descriptor, path)
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try WholeFile.read(descriptor, limit: 4_096) } catch {
            throw VerificationError(.storageUnusable, "\(path): cannot read it: \(error.text)")
        }
        guard bytes.count == byteCount else {
            throw VerificationError(.storageUnusable, "\(path): a secret has \(byteCount) bytes, not \(bytes.count)")
        }
        return SecretBytes(copying: bytes)
    }

    /// Complete or not there, whatever happens; never over one that is.
    private static func write(_ bytes: [UInt8], to path: String) throws(VerificationError) {
        let partial = "\(path).\(getpid()).partial"
        unlink(partial)
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path, "make it") }
        let isWritten = Glibc.write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        close(descriptor)
        let isLinked = isWritten && (link(partial, path) == 0 || errno == EEXIST)
        unlink(partial)
        guard isLinked else { throw failure(path, "write it") }
        let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure(parent, "sync it") }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw failure(parent, "sync it") }
    }

    private static func failure(_ path: String, _ action: String) -> VerificationError {
        VerificationError(
            .storageUnusable, "\(path): cannot \(action): \(strerror(errno).map { String(cString: $0) } ?? "")")
    }

    /// What these parts are stored or derived as. `purpose` keeps the kinds of things apart.
    func code(_ purpose: Purpose, _ parts: [[UInt8]]) throws(VerificationError) -> [UInt8] {
        var message = Array(purpose.rawValue.utf8) + [0]
        // Each with its length, so that no two lists read the same.
        for part in parts { message += withUnsafeBytes(of: UInt32(part.count).littleEndian, Array.init) + part }
        do { return try HMACSHA256.code(for: message, key: secret) } catch {
            throw VerificationError(.cryptography, "\(error)")
        }
    }

    enum Purpose: String {
        case storedToken, storedTAN, storedTeleTAN, storedRequest
        case token, tan
        case warning, warningMask
    }

    /// Whether `text` is the secret in hexadecimal digits, compared in constant time.
    func isHexadecimal(_ text: some StringProtocol) -> Bool {
        guard let bytes = Hex.bytes(text) else { return false }
        return SecretBytes(copying: bytes) == secret
    }
}
