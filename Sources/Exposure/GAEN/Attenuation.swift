// SPDX-License-Identifier: Apache-2.0

/// The part of a signal that was lost on its way, in dB: the field's stand-in for distance.
public enum Attenuation {
    /// Transmit powers outside these bounds (dBm) are not believed and the sighting does not count
    /// (`matchingTxPowerLowerBound`, `matchingTxPowerUpperBound` in Google's framework).
    public static let believableTransmitPower: ClosedRange<Int8> = -50...20

    /// Decibels between what was sent and what was heard, both in dBm; 0 to 255, where "louder than sent" counts as 0.
    ///
    /// Does not ask whether there is a measurement: an `rssi` of 127 is none.
    @inlinable
    public static func decibels(transmitPower: Int8, rssi: Int8) -> Int {
        max(Int(transmitPower) - Int(rssi), 0)
    }

    /// RSSI in dBm as a reference phone would have measured it: raw value plus the board's `correction` in dB, kept in
    /// -127...126 because 127 means "no measurement" (Core Specification Vol 4 Part E 7.7.65.2). Cannot fail.
    public static func calibrated(rssi: Int8, correction: Int) -> Int8 {
        let (sum, overflow) = Int(rssi).addingReportingOverflow(correction)
        if overflow { return correction < 0 ? -127 : 126 }
        return Int8(min(max(sum, -127), 126))
    }
}
