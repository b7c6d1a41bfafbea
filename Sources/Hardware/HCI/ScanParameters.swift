// SPDX-License-Identifier: Apache-2.0

/// The types of scanning: a passive scanner only listens, an active one also asks (Core Specification, Vol 4 Part E
/// 7.8.10).
public enum ScanType: UInt8, Hashable, Sendable, CaseIterable {
    /// Sends nothing: what exposure notification needs.
    case passive = 0x00
    /// Sends scan requests, which show the scanner's own address.
    case active = 0x01
}

/// The advertisers that are reported (Core Specification, Vol 4 Part E 7.8.10).
public enum ScanFilterPolicy: UInt8, Hashable, Sendable, CaseIterable {
    /// Everybody, but not directed advertisements to an address that is not resolved.
    case everybody = 0x00
    /// Devices of the filter list only, but not directed advertisements to an address that is not resolved.
    case fromList = 0x01
    /// Everybody, and directed advertisements to a resolvable private address.
    case everybodyAndUnresolvedDirected = 0x02
    /// Devices of the filter list, and directed advertisements to a resolvable private address.
    case fromListAndUnresolvedDirected = 0x03
}

/// The filter by which a controller leaves out advertisers it has reported already (Core Specification, Vol 4 Part E
/// 7.8.11). A scanner that measures signal strength keeps them all.
public enum DuplicateFilter: UInt8, Hashable, Sendable, CaseIterable {
    /// Every packet is reported.
    case off = 0x00
    /// Each advertiser is reported once.
    case on = 0x01
    /// On, forgetting at the start of each period; only in extended scanning with a period.
    case onResetEachPeriod = 0x02
}

/// The parameters of scanning with the commands of Bluetooth 4 (Core Specification, Vol 4 Part E 7.8.10).
public struct LegacyScanParameters: Hashable, Sendable {
    /// Permitted intervals and windows, 2.5 ms ... 10.24 s, in units of 0.625 ms (7.8.10).
    public static let intervalUnits = 0x0004...0x4000

    let encoded: [UInt8]

    /// Checks the parameters and encodes them.
    ///
    /// - Parameters:
    ///   - interval: 2.5 ms ... 10.24 s from the start of one window to the next, each on the next of the three channels. Rounded down to units of
    /// 0.625 ms, like the window.
    ///   - window: how long of each interval the receiver is on; at most `interval`.
    /// - Throws: `parameterOutOfRange`, `windowAboveInterval`.
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

    /// LE Set Scan Enable (Core Specification, Vol 4 Part E 7.8.11): switches legacy scanning on or off. Throws
    /// ``HCIError/Code/contradictoryParameters`` for the filter that only extended scanning has.
    public static func leSetScan(enabled: Bool, duplicateFilter: DuplicateFilter = .off) throws(HCIError) -> HCICommand {
        guard duplicateFilter != .onResetEachPeriod else {
            throw HCIError(.contradictoryParameters, "legacy scanning has no period")
        }
        return HCICommand(.leSetScanEnable, [enabled ? 1 : 0, duplicateFilter.rawValue])
    }
}
