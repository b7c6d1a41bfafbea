// SPDX-License-Identifier: Apache-2.0

import ContentBundle
public import Cryptography
import Donation
import Glibc
import RiskConfiguration
public import Trust

/// The folder with everything that an authority keeps. Files for boards and web servers are readable by everybody, all
/// others by their owner only.
public struct StateFolder: Sendable {
    /// The folder's path, without a slash at its end.
    public let path: String

    /// The largest file of settings that is read.
    static let maximumTextBytes = 1 << 20

    var database: String { path + "/authority.db" }
    var keys: String { path + "/keys" }
    /// The path of the file with the token for handing in keys, readable by its owner only. It is created with 64
    /// hexadecimal digits; another text up to the first blank or control character is taken if it has 32 bytes or
    /// more.
    public var tokenFile: String { path + "/admin-token" }
    /// The path of the file with the token that a portal sends to take warnings back, in the form of ``tokenFile``
    /// and readable by its owner only. No keys can be handed in with it.
    public var warningTokenFile: String { path + "/warning-token" }
    /// The path of the settings of the service (``AuthoritySettings``).
    public var settingsFile: String { path + "/settings.json" }
    /// The path of the configuration that boards and phones get besides keys (``PublicConfiguration``).
    public var configurationFile: String { path(of: PublicConfiguration.self) }
    /// The path of the rules by which boards assess risk (``RiskConfiguration``).
    public var riskFile: String { path(of: RiskConfiguration.self) }
    /// The path of the texts for people (``ContentBundle``); this file may be missing.
    public var contentFile: String { path(of: ContentBundle.self) }
    /// The path of the document about data donation (``DonationTerms``); this file may be missing.
    public var donationFile: String { path(of: DonationTerms.self) }
    var packages: String { path + "/packages" }
    var generations: String { path + "/generations" }
    /// The path of the published tree: a symbolic link that moves from one complete generation to the next.
    public var publicTree: String { path + "/public" }
    var lockFile: String { path + "/lock" }

    /// Opens the folder of an authority, and adds folders, tokens and default files that an older release did not create or
    /// the operator removed; never a private key. Waits for up to two minutes for another process that holds the folder.
    ///
    /// Throws `stateMissing` when there is no authority at `path`, which is then left as it is; `stateUnusable` when a
    /// private key is missing or the disk refuses; `full` when the disk has no room; `inUse` when the wait was in vain.
    public init(path: String) throws(AuthorityError) {
        self.init(named: path)
        try requireKeys()
        try complete { _ in }
    }

    /// Creates an authority with new keys at `path`, with the folders above it. `notice` is called with a sentence for each
    /// key and for the token for handing in keys, never with a secret in it.
    ///
    /// If an authority is there already, nothing is changed: keys are created only once. An authority that an interrupted
    /// run left incomplete is completed, unless it has worked since: then a lost key must be restored from a copy. Waits
    /// for up to two minutes for another process that holds the folder.
    ///
    /// - Returns: the folder, and whether anything was created.
    /// - Throws: `stateUnusable` when a private key was lost or the disk refuses, `full` when the disk has no room, `inUse`
    ///   when the wait was in vain, and `cryptography` when the library creates no key.
    public static func make(
        at path: String, notice: (String) -> Void = { _ in }
    ) throws(AuthorityError) -> (folder: StateFolder, isNew: Bool) {
        let folder = StateFolder(named: path)
        let missing = roles.filter { !FileWork.exists(folder.privateKeyFile($0)) }
        if missing.isEmpty { return (folder, false) }
        guard !FileWork.exists(folder.database) else { throw folder.lost(missing) }
        try FileWork.makeFolders(folder.path, mode: 0o755)
        try FileWork.makeFolder(folder.keys, mode: 0o700)
        try folder.complete(notice, keys: missing)
        return (folder, true)
    }

    private init(named path: String) { self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path }

    /// A folder with all keys is an authority's, one with none is not, and one with some has lost the others.
    private func requireKeys() throws(AuthorityError) {
        guard FileWork.exists(path) else { throw AuthorityError(.stateMissing, "\(path): there is no such folder") }
        let missing = Self.roles.filter { !FileWork.exists(privateKeyFile($0)) }
        if missing.isEmpty { return }
        guard missing.count < Self.roles.count || FileWork.exists(database) else {
            // Somebody else's keys are not for us to look at; they are not missing.
            if access(keys, X_OK) != 0, errno == EACCES { throw FileWork.failure(keys, "look into it") }
            throw AuthorityError(.stateMissing, "\(path): \(privateKeyFile(.export)) is not there")
        }
        throw lost(missing)
    }

    private func lost(_ roles: [KeyRole]) -> AuthorityError {
        let names = roles.map { "\($0.rawValue).pem" }.joined(separator: ", ")
        return AuthorityError(
            .stateUnusable, "\(keys): missing \(names); restore from the last copy, for boards trust no new keys")
    }

    private func complete(_ notice: (String) -> Void, keys: [KeyRole] = []) throws(AuthorityError) {
        try FileWork.makeFolder(packages, mode: 0o755)
        try FileWork.makeFolder(generations, mode: 0o755)
        let lock = try StateLock(self)
        defer { withExtendedLifetime(lock) {} }
        for role in keys where !FileWork.exists(privateKeyFile(role)) {
            try makeKey(role)
            notice("made the \(role.rawValue) key: \(privateKeyFile(role))")
        }
        if !FileWork.exists(paddingFile) { try makeSecret(paddingFile) }
        if !FileWork.exists(tokenFile) {
            try makeSecret(tokenFile)
            notice("made the token for handing in keys: \(tokenFile)")
        }
        if !FileWork.exists(warningTokenFile) { try makeSecret(warningTokenFile) }
        if !FileWork.exists(settingsFile) {
            try FileWork.write(AuthoritySettings().json.indented, to: settingsFile, mode: 0o644)
        }
        if !FileWork.exists(configurationFile) {
            try FileWork.write(Array(DefaultConfiguration.text.utf8), to: configurationFile, mode: 0o644)
        }
        if !FileWork.exists(riskFile) {
            try FileWork.write(Array(DefaultRiskConfiguration.text.utf8), to: riskFile, mode: 0o644)
        }
    }

    /// The roles for which an authority has keys.
    public static let roles: [KeyRole] = [.export, .config, .time]

    private var paddingFile: String { keys + "/padding-secret" }

    private func makeSecret(_ path: String) throws(AuthorityError) {
        var generator = SystemRandomNumberGenerator()
        let text = Hex.string((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
        try FileWork.write(Array((text + "\n").utf8), to: path, mode: 0o600)
    }

    func privateKeyFile(_ role: KeyRole) -> String { "\(keys)/\(role.rawValue).pem" }

    /// Where a key that is to follow the present one of its role lies until it takes that one's place.
    func newKeyFile(_ role: KeyRole, _ name: KeyName) -> String {
        // A name is printable text; a slash in it must not lead elsewhere.
        "\(keys)/\(role.rawValue)-\(String("\(name)".map { $0 == "/" ? "_" : $0 })).pem"
    }

    private func makeKey(_ role: KeyRole) throws(AuthorityError) {
        let key: P256.SigningKey
        do { key = try P256.SigningKey.generate() } catch { throw AuthorityError(.cryptography, "\(error)") }
        try write(key, to: privateKeyFile(role))
    }

    /// Writes a private key that was just made.
    func write(_ key: P256.SigningKey, to path: String) throws(AuthorityError) {
        let result: Result<Void, AuthorityError> = key.withEncoded { bytes in
            do throws(AuthorityError) {
                // Without the NUL that ends the library's text.
                try FileWork.write(UnsafeRawBufferPointer(rebasing: bytes.dropLast()), to: path, mode: 0o600)
                return .success(())
            } catch { return .failure(error) }
        }
        try result.get()
    }

    /// Returns the first private key of `role`, which signs until a change of keys takes effect. Throws as
    /// ``privateKey(in:)`` does.
    public func signingKey(_ role: KeyRole) throws(AuthorityError) -> P256.SigningKey {
        try signingKey(in: privateKeyFile(role))
    }

    /// Returns the private key in the file `path`; throws as ``privateKey(in:)`` does.
    public func signingKey(in path: String) throws(AuthorityError) -> P256.SigningKey { try Self.privateKey(in: path) }

    /// Returns the P-256 private key in the file `path`, in PEM or DER. Throws `stateUnusable` when the file cannot
    /// be read, is not an ordinary file, has more than 16 KiB or gives any rights to others than its owner, and
    /// `cryptography` when it holds no such key.
    public static func privateKey(in path: String) throws(AuthorityError) -> P256.SigningKey {
        try FileWork.requirePrivate(path)
        let bytes = SecretBytes(copying: try FileWork.read(path, limit: 16 << 10))
        do { return try P256.SigningKey(pemOrDER: bytes) } catch {
            throw AuthorityError(.cryptography, "\(path): \(error)")
        }
    }

    /// What whoever hands in keys must say.
    func token() throws(AuthorityError) -> SecretBytes { try secret(tokenFile) }

    func warningToken() throws(AuthorityError) -> SecretBytes { try secret(warningTokenFile) }

    /// What padding keys are made from.
    func paddingSecret() throws(AuthorityError) -> SecretBytes { try secret(paddingFile) }

    private func secret(_ path: String) throws(AuthorityError) -> SecretBytes {
        try FileWork.requirePrivate(path)
        let text = try FileWork.read(path, limit: 4 << 10).prefix { $0 > 0x20 }
        guard text.count >= 32 else {
            throw AuthorityError(.stateUnusable, "\(path) holds fewer than 32 characters; remove it for a new one")
        }
        return SecretBytes(copying: text)
    }

    /// Reads the settings of the service from their file. Throws `invalidSettings` with every fault, also for a file of
    /// more than 1 MiB, and `stateUnusable` when the file cannot be read.
    public func settings() throws(AuthorityError) -> AuthoritySettings {
        try AuthoritySettings(parsing: FileWork.read(settingsFile, limit: Self.maximumTextBytes, tooLong: .invalidSettings))
    }

    /// Where an operator's file of that kind lies.
    func path<File: OperatorFile>(of kind: File.Type) -> String { "\(path)/\(File.fileName)" }

    /// What the operator wrote, as it is; `nil` when it may be absent and is.
    func text<File: OperatorFile>(of kind: File.Type, mayBeAbsent: Bool) throws(AuthorityError) -> [UInt8]? {
        try mayBeAbsent && !FileWork.exists(path(of: kind)) ? nil : text(of: kind, in: path(of: kind))
    }

    private func text<File: OperatorFile>(of kind: File.Type, in path: String) throws(AuthorityError) -> [UInt8] {
        try FileWork.read(path, limit: Self.maximumTextBytes, tooLong: File.fault)
    }

    /// Returns the operator's file of this kind, read from the state folder or from the file `other`, and checked. Returns
    /// `nil` when the kind is optional and its file is missing. Throws the kind's own code with every fault and for more
    /// than 1 MiB, and `stateUnusable` when the file cannot be read.
    package func checked<File: OperatorFile>(_ kind: File.Type, other: String? = nil) throws(AuthorityError) -> File? {
        let bytes =
            if let other { try text(of: kind, in: other) } else { try text(of: kind, mayBeAbsent: File.isOptional) }
        return try bytes.map { (bytes) throws(AuthorityError) in try File(operatorsText: bytes) }
    }
}

/// Held by whoever changes the folder: one process at a time publishes.
final class StateLock {
    private let descriptor: Int32
    // A publication of a million keys takes some seconds.
    private static let timeout: Duration = .seconds(120)

    init(_ folder: StateFolder) throws(AuthorityError) {
        descriptor = open(folder.lockFile, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileWork.failure(folder.lockFile, "open it") }
        let deadline = ContinuousClock().now + Self.timeout
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR, ContinuousClock().now < deadline else {
                close(descriptor)
                throw AuthorityError(.inUse, folder.lockFile)
            }
            usleep(20_000)
        }
    }

    deinit { close(descriptor) }
}
