// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The clock for slots, steps and polling: the machine's, or in a rehearsal one that runs faster, so that people
/// can watch half a day in a minute. Keys and statements about symptoms always use the machine's time.
package struct SlotClock: Sendable {
    /// The factor by which the clock is faster than the machine's, 1 to 1,000; 1 outside rehearsals.
    package let factor: Int64
    /// When both clocks showed the same, Unix seconds.
    private let origin: Int64
    private let hasPauses: Bool

    /// The machine's own clock.
    package static let life = SlotClock(factor: 1, origin: 0)
    /// A clock that shows the machine's time, but on which waits take no time: for tests of the content of a slot,
    /// not of its times.
    package static let withoutPauses = SlotClock(factor: 1, origin: 0, hasPauses: false)
    /// As fast as makes sense: a slot then takes less than what a server takes to answer.
    static let largestFactor: Int64 = 1_000

    /// Creates a clock that runs `factor` times as fast as the machine's.
    /// - Parameters:
    ///   - factor: The factor, limited to 1 to 1,000.
    ///   - origin: The time at which both clocks show the same, in Unix seconds; it must stay the same for as long as times
    ///     of this clock are stored.
    package init(factor: Int64, origin: Int64) { self.init(factor: factor, origin: origin, hasPauses: true) }

    private init(factor: Int64, origin: Int64, hasPauses: Bool) {
        self.factor = min(max(factor, 1), Self.largestFactor)
        self.origin = origin
        self.hasPauses = hasPauses
    }

    /// Returns a clock that shows `moment` now, to within `factor` seconds; the machine's own clock if `factor` is 1 or
    /// less.
    package static func showing(_ moment: Int64, factor: Int64) -> SlotClock {
        guard factor > 1 else { return .life }
        return SlotClock(factor: factor, origin: (Int64(time(nil)) * factor - moment) / (factor - 1))
    }

    /// Returns the time of this clock, in Unix seconds.
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
