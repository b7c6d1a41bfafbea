// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import SyncPlan

/// Runs the sync engine through days of faults and stops in virtual time, and judges what the core received.
public struct SyncTrial: Sendable {
    /// The conditions under which a board lives.
    public struct Setting: Sendable, Hashable {
        /// The way in which the source publishes its files.
        public var kind: SourceSettings.Kind
        /// The number of simulated days with faults, 0 or more; two and a half days without faults follow.
        public var faultyDays: Int64
        /// The probability of a fault in each request, 0 to 1; in each call of the core and each write to the disk it is a
        /// fifth of that.
        public var faults: Double
        /// The share of packages that are bad when they are published, 0 to 1; they are replaced 2 to 30 hours
        /// later. None is bad from a day before the end of the faults on.
        public var badShare: Double
        /// The mean number of effects (requests, calls of the core, changes of the disk) between two stops of the process;
        /// 0 for no stops.
        public var stopEvery: Int
        /// Whether the system clock is wrong for part of the time.
        public var clockJumps: Bool
        /// A fault that is made on purpose, to see that it is noticed; `nil` for none.
        public var sabotage: Sabotage?

        /// Creates a setting of these parts. Nothing is checked; see the properties for units and ranges.
        public init(
            kind: SourceSettings.Kind, faultyDays: Int64 = 3, faults: Double = 0.1, badShare: Double = 0.02,
            stopEvery: Int = 0, clockJumps: Bool = false, sabotage: Sabotage? = nil
        ) {
            self.sabotage = sabotage
            self.kind = kind
            self.faultyDays = faultyDays
            self.faults = faults
            self.badShare = badShare
            self.stopEvery = stopEvery
            self.clockJumps = clockJumps
        }
    }

    /// A fault that is made on purpose and must be noticed.
    public enum Sabotage: Sendable, Hashable {
        /// It is noted that the core has a package before the core is asked to take it.
        case notesBeforeTaking
        /// The core does not recognise content that it has matched before.
        case coreForgets
        /// The core claims to have taken a document that it did not take.
        case coreIsDeaf
        /// The journal loses the number of the newest configuration.
        case numbersAreForgotten
    }

    /// The outcome of one life of a board.
    public struct Verdict: Sendable {
        /// The faults, an English sentence each; empty if there are none.
        public internal(set) var complaints: [String] = []
        /// The number of keys that had to be provided, which are those published in the last 14 days, up to some hours
        /// before the end; 0 or more.
        public internal(set) var keyCount = 0
        /// The number of requests that were made to the server, 0 or more.
        public internal(set) var requestCount = 0
        /// The number of these requests that were for packages, 0 or more.
        public internal(set) var packageRequestCount = 0
        /// The number of packages that the core took, as the engine counts them; 0 or more.
        public internal(set) var acceptedCount = 0
        /// The number of packages that the core was given and had matched before, 0 or more.
        public internal(set) var repeatedCount = 0
        /// The number of documents that the core was given and had already, 0 or more.
        public internal(set) var repeatedDocumentCount = 0
        /// The number of times that the process was stopped, 0 or more.
        public internal(set) var stopCount = 0
        /// The number of effects: requests, calls of the core, and changes of the disk; 0 or more.
        public internal(set) var effectCount = 0
        /// The number of faults that the engine noted, 0 or more.
        public internal(set) var faultCount = 0
        /// The size of the journal at the end in bytes, 0 or more.
        public internal(set) var journalByteCount = 0
    }

    private let setting: Setting
    private let source: SourceSettings
    private static let start: Int64 = 1_598_918_400 + 12_345

    /// Creates a trial of one source with `setting`. Nothing happens before ``run(seed:)``.
    public init(_ setting: Setting) {
        self.setting = setting
        source = SourceSettings(
            name: "trial", kind: setting.kind, base: "https://localhost", indexPath: "keys/index.txt",
            configPath: setting.kind == .cwa ? CWAPath.appConfiguration : nil,
            carriedPaths: Dictionary(uniqueKeysWithValues: CarriedDocument.allCases.map { ($0, TrialServer.path($0)) }))
    }

    /// Plays one life of a board in virtual time, and returns the verdict. The same `seed` gives the same life. Never
    /// throws: faults are in the verdict.
    public func run(seed: UInt64) -> Verdict {
        var random = TrialRandom(seed ^ 0xABCD)
        let faultsEnd = Self.start + setting.faultyDays * UTCDay.seconds
        let end = faultsEnd + 60 * 3_600
        let server = TrialServer(
            kind: setting.kind, seed: seed, badShare: setting.badShare, goodFrom: faultsEnd - UTCDay.seconds)
        let world = TrialWorld(
            seed: seed, server: server,
            faults: TrialWorld.Faults(
                network: setting.faults, core: setting.faults / 5, disk: setting.faults / 5, end: faultsEnd),
            start: Self.start, sabotage: setting.sabotage)
        var engine: SyncEngine?
        while world.time < end {
            do {
                var running =
                    try engine ?? SyncEngine(sources: [source], state: world.storedState, ports: world)
                engine = running
                if setting.stopEvery > 0, world.stopAt == nil, world.time < faultsEnd {
                    world.stopAt = world.effectCount + Int.random(in: 1...(2 * setting.stopEvery), using: &random)
                }
                if random.chance(0.02) { try running.wish() }
                let wait = running.secondsUntilRun() ?? 3_600
                // A board sleeps in steps, so that a jump of the clock can come in between.
                world.time += max(1, min(wait, 7_200))
                jump(world, &random, until: faultsEnd)
                try running.runDue()
                engine = running
            } catch {
                engine = nil
                world.restart(withPowerCut: random.chance(0.3))
            }
        }
        return judge(world, engine, server, end)
    }

    /// Requests a run twice, stops the process, and starts others: the request must be written once, must start a run at
    /// once, and must start only one. Returns what is wrong, in English; empty if nothing is, and if a run is due at once
    /// anyway, so that nothing can be tested.
    public func wish(seed: UInt64) -> [String] {
        let server = TrialServer(kind: setting.kind, seed: seed, badShare: 0, goodFrom: 0)
        let world = TrialWorld(seed: seed, server: server, faults: TrialWorld.Faults(), start: Self.start)
        do {
            var first = try SyncEngine(sources: [source], state: world.storedState, ports: world)
            guard first.secondsUntilRun() != 0 else { return [] }
            let before = world.effectCount
            try first.wish()
            try first.wish()
            guard world.effectCount == before + 1 else {
                return ["a wish is written \(world.effectCount - before) times"]
            }
            var second = try SyncEngine(sources: [source], state: world.storedState, ports: world)
            guard second.secondsUntilRun() == 0 else { return ["the wish is lost"] }
            world.stopAt = world.effectCount + 3
            try? second.runDue()
            world.restart(withPowerCut: false)
            let third = try SyncEngine(sources: [source], state: world.storedState, ports: world)
            // What dies on a wish does not try at once again.
            return third.secondsUntilRun().map { $0 > 200 } == true ? [] : ["the wish comes true twice"]
        } catch {
            return ["stopped"]
        }
    }

    private func jump(_ world: TrialWorld, _ random: inout TrialRandom, until end: Int64) {
        guard world.time < end else {
            world.clockError = 0
            return
        }
        // Time from the network, some hours after a start in 1970.
        if world.clockError != 0, random.chance(0.2) { world.clockError = 0 }
        guard setting.clockJumps else { return }
        if random.chance(0.05) {
            world.clockError =
                [0, 0, 0, 7_199, -7_199, 7_200, -7_300, UTCDay.seconds * 5, -UTCDay.seconds * 9, UTCDay.seconds * 3_650]
                .randomElement(using: &random) ?? 0
        }
    }

    private func judge(_ world: TrialWorld, _ engine: SyncEngine?, _ server: TrialServer, _ end: Int64) -> Verdict {
        var verdict = Verdict()
        verdict.requestCount = world.requestCount
        verdict.packageRequestCount = world.packageRequestCount
        verdict.repeatedCount = world.core.repeatedCount
        verdict.stopCount = world.stopCount
        verdict.effectCount = world.effectCount
        verdict.journalByteCount = world.journal.count
        guard let engine else {
            verdict.complaints.append("the engine does not run")
            return verdict
        }
        let record = engine.state.sources["trial"] ?? SourceRecord()
        verdict.acceptedCount = record.facts.packageCount
        verdict.faultCount = record.facts.problemCount
        // Published long enough ago that the last runs must have seen it.
        let slack: Int64 = setting.kind == .nhs ? 12 : setting.kind == .index ? 10 : 4
        let hours = ((UTCDay(containing: end).number - 13) * 24)..<(end / 3_600 - slack)
        var missing = 0
        var firstMissing: Int64?
        var twice = 0
        for hour in hours {
            for key in server.keys(hour: hour) {
                verdict.keyCount += 1
                guard let taken = world.core.keys[key] else {
                    missing += 1
                    firstMissing = firstMissing ?? hour
                    continue
                }
                // A key comes twice only where a whole day had to make up for hours that were gone or bad.
                if taken.count > 1 + taken.whole || taken.whole > 1 { twice += 1 }
            }
        }
        if missing > 0 {
            verdict.complaints.append(
                "\(missing) of \(verdict.keyCount) keys were never provided, the first of Unix hour \(firstMissing ?? 0)")
        }
        if twice > 0 { verdict.complaints.append("\(twice) keys were provided twice without need") }
        // The same content again: only where the process was stopped, an answer was lost or the disk was full between taking and noting.
        let excuses = world.stopCount + world.lostReplyCount + world.fullDiskCount
        if world.core.repeatedCount > excuses {
            verdict.complaints.append("\(world.core.repeatedCount) packages were provided again, \(excuses) with an excuse")
        }
        for document in CarriedDocument.allCases {
            let (taken, due) = (world.core.documents[document], server.version(document, at: end - slack * 3_600))
            if (taken ?? 0) < (due ?? 0) {
                verdict.complaints.append("the \(document) are of version \(taken ?? 0), and \(due ?? 0) is published")
            }
        }
        verdict.repeatedDocumentCount = world.core.repeatedDocumentCount
        if world.olderCount > 0 {
            verdict.complaints.append("\(world.olderCount) times an older configuration took the place of a newer one")
        }
        if !world.spool.isEmpty { verdict.complaints.append("\(world.spool.count) files were left in the spool") }
        if JournalCodec.read(world.journal).state != engine.state {
            verdict.complaints.append("the journal says something else")
        }
        if world.journal.count > 100_000 { verdict.complaints.append("the journal has \(world.journal.count) bytes") }
        if record.facts.missingCount > 0 {
            let rest = record.packages.filter { $0.value.state != .accepted }.sorted { $0.key < $1.key }.prefix(8).map {
                id, package in
                let next = package.retryAt.map { ", next in \($0 - end) s" } ?? ""
                return "\(id) \(package.state)\(package.rule.map { " \($0)" } ?? "") \(package.count)\(next)"
            }
            verdict.complaints.append(
                "\(record.facts.missingCount) packages are said to be missing: \(rest.joined(separator: "; "))")
        }
        if record.facts.problem != nil { verdict.complaints.append("a problem remains: \(record.facts.problem ?? "")") }
        let horizon = hours.upperBound * 3_600
        if record.facts.newestEnd.map({ $0 < horizon }) ?? true {
            verdict.complaints.append(
                "keys are said to be known up to \(horizon - (record.facts.newestEnd ?? 0)) s too early")
        }
        return verdict
    }
}
