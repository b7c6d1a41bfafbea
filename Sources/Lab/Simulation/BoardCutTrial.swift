// SPDX-License-Identifier: Apache-2.0

import GAEN
import LabKit
import Radio
import TimeTrust
import Vault
import VirtualAir

/// Runs short lives of a board in a busy room. Each life is ended by a cut, at a random operation of its storages or
/// between two of its actions; then what is left is checked. Use it on one thread at a time.
///
/// Half of the cuts take the power, so that any part of what was not synced may be lost, in any order; the others only kill
/// the process. The checks are that everything committed is there, no store is set aside, the beacon is on air within a
/// second, and no identifier appears with another address or after its time.
public final class BoardCutTrial {
    /// Counts of what happened since the trial began.
    public struct Tally: Sendable {
        /// The number of times that the process ended, in any way; 0 or more.
        public var cuts = 0
        /// The number of times that the power was cut together with the process, 0 or more.
        public var powerCuts = 0
        /// The number of times that the process ended between two actions, when no storage operation was under way; 0 or
        /// more.
        public var killsBetweenActions = 0
        /// The number of times that the process ended while the core was starting, 0 or more.
        public var cutsAtStart = 0
        /// The number of cuts for each storage operation that met one, such as `sync tek.slots`. Each is 1 or more; others
        /// are absent. The logs of all days count as one file, as in `write day log`.
        public var operations: [String: Int] = [:]
        /// The number of different identifiers that were on air, 0 or more.
        public var identifiers = 0
        /// The number of own keys that were stored, 0 or more.
        public var keys = 0
        /// The number of scans that were certainly stored, 0 or more.
        public var committedScans = 0
        /// The number of scans that were being stored when a process ended and were found afterwards, 0 or more. Those that
        /// were lost are not counted.
        public var uncertainScans = 0
        /// The number of lives during which the UTC day changed, 0 or more.
        public var midnights = 0

        /// Creates a tally with all counts at 0.
        public init() {}

        /// Adds the counts of another trial to this tally. Cannot fail.
        public mutating func add(_ other: Tally) {
            cuts += other.cuts
            powerCuts += other.powerCuts
            killsBetweenActions += other.killsBetweenActions
            cutsAtStart += other.cutsAtStart
            operations.merge(other.operations, uniquingKeysWith: +)
            identifiers += other.identifiers
            keys += other.keys
            committedScans += other.committedScans
            uncertainScans += other.uncertainScans
            midnights += other.midnights
        }
    }

    /// What must be there: what was read when the core started, and what it committed since.
    private struct Model {
        var scans: [UInt32: [ScanRecord]] = [:]
        var appended = 0
        var schedule = TEKSchedule()
        var time: TrustedTime.Snapshot?
    }

    private static let epoch: Int64 = 1_795_219_200 - 600

    private let room: SimulatedRoom
    private let board: SimulatedBoard
    private let witness = Witness()
    private var generator: SplitMix64
    private var model = Model()
    /// The counts so far; ``Tally/identifiers`` and ``Tally/keys`` are set only when ``run(cuts:)`` has ended without a
    /// problem on the way.
    public private(set) var tally = Tally()

    /// Creates a board and six phones on a new air, ten minutes before a midnight. The same seed gives the same trial.
    public init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
        let air = VirtualAir(seed: generator.next())
        air.epoch = Self.epoch
        room = SimulatedRoom(air)
        witness.attach(to: air)
        var setup = SimulatedBoard.Setup(seed: generator.next())
        setup.controller.answerDelay = .milliseconds(1)
        setup.profile.scan = .init(duration: .seconds(1), period: .seconds(20), spread: .seconds(10))
        board = room.add(setup, judgedBy: witness)
        for number in 0..<6 { air.addPhone(path: MotionPath(x: Double(number) + 1, y: 1)) }
    }

    /// Makes cuts until there were `count` since the trial began. Returns what went wrong, in English; empty if nothing
    /// did. A problem that ends the trial is returned alone; otherwise the result has everything that the final check
    /// found. Blocks, for some milliseconds for each cut.
    public func run(cuts count: Int) -> [String] {
        while tally.cuts < count {
            if let problem = life() { return ["after \(tally.cuts) cuts: \(problem)"] }
            if let finding = witness.findings.first { return ["after \(tally.cuts) cuts: \(finding)"] }
        }
        board.restorePower()
        witness.judge(board.node, by: Array(board.ownKeys.values), at: room.air.now)
        tally.identifiers = witness.figures.identifiers
        tally.keys = board.ownKeys.count
        return witness.findings.map { "\($0)" }
    }

    /// From one start to the next cut.
    private func life() -> String? {
        let found: [UInt32: [ScanRecord]]
        switch inspect() {
        case .success(let scans): found = scans
        case .failure(let problem): return problem.text
        }
        pass()
        let chance = Int.random(in: 0..<10, using: &generator)
        if chance == 0 {
            board.actionsUntilKill = .random(in: 0...60, using: &generator)
        } else {
            // Starting takes some twenty operations; after that, two for each scan.
            board.power.operationsUntilCut = .random(in: 0...(chance < 4 ? 26 : 80), using: &generator)
        }
        let day = board.clock(at: room.air.now).day
        board.start()
        if let failure = board.startFailure {
            guard board.power.isCut else { return "the core does not start: \(failure)" }
            tally.cutsAtStart += 1
            cut()
            return nil
        }
        room.run(until: room.air.now + .seconds(3_600), unless: { [board] in !board.isRunning })
        if room.isSpinning { return "the board spins" }
        if board.isRunning { return "an hour went by without a cut" }
        tally.midnights += board.clock(at: room.air.now).day > day ? 1 : 0
        guard let words = board.lastWords else { return "a process left nothing" }
        model = Model(scans: found, appended: Int(words.storedScans), schedule: words.schedule, time: words.time)
        tally.committedScans += model.appended
        if board.power.isCut { cut() } else { killed() }
        return nil
    }

    private func cut() {
        tally.cuts += 1
        if let operation = board.power.cutAt { tally.operations[Self.kind(operation), default: 0] += 1 }
        takePower()
        board.restorePower()
    }

    private func killed() {
        tally.cuts += 1
        tally.killsBetweenActions += 1
        takePower()
    }

    private func takePower() {
        guard Bool.random(using: &generator) else { return }
        tally.powerCuts += 1
        board.cutPower()
    }

    /// Some time without the core: mostly a moment, now and then until shortly before the next midnight.
    private func pass() {
        var span = Duration.milliseconds(Int64.random(in: 1...2_000, using: &generator))
        if Int.random(in: 0..<4, using: &generator) == 0 {
            let civil = board.clock(at: room.air.now)
            let left = UnixTime(seconds: (civil.day + 1) * 86_400).since(civil)
            span = max(span, left - .seconds(Int64.random(in: 1...200, using: &generator)))
        }
        room.run(for: span)
    }

    private static func kind(_ operation: String) -> String {
        guard operation.hasSuffix(".log"), let verb = operation.split(separator: " ").first else { return operation }
        return "\(verb) day log"
    }

    // MARK: What is left

    private struct Problem: Error {
        let text: String
    }

    /// Opens a copy of what is there and compares it with what must be.
    private func inspect() -> Result<[UInt32: [ScanRecord]], Problem> {
        do {
            let vault = try Vault(
                board.data.copy(), provider: FileKeyProvider(board.keys.copy()),
                generator: SplitMix64(seed: generator.next()))
            var scans: [UInt32: [ScanRecord]] = [:]
            for day in vault.days { scans[day] = try vault.scans(day: day) }
            if let problem = compare(vault, scans) { return .failure(Problem(text: problem)) }
            return .success(scans)
        } catch {
            return .failure(Problem(text: "\(error)"))
        }
    }

    private func compare(_ vault: Vault, _ scans: [UInt32: [ScanRecord]]) -> String? {
        for finding in vault.findings {
            switch finding {
            case .tornRecord, .orphanRemoved: continue
            default: return "\(finding)"
            }
        }
        var more = 0
        for (day, committed) in model.scans {
            guard let found = scans[day], found.starts(with: committed) else { return "scans of day \(day) were lost" }
        }
        for (day, found) in scans { more += found.count - (model.scans[day]?.count ?? 0) }
        guard more == model.appended || more == model.appended + 1 else {
            return "\(more) scans since the last start where \(model.appended) were committed"
        }
        tally.uncertainScans += more - model.appended
        return compareKeys(vault)
    }

    /// What was being stored may be there instead: then it goes on from what was committed.
    private func compareKeys(_ vault: Vault) -> String? {
        let (found, committed) = (vault.schedule, model.schedule)
        if found == committed { return vault.timeSnapshot == model.time || isLater(vault) ? nil : "the time was lost" }
        guard isLater(vault) else { return "the time is older than what was committed" }
        guard found.past.starts(with: committed.past) else { return "earlier keys were lost" }
        guard let key = committed.current, let last = committed.lastInterval else { return nil }
        if found.current == key {
            return found.lastInterval.map { $0 >= last } ?? false ? nil : "an interval that was used is free again"
        }
        return found.past.last?.secret == key.secret ? nil : "the current key was lost"
    }

    private func isLater(_ vault: Vault) -> Bool {
        guard let committed = model.time else { return true }
        guard let found = vault.timeSnapshot else { return false }
        return found.current.time >= committed.current.time || found.bootIdentity != committed.bootIdentity
    }
}
