// SPDX-License-Identifier: Apache-2.0

/// The days that were, as far as the time was known, the present day during this boot, with their times on the boot clock.
/// They show what is older than a retention period without relying on any clock being right: data named after a day that
/// has not been the present one for that long has not been written for that long.
///
/// The boot clock is never set, so setting other clocks cannot speed it up. Pure; a value belongs to one boot.
public struct BootDays: Sendable, Equatable {
    /// A day, and the latest moment at which it was the present day.
    public struct Use: Sendable, Equatable {
        /// The number of days since 1970-01-01, UTC: ``UTCDay/number`` in 32 bits.
        public let day: UInt32
        /// The latest moment at which the day was the present day, on the clock of this boot.
        public let last: BootInstant

        /// Creates an entry from stored values. `day` counts days since 1970-01-01. Not checked.
        public init(day: UInt32, last: BootInstant) {
            self.day = day
            self.last = last
        }
    }

    /// The largest number of days that are kept. A clock that passes through more of them restarts the record. Our own
    /// bound.
    public static let maximumDays = 64
    /// The safety margin that is added to a retention period: a scan may be written some seconds after the end of its day,
    /// and a crystal that is wrong by 1,000 ppm, the most that a board profile allows, loses 20 minutes in 14 days.
    public static let margin: Duration = .seconds(3_600)

    /// The moment from which every day has been recorded. Days before it are only known to be older.
    public private(set) var since: BootInstant
    /// The days that were the present day, in no particular order, each one time only; at most ``maximumDays``.
    public private(set) var uses: [Use]
    /// The day that was recorded last, in days since 1970-01-01; `nil` before the first one in this program run.
    public private(set) var current: UInt32?

    /// Creates a record that begins at `since`, or continues with the `uses` stored earlier in this boot. Nothing is
    /// checked.
    public init(since: BootInstant, uses: [Use] = []) {
        self.since = since
        self.uses = uses
    }

    /// Records that `day` (days since 1970-01-01) is the present day at `now`, and that the previous day lasted until
    /// `now`. Cannot fail; beyond ``maximumDays`` days the record restarts with this day alone.
    public mutating func see(_ day: UInt32, at now: BootInstant) {
        // The day before was the present one until now.
        for seen in Set([current ?? day, day]) {
            uses.removeAll { $0.day == seen }
            uses.append(Use(day: seen, last: now))
        }
        current = day
        guard uses.count > Self.maximumDays else { return }
        // What was before is older than the new beginning, and that is all that is asked of it.
        since = now
        uses = [Use(day: day, last: now)]
    }

    /// Returns the earliest day, in days since 1970-01-01, that was the present day within `retention` plus ``margin``
    /// before `now`. Data named after an earlier day is older than `retention`. Returns `nil` if the record does not go
    /// back that far, or contains no day in that time.
    public func firstRecent(within retention: Duration, at now: BootInstant) -> UInt32? {
        let span = (retention + Self.margin).clampedMilliseconds
        guard now.millisecondsSince(since) >= span else { return nil }
        return uses.filter { now.millisecondsSince($0.last) < span }.map(\.day).min()
    }
}
