// SPDX-License-Identifier: Apache-2.0

/// A group of flashes that comes again and again. Milliseconds throughout.
public struct Rhythm: Sendable, Hashable {
    /// The lengths of the flashes of a group, in milliseconds and in order; at least one flash.
    public let flashes: [Int]
    /// The dark time between two flashes of a group, in milliseconds; without meaning for a group of one flash.
    public let gap: Int
    /// The time from the beginning of one group to that of the next, in milliseconds; longer than ``length`` or equal to
    /// it.
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

    /// The part of the time in which there is light, above 0 to 1; no unit.
    public var duty: Double { Double(flashes.reduce(0, +)) / Double(period) }

    /// Whether there is light `moment` milliseconds after the beginning of a group; false for a negative moment.
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

    /// The first moment after `moment` at which a flash begins or ends, or the group ends; both are milliseconds after the
    /// beginning of the first group. The light need not change then: where flashes have no pause between them one follows
    /// at once. Cannot fail.
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

    /// The number of times that a flash begins or ends in an hour, rounded down, also where one follows another at once: each is a wake-up of the
    /// processor.
    public var changesPerHour: Int { flashes.count * 2 * 3_600_000 / period }
}
