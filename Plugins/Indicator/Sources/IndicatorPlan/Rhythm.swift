// SPDX-License-Identifier: Apache-2.0

/// A group of flashes that is repeated. All times are in milliseconds.
public struct Rhythm: Sendable, Hashable {
    /// The lengths of the flashes of a group, in milliseconds and in order; at least one.
    public let flashes: [Int]
    /// The dark time between two flashes of a group, in milliseconds; has no meaning for a group of one flash.
    public let gap: Int
    /// The time from the beginning of one group to that of the next, in milliseconds; at least ``length``.
    public let period: Int

    /// Between two flashes of a group; a quarter of the shortest pause between groups, so that nobody wonders where a group ends.
    static let gap = 200

    init(flashes: [Int], gap: Int = Rhythm.gap, period: Int) {
        self.flashes = flashes
        self.gap = gap
        self.period = period
    }

    /// The time from the beginning of a group to the end of its last flash, in milliseconds.
    public var length: Int { flashes.reduce(0, +) + gap * (flashes.count - 1) }

    /// The share of the time in which the light is on, above 0 and at most 1.
    public var duty: Double { Double(flashes.reduce(0, +)) / Double(period) }

    /// Returns whether the light is on `moment` milliseconds after the beginning of a group; `false` for a negative time.
    public func isLit(at moment: Int) -> Bool {
        guard moment >= 0 else { return false }
        return lit(within: moment % period)
    }

    private func lit(within moment: Int) -> Bool {
        var start = 0
        for flash in flashes {
            if moment < start { return false }
            if moment < start + flash { return true }
            start += flash + gap
        }
        return false
    }

    /// Returns the first time after `moment` at which a flash begins or ends, or the group ends; both are in milliseconds
    /// after the beginning of the first group. The light need not change then: flashes without a gap follow each other at
    /// once. Cannot fail.
    public func change(after moment: Int) -> Int {
        let base = moment >= 0 ? moment / period * period : 0
        var start = base
        for flash in flashes {
            if start > moment { return start }
            if start + flash > moment { return start + flash }
            start += flash + gap
        }
        return base + period
    }

    /// The number of times in an hour that a flash begins or ends, rounded down, including flashes that follow each other
    /// at once: each one wakes the processor.
    public var changesPerHour: Int { flashes.count * 2 * 3_600_000 / period }
}
