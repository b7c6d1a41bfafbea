// SPDX-License-Identifier: Apache-2.0

import Radio
public import VirtualAir

/// Boards on one air, run together through virtual time.
public final class SimulatedRoom {
    /// More turns than this without time going on are a board that spins.
    private static let mostTurns = 100_000

    public let air: VirtualAir
    public private(set) var boards: [SimulatedBoard] = []
    /// Hears packets, if there is one.
    public var receiver: AirReceiver?
    /// Set when a board wanted to be called at once, again and again.
    public private(set) var isSpinning = false
    private var agenda: [(moment: Duration, action: () -> Void)] = []

    public init(_ air: VirtualAir) { self.air = air }

    public func add(_ board: SimulatedBoard) { boards.append(board) }

    /// Makes a board and lets `witness` judge it.
    public func add(_ setup: SimulatedBoard.Setup, judgedBy witness: Witness) -> SimulatedBoard {
        let board = SimulatedBoard(air, setup)
        judge(board, by: witness)
        return board
    }

    /// Adds a board and lets `witness` judge it.
    public func judge(_ board: SimulatedBoard, by witness: Witness) {
        add(board)
        let setup = board.setup
        let slice = setup.controller.canAdvertiseAndScanAtOnce ? nil : setup.profile.scan.duration + .milliseconds(500)
        witness.watch(board.node, as: .init(longestSlice: slice) { [unowned board] in board.goesBy(at: $0) })
        board.witness = witness
    }

    /// Does `action` at `moment`, between two steps of everything else.
    public func schedule(at moment: Duration, _ action: @escaping () -> Void) {
        // The air counts microseconds: a moment between two of them would never be reached.
        let (seconds, attoseconds) = moment.components
        let moment = Duration.seconds(seconds) + .microseconds((attoseconds + 999_999_999_999) / 1_000_000_000_000)
        let place = agenda.firstIndex { $0.moment > moment } ?? agenda.endIndex
        agenda.insert((moment, action), at: place)
    }

    public func run(for span: Duration) { run(until: air.now + span) }

    /// Lets time pass up to `end`, or until `isOver`.
    public func run(until end: Duration, unless isOver: () -> Bool = { false }) {
        var turns = 0
        while !isSpinning, !isOver() {
            receiver?.collect()
            for board in boards { board.serve() }
            while let first = agenda.first, first.moment <= air.now {
                agenda.removeFirst()
                first.action()
            }
            var next = end
            for board in boards { if let due = board.nextEvent { next = min(next, due) } }
            if let due = agenda.first?.moment { next = min(next, due) }
            if let due = air.nextEvent { next = min(next, due) }
            let before = air.now
            if before >= end { return }
            air.advance(to: max(next, before))
            turns = air.now > before ? 0 : turns + 1
            isSpinning = turns > Self.mostTurns
        }
    }
}
