// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SyncPlan

/// Lists of key files are not signed: who makes them can give one signed file any number of names.
@Suite struct HostileListTests {
    private static let source = SourceSettings(name: "s", kind: .index, base: "https://example.org")
    private static let now: Int64 = 20_700 * 86_400 + 36_000

    /// A list, a file under each of its names, and a core that takes every file.
    private final class Ports: SyncPorts {
        var list: [String] = []
        var takesFiles = true
        /// Seconds by which the server's clock is ahead of the board's.
        var serverAhead: Int64 = 0
        var provided = 0
        var spool = Set<String>()
        var steady: Int64 = 0
        var lines: [[JournalEntry]] = []
        var state = SyncState()

        func now() -> SyncMoment { SyncMoment(wall: HostileListTests.now + steady, steady: steady, boot: 1) }
        private var last: UInt64 = 0
        func random() -> UInt64 {
            last += 1
            return last
        }
        func fetch(_ request: FetchRequest) throws(SyncStop) -> Result<FetchAnswer, FetchFailure> {
            guard let file = request.file else {
                let body = Array(list.map { $0 + "\n" }.joined().utf8)
                return .success(FetchAnswer(body: body, byteCount: body.count, date: now().wall + serverAhead))
            }
            spool.insert(file)
            return .success(FetchAnswer(byteCount: 1, date: now().wall + serverAhead))
        }
        func folderFiles(_ source: SourceSettings) -> Result<[FolderPlan.File], FetchFailure> { .success([]) }
        func coreState() -> Result<CoreState, CoreFailure> {
            .success(CoreState(takesFiles: takesFiles, isOnlyTime: !takesFiles))
        }
        func provide(
            _ files: [String], from source: SourceSettings, among sources: [SourceSettings]
        ) -> Result<CoreAnswer, CoreFailure> {
            let end = HostileListTests.now - 36_000
            provided += files.count
            return .success(
                CoreAnswer(files: files.map { _ in SignedPeriod(start: end - 3_600, end: end) }, knownUntil: end))
        }
        func makeNonce() -> Result<String, CoreFailure> { .success("") }
        func takeSignedTime(_ document: String) -> Result<Bool, CoreFailure> { .success(false) }
        func append(_ entries: [JournalEntry]) -> Bool {
            lines.append(entries)
            for entry in entries { state.apply(entry) }
            return true
        }
        func save(_ bytes: [UInt8], document: String) -> Bool { true }
        func load(document: String) -> [UInt8]? { nil }
        func spoolFiles() -> [String] { Array(spool) }
        func removeSpoolFile(_ name: String) { spool.remove(name) }
        func batchPart(_ file: String) -> BatchPart? { nil }
        func verified(_ archive: [UInt8], of source: SourceSettings) -> SignedDocument { .refused }
        func mayCarry(_ document: CarriedDocument) -> Bool { false }
        func carry(
            _ document: CarriedDocument, of source: SourceSettings, _ answer: FetchAnswer
        ) -> Result<Void, CoreFailure> { .success(()) }
        func note(_ sentence: String) {}
    }

    private static func run(_ engine: inout SyncEngine, _ ports: Ports) throws {
        ports.steady += engine.secondsUntilRun() ?? 0
        try engine.runDue()
    }

    private static func remembered(_ ports: Ports) -> Set<String> {
        Set(ports.state.sources["s"]?.packages.keys.map { $0 } ?? [])
    }

    /// The period that the file is signed for stands in the names, so each of them is what was asked for.
    private static func names(_ round: Int, _ count: Int, hasTimes: Bool) -> [String] {
        let end = now - 36_000
        return (0..<count).map { hasTimes ? "r\(round)x\($0)/\(end - 3_600)-\(end)-00001.zip" : "r\(round)x\($0).zip" }
    }

    @Test(arguments: [false, true]) func namesOfOneFileAreForgottenWithTheirList(hasTimes: Bool) throws {
        let ports = Ports()
        var engine = try SyncEngine(sources: [Self.source], state: SyncState(), ports: ports)
        for round in 0..<4 {
            ports.list = Self.names(round, 600, hasTimes: hasTimes)
            try Self.run(&engine, ports)
            #expect(Self.remembered(ports) == Set(ports.list))
        }
        #expect(ports.spool.isEmpty)
        // Each line can be read again.
        #expect(ports.lines.allSatisfy { JournalCodec.line($0).count <= JournalCodec.maximumLineBytes })
    }

    /// A list of nothing but names without times is an older one where something newer was taken; the newest stays, by which that is known.
    @Test func anOlderListForgetsAllButTheNewest() throws {
        let ports = Ports()
        var limits = SyncLimits()
        limits.rememberedPackages = 10
        var engine = try SyncEngine(sources: [Self.source], state: SyncState(), limits: limits, ports: ports)
        ports.list = Self.names(0, 20, hasTimes: true)
        try Self.run(&engine, ports)
        for round in 1..<4 {
            ports.list = Self.names(round, 50, hasTimes: false)
            try Self.run(&engine, ports)
            #expect(engine.state.sources["s"]?.facts.faults["olderIndex"] == round)
            let kept = Self.remembered(ports).subtracting(ports.list)
            #expect(kept.count == 10 && kept.allSatisfy { $0.hasPrefix("r0x") })
        }
    }

    /// The kernel lets a spool have 1,024 files.
    @Test func emptyFilesFillNoSpool() throws {
        let ports = Ports()
        ports.takesFiles = false
        var engine = try SyncEngine(sources: [Self.source], state: SyncState(), ports: ports)
        ports.list = Self.names(0, 2_000, hasTimes: false)
        try Self.run(&engine, ports)
        #expect(ports.spool.count == 512)
        #expect(engine.state.sources["s"]?.facts.faults == ["waiting": 1])
        ports.takesFiles = true
        try Self.run(&engine, ports)
        #expect(ports.spool.isEmpty && Self.remembered(ports) == Set(ports.list))
    }

    /// As many packages as two weeks of a list have, which go together when a board comes back after a month.
    @Test func whatIsForgottenTogetherCanBeReadAgain() throws {
        let ports = Ports()
        var state = SyncState()
        for number in 0..<3_360 {
            let end = Self.now - 30 * 86_400 + Int64(number)
            state.apply(
                .package(
                    source: "s", id: "exposureKeyExport-US/\(end - 3_600)-\(end)-00001.zip",
                    PackageRecord(state: .accepted, end: end)))
        }
        var engine = try SyncEngine(sources: [Self.source], state: state, ports: ports)
        ports.list = Self.names(0, 1, hasTimes: true)
        try Self.run(&engine, ports)
        #expect(engine.state.sources["s"]?.packages.count == 1)
        #expect(ports.lines.allSatisfy { JournalCodec.line($0).count <= JournalCodec.maximumLineBytes })
    }

    /// The parts of a batch that are still listed could never be provided again without those that were forgotten.
    @Test func aListThatBreaksOffWithinABatchForgetsNoPartOfIt() throws {
        let ports = Ports()
        var engine = try SyncEngine(sources: [Self.source], state: SyncState(), ports: ports)
        let end = Self.now - 36_000
        let parts = (1...3).map { "a/\(end - 3_600)-\(end)-0000\($0).zip" }
        ports.list = parts
        try Self.run(&engine, ports)
        #expect(ports.provided == 3)
        for list in [Array(parts.prefix(1)), parts, Array(parts.suffix(1)), parts] {
            ports.list = list
            try Self.run(&engine, ports)
            #expect(ports.provided == 3 && Self.remembered(ports) == Set(parts))
        }
        // Of a batch that is not listed at all nothing stays.
        ports.list = Self.names(1, 1, hasTimes: true)
        try Self.run(&engine, ports)
        #expect(Self.remembered(ports) == Set(ports.list))
    }

    /// Not in the run that finds out, and not in the next ones before their first answer: what would be matched by a wrong clock is never fetched again.
    @Test func nothingIsProvidedByAWrongClockBeforeTheFirstAnswer() throws {
        let ports = Ports()
        ports.serverAhead = -3 * 3_600
        var engine = try SyncEngine(sources: [Self.source], state: SyncState(), ports: ports)
        ports.list = Self.names(0, 5, hasTimes: true)
        for _ in 0..<3 {
            try Self.run(&engine, ports)
            #expect(ports.provided == 0 && ports.spool.count == 5)
        }
        // The board is started anew, and remembers.
        engine = try SyncEngine(sources: [Self.source], state: ports.state, ports: ports)
        try Self.run(&engine, ports)
        #expect(ports.provided == 0)
        // The clock was set: the first answer tells, and they are provided in the same run.
        ports.serverAhead = 0
        try Self.run(&engine, ports)
        #expect(ports.provided == 5 && ports.spool.isEmpty)
    }
}
