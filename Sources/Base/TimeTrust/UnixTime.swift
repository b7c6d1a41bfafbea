// SPDX-License-Identifier: Apache-2.0

/// A moment of civil time (UTC): milliseconds since 1970-01-01 00:00, leap seconds not counted.
///
/// Any value can be made; what the world hands in is judged by ``TrustedTime``, and its arithmetic stops at the ends of the
/// range instead of trapping.
public struct UnixTime: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Milliseconds since 1970-01-01 00:00 UTC; negative before.
    public let milliseconds: Int64

    /// The moment of that number of milliseconds since 1970-01-01 UTC; any number is allowed. Cannot fail.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }
    /// The start of this second since 1970; times beyond the range (292 million years) become its end. Cannot fail.
    public init(seconds: Int64) { milliseconds = seconds.saturatingMultiply(1_000) }

    /// Whole seconds since 1970, rounded towards the past: what an interval number is made of.
    public var seconds: Int64 { milliseconds.flooredQuotient(1_000) }
    /// Days since 1970-01-01, UTC, rounded towards the past. A TEK belongs to one of them.
    public var day: Int64 { milliseconds.flooredQuotient(86_400_000) }

    /// Length of the way from `start` to this time in whole milliseconds, negative if this time is earlier. Stops at the
    /// ends of 64 bits instead of wrapping around. Cannot fail.
    public func since(_ start: UnixTime) -> Duration {
        .milliseconds(milliseconds.saturatingSubtract(start.milliseconds))
    }
    /// The time `span` later, in whole milliseconds; earlier for a negative span. A span counts up to some 35,000 years,
    /// and the sum stops at the ends of 64 bits. Cannot fail.
    public func advanced(by span: Duration) -> UnixTime {
        UnixTime(milliseconds: milliseconds.saturatingAdd(span.clampedMilliseconds))
    }

    /// Whether `left` is the earlier moment.
    public static func < (left: UnixTime, right: UnixTime) -> Bool { left.milliseconds < right.milliseconds }
    /// Seconds since 1970 with three decimals, as `date +%s.%3N` prints it.
    public var description: String {
        let fraction = String(milliseconds - seconds.saturatingMultiply(1_000))
        return "\(seconds)." + String(repeating: "0", count: max(0, 3 - fraction.count)) + fraction
    }
}

/// A reading of the clock that runs since the board was switched on (`CLOCK_BOOTTIME`): it counts through suspend, is never
/// set, and starts anew with each boot.
public struct BootInstant: Hashable, Comparable, Sendable {
    /// Nanoseconds since the board was switched on, its sleep included.
    public let nanoseconds: Int64

    /// The moment of that number of nanoseconds after the start of the boot. Cannot fail.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
    /// The moment `span` after the start of the boot, cut to whole milliseconds; stops at the ends of the range, some 292
    /// years away. Cannot fail.
    public init(sinceBoot span: Duration) {
        nanoseconds = span.clampedMilliseconds.saturatingMultiply(1_000_000)
    }

    /// Whole milliseconds since `start`; never negative, because this clock does not go back.
    func millisecondsSince(_ start: BootInstant) -> Int64 {
        max(0, nanoseconds.saturatingSubtract(start.nanoseconds)) / 1_000_000
    }

    /// Whether `left` is the earlier moment; of one boot only.
    public static func < (left: BootInstant, right: BootInstant) -> Bool { left.nanoseconds < right.nanoseconds }
}

/// The identity of the boot that a ``BootInstant`` belongs to: the 128 bits of `/proc/sys/kernel/random/boot_id`. Readings
/// of two boots cannot be compared.
public struct BootIdentity: Hashable, Sendable {
    /// The first eight bytes of the identity, the first one the highest.
    public let high: UInt64
    /// The last eight bytes of the identity.
    public let low: UInt64

    /// An identity of 128 bits from its two halves, as ``high`` and ``low`` give them; any values are allowed. Cannot fail.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}
