// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Radio
import Vault
import VirtualAir

/// Runs boards on one air for days, with everything that may interrupt a rotation at random: processes are killed and
/// restarted, power is cut, clocks are set forwards, backwards and over midnight, and controllers of three kinds fail. A
/// ``Witness`` and an ``AirReceiver`` judge the boards. Use it on one thread at a time.
public final class RotationTrial {
    /// Counts of the disturbances, over all boards.
    public struct Tally: Sendable {
        /// The number of processes that were killed, 0 or more.
        public var kills = 0
        /// The number of power cuts, 0 or more.
        public var powerCuts = 0
        /// The number of power cuts after which the board had no clock to read for an hour, 0 or more.
        public var cutsWithoutClock = 0
        /// The number of times that a clock was set, 0 or more.
        public var clockSteps = 0
        /// The number of controller faults that were made, 0 or more.
        public var troubles = 0
    }

    /// The result of the trial; all is well if it has no findings.
    public struct Report {
        /// The breaches of rules, in the order in which they were noticed; empty if there are none.
        public let findings: [Witness.Finding]
        /// The pauses and lifetimes that the witness saw.
        public let figures: Witness.Figures
        /// The counts of the disturbances that were made.
        public let tally: Tally
        /// The sums of each board, in the order in which the boards were added.
        public let totals: [SimulatedBoard.Totals]
        /// The number of own keys that were stored, over all boards; 0 or more.
        public let keys: Int
        /// The number of sightings that the vaults hold at the end, over all boards, 0 or more; each identifier counts once
        /// for each scan. Sightings that cannot be read are not counted.
        public let storedSightings: Int
    }

    /// 2026-11-21, 00:00.
    private static let epoch: Int64 = 1_795_219_200

    private let days: Int
    private let room: SimulatedRoom
    private let witness = Witness()
    private var generator: SplitMix64
    private var boards: [SimulatedBoard] = []
    private var tally = Tally()

    /// Creates `count` boards and six phones on a new air, for `days` days (1 or more, not checked) from 2026-11-21 00:00
    /// UTC. The boards have controllers of three kinds in turn. The same seed gives the same trial.
    public init(days: Int, boards count: Int, seed: UInt64) {
        self.days = days
        generator = SplitMix64(seed: seed)
        let air = VirtualAir(seed: generator.next())
        air.epoch = Self.epoch
        room = SimulatedRoom(air)
        witness.attach(to: air)
        for number in 0..<count { add(number) }
        for number in 0..<6 {
            air.addPhone(path: MotionPath(x: Double(number) * 2, y: 5))
        }
        let receiver = AirReceiver(air)
        receiver.handler = { [witness] in witness.heard($0) }
        room.receiver = receiver
    }

    /// Legacy commands, extended commands, and a controller that does one thing at a time, in turn.
    private func add(_ number: Int) {
        var setup = SimulatedBoard.Setup(seed: generator.next())
        setup.controller.answerDelay = .milliseconds(2)
        switch number % 3 {
        case 0: break
        case 1:
            setup.controller.hasExtendedAdvertising = true
            setup.profile.commands = .extended
        default:
            // A kiosk's rhythm at a person's: a place sends nothing that could be judged.
            setup.profile = .kiosk
            setup.profile.role = .person
            setup.controller.canAdvertiseAndScanAtOnce = false
        }
        let board = room.add(setup, judgedBy: witness)
        room.air.move(board.node, x: Double(number + 1), y: 0)
        boards.append(board)
    }

    /// Runs the trial to its end and returns its report; blocks. Must be called only once, which is not checked. `progress`
    /// is called after each hour of virtual time, with the hours that have passed and those of the whole trial.
    public func run(progress: (_ hours: Int, _ of: Int) -> Void = { _, _ in }) -> Report {
        for board in boards { board.start() }
        for day in 0..<days { for board in boards { plan(board, day: day) } }
        listen(until: .seconds(86_400 * days))
        for hour in 1...(days * 24) {
            room.run(until: .seconds(3_600 * hour))
            progress(hour, days * 24)
        }
        return report()
    }

    private func report() -> Report {
        let now = room.air.now
        var keys = 0
        var sightings = 0
        for (number, board) in boards.enumerated() {
            board.kill()
            keys += board.ownKeys.count
            witness.judge(board.node, by: Array(board.ownKeys.values), at: now)
            let expected = room.air.environment.pathLoss.meanRSSI(metres: Double(number + 1))
            witness.judgeLevel(of: board.node, expected: expected, at: now)
            if room.isSpinning { witness.note(.gap, board.node, at: now, "a board spins") }
            if let vault = try? Vault(board.data, provider: FileKeyProvider(board.keys)) {
                for day in vault.days {
                    sightings += ((try? vault.scans(day: day)) ?? []).reduce(0) { $0 + $1.heard.count }
                }
            }
        }
        return Report(
            findings: witness.findings, figures: witness.figures, tally: tally, totals: boards.map(\.totals), keys: keys,
            storedSightings: sightings)
    }

    // MARK: What happens

    /// The receiver listens for 20 s in every five minutes, which come into step with nothing.
    private func listen(until end: Duration) {
        room.schedule(at: room.air.now + .milliseconds(Int64.random(in: 1_000...300_000, using: &generator))) { [self] in
            room.receiver?.listen(true)
            witness.receiverPaused()
            room.schedule(at: room.air.now + .seconds(20)) { [self] in
                room.receiver?.listen(false)
                if room.air.now < end { listen(until: end) }
            }
        }
    }

    private func plan(_ board: SimulatedBoard, day: Int) {
        func moment(_ range: ClosedRange<Int64> = 0...86_399_000) -> Duration {
            .seconds(86_400 * day) + .milliseconds(Int64.random(in: range, using: &generator))
        }
        for _ in 0..<Int.random(in: 3...7, using: &generator) { room.schedule(at: moment()) { [self] in kill(board) } }
        room.schedule(at: moment()) { [self] in cutPower(board) }
        for _ in 0..<2 { room.schedule(at: moment()) { [self] in stepClock(board) } }
        // Into the last minutes of a day and back again, both ways over midnight.
        room.schedule(at: moment(86_000_000...86_380_000)) { [self] in set(board, .seconds(600)) }
        room.schedule(at: moment(10_000...1_200_000)) { [self] in set(board, .zero - .seconds(1_500)) }
        room.schedule(at: moment(1_200_000...3_600_000)) { [self] in set(board, .zero) }
        for _ in 0..<2 { room.schedule(at: moment()) { [self] in trouble(board) } }
    }

    private func kill(_ board: SimulatedBoard) {
        guard board.isRunning else { return }
        tally.kills += 1
        board.kill()
        board.restart(after: .milliseconds(Int64.random(in: 0...3_000, using: &generator)))
    }

    private func cutPower(_ board: SimulatedBoard) {
        guard board.isRunning else { return }
        tally.powerCuts += 1
        board.cutPower()
        if Bool.random(using: &generator) {
            tally.cutsWithoutClock += 1
            board.hasClock = false
            room.schedule(at: room.air.now + .seconds(3_600)) { board.hasClock = true }
        }
        board.restart(after: .milliseconds(Int64.random(in: 200...300_000, using: &generator)))
    }

    private func stepClock(_ board: SimulatedBoard) {
        let spans: [Int64] = [20, 300, 900, 1_500, 3_600, 7_200]
        let span = Duration.seconds(spans[Int.random(in: 0..<spans.count, using: &generator)])
        set(board, board.clockError + (Bool.random(using: &generator) ? span : .zero - span))
    }

    private func set(_ board: SimulatedBoard, _ error: Duration) {
        tally.clockSteps += 1
        board.setClock(error: error)
    }

    private func trouble(_ board: SimulatedBoard) {
        tally.troubles += 1
        let kinds: [Fault.Kind] = [.vanish, .silent, .errors, .noise, .lostScan, .flood]
        let kind = kinds[Int.random(in: 0..<kinds.count, using: &generator)]
        let length = Duration.milliseconds(Int64.random(in: 100...20_000, using: &generator))
        // The ladder waits 30 s at most between two attempts.
        witness.excuse(board.node, until: room.air.now + length + .seconds(120))
        room.air.apply(Fault(kind, for: length), to: board.node)
    }
}
