// SPDX-License-Identifier: Apache-2.0

/// A group of flashes that comes again and again. Milliseconds throughout.
public struct Rhythm: Sendable, Hashable {
    /// How long each flash of the group is; at least one.
    public let flashes: [Int]
    /// Dark time between two flashes of a group.
    public let gap: Int
    /// From the beginning of one group to that of the next.
    public let period: Int

    /// Between two flashes of a group; a quarter of the shortest pause between groups, so that nobody wonders where a group ends.
    static let gap = 200

    init(flashes: [Int], gap: Int = Rhythm.gap, period: Int) {
        self.flashes = flashes
        self.gap = gap
        self.period = period
    }

    /// From the beginning of a group to the end of its last flash.
    public var length: Int { flashes.reduce(0, +) + gap * (flashes.count - 1) }

    /// Part of the time in which there is light, 0 to 1.
    public var duty: Double { Double(flashes.reduce(0, +)) / Double(period) }

    /// Whether there is light so long after the beginning of a group.
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

    /// When light comes or goes next after `moment`.
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

    /// How often light comes or goes in an hour: each is a wake-up of the processor.
    public var changesPerHour: Int { flashes.count * 2 * 3_600_000 / period }
}
