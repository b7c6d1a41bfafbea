// SPDX-License-Identifier: Apache-2.0

/// The time after which a visit ends automatically (cwa-app-android `DefaultAutoCheckoutLength`).
public enum AutoCheckOut {
    /// The numbers of minutes after which a visit can end automatically: from a quarter of an hour to a day less a
    /// quarter of an hour, as in the app's picker (cwa-app-android).
    public static let minutes = 15...1_425
    private static let step = 15

    /// Returns the number of minutes from check-in after which a visit ends, a multiple of 15 within ``minutes``. It
    /// follows from the place's own default (in minutes, 0 for none); without one, from the whole minutes until the
    /// end of the event; otherwise it is the shortest time. `end` (of the event, `nil` for none) and `checkIn` are in
    /// Unix seconds; an end that is not after `checkIn` counts as none.
    public static func minutes(default ownDefault: UInt32, end: Int64?, checkIn: Int64) -> Int {
        if ownDefault > 0 { return bounded(Int(ownDefault)) }
        guard let end else { return minutes.lowerBound }
        let (left, isTooFar) = end.subtractingReportingOverflow(checkIn)
        guard !isTooFar, left > 0 else { return minutes.lowerBound }
        return bounded(Int(clamping: left / 60))
    }

    /// Returns the multiple of 15 nearest to a number of minutes from 0 to 1,000,000: up to 7 minutes are rounded
    /// down, 8 and more up. Cannot fail in that range.
    public static func rounded(_ minutes: Int) -> Int { (minutes + step / 2) / step * step }

    private static func bounded(_ wanted: Int) -> Int {
        rounded(min(max(wanted, minutes.lowerBound), minutes.upperBound))
    }
}

extension TraceLocation {
    /// Returns the number of minutes after which a visit that began at `checkIn` (Unix seconds) ends automatically
    /// (``AutoCheckOut/minutes(default:end:checkIn:)``).
    public func autoCheckOutMinutes(checkIn: Int64) -> Int {
        AutoCheckOut.minutes(default: defaultMinutes, end: end == 0 ? nil : Int64(clamping: end), checkIn: checkIn)
    }
}
