// SPDX-License-Identifier: Apache-2.0

/// The time after which a visit ends by itself (cwa-app-android `DefaultAutoCheckoutLength`).
public enum AutoCheckOut {
    /// Minutes after which a visit can end by itself: a quarter of an hour at least, a day less a quarter at most, as the app's picker has them
    /// (cwa-app-android).
    public static let minutes = 15...1_425
    private static let step = 15

    /// Minutes from check-in on after which a visit ends, a multiple of 15 within ``minutes``: the place's own default (minutes, 0 for none), or
    /// else the whole minutes until the event's end, or else the shortest time. `end` (of the event, `nil` for none) and `checkIn` are Unix
    /// seconds; an end that is not after `checkIn` counts as none.
    public static func minutes(default ownDefault: UInt32, end: Int64?, checkIn: Int64) -> Int {
        if ownDefault > 0 { return bounded(Int(ownDefault)) }
        guard let end else { return minutes.lowerBound }
        let (left, isTooFar) = end.subtractingReportingOverflow(checkIn)
        guard !isTooFar, left > 0 else { return minutes.lowerBound }
        return bounded(Int(clamping: left / 60))
    }

    /// The nearest multiple of 15 minutes to a number of minutes, 0 to 1,000,000: 7 minutes above one go down, 8 go up.
    /// Cannot fail in that range.
    public static func rounded(_ minutes: Int) -> Int { (minutes + step / 2) / step * step }

    private static func bounded(_ wanted: Int) -> Int {
        rounded(min(max(wanted, minutes.lowerBound), minutes.upperBound))
    }
}

extension TraceLocation {
    /// Minutes after which a visit that began at `checkIn` (Unix seconds) ends by itself, as ``AutoCheckOut/minutes(default:end:checkIn:)`` has it.
    public func autoCheckOutMinutes(checkIn: Int64) -> Int {
        AutoCheckOut.minutes(default: defaultMinutes, end: end == 0 ? nil : Int64(clamping: end), checkIn: checkIn)
    }
}
