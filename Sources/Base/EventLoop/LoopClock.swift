// SPDX-License-Identifier: Apache-2.0

public import Glibc

/// The clock of an ``EventLoop``, which also does the waiting. Tests use one of their own instead of the system's.
public protocol LoopClock: AnyObject {
    /// The time since a moment that is fixed for the lifetime of the clock. Never goes back. Unrelated to the time of day.
    var now: Duration { get }

    /// Waits until a descriptor is ready or `deadline` has come, and sets `revents` in `descriptors`. With `nil` it waits
    /// for descriptors only; with a deadline in the past it checks the descriptors without waiting. It may return early.
    func wait(for descriptors: inout [pollfd], until deadline: Duration?)
}

/// The clock of the machine (`CLOCK_BOOTTIME`): the time since its start, including time asleep. Setting the time of day
/// does not change it. For one thread at a time.
public final class SystemLoopClock: LoopClock {
    /// Creates a clock without state. Cannot fail.
    public init() {}

    /// The time since the machine started, as exact as the kernel's clock (nanoseconds).
    public var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Waits in `poll(2)`, until `deadline` rounded up to whole milliseconds; `nil` for no deadline. Returns early, with no
    /// descriptor ready, when a signal interrupts it, when `poll` fails, and after about eleven days.
    public func wait(for descriptors: inout [pollfd], until deadline: Duration?) {
        let left = deadline.map { Self.milliseconds($0 - now) } ?? -1
        guard poll(&descriptors, nfds_t(descriptors.count), left) < 0 else { return }
        // Interrupted by a signal: no descriptor is known to be ready.
        for index in descriptors.indices { descriptors[index].revents = 0 }
    }

    /// Whole milliseconds, at most some eleven days. Rounded up: woken a little early, the loop would ask again and again until the time has come.
    static func milliseconds(_ left: Duration) -> Int32 {
        guard left > .zero else { return 0 }
        let (seconds, attoseconds) = left.components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
