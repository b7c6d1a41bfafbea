// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls
public import TimeTrust

/// The battery-backed clock of the board, if it has one.
public enum ClockChip {
    /// Reads the time of the first clock chip (`/sys/class/rtc/rtc0/since_epoch`), cut off to the second, so its
    /// uncertainty is stated as a second; `TrustedTime` assumes at least five minutes. Returns `nil` if there is no
    /// chip.
    ///
    /// The chip is assumed to run in UTC. Throws ``ClockFailure/Code/clockChipUnreadable`` if there is a chip but
    /// no time can be read, for instance because the time was lost with the battery and the driver reports an
    /// error.
    public static func read() throws(ClockFailure) -> TrustedTime.PlausibleReading? {
        try read(folder: "/sys/class/rtc/rtc0")
    }

    static func read(folder: String) throws(ClockFailure) -> TrustedTime.PlausibleReading? {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try WholeFile.read("\(folder)/since_epoch", limit: 32) } catch {
            if error.number == ENOENT || error.number == ENOTDIR { return nil }
            throw ClockFailure(.clockChipUnreadable, error.text)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasSuffix("\n"), let seconds = DecimalText.number(text.dropLast()) else {
            throw ClockFailure(.clockChipUnreadable, "no number")
        }
        // Whole seconds, cut off.
        return TrustedTime.PlausibleReading(.clockChip, UnixTime(seconds: seconds), uncertainty: .seconds(1))
    }
}
