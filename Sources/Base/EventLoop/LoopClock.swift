// SPDX-License-Identifier: Apache-2.0

public import Glibc

/// The clock of an ``EventLoop``, and how it waits. Tests use their own in place of the system's.
public protocol LoopClock: AnyObject {
    /// The time since a moment that does not change as long as the clock lives; never goes back. Unrelated to the time of
    /// day.
    var now: Duration { get }

    /// Waits until a descriptor is ready or `deadline` is reached, and notes in `descriptors` which are. `nil` waits for descriptors only; with
    /// a deadline that has passed it looks and does not wait. It may return early.
    func wait(for descriptors: inout [pollfd], until deadline: Duration?)
}

/// The machine's clock: time since its start, its sleep included (`CLOCK_BOOTTIME`). Setting the time of day does not move
/// it. One thread at a time.
public final class SystemLoopClock: LoopClock {
    /// Keeps nothing and cannot fail: each reading asks the kernel.
    public init() {}

    /// Time since the machine started, in nanoseconds as the kernel counts them.
    public var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Waits in `poll(2)`, with a deadline rounded up to whole milliseconds; `nil` sets none. Returns early, with nothing ready, when a signal
    /// interrupts it or `poll` fails, and after some eleven days.
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
