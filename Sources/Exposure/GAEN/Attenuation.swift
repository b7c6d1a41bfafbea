// SPDX-License-Identifier: Apache-2.0

/// The part of a signal that was lost on its way, in dB. Exposure Notification uses it as an estimate of distance.
public enum Attenuation {
    /// The transmit powers in dBm, both ends included, that are believed. A sighting with another one does not
    /// count (`matchingTxPowerLowerBound`, `matchingTxPowerUpperBound` in Google's framework).
    public static let believableTransmitPower: ClosedRange<Int8> = -50...20

    /// Returns the difference between the transmit power and the received power, both in dBm, as 0 to 255 dB. A
    /// signal that was received louder than it was sent counts as 0.
    ///
    /// An `rssi` of 127, which means that there was no measurement, is not recognised here.
    @inlinable
    public static func decibels(transmitPower: Int8, rssi: Int8) -> Int {
        max(Int(transmitPower) - Int(rssi), 0)
    }

    /// Returns the RSSI in dBm that a reference phone would have measured: the raw value plus the board's
    /// `correction` in dB, limited to -127...126, because 127 means "no measurement" (Core Specification Vol 4 Part E
    /// 7.7.65.2). Cannot fail.
    public static func calibrated(rssi: Int8, correction: Int) -> Int8 {
        let (sum, overflow) = Int(rssi).addingReportingOverflow(correction)
        if overflow { return correction < 0 ? -127 : 126 }
        return Int8(min(max(sum, -127), 126))
    }
}
