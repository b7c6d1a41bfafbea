// SPDX-License-Identifier: Apache-2.0

public import Glibc
public import PluginKit

/// A clock that stands still until a test moves it. Descriptors are polled and never waited for. Use it on one thread at a
/// time.
public final class SteerableClock: LoopClock {
    /// The present time of the clock: the value given to ``init(now:)`` plus everything that ``advance(by:)`` has
    /// added. It never goes back.
    public private(set) var now: Duration

    /// Creates a clock that stands at `now`, by default at 1,000 seconds, so that a plugin that confuses "never" with "long
    /// ago" fails.
    public init(now: Duration = .seconds(1_000)) { self.now = now }

    /// Moves the clock forwards; a negative duration is ignored. Timers run when the loop turns next.
    public func advance(by duration: Duration) { now += max(.zero, duration) }

    /// Polls the descriptors without waiting, whatever the deadline is.
    public func wait(for descriptors: inout [pollfd], until deadline: Duration?) {
        _ = poll(&descriptors, nfds_t(descriptors.count), 0)
    }
}
