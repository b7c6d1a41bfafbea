// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The time by which slots, steps and rhythms go: the machine's, or in a rehearsal so many times faster, so that people can watch in a minute
/// what takes half a day. Keys and what is said about symptoms go by the machine's time always.
package struct SlotClock: Sendable {
    /// How many times faster than life; 1 is life.
    package let factor: Int64
    /// When both clocks showed the same, Unix seconds.
    private let origin: Int64
    private let hasPauses: Bool

    /// The machine's own time.
    package static let life = SlotClock(factor: 1, origin: 0)
    /// Shows life's time, and lets nobody wait: for tests of what a slot sends, not of when.
    package static let withoutPauses = SlotClock(factor: 1, origin: 0, hasPauses: false)
    /// As fast as makes sense: a slot then takes less than what a server takes to answer.
    static let largestFactor: Int64 = 1_000

    /// - Parameters:
    ///   - factor: The factor by which the clock is faster than life; brought into 1 to 1,000.
    ///   - origin: The moment when both clocks showed the same, Unix seconds; the same for as long as the clock's times are
    ///     kept.
    package init(factor: Int64, origin: Int64) { self.init(factor: factor, origin: origin, hasPauses: true) }

    private init(factor: Int64, origin: Int64, hasPauses: Bool) {
        self.factor = min(max(factor, 1), Self.largestFactor)
        self.origin = origin
        self.hasPauses = hasPauses
    }

    /// One that shows `moment` now, to within `factor` seconds.
    package static func showing(_ moment: Int64, factor: Int64) -> SlotClock {
        guard factor > 1 else { return .life }
        return SlotClock(factor: factor, origin: (Int64(time(nil)) * factor - moment) / (factor - 1))
    }

    /// The time of this clock, in Unix seconds.
    package func now() -> Int64 {
        guard factor > 1 else { return Int64(time(nil)) }
        var moment = timespec()
        clock_gettime(CLOCK_REALTIME, &moment)
        let passed = (Int64(moment.tv_sec) - origin) * 1_000 + Int64(moment.tv_nsec) / 1_000_000
        return origin + passed * factor / 1_000
    }

    /// What so many seconds of this clock take.
    func duration(_ seconds: Int64) -> Duration { hasPauses ? .milliseconds(seconds * 1_000 / factor) : .zero }

    /// A moment of this clock as the machine's, Unix seconds.
    func machine(_ moment: Int64) -> Int64 {
        guard factor > 1 else { return moment }
        return origin + (moment - origin) / factor
    }
}
