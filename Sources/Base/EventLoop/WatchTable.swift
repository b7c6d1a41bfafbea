// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The watches of one rank, as `poll` takes them. Kept from round to round: egress has thousands, and only a few of them are ready in a round.
struct WatchTable {
    private(set) var entries: [pollfd] = []
    private(set) var watches: [EventLoop.Watch] = []

    mutating func add(_ watch: EventLoop.Watch) {
        watch.place = watches.count
        watches.append(watch)
        entries.append(watch.entry)
    }

    /// Its interest has changed.
    mutating func update(_ watch: EventLoop.Watch) { entries[watch.place] = watch.entry }

    /// The last one takes its place: the order of service comes from ``EventLoop/Source/number``.
    mutating func remove(_ watch: EventLoop.Watch) {
        watches.swapAt(watch.place, watches.count - 1)
        entries.swapAt(watch.place, entries.count - 1)
        watches[watch.place].place = watch.place
        watches.removeLast()
        entries.removeLast()
    }
}
