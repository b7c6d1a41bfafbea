// SPDX-License-Identifier: Apache-2.0

/// The parameters of scanning with the commands of Bluetooth 5 (Core Specification, Vol 4 Part E 7.8.64).
public struct ExtendedScanParameters: Hashable, Sendable {
    /// The interval and window of scanning on one radio mode.
    public struct Timing: Hashable, Sendable {
        /// The permitted intervals and windows, 2.5 ms to 40.959375 s, in units of 0.625 ms (7.8.64).
        public static let intervalUnits = 0x0004...0xFFFF

        fileprivate let encoded: [UInt8]

        /// Creates a timing from the `type` of scanning, passive by default, an interval and a window, both 2.5 ms
        /// to 40.959375 s and rounded down to units of 0.625 ms.
        ///
        /// Throws `parameterOutOfRange` if one of them is outside its range, and `windowAboveInterval` if the
        /// window is longer than the interval.
        public init(type: ScanType = .passive, interval: Duration, window: Duration) throws(HCIError) {
            let timing = try ScanTiming.encoded(interval: interval, window: window, in: Self.intervalUnits)
            encoded = [type.rawValue] + timing
        }
    }

    let encoded: [UInt8]

    /// Creates parameters for scanning on 1M, on Coded, or on both in turn; `nil` leaves a radio mode out.
    /// `ownAddress` is the type of address for scan requests, `filterPolicy` the advertisers to report. Throws
    /// `contradictoryParameters` if both are `nil`.
    public init(
        le1M: Timing?, leCoded: Timing? = nil, ownAddress: OwnAddressType = .random,
        filterPolicy: ScanFilterPolicy = .everybody
    ) throws(HCIError) {
        guard le1M != nil || leCoded != nil else { throw HCIError(.contradictoryParameters, "no radio mode to scan on") }
        let modes: UInt8 = (le1M == nil ? 0 : 1 << 0) | (leCoded == nil ? 0 : 1 << 2)
        // One entry for each bit, from the lowest.
        encoded = [ownAddress.rawValue, filterPolicy.rawValue, modes] + (le1M?.encoded ?? []) + (leCoded?.encoded ?? [])
    }
}

extension HCICommand {
    /// LE Set Extended Scan Parameters (Core Specification, Vol 4 Part E 7.8.64): sets the parameters of scanning. Cannot
    /// fail; the controller refuses it with ``HCIStatus/commandDisallowed`` while scanning is on.
    public static func leSetExtendedScanParameters(_ parameters: ExtendedScanParameters) -> HCICommand {
        HCICommand(.leSetExtendedScanParameters, parameters.encoded)
    }

    /// LE Set Extended Scan Enable (Core Specification, Vol 4 Part E 7.8.65): starts scanning.
    ///
    /// - Parameters:
    ///   - duplicateFilter: The repetitions to omit; by default every packet is reported.
    ///   - duration: The duration of the scan, 10 ms to 655.35 s, rounded down to units of 10 ms; `nil` scans until
    ///     it is switched off. At the end comes ``HCIEvent/scanTimeout``, unless there is a period.
    ///   - period: The time after which scanning for `duration` starts again, 1.28 s to 83,884.8 s, rounded down to
    ///     units of 1.28 s and longer than `duration`; `nil` scans one time only.
    /// - Throws: `parameterOutOfRange` if `duration` or `period` is outside its range; `contradictoryParameters`
    ///   for a period without a shorter duration, and for the filter ``DuplicateFilter/onResetEachPeriod`` without
    ///   a period.
    public static func leEnableExtendedScan(
        duplicateFilter: DuplicateFilter = .off, duration: Duration? = nil, period: Duration? = nil
    ) throws(HCIError) -> HCICommand {
        var durationUnits = 0
        var periodUnits = 0
        if let duration {
            durationUnits = try Units.count(duration, of: Units.centisecond, in: 1...0xFFFF, "scan duration")
        }
        if let period {
            periodUnits = try Units.count(period, of: Units.scanPeriod, in: 1...0xFFFF, "scan period")
            guard durationUnits > 0, durationUnits * Units.centisecond < periodUnits * Units.scanPeriod else {
                throw HCIError(.contradictoryParameters, "the scan period must be longer than the scan duration")
            }
        }
        guard duplicateFilter != .onResetEachPeriod || periodUnits > 0 else {
            throw HCIError(.contradictoryParameters, "no period at whose start to forget")
        }
        var bytes: [UInt8] = [1, duplicateFilter.rawValue]
        bytes.append(littleEndian: UInt16(durationUnits))
        bytes.append(littleEndian: UInt16(periodUnits))
        return HCICommand(.leSetExtendedScanEnable, bytes)
    }

    /// LE Set Extended Scan Enable (Core Specification, Vol 4 Part E 7.8.65): stops scanning, with or without a duration.
    public static let leDisableExtendedScan = HCICommand(.leSetExtendedScanEnable, [0, 0, 0, 0, 0, 0])
}
