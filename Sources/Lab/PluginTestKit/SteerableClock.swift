// SPDX-License-Identifier: Apache-2.0

public import Glibc
public import PluginKit

/// A clock that stands still until a test moves it. Descriptors are looked at, and never waited for. One thread at a time.
public final class SteerableClock: LoopClock {
    /// Time since the clock's own start; only ``advance(by:)`` moves it, forward.
    public private(set) var now: Duration

    /// A clock that stands at `now`: well after zero if not told, so that a plugin that takes "never" for "long ago" shows it.
    public init(now: Duration = .seconds(1_000)) { self.now = now }

    /// Moves it forward; a negative duration moves nothing. Timers come when the loop turns next.
    public func advance(by duration: Duration) { now += max(.zero, duration) }

    /// Looks at the descriptors and never waits, whatever the deadline.
    public func wait(for descriptors: inout [pollfd], until deadline: Duration?) {
        _ = poll(&descriptors, nfds_t(descriptors.count), 0)
    }
}
