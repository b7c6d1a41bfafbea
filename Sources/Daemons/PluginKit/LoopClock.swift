// SPDX-License-Identifier: Apache-2.0

public import Glibc

/// Where a ``PluginLoop`` has its time from, and how it waits. A test puts one of its own in the place of the system's.
public protocol LoopClock: AnyObject {
    /// Since some moment; never goes back.
    var now: Duration { get }

    /// Waits until a descriptor is ready or `deadline` is reached, and notes in `descriptors` which are. `nil` waits for descriptors only.
    /// It may return early.
    func wait(for descriptors: inout [pollfd], until deadline: Duration?)
}

/// The machine's: since it started, without its sleep.
public final class SystemLoopClock: LoopClock {
    public init() {}

    public var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    public func wait(for descriptors: inout [pollfd], until deadline: Duration?) {
        var milliseconds: Int32 = -1
        if let deadline {
            let left = max(.zero, deadline - now)
            let (seconds, attoseconds) = left.components
            // Rounded up, or the last millisecond would be spent asking again and again.
            milliseconds = Int32(
                clamping: seconds.multipliedReportingOverflow(by: 1_000).partialValue
                    + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
            if seconds > 1_000_000 { milliseconds = 1_000_000_000 }
        }
        _ = poll(&descriptors, nfds_t(descriptors.count), milliseconds)
    }
}
