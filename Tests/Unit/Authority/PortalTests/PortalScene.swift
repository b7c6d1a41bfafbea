// SPDX-License-Identifier: Apache-2.0

import Authority
import Cryptography
import FoundationEssentials
import Glibc
import Portal
import RandomValues
import Synchronization
import Testing
import Verification

/// A portal over a real verification server, at a time the test says, in a folder of its own.
final class PortalScene {
    static let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : FileManager.default.temporaryDirectory.path
    static let start: Int64 = 1_800_000_000
    /// Not in any log, page or database.
    static let password = "canary-Kanarienvogel-7319"
    /// Real ones have 600,000; a test of `PasswordHash` says so.
    static let iterations: UInt32 = 1_000

    /// Shared with the server's thread.
    final class Shared: Sendable {
        let time = Mutex(PortalScene.start)
        let log = Mutex<[String]>([])
    }

    let path = "\(base)/vigil-portal-\(Unique.name())"
    let shared = Shared()
    let store: PortalStore
    private(set) var service: PortalService
    var database: String { path + "/portal.db" }

    var now: Int64 {
        get { shared.time.withLock { $0 } }
        set { shared.time.withLock { $0 = newValue } }
    }

    init(
        isPlain: Bool = true, source: (any TeleTANSource)? = nil, hasWarnings: Bool = false,
        encodesLevels: Bool = true, iterations: UInt32 = iterations, slots: Int64 = 48,
        _ change: (inout SessionRules) -> Void = { _ in }
    ) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        store = try PortalStore(path: path + "/portal.db")
        var settings = PortalHTTP.Settings()
        settings.isPlain = isPlain
        settings.iterations = iterations
        settings.signInMilliseconds = 0
        settings.slots = slots
        change(&settings.rules)
        let shared = shared
        var warnings: PortalWarnings?
        if hasWarnings {
            warnings = PortalWarnings(
                finder: try Self.verification(path),
                desk: LocalWarningDesk(authority: try Self.authority(path, encodesLevels: encodesLevels)))
        }
        service = try PortalService(
            path: path + "/portal.db", source: try source ?? LocalTeleTANSource(Self.verification(path)),
            warnings: warnings,
            secret: SecretBytes(copying: [UInt8](repeating: 7, count: 32)), place: PortalService.Place(),
            settings: settings,
            now: { shared.time.withLock { $0 } }, log: { line in shared.log.withLock { $0.append(line) } })
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    static func authority(_ path: String, encodesLevels: Bool = true) throws -> HealthAuthority {
        var settings = AuthoritySettings()
        settings.publishing.encodesLevels = encodesLevels
        settings.publishing.shiftingThreshold = 0
        settings.publishing.delaySeconds = 0
        let folder = try StateFolder.make(at: path + "/authority").folder
        // The rules of a new folder are for levels.
        if !encodesLevels {
            try? FileManager.default.removeItem(atPath: path + "/authority/risk.json")
            let none = "{\"version\": 1, \"vigil\": {\"wakeWindowSeconds\": 30}, \"appConfig\": {}}"
            try Data(none.utf8).write(to: URL(filePath: folder.configurationFile))
        }
        return try HealthAuthority(folder: folder, settings: settings)
    }

    static func verification(_ path: String) throws -> VerificationServer {
        VerificationServer(
            store: try SQLiteVerificationStore(path: path + "/verification.db"),
            results: try TestResultServer(path: path + "/results.db"),
            secret: try VerificationSecret.load(path: path + "/verification-secret"))
    }

    /// Another seed is another salt.
    func hash(_ password: String = password, seed: UInt64 = 1) throws -> PasswordHash {
        var generator = SeededGenerator(seed: seed)
        return try PasswordHash(
            of: SecretBytes(copying: Array(password.utf8)), iterations: Self.iterations, using: &generator)
    }

    func add(_ name: String, _ role: PortalRole = .tests, password: String = password) throws {
        try store.add(name, role: role, password: try hash(password), now: now)
    }

    func browser() -> Browser { Browser(port: service.port) }

    func events() throws -> [PortalEvent] {
        var events: [PortalEvent] = []
        try store.audit { events.append($0) }
        return events
    }

    var kinds: [String] { get throws { try events().map(\.kind) } }

    /// Every byte of every file of the portal and the verification server.
    func storedBytes() throws -> [UInt8] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted().flatMap { name in
            FileManager.default.contents(atPath: path + "/" + name).map(Array.init) ?? []
        }
    }
}

func code(_ body: () throws -> Void) -> PortalError.Code? {
    do { try body() } catch { return (error as? PortalError)?.code }
    return nil
}

extension [UInt8] {
    func contains(text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard let first = wanted.first, count >= wanted.count else { return false }
        return indices.dropLast(wanted.count - 1).contains { index in
            self[index] == first && self[index..<(index + wanted.count)].elementsEqual(wanted)
        }
    }
}
