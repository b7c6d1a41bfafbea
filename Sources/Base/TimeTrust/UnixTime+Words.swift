// SPDX-License-Identifier: Apache-2.0

import CivilTime

extension UnixTime {
    /// The moment for people, to the minute and in UTC: "2026-11-21 06:07 UTC". Times before 1970 read as its first minute.
    public var inWords: String { UTCDay.text(time: UInt64(clamping: seconds)) }
}
