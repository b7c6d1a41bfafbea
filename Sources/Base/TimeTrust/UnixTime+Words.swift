// SPDX-License-Identifier: Apache-2.0

import CivilTime

extension UnixTime {
    /// The moment in UTC, to the minute, rounded down, for people: "2026-11-21 06:07 UTC". A moment before 1970 gives the
    /// first minute of 1970; one after the year 9999 gives its number of seconds.
    public var inWords: String { UTCDay.text(time: UInt64(clamping: seconds)) }
}
