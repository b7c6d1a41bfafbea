// SPDX-License-Identifier: Apache-2.0

/// The types of scanning: a passive scanner only listens, an active one also sends requests (Core Specification, Vol 4 Part
/// E 7.8.10).
public enum ScanType: UInt8, Hashable, Sendable, CaseIterable {
    /// Sends nothing, which suffices for exposure notification.
    case passive = 0x00
    /// Sends scan requests, which reveal the scanner's own address.
    case active = 0x01
}

/// The advertisers whose packets are reported (Core Specification, Vol 4 Part E 7.8.10). Raw values are the numbers
/// in the command.
public enum ScanFilterPolicy: UInt8, Hashable, Sendable, CaseIterable {
    /// All advertisers, but of directed advertisements only those to this controller.
    case everybody = 0x00
    /// Only devices in the filter list, and of directed advertisements only those to this controller.
    case fromList = 0x01
    /// As ``everybody``, and also directed advertisements to a resolvable private address that the controller
    /// cannot resolve.
    case everybodyAndUnresolvedDirected = 0x02
    /// As ``fromList``, and also directed advertisements from these devices to a resolvable private address that
    /// the controller cannot resolve.
    case fromListAndUnresolvedDirected = 0x03
}

/// Whether a controller omits advertisers that it has already reported (Core Specification, Vol 4 Part E 7.8.11). A scanner
/// that measures signal strength needs every packet.
public enum DuplicateFilter: UInt8, Hashable, Sendable, CaseIterable {
    /// Every packet is reported.
    case off = 0x00
    /// Each advertiser is reported one time.
    case on = 0x01
    /// Each advertiser is reported one time in each period; only in extended scanning with a period.
    case onResetEachPeriod = 0x02
}

/// The parameters of scanning with the commands of Bluetooth 4 (Core Specification, Vol 4 Part E 7.8.10).
public struct LegacyScanParameters: Hashable, Sendable {
    /// The permitted intervals and windows, 2.5 ms to 10.24 s, in units of 0.625 ms (7.8.10).
    public static let intervalUnits = 0x0004...0x4000

    let encoded: [UInt8]

    /// Checks the parameters and encodes them.
    ///
    /// - Parameters:
    ///   - type: Passive by default.
    ///   - interval: The time from the start of one window to the start of the next, 2.5 ms to 10.24 s, rounded
    ///     down to units of 0.625 ms. Each window is on the next of the three channels.
    ///   - window: The time in each interval for which the receiver is on, at most `interval`, with the same range
    ///     and rounding.
    ///   - ownAddress: The type of address for scan requests; a random one must be set even for passive scanning.
    ///   - filterPolicy: The advertisers to report; all by default.
    /// - Throws: `parameterOutOfRange` if one of them is outside its range, and `windowAboveInterval` if the window
    ///   is longer than the interval.
    public init(
        type: ScanType = .passive, interval: Duration, window: Duration, ownAddress: OwnAddressType = .random,
        filterPolicy: ScanFilterPolicy = .everybody
    ) throws(HCIError) {
        let timing = try ScanTiming.encoded(interval: interval, window: window, in: Self.intervalUnits)
        encoded = [type.rawValue] + timing + [ownAddress.rawValue, filterPolicy.rawValue]
    }
}

/// Interval and window, as both generations of commands have them.
enum ScanTiming {
    static func encoded(
        interval: Duration, window: Duration, in range: ClosedRange<Int>
    ) throws(HCIError) -> [UInt8] {
        let intervalUnits = try Units.count(interval, of: Units.slot, in: range, "scan interval")
        let windowUnits = try Units.count(window, of: Units.slot, in: range, "scan window")
        guard windowUnits <= intervalUnits else {
            throw HCIError(.windowAboveInterval, "\(windowUnits) > \(intervalUnits) units of 0.625 ms")
        }
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt16(intervalUnits))
        bytes.append(littleEndian: UInt16(windowUnits))
        return bytes
    }
}

extension HCICommand {
    /// LE Set Scan Parameters (Core Specification, Vol 4 Part E 7.8.10): sets the parameters of legacy scanning. Cannot
    /// fail; the controller refuses it with ``HCIStatus/commandDisallowed`` while scanning is on.
    public static func leSetScanParameters(_ parameters: LegacyScanParameters) -> HCICommand {
        HCICommand(.leSetScanParameters, parameters.encoded)
    }

    /// LE Set Scan Enable (Core Specification, Vol 4 Part E 7.8.11): switches legacy scanning on or off;
    /// `duplicateFilter` says which repetitions are reported, by default all. Throws
    /// ``HCIError/Code/contradictoryParameters`` for ``DuplicateFilter/onResetEachPeriod``, which only extended
    /// scanning supports.
    public static func leSetScan(enabled: Bool, duplicateFilter: DuplicateFilter = .off) throws(HCIError) -> HCICommand {
        guard duplicateFilter != .onResetEachPeriod else {
            throw HCIError(.contradictoryParameters, "legacy scanning has no period")
        }
        return HCICommand(.leSetScanEnable, [enabled ? 1 : 0, duplicateFilter.rawValue])
    }
}
