// SPDX-License-Identifier: Apache-2.0

/// The type of address that a controller uses for itself. Raw values are the numbers in the commands (Core
/// Specification, Vol 4 Part E 7.8.5). Addresses that the controller generates are left out: identifier and address
/// must change at the same instant, which only the host can ensure.
public enum OwnAddressType: UInt8, Hashable, Sendable, CaseIterable {
    /// The controller's public address, which never changes and so identifies it forever.
    case `public` = 0x00
    /// The random address set with LE Set Random Address, or for the advertising set.
    case random = 0x01
}

/// The three radio channels on which advertising begins (Core Specification, Vol 6 Part B 1.4.1).
public struct AdvertisingChannels: OptionSet, Hashable, Sendable {
    /// The channel map as in the commands: bits 0 to 2.
    public let rawValue: UInt8

    /// Creates a set from any bits. Commands refuse an empty set and bits above bit 2.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Channel 37, at 2402 MHz; bit 0.
    public static let channel37 = Self(rawValue: 1 << 0)
    /// Channel 38, at 2426 MHz; bit 1.
    public static let channel38 = Self(rawValue: 1 << 1)
    /// Channel 39, at 2480 MHz; bit 2.
    public static let channel39 = Self(rawValue: 1 << 2)
    /// All three channels, as every beacon should use.
    public static let all: Self = [.channel37, .channel38, .channel39]

    func checked() throws(HCIError) -> UInt8 {
        guard !isEmpty, isSubset(of: .all) else { throw HCIError(.parameterOutOfRange, "channel map \(rawValue)") }
        return rawValue
    }
}

/// The peers whose requests an advertiser answers. Raw values are the numbers in the commands (Core Specification,
/// Vol 4 Part E 7.8.5). Has no effect on advertisements that cannot be answered.
public enum AdvertisingFilterPolicy: UInt8, Hashable, Sendable, CaseIterable {
    /// Scan requests and connections from everybody.
    case everybody = 0x00
    /// Scan requests only from devices in the filter list, connections from everybody.
    case scanRequestsFromList = 0x01
    /// Scan requests from everybody, connections only from devices in the filter list.
    case connectionsFromList = 0x02
    /// Scan requests and connections only from devices in the filter list.
    case bothFromList = 0x03
}

/// The parameters of advertising with the commands of Bluetooth 4 (Core Specification, Vol 4 Part E 7.8.5). Directed
/// advertising is not supported.
public struct LegacyAdvertisingParameters: Hashable, Sendable {
    /// The kind of packet to send; raw values are the numbers in the command (7.8.5).
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// ADV_IND: everybody may connect and request more data.
        case connectable = 0x00
        /// ADV_SCAN_IND: everybody may request more data, but nobody may connect.
        case scannable = 0x02
        /// ADV_NONCONN_IND: nobody may connect or request data, as with a beacon of exposure notification.
        case nonConnectable = 0x03
    }

    /// The permitted intervals, 20 ms to 10.24 s, in units of 0.625 ms (Core Specification, Vol 4 Part E 7.8.5).
    public static let intervalUnits = 0x0020...0x4000
    /// The shortest interval, 100 ms in units of 0.625 ms, that controllers before Bluetooth 5.0 accept unless advertising
    /// is connectable (Core Specification 4.2, Vol 2 Part E 7.8.5).
    public static let oldNonConnectableMinimumUnits = 0x00A0

    let encoded: [UInt8]

    /// Checks the parameters and encodes them.
    ///
    /// - Parameters:
    ///   - minimumInterval: The shortest interval, 20 ms to 10.24 s, rounded down to a unit of 0.625 ms. The
    ///     controller chooses an interval between minimum and maximum and adds a random 0 to 10 ms each time.
    ///   - maximumInterval: The longest interval, with the range and rounding of the shortest.
    ///   - kind: The kind of packet; by default one that cannot be answered.
    ///   - ownAddress: The type of the sender's address; a random one must be set before advertising is enabled.
    ///   - channels: The channels to use, at least one; all three by default.
    ///   - filterPolicy: The peers that are answered; everybody by default.
    ///   - controller: The version of the controller. If it is `nil` or before ``CoreVersion/v50``, an interval
    ///     under 100 ms is refused unless `kind` is connectable, because the controller would refuse it.
    ///
    /// - Throws: `parameterOutOfRange` for an interval outside its range or a channel map that is empty or has bits
    ///   above bit 2, `minimumAboveMaximum` if the shortest interval is longer than the longest,
    ///   `tooFastForOldController` for an interval that an old controller refuses.
    public init(
        minimumInterval: Duration, maximumInterval: Duration, kind: Kind = .nonConnectable,
        ownAddress: OwnAddressType = .random, channels: AdvertisingChannels = .all,
        filterPolicy: AdvertisingFilterPolicy = .everybody, controller: CoreVersion? = nil
    ) throws(HCIError) {
        let minimum = try Units.count(minimumInterval, of: Units.slot, in: Self.intervalUnits, "minimum interval")
        let maximum = try Units.count(maximumInterval, of: Units.slot, in: Self.intervalUnits, "maximum interval")
        guard minimum <= maximum else { throw HCIError(.minimumAboveMaximum, "\(minimum) > \(maximum) units") }
        let isOld = controller.map { $0 < .v50 } ?? true
        guard kind == .connectable || !isOld || minimum >= Self.oldNonConnectableMinimumUnits else {
            throw HCIError(.tooFastForOldController, "\(minimum) units of 0.625 ms")
        }
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt16(minimum))
        bytes.append(littleEndian: UInt16(maximum))
        bytes += [kind.rawValue, ownAddress.rawValue]
        bytes += [UInt8](repeating: 0, count: 1 + BluetoothAddress.byteCount)  // peer: only for directed advertising
        bytes += [try channels.checked(), filterPolicy.rawValue]
        encoded = bytes
    }
}

extension HCICommand {
    /// The largest number of data bytes in legacy advertising (Core Specification, Vol 6 Part B 2.3.1).
    public static let maximumLegacyDataByteCount = 31

    /// LE Set Advertising Parameters (Core Specification, Vol 4 Part E 7.8.5): sets the parameters of legacy advertising.
    /// Cannot fail; the controller refuses it with ``HCIStatus/commandDisallowed`` while advertising is on.
    public static func leSetAdvertisingParameters(_ parameters: LegacyAdvertisingParameters) -> HCICommand {
        HCICommand(.leSetAdvertisingParameters, parameters.encoded)
    }

    /// LE Set Advertising Data (Core Specification, Vol 4 Part E 7.8.7): sets the data of legacy advertising, 0 to 31
    /// bytes. Throws ``HCIError/Code/dataTooLong`` for more than 31 bytes.
    public static func leSetAdvertisingData(_ data: some Collection<UInt8>) throws(HCIError) -> HCICommand {
        guard data.count <= maximumLegacyDataByteCount else { throw HCIError(.dataTooLong, "\(data.count) of 31 bytes") }
        // The field always has 31 bytes; what is beyond the length is zero.
        let padding = [UInt8](repeating: 0, count: maximumLegacyDataByteCount - data.count)
        return HCICommand(.leSetAdvertisingData, [UInt8(data.count)] + data + padding)
    }

    /// LE Set Advertising Enable (Core Specification, Vol 4 Part E 7.8.9): switches legacy advertising on or off.
    /// Cannot fail; the controller refuses to enable it with ``HCIStatus/invalidParameters`` if a random address is
    /// to be used and none was set.
    public static func leSetAdvertising(enabled: Bool) -> HCICommand {
        HCICommand(.leSetAdvertisingEnable, [enabled ? 1 : 0])
    }
}
