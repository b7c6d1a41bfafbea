// SPDX-License-Identifier: Apache-2.0

/// The time after which a visit ends automatically (cwa-app-android `DefaultAutoCheckoutLength`).
public enum AutoCheckOut {
    /// The numbers of minutes after which a visit can end automatically: from a quarter of an hour to a day less a
    /// quarter of an hour, as in the app's picker (cwa-app-android).
    public static let minutes = 15...1_425
    private static let step = 15

    /// Returns the number of minutes from check-in after which a visit ends, a multiple of 15 within ``minutes``. It
    /// follows from the place's own default (in minutes, 0 for none); without one, from the whole minutes of the event, from `start` to `end`, however late the guest comes
    /// (the app's last versions; specification cwa-protocols 8.3); otherwise it is the shortest time. `start` and `end` (of the event, `nil` for none) and `checkIn` are in
    /// Unix seconds; an event without a start begins with `checkIn`, and one that does not end after its start counts as none.
    public static func minutes(default ownDefault: UInt32, start: Int64?, end: Int64?, checkIn: Int64) -> Int {
        if ownDefault > 0 { return bounded(Int(ownDefault)) }
        guard let end else { return minutes.lowerBound }
        let (length, isTooFar) = end.subtractingReportingOverflow(start ?? checkIn)
        guard !isTooFar, length > 0 else { return minutes.lowerBound }
        return bounded(Int(clamping: length / 60))
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
    /// (``AutoCheckOut/minutes(default:start:end:checkIn:)``). A guest who comes before the event begins, which boards permit, stays
    /// until its end.
    public func autoCheckOutMinutes(checkIn: Int64) -> Int {
        let (begin, finish) = (start == 0 ? nil : Int64(clamping: start), end == 0 ? nil : Int64(clamping: end))
        let counted = AutoCheckOut.minutes(default: defaultMinutes, start: begin, end: finish, checkIn: checkIn)
        guard defaultMinutes == 0, let begin, checkIn < begin else { return counted }
        return max(counted, AutoCheckOut.minutes(default: 0, start: nil, end: finish, checkIn: checkIn))
    }
}
