// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Rounds: wait, then serve.
extension EventLoop {
    /// The earliest time at which a part that is not held back is due or a hold has to be evaluated again, on the
    /// clock of ``now``. `nil` if there is no such time. May be in the past. Does not tell whether a part that was
    /// held back is owed a turn (``inEveryRound(rank:orAt:_:)``).
    public var deadline: Duration? {
        let held = heldBack
        var earliest = holds.compactMap { $0.until() }.min()
        for source in sources.joined() where !source.isCancelled && held.map({ source.rank < $0 }) ?? true {
            earliest = Self.earlier(earliest, source.due)
        }
        return earliest
    }

    /// Runs one round: waits until a descriptor is ready or a deadline has come, but not beyond `limit` (on the loop's
    /// clock; `nil` for no limit), and then gives each ready part a turn. Blocks its thread.
    ///
    /// A part must not call this in its own turn: that stops the program.
    public func turn(until limit: Duration? = nil) {
        precondition(!isInRound, "a part of the loop has called for a round in the middle of one")
        isInRound = true
        defer { isInRound = false }
        wait(until: limit)
        serve()
        pending.removeAll(keepingCapacity: true)
    }

    /// Returns whether a part of a higher rank than `rank` is ready now and would get the next turn: for a part
    /// that can cut a long turn short. Parts that are held back do not count, nor does a part that has had a turn
    /// since a lower-ranked part last had one. Checks the descriptors without waiting. `rank` is that of the part
    /// that asks, or a higher one.
    public func isCalled(above rank: Rank) -> Bool { firstReady(above: rank, with: nil) != nil }

    /// The highest rank that is held back.
    private var heldBack: Rank? {
        // Each hold is asked, even if another one decides: it may have to note the moment.
        var highest: Rank?
        for hold in holds where hold.isOn() { highest = min(highest ?? hold.rank, hold.rank) }
        return highest
    }

    private static func earlier(_ one: Duration?, _ other: Duration?) -> Duration? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    // MARK: Waiting

    /// Waits, and notes in ``pending`` which parts get a turn.
    private func wait(until limit: Duration?) {
        let held = heldBack?.rawValue ?? sources.count
        var earliest = holds.reduce(limit) { Self.earlier($0, $1.until()) }
        entries.removeAll(keepingCapacity: true)
        for rank in 0..<sources.count {
            sources[rank].removeAll { $0.isCancelled }
            guard rank < held else { continue }
            for source in sources[rank] {
                source.roundDue = source.isOwedTurn ? .zero : source.due
                earliest = Self.earlier(earliest, source.roundDue)
                let start = entries.count
                source.appendDescriptors(to: &entries)
                source.span = start..<entries.count
            }
        }
        let asked = entries.count
        for table in watches[..<held] { entries += table.entries }
        prepareLongWait(until: earliest)
        let began = now
        clock.wait(for: &entries, until: earliest)
        let moment = now
        lastWait = (began, min(moment, earliest.map { max(began, $0) } ?? moment))
        for source in sources[held...].joined() where source.joinsEveryRound { source.isOwedTurn = true }
        for source in sources[..<held].joined()
        where source.joinsEveryRound || source.roundDue.map({ $0 <= moment }) ?? false || isReady(source) {
            pending.append(source)
        }
        let others = pending.count
        var start = asked
        for table in watches[..<held] {
            for place in table.entries.indices where entries[start + place].revents != 0 {
                let watch = table.watches[place]
                watch.span = start + place..<start + place + 1
                pending.append(watch)
            }
            start += table.entries.count
        }
        if pending.count > others { pending.sort { ($0.rank, $0.number) < ($1.rank, $1.number) } }
    }

    private func prepareLongWait(until end: Duration?) {
        guard let (due, interval, action) = longWaitAction, due <= now else { return }
        guard end.map({ $0 - now >= .seconds(1) }) ?? true else { return }
        action()
        longWaitAction?.due = now + interval
    }

    private func isReady(_ source: Source) -> Bool { entries[source.span].contains { $0.revents != 0 } }

    /// The deadline is asked for before the clock is read: a deadline of "now" has come.
    private func isDue(_ source: Source) -> Bool {
        guard let due = source.due else { return false }
        return due <= now
    }

    // MARK: Serving

    private func serve() {
        // The result of the wait holds until a part has had a turn.
        let first = turnNumber
        for source in pending {
            var ready: [pollfd]? = entries[source.span].filter { $0.revents != 0 }
            var isUnderWay = false
            source.isOwedTurn = source.joinsEveryRound
            while !source.isCancelled, heldBack.map({ source.rank < $0 }) ?? true {
                if turnNumber != first {
                    if let (urgent, found) = firstReady(above: source.rank, with: isUnderWay ? nil : source) {
                        _ = give(urgent, found)
                        continue
                    }
                    if !isUnderWay { ready = stillReady(source) }
                }
                guard let ready else { break }
                isUnderWay = isUnderWay ? proceed(source) : give(source, ready)
                if !isUnderWay { break }
            }
        }
    }

    private func give(_ source: Source, _ ready: [pollfd]) -> Bool {
        count(source)
        return source.serve(ready, at: now)
    }

    private func proceed(_ source: Source) -> Bool {
        count(source)
        return source.proceed(at: now)
    }

    private func count(_ source: Source) {
        turnNumber += 1
        source.lastTurn = turnNumber
        source.isOwedTurn = false
        for rank in 0..<source.rank.rawValue { lowerTurns[rank] = turnNumber }
    }

    /// The first part of a higher rank that is ready, is not held back, and has had no turn since a part of a lower rank than its own had
    /// one. So a part that is always ready takes every second turn and not all.
    ///
    /// The same look shows whether `other` is ready.
    private func firstReady(above rank: Rank, with other: Source?) -> (Source, [pollfd])? {
        let end = min(rank.rawValue, heldBack?.rawValue ?? sources.count)
        looked.removeAll(keepingCapacity: true)
        for rank in 0..<end {
            for source in sources[rank] where source.lastTurn < lowerTurns[rank] && !source.isCancelled {
                let start = looked.count
                source.appendDescriptors(to: &looked)
                source.span = start..<looked.count
            }
        }
        if let other {
            let start = looked.count
            other.appendDescriptors(to: &looked)
            other.span = start..<looked.count
        }
        var start = looked.count
        for table in watches[..<end] { looked += table.entries }
        if !looked.isEmpty { clock.wait(for: &looked, until: now) }
        for rank in 0..<end {
            let (watch, place) = firstReadyWatch(of: rank, from: start)
            start += watches[rank].entries.count
            for source in sources[rank]
            where source.number < watch?.number ?? .max && source.lastTurn < lowerTurns[rank] && !source.isCancelled {
                let ready = looked[source.span].filter { $0.revents != 0 }
                if !ready.isEmpty || isDue(source) { return (source, ready) }
            }
            if let watch { return (watch, [looked[place]]) }
        }
        return nil
    }

    /// As ``firstReady(above:with:)`` among the watches of one rank, and its place in the last look.
    private func firstReadyWatch(of rank: Int, from start: Int) -> (Watch?, place: Int) {
        let table = watches[rank]
        var first: (Watch?, place: Int) = (nil, 0)
        for place in table.watches.indices where looked[start + place].revents != 0 {
            let watch = table.watches[place]
            guard watch.lastTurn < lowerTurns[rank], watch.number < first.0?.number ?? .max else { continue }
            first = (watch, start + place)
        }
        return first
    }

    /// The descriptors of a source that were ready in the last look; `nil` if it has nothing to do any more.
    private func stillReady(_ source: Source) -> [pollfd]? {
        let ready = looked[source.span].filter { $0.revents != 0 }
        return !ready.isEmpty || source.joinsEveryRound || isDue(source) ? ready : nil
    }
}
