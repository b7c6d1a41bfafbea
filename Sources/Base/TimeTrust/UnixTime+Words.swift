// SPDX-License-Identifier: Apache-2.0

import CivilTime

extension UnixTime {
    /// "2026-11-21 06:07 UTC".
    public var inWords: String { UTCDay.text(time: UInt64(clamping: seconds)) }
}
