// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Cryptography
import SyncPlan
import Trust

/// A board with a disk and a memory file system, a core, a server and the network between them, in virtual time; everything goes wrong as often as it
/// is told, and the process can be stopped before or after any effect.
final class TrialWorld: SyncPorts {
    struct Faults {
        /// Per request.
        var network = 0.0
        /// Per call of the core.
        var core = 0.0
        /// Per write.
        var disk = 0.0
        /// Faults of all kinds end then, Unix seconds.
        var end: Int64 = 0
    }

    private var dice: TrialRandom
    let server: TrialServer
    let faults: Faults
    private let sabotage: SyncTrial.Sabotage?
    private(set) var core = TrialCore()
    /// True time, Unix seconds.
    var time: Int64
    /// By how much the system clock is wrong.
    var clockError: Int64 = 0
    private var boot: UInt64 = 1
    private var bootTime: Int64
    /// What the disk holds.
    private(set) var journal: [UInt8] = Array(JournalCodec.header.utf8)
    private var documents: [String: [UInt8]] = [:]
    private(set) var spool: [String: [UInt8]] = [:]
    private var catalogue: [[UInt8]: TrialPackage] = [:]
    private var packageNumber: UInt64 = 0
    /// Effects so far, and at which the process is stopped.
    private(set) var effectCount = 0
    var stopAt: Int?
    private var didStop = false
    private(set) var stopCount = 0
    private(set) var lostReplyCount = 0
    private(set) var fullDiskCount = 0
    private(set) var requestCount = 0
    private(set) var packageRequestCount = 0
    private(set) var notes: [String: Int] = [:]
    /// The highest number of a configuration that was stored, and how often a lower one was stored after it.
    private var newestNumber: Int64 = 0
    private(set) var olderCount = 0

    init(
        seed: UInt64, server: TrialServer, faults: Faults, start: Int64, sabotage: SyncTrial.Sabotage? = nil
    ) {
        self.sabotage = sabotage
        core.isForgetful = sabotage == .coreForgets
        core.isDeaf = sabotage == .coreIsDeaf
        dice = TrialRandom(seed)
        self.server = server
        self.faults = faults
        time = start
        bootTime = start
    }

    private var isFaulty: Bool { time < faults.end }

    /// The board goes on after the process, or itself, was stopped. Without power the spool is lost.
    func restart(withPowerCut: Bool) {
        didStop = false
        stopAt = nil
        guard withPowerCut else { return }
        spool = [:]
        boot += 1
        time += Int64.random(in: 10...600, using: &dice)
        bootTime = time
        // A board without a battery clock starts in the past.
        if isFaulty, dice.chance(0.3) { clockError = 1_577_836_800 - time } else if !isFaulty { clockError = 0 }
    }

    /// The plugin's folders are empty.
    func loseState() {
        journal = Array(JournalCodec.header.utf8)
        documents = [:]
        spool = [:]
        newestNumber = 0
    }

    /// What the journal says after the cut.
    var storedState: SyncState {
        let read = JournalCodec.read(journal)
        journal = Array(journal.prefix(max(read.soundByteCount, 0)))
        if journal.isEmpty { journal = Array(JournalCodec.header.utf8) }
        return read.state
    }

    /// One effect: the process may be stopped before it or after it.
    private func effect<Value>(_ body: () -> Value, partly: () -> Void = {}) throws(SyncStop) -> Value {
        if didStop { throw SyncStop() }
        effectCount += 1
        guard effectCount == stopAt else { return body() }
        didStop = true
        stopCount += 1
        switch Int.random(in: 0..<3, using: &dice) {
        case 0: break
        case 1: partly()
        default: _ = body()
        }
        throw SyncStop()
    }

    // MARK: - Clocks and chance

    func now() -> SyncMoment { SyncMoment(wall: time + clockError, steady: time - bootTime + 5, boot: boot) }
    func random() -> UInt64 { dice.next() }
    func note(_ sentence: String) { notes[sentence, default: 0] += 1 }

    // MARK: - The network

    func fetch(_ request: FetchRequest) throws(SyncStop) -> Result<FetchAnswer, FetchFailure> {
        requestCount += 1
        if request.file != nil { packageRequestCount += 1 }
        return try effect({ self.fetched(request) }, partly: { if let file = request.file { self.spool[file] = [0] } })
    }

    private func fetched(_ request: FetchRequest) -> Result<FetchAnswer, FetchFailure> {
        time += Int64.random(in: 0...8, using: &dice)
        if isFaulty, dice.chance(faults.network) {
            if let failure = networkFailure(request) { return .failure(failure) }
        }
        var body: [UInt8]
        var tag: String?
        if request.path == CWAPath.appConfiguration {
            // Now and then an old one, as somebody who runs the web server can give. Each hour has a number of its own.
            let isOld = isFaulty && dice.chance(faults.network / 4)
            let hour = (isOld ? time - 40 * 3_600 : time) / 3_600
            body =
                Array("signed\n".utf8)
                + TrialConfiguration.bytes(revoked: server.revokedTags(hour * 3_600), number: hour * 60)
            let sum = body.reduce(UInt64(5_381)) { $0 &* 33 &+ UInt64($1) }
            tag = "config-\(sum)"
        } else if let document = CarriedDocument.allCases.first(where: { TrialServer.path($0) == request.path }) {
            // Now and then an old one, or one that was changed on the way.
            let isOld = isFaulty && dice.chance(faults.network / 4)
            guard let version = server.version(document, at: isOld ? time - 40 * 3_600 : time) else {
                return .failure(failure(.absent, "absent"))
            }
            body = Array("\(document.rawValue) \(version)".utf8)
            tag = "\(document.rawValue)-\(version)"
            if isFaulty, dice.chance(faults.network / 4) {
                body[0] ^= 1
                tag = "\(document.rawValue)-changed"
            }
        } else {
            switch server.answer(request.path, at: time) {
            case .absent: return .failure(failure(.absent, "absent"))
            case .index(let index): body = indexWithFaults(index, request.path)
            case .package(let package):
                // The bytes stand for the content, and nothing else is known by the engine.
                body = Array("package \(package.tag) \(package.region) \(package.keys)".utf8)
                tag = package.tag
                catalogue[body] = package
                if isFaulty, dice.chance(faults.network / 4) { body[body.count / 2] ^= 1 }
            }
        }
        let count = body.count
        if let file = request.file {
            spool[file] = body
            body = []
        }
        return .success(
            FetchAnswer(body: body, byteCount: count, digest: request.file == nil ? tag : nil, tag: tag, date: time))
    }

    private func failure(_ scope: FetchFailure.Scope, _ name: String, retryAfter: Int64? = nil) -> FetchFailure {
        FetchFailure(scope, name: name, sentence: name, retryAfter: retryAfter, date: scope == .server ? nil : time)
    }

    private func networkFailure(_ request: FetchRequest) -> FetchFailure? {
        switch Int.random(in: 0..<8, using: &dice) {
        case 0, 1, 2:
            if let file = request.file { spool[file] = [1, 2, 3] }
            return failure(.transfer, "truncated")
        case 3: return failure(.server, "nameNotResolved")
        case 4: return failure(.server, "status503", retryAfter: Int64.random(in: 0...7_200, using: &dice))
        case 5: return failure(.absent, "status403")
        case 6: return failure(.content, "bodyTooLarge")
        case 7: return failure(.object, "status500")
        default: return nil
        }
    }

    /// Shrunk, of long ago, or somebody else's page.
    private func indexWithFaults(_ index: [UInt8], _ path: String) -> [UInt8] {
        guard isFaulty, dice.chance(faults.network) else { return index }
        switch Int.random(in: 0..<3, using: &dice) {
        case 0: return Array("<html>\nback soon\n</html>\n".utf8)
        case 1:
            if case .index(let old) = server.answer(path, at: time - 7_200) { return old }
            return index
        default: return Array(index.prefix(Int.random(in: 0...index.count, using: &dice)))
        }
    }

    func folderFiles(_ source: SourceSettings) throws(SyncStop) -> Result<[FolderPlan.File], FetchFailure> { .success([]) }

    // MARK: - The core

    func coreState() throws(SyncStop) -> Result<CoreState, CoreFailure> {
        try effect {
            self.isFaulty && self.dice.chance(self.faults.core)
                ? .failure(self.coreFailure) : .success(CoreState(takesFiles: true))
        }
    }

    private var coreFailure: CoreFailure {
        CoreFailure(.later(until: nil), name: "Busy", sentence: "the core does not answer")
    }

    func provide(
        _ files: [String], from source: SourceSettings, among sources: [SourceSettings]
    ) throws(SyncStop) -> Result<CoreAnswer, CoreFailure> {
        try effect { self.provided(files, source, sources) }
    }

    private func provided(
        _ files: [String], _ source: SourceSettings, _ sources: [SourceSettings]
    ) -> Result<CoreAnswer, CoreFailure> {
        time += Int64.random(in: 0...3, using: &dice)
        let isDown = isFaulty && dice.chance(faults.core)
        if isDown, dice.chance(0.3) {
            return .failure(CoreFailure(.timeUnknown, name: "TimeUnknown", sentence: "the time is not known"))
        }
        if isDown, dice.chance(0.5) { return .failure(coreFailure) }
        let result = core.provide(
            files.map { ($0, spool[$0].flatMap { catalogue[$0] }) }, from: source, among: sources, at: time)
        if isDown, case .success = result {
            // Taken, and the answer got lost.
            lostReplyCount += 1
            return .failure(coreFailure)
        }
        return result
    }

    func makeNonce() throws(SyncStop) -> Result<String, CoreFailure> { .failure(coreFailure) }
    func takeSignedTime(_ document: String) throws(SyncStop) -> Result<Bool, CoreFailure> { .failure(coreFailure) }

    // MARK: - The disk

    private func isDiskFull() -> Bool {
        guard isFaulty, dice.chance(faults.disk) else { return false }
        fullDiskCount += 1
        return true
    }

    func append(_ entries: [JournalEntry]) throws(SyncStop) -> Bool {
        if isDiskFull() { return false }
        let lines = JournalCodec.line(entries.map(sabotaged))
        let whole = journal.count + lines.count > 65_536
        return try effect(
            {
                self.journal += lines
                if whole {
                    self.journal = JournalCodec.journal(JournalCodec.read(self.journal).state)
                }
                return true
            }, partly: { self.journal += lines.prefix(Int.random(in: 0..<lines.count, using: &self.dice)) })
    }

    private func sabotaged(_ entry: JournalEntry) -> JournalEntry {
        if sabotage == .numbersAreForgotten, case .source(let name, var facts, let schedule) = entry {
            facts.configMemory = nil
            return .source(name, facts, schedule)
        }
        guard case .package(let source, let id, let record) = entry else { return entry }
        guard sabotage == .notesBeforeTaking, record.state == .attempted else { return entry }
        return .package(source: source, id: id, PackageRecord(state: .accepted, tag: record.tag, end: record.end))
    }

    func save(_ bytes: [UInt8], document: String) throws(SyncStop) -> Bool {
        if isDiskFull() { return false }
        return try effect {
            self.documents[document] = bytes
            if document.hasSuffix(".config") {
                let number = AppConfiguration(bytes)?.number?.value ?? 0
                if number < self.newestNumber { self.olderCount += 1 }
                self.newestNumber = max(self.newestNumber, number)
            }
            return true
        }
    }

    func load(document: String) -> [UInt8]? { documents[document] }
    func spoolFiles() -> [String] { Array(spool.keys) }

    func removeSpoolFile(_ name: String) throws(SyncStop) {
        try effect { self.spool[name] = nil }
    }

    func batchPart(_ file: String) -> BatchPart? {
        guard let package = spool[file].flatMap({ catalogue[$0] }), package.batchSize > 1 else { return nil }
        return BatchPart(identity: package.batch, number: package.batchNumber, size: package.batchSize)
    }

    func mayCarry(_ document: CarriedDocument) -> Bool { true }

    func carry(
        _ document: CarriedDocument, of source: SourceSettings, _ answer: FetchAnswer
    ) throws(SyncStop) -> Result<Void, CoreFailure> {
        try effect {
            let isDown = self.isFaulty && self.dice.chance(self.faults.core)
            if isDown, self.dice.chance(0.5) { return .failure(self.coreFailure) }
            let result = self.core.take(document, answer.body)
            if isDown, case .success = result {
                // Taken, and the answer got lost.
                self.lostReplyCount += 1
                return .failure(self.coreFailure)
            }
            return result
        }
    }

    func verified(_ archive: [UInt8], of _: SourceSettings) -> SignedDocument {
        let mark = Array("signed\n".utf8)
        guard let signers = Self.signers, archive.starts(with: mark) else { return .refused }
        return .signed(Array(archive.dropFirst(mark.count)), by: signers.key, among: signers.trust)
    }

    /// Whose key it is does not matter here: nothing is signed.
    private static let signers: (key: TrustedKey, trust: TrustStore)? = {
        guard let key = (try? P256.SigningKey.generate())?.verificationKey else { return nil }
        let trusted = TrustedKey(name: KeyName(id: "262", version: "v1"), role: .config, key: key)
        return (try? TrustStore(keys: [trusted])).map { (trusted, $0) }
    }()
}

/// Writes the little of a configuration that the trial needs.
enum TrialConfiguration {
    static func bytes(revoked: [String], number: Int64) -> [UInt8] {
        let feature = field(1, Array(ConfigurationNumber.label.utf8)) + [2 << 3] + varint(Int(number))
        let features = field(3, field(1, feature))
        let packages = revoked.flatMap { field(1, field(1, Array("EUR".utf8)) + field(3, Array("\"\($0)\"".utf8))) }
        return packages.isEmpty ? features : features + field(5, packages)
    }

    private static func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
        [number << 3 | 2] + varint(content.count) + content
    }

    private static func varint(_ value: Int) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
    }
}
