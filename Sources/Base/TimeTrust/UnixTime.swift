// SPDX-License-Identifier: Apache-2.0

/// A moment of civil time (UTC): milliseconds since 1970-01-01 00:00, without leap seconds.
///
/// Any value is allowed; ``TrustedTime`` judges values from outside. Arithmetic stops at the ends of the range instead of
/// trapping.
public struct UnixTime: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The milliseconds since 1970-01-01 00:00 UTC; negative before it.
    public let milliseconds: Int64

    /// Creates the moment that is this number of milliseconds after 1970-01-01 UTC. Any number is allowed. Cannot fail.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }
    /// Creates the moment that is this number of seconds after 1970-01-01 UTC. A moment outside the range (292 million
    /// years) becomes the end of the range. Cannot fail.
    public init(seconds: Int64) { milliseconds = seconds.saturatingMultiply(1_000) }

    /// The whole seconds since 1970, rounded down. Interval numbers are calculated from them.
    public var seconds: Int64 { milliseconds.flooredQuotient(1_000) }
    /// The days since 1970-01-01, UTC, rounded down. A TEK belongs to one such day.
    public var day: Int64 { milliseconds.flooredQuotient(86_400_000) }

    /// Returns the time from `start` to this moment in whole milliseconds; negative if this moment is earlier. Stops at the
    /// ends of 64 bits. Cannot fail.
    public func since(_ start: UnixTime) -> Duration {
        .milliseconds(milliseconds.saturatingSubtract(start.milliseconds))
    }
    /// Returns the moment that is later by `span`, cut to whole milliseconds; earlier if `span` is negative. Counts at most
    /// about 35,000 years of `span`, and stops at the ends of 64 bits. Cannot fail.
    public func advanced(by span: Duration) -> UnixTime {
        UnixTime(milliseconds: milliseconds.saturatingAdd(span.clampedMilliseconds))
    }

    /// Returns whether `left` is the earlier moment.
    public static func < (left: UnixTime, right: UnixTime) -> Bool { left.milliseconds < right.milliseconds }
    /// The seconds since 1970 with three decimals, in the form of `date +%s.%3N`.
    public var description: String {
        let fraction = String(milliseconds - seconds.saturatingMultiply(1_000))
        return "\(seconds)." + String(repeating: "0", count: max(0, 3 - fraction.count)) + fraction
    }
}

/// A reading of the clock that starts with the board (`CLOCK_BOOTTIME`). It includes time asleep, is never set, and starts
/// again with each boot.
public struct BootInstant: Hashable, Comparable, Sendable {
    /// The nanoseconds since the board started, including time asleep.
    public let nanoseconds: Int64

    /// Creates the moment that is this number of nanoseconds after the start of the boot. Cannot fail.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
    /// Creates the moment that is `span` after the start of the boot, cut to whole milliseconds. Stops at the ends of the
    /// range, about 292 years away. Cannot fail.
    public init(sinceBoot span: Duration) {
        nanoseconds = span.clampedMilliseconds.saturatingMultiply(1_000_000)
    }

    /// Whole milliseconds since `start`; never negative, because this clock does not go back.
    func millisecondsSince(_ start: BootInstant) -> Int64 {
        max(0, nanoseconds.saturatingSubtract(start.nanoseconds)) / 1_000_000
    }

    /// Returns whether `left` is the earlier moment. Both must belong to the same boot.
    public static func < (left: BootInstant, right: BootInstant) -> Bool { left.nanoseconds < right.nanoseconds }
}

/// The identity of the boot to which a ``BootInstant`` belongs: the 128 bits of `/proc/sys/kernel/random/boot_id`. Readings
/// of two boots cannot be compared.
public struct BootIdentity: Hashable, Sendable {
    /// The first eight bytes of the identity, with the first one as the highest.
    public let high: UInt64
    /// The last eight bytes of the identity, with the first of them as the highest.
    public let low: UInt64

    /// Creates an identity of 128 bits from its first and its last eight bytes. Any values are allowed. Cannot fail.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}
