// SPDX-License-Identifier: Apache-2.0

import CivilTime

extension UnixTime {
    /// The moment for people, to the minute, rounded down, and in UTC: "2026-11-21 06:07 UTC". Times before 1970 read as its first minute, those
    /// after the year 9999 as their seconds alone.
    public var inWords: String { UTCDay.text(time: UInt64(clamping: seconds)) }
}
