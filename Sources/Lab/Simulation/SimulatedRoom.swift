// SPDX-License-Identifier: Apache-2.0

import Radio
public import VirtualAir

/// Boards on one air that are run together through virtual time. Use it on one thread.
public final class SimulatedRoom {
    /// More turns than this without time going on are a board that spins.
    private static let mostTurns = 100_000

    /// The air that all boards share; only this object lets its time pass.
    public let air: VirtualAir
    /// The boards, in the order in which they were added; empty if there are none.
    public private(set) var boards: [SimulatedBoard] = []
    /// The receiver whose packets are collected at every step; `nil` for none.
    public var receiver: AirReceiver?
    /// Whether time has not gone on for more than 100,000 turns (our own choice), because a board asked to be
    /// called at once, again and again. It stays `true`, and then nothing runs any more.
    public private(set) var isSpinning = false
    /// When each board wants to be served, in microseconds; asking every board after every packet would cost more than all of its work.
    private var dues: [Int64] = []
    private var numbers: [NodeID: Int] = [:]
    private var agenda: [(moment: Int64, action: () -> Void)] = []

    /// Creates a room without boards on `air`, whose time only this room may move from now on.
    public init(_ air: VirtualAir) { self.air = air }

    /// Adds a board, which must be on the room's air (not checked) and is not judged.
    public func add(_ board: SimulatedBoard) {
        numbers[board.node] = boards.count
        boards.append(board)
    }

    /// Creates a board, adds it to the room, lets `witness` judge it, and returns it. Cannot fail.
    public func add(_ setup: SimulatedBoard.Setup, judgedBy witness: Witness) -> SimulatedBoard {
        let board = SimulatedBoard(air, setup)
        judge(board, by: witness)
        return board
    }

    /// Adds a board to the room and lets `witness` judge it.
    public func judge(_ board: SimulatedBoard, by witness: Witness) {
        add(board)
        let setup = board.setup
        let slice = setup.controller.canAdvertiseAndScanAtOnce ? nil : setup.profile.scan.duration + .milliseconds(500)
        witness.watch(
            board.node,
            as: .init(longestSlice: slice, mustBeSilent: setup.profile.role == .place) { [unowned board] in
                board.goesBy(at: $0)
            })
        board.witness = witness
    }

    /// Runs `action` at `moment` of the air's time, between two steps of everything else; at the next step if that time is
    /// past. Of two actions at the same moment, the one scheduled first runs first.
    public func schedule(at moment: Duration, _ action: @escaping () -> Void) {
        let moment = Self.microseconds(moment)
        let place = agenda.firstIndex { $0.moment > moment } ?? agenda.endIndex
        agenda.insert((moment, action), at: place)
    }

    /// Lets `span` of virtual time pass; see ``run(until:unless:)``.
    public func run(for span: Duration) { run(until: air.now + span) }

    /// Lets time pass until `end` of the air's time, or until `isOver` returns `true`, which is asked whenever a board or
    /// an action had something to do. Stops early if ``isSpinning`` becomes `true`. Blocks.
    public func run(until end: Duration, unless isOver: () -> Bool = { false }) {
        var turns = 0
        let end = Self.microseconds(end)
        // What happened since the last run is not known: everybody is looked at.
        refreshDues()
        while !isSpinning, !isOver() {
            let now = air.nowMicroseconds
            receiver?.collect()
            for number in boards.indices where dues[number] <= now {
                boards[number].serve()
                refreshDue(number)
            }
            if let first = agenda.first, first.moment <= now {
                while let first = agenda.first, first.moment <= now {
                    agenda.removeFirst()
                    first.action()
                }
                refreshDues()
            } else {
                noteNews()
            }
            var next = min(agenda.first?.moment ?? end, end)
            for due in dues where due < next { next = due }
            if now >= end { return }
            air.advanceToNews(until: max(next, now))
            noteNews()
            turns = air.nowMicroseconds > now ? 0 : turns + 1
            isSpinning = turns > Self.mostTurns
        }
    }

    private func refreshDues() {
        _ = air.takeNews()
        dues = [Int64](repeating: .max, count: boards.count)
        for number in boards.indices { refreshDue(number) }
    }

    private func refreshDue(_ number: Int) {
        dues[number] = boards[number].nextEvent.map(Self.microseconds) ?? .max
    }

    /// Boards whose controllers have something for them are served in this moment.
    private func noteNews() {
        for node in air.takeNews() {
            if let number = numbers[node] { refreshDue(number) }
        }
    }

    /// Rounded up: the air counts microseconds, and a moment between two of them would never be reached.
    private static func microseconds(_ moment: Duration) -> Int64 {
        let (seconds, attoseconds) = moment.components
        return seconds * 1_000_000 + (attoseconds + 999_999_999_999) / 1_000_000_000_000
    }
}
