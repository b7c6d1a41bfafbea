// SPDX-License-Identifier: Apache-2.0

import CLinux
import SystemCalls
public import TimeTrust

/// The system clock, used while the kernel reports that it is synchronised over the network.
public enum KernelClock {
    // linux/timex.h; its header has them as macros that Swift's Glibc module does not show.
    static let unsynchronised: Int32 = 0x0040
    static let clockError: Int32 = 0x1000
    static let leapSecondInProgress: Int32 = 3
    static let error: Int32 = 5

    /// Reads the system clock, with the greatest error that the kernel assumes. Returns `nil` while the kernel
    /// reports the clock as not synchronised or faulty.
    ///
    /// Throws ``ClockFailure/Code/kernelClockUnreadable`` if adjtimex(2) is forbidden, even for reading, or fails.
    /// During a leap second the error is a second greater.
    public static func read() throws(ClockFailure) -> TrustedTime.PlausibleReading? {
        var clock = vigil_kernel_clock()
        let result = vigil_kernel_clock_read(&clock)
        guard result == 0 else { throw ClockFailure(.kernelClockUnreadable, SystemError(number: -result).text) }
        return judge(
            status: clock.status, state: clock.state, maximumErrorMicroseconds: clock.maximum_error,
            time: UnixTime(milliseconds: clock.time / 1_000_000))
    }

    /// What adjtimex's answer is worth: its return value is `state`, the rest are fields of `struct timex`.
    static func judge(
        status: Int32, state: Int32, maximumErrorMicroseconds: Int64, time: UnixTime
    ) -> TrustedTime.PlausibleReading? {
        guard status & (unsynchronised | clockError) == 0, (0..<error).contains(state), maximumErrorMicroseconds >= 0 else {
            return nil
        }
        var uncertainty = Duration.microseconds(maximumErrorMicroseconds)
        // 23:59:59 is shown twice.
        if state == leapSecondInProgress { uncertainty += .seconds(1) }
        return TrustedTime.PlausibleReading(.network, time, uncertainty: uncertainty)
    }
}
