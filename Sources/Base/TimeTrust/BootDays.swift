// SPDX-License-Identifier: Apache-2.0

/// The days that were, by whatever the time was taken for, the present one in this boot, with their times by the boot
/// clock. So that what is older than a retention can be told without any clock being right: what carries the name of a day
/// that was not the present one for so long was not written for so long.
///
/// The boot clock is never set, so nobody who sets clocks can hurry it. Pure; one value belongs to one boot.
public struct BootDays: Sendable, Equatable {
    /// A day, and the latest moment at which it was the present one.
    public struct Use: Sendable, Equatable {
        /// Days since 1970-01-01, UTC: what ``UTCDay/number`` is, in 32 bits.
        public let day: UInt32
        /// The latest moment at which the day was the present one.
        public let last: BootInstant

        /// A day, in days since 1970-01-01, and its latest moment of this boot, as they were kept. Not checked.
        public init(day: UInt32, last: BootInstant) {
            self.day = day
            self.last = last
        }
    }

    /// The most days that are kept. A clock that jumps over more days between two forgettings makes the watch begin anew.
    /// Our own bound.
    public static let maximumDays = 64
    /// Safety added to a retention: a scan may be written some seconds after its day has ended, and a crystal of 1,000 ppm, the worst that a board
    /// profile may have, loses 20 minutes in 14 days.
    public static let margin: Duration = .seconds(3_600)

    /// The moment from which every day was written down. Earlier days are only known to be older.
    public private(set) var since: BootInstant
    /// The days that were the present one, in no order, each once; at most ``maximumDays``.
    public private(set) var uses: [Use]
    /// The day seen last, in days since 1970-01-01; `nil` before the first one of this program run.
    public private(set) var current: UInt32?

    /// Begins at `since`, or goes on from what was kept of this boot; nothing is checked.
    public init(since: BootInstant, uses: [Use] = []) {
        self.since = since
        self.uses = uses
    }

    /// Notes that `day` (days since 1970-01-01) is the present one at `now`. The day before it lasted until `now`. Cannot
    /// fail; beyond ``maximumDays`` all but this day are forgotten.
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

    /// The first day, in days since 1970-01-01, that was the present one within `retention` (and ``margin``) before `now`: whatever is named after an
    /// earlier one is older than that. `nil` while this has not watched for so long, or has seen no day in that time.
    public func firstRecent(within retention: Duration, at now: BootInstant) -> UInt32? {
        let span = (retention + Self.margin).clampedMilliseconds
        guard now.millisecondsSince(since) >= span else { return nil }
        return uses.filter { now.millisecondsSince($0.last) < span }.map(\.day).min()
    }
}
