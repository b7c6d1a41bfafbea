// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import Testing

/// The loop beside a plain description of what it does, on random scripts.
@Suite struct `Loop and model` {
    /// One part of a script. Its first turn of a round takes its readiness away, unless it never rests.
    private struct Part {
        let rank: Int
        let descriptor: Int32
        let neverRests: Bool
        let turns: Int
        let isInEveryRound: Bool
        /// Joins as a watch: without deadlines, and it may want nothing for a while.
        let isWatch: Bool
        var wantsNothing = false
        var due: Duration?
        var isCancelled = false
        var lastTurn = 0
        /// What its turns do to the world, one after the other, and then nothing.
        var actions: [Action]
    }

    private enum Action {
        case makeReady(Int32), quiet(Int32), cancel(Int), setDue(Int, after: Int), turnInterest(Int), pass(Int), hold(Int?)
    }

    /// What both sides change: the parts, which numbers are ready, the time, what is held back.
    private struct World {
        var parts: [Part]
        var ready: Set<Int32> = []
        var now = Duration.seconds(100)
        var held: Int?

        mutating func turn(of index: Int) {
            if !parts[index].neverRests { ready.remove(parts[index].descriptor) }
            if let due = parts[index].due, due <= now { parts[index].due = nil }
            guard !parts[index].actions.isEmpty else { return }
            switch parts[index].actions.removeFirst() {
            case .makeReady(let descriptor): ready.insert(descriptor)
            case .quiet(let descriptor): ready.remove(descriptor)
            case .cancel(let other): parts[other].isCancelled = true
            case .setDue(let other, let after): if !parts[other].isWatch { parts[other].due = now + .milliseconds(after) }
            case .turnInterest(let other):
                parts[other].wantsNothing = parts[other].isWatch && !parts[other].wantsNothing
            case .pass(let milliseconds): now += .milliseconds(milliseconds)
            case .hold(let rank): held = rank
            }
        }

        func mayBeServed(_ index: Int) -> Bool { !parts[index].isCancelled && parts[index].rank < held ?? 99 }
        func wantsTurn(_ index: Int) -> Bool {
            !parts[index].wantsNothing && ready.contains(parts[index].descriptor)
                || parts[index].due.map { $0 <= now } ?? false
        }
    }

    /// The rules, as plainly as they can be said.
    private struct Model {
        var world: World
        var log: [Int] = []
        var turn = 0
        var lastTurnByRank = [Int](repeating: 0, count: EventLoop.Rank.allCases.count)

        mutating func round() {
            let order = world.parts.indices.sorted { (world.parts[$0].rank, $0) < (world.parts[$1].rank, $1) }
            let first = turn
            let row = order.filter { index in
                world.mayBeServed(index) && (world.wantsTurn(index) || world.parts[index].isInEveryRound)
            }
            for index in row {
                var turnsLeft = world.parts[index].turns
                var hasBegun = false
                while turnsLeft > 0, world.mayBeServed(index) {
                    if turn > first {
                        let urgent = order.first { other in
                            world.parts[other].rank < world.parts[index].rank && world.mayBeServed(other)
                                && world.wantsTurn(other)
                                && world.parts[other].lastTurn
                                    < lastTurnByRank[(world.parts[other].rank + 1)...].max() ?? 0
                        }
                        if let urgent {
                            give(urgent)
                            continue
                        }
                        if !hasBegun, !world.wantsTurn(index), !world.parts[index].isInEveryRound { break }
                    }
                    give(index)
                    hasBegun = true
                    turnsLeft -= 1
                }
            }
        }

        private mutating func give(_ index: Int) {
            turn += 1
            world.parts[index].lastTurn = turn
            lastTurnByRank[world.parts[index].rank] = turn
            log.append(index)
            world.turn(of: index)
        }
    }

    /// The same world behind a real loop.
    private final class Player: LoopClock {
        var world: World
        var log: [Int] = []
        private var left: [Int]

        init(_ world: World) {
            self.world = world
            left = world.parts.map { _ in 0 }
        }

        var now: Duration { world.now }

        func wait(for descriptors: inout [pollfd], until deadline: Duration?) {
            for index in descriptors.indices {
                descriptors[index].revents = world.ready.contains(descriptors[index].fd) ? Int16(POLLIN) : 0
            }
        }

        func join(_ loop: EventLoop) -> [EventLoop.Source] {
            loop.holdBack(from: .due, until: { nil }, while: { [unowned self] in world.held.map { $0 <= 1 } ?? false })
            loop.holdBack(from: .callers, until: { nil }, while: { [unowned self] in world.held != nil })
            return world.parts.indices.map { index in
                let part = world.parts[index]
                let rank = EventLoop.Rank.allCases[part.rank]
                let descriptors = [pollfd(fd: part.descriptor, events: Int16(POLLIN), revents: 0)]
                if part.isWatch {
                    return loop.watch(part.descriptor, for: .reading, rank: rank) { [unowned self] _ in turn(index) }
                }
                guard part.turns > 1 else {
                    return loop.join(
                        rank: rank, descriptors: { descriptors }, deadline: { [unowned self] in world.parts[index].due },
                        inEveryRound: part.isInEveryRound, serve: { [unowned self] _, _ in turn(index) })
                }
                return loop.join(
                    rank: rank, descriptors: { descriptors }, deadline: { [unowned self] in world.parts[index].due },
                    begin: { [unowned self] _, _ in left[index] = part.turns },
                    proceed: { [unowned self] _ in
                        left[index] -= 1
                        turn(index)
                        return left[index] > 0
                    })
            }
        }

        var sources: [EventLoop.Source] = []

        private func turn(_ index: Int) {
            log.append(index)
            world.turn(of: index)
            for (part, source) in zip(world.parts, sources) {
                if part.isCancelled { source.cancel() }
                (source as? EventLoop.Watch)?.interest = part.wantsNothing ? [] : .reading
            }
        }
    }

    @Test func `Ten thousand random scripts are served in the order that the rules say`() {
        var turns = 0
        var interruptions = 0
        for seed in 0..<10_000 {
            var numbers = Numbers(seed: UInt64(seed))
            let world = Self.world(&numbers)
            var model = Model(world: world)
            let player = Player(world)
            let loop = EventLoop(clock: player)
            player.sources = player.join(loop)
            for _ in 0..<5 {
                // What the world outside does between two rounds.
                for descriptor in Int32(0)..<6 where numbers.next(3) == 0 {
                    model.world.ready.insert(descriptor)
                    player.world.ready.insert(descriptor)
                }
                if numbers.next(2) == 0 {
                    model.world.held = nil
                    player.world.held = nil
                }
                model.round()
                loop.turn(until: player.now)
            }
            guard model.log == player.log else {
                Issue.record("script \(seed): \(player.log), and the rules say \(model.log)")
                return
            }
            turns += model.log.count
            interruptions += zip(model.log, model.log.dropFirst()).count { world.parts[$1].rank < world.parts[$0].rank }
        }
        // The scripts are worth something.
        #expect(turns > 100_000 && interruptions > 10_000, "\(turns) turns, \(interruptions) interruptions")
    }

    private static func world(_ numbers: inout Numbers) -> World {
        let count = 2 + numbers.next(7)
        return World(
            parts: (0..<count).map { _ in
                let turns = numbers.next(4) == 0 ? 2 + numbers.next(3) : 1
                // A part of many turns gives one of them when it goes first; ranks above have short ones in every program.
                let rank = turns > 1 ? 4 : numbers.next(5)
                let isWatch = turns == 1 && numbers.next(2) == 0
                return Part(
                    rank: rank, descriptor: Int32(numbers.next(6)), neverRests: numbers.next(6) == 0, turns: turns,
                    isInEveryRound: turns == 1 && !isWatch && numbers.next(6) == 0, isWatch: isWatch,
                    due: !isWatch && numbers.next(4) == 0 ? .seconds(100) + .milliseconds(numbers.next(4)) : nil,
                    actions: (0..<numbers.next(6)).map { _ in action(count, &numbers) })
            })
    }

    private static func action(_ count: Int, _ numbers: inout Numbers) -> Action {
        switch numbers.next(10) {
        case 0, 1, 2: .makeReady(Int32(numbers.next(6)))
        case 3: .quiet(Int32(numbers.next(6)))
        case 4: .cancel(numbers.next(count))
        case 5, 6: .setDue(numbers.next(count), after: numbers.next(3))
        case 7: .pass(1 + numbers.next(3))
        case 8: .turnInterest(numbers.next(count))
        default: .hold([1, 3, 3, nil][numbers.next(4)])
        }
    }
}

/// Numbers that are the same in every run.
private struct Numbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed &+ 0x9E37_79B9_7F4A_7C15 }

    /// Below `limit`.
    mutating func next(_ limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((value ^ (value >> 31)) % UInt64(limit))
    }
}
