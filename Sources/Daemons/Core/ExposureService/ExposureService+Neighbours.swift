// SPDX-License-Identifier: Apache-2.0

public import Interfaces
public import TimeTrust

extension ExposureService {
    /// How long one press, or one beginning at the console, is good for: a calibration takes about ten minutes.
    static let calibrationLength = Duration.seconds(15 * 60)

    /// Listens without a pause for `seconds`, to tell how loud the loudest sender near is; a measurement under way ends.
    /// Returns `false`, and does nothing, for a length that is not 2 to 60 s.
    ///
    /// On a person's board it begins only after the wearer's press, if the board has a button, which is good for 15 minutes;
    /// without one the console asks the person. It is in the audit log once for these 15 minutes.
    ///
    /// - Throws: ``Refusal`` if the caller is not the console, or the press is missing.
    public func measureNeighbours(seconds: Int, by caller: Caller, at now: BootInstant) throws(Refusal) -> Bool {
        guard caller.presence == Caller.console else { throw Self.notTheConsole }
        guard NeighbourMeasurement.seconds.contains(seconds) else { return false }
        if calibrationEnd.map({ now.duration >= $0 }) ?? true {
            let presence = try consolePresence(
                of: caller, who: "\(caller.name) calibrates", "Nothing is measured.", "the calibration", at: now)
            calibrationEnd = now.duration + Self.calibrationLength
            auditWriter.note(.calibrationBegun, caller, at: now, ["presence": presence])
        }
        beacon.measureNeighbours(seconds: seconds, at: now)
        return true
    }

    /// How far the measurement of neighbours is, or what the last one came to; `nil` if there was none since the start.
    ///
    /// - Throws: ``Refusal`` if the caller is not the console.
    public func neighbours(for caller: Caller, at now: BootInstant) throws(Refusal) -> Device1.Neighbours? {
        guard caller.presence == Caller.console else { throw Self.notTheConsole }
        return beacon.neighbours(at: now)
    }

    private static var notTheConsole: Refusal {
        .wrongRole("Only the operator's console calibrates: `vigil ctl calibrate` on the board.")
    }
}
