// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What `poll` waits for, and whose it is. Places that are given back are used again only after ``startRound()``, so that what
/// a round reports never meets a newcomer.
struct PollTable<Owner> {
    private(set) var entries: [pollfd] = []
    private var owners: [Owner?] = []
    private var free: [Int] = []
    private var freed: [Int] = []

    /// Takes a descriptor in.
    mutating func add(_ descriptor: Int32, _ events: Int32, _ owner: Owner) -> Int {
        let entry = Self.entry(descriptor, events)
        guard let place = free.popLast() else {
            entries.append(entry)
            owners.append(owner)
            return entries.count - 1
        }
        entries[place] = entry
        owners[place] = owner
        return place
    }

    /// Waits for these events from now on. For none, not even a hang-up is reported: nobody could do anything about it, and it would be
    /// reported for ever.
    mutating func wait(_ place: Int, _ descriptor: Int32, for events: Int32) {
        entries[place] = Self.entry(descriptor, events)
    }

    mutating func remove(_ place: Int) {
        entries[place] = pollfd(fd: -1, events: 0, revents: 0)
        owners[place] = nil
        freed.append(place)
    }

    func owner(_ place: Int) -> Owner? { owners[place] }

    mutating func startRound() {
        free += freed
        freed.removeAll(keepingCapacity: true)
    }

    private static func entry(_ descriptor: Int32, _ events: Int32) -> pollfd {
        pollfd(fd: events == 0 ? -1 : descriptor, events: Int16(events), revents: 0)
    }
}
