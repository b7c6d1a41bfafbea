// SPDX-License-Identifier: Apache-2.0

/// The handle of an advertising set, chosen by the host: 0x00 to 0xEF (Core Specification, Vol 4 Part E 7.8.53).
public struct AdvertisingHandle: Hashable, Sendable {
    /// The number in commands, 0x00 to 0xEF.
    public let rawValue: UInt8

    /// Creates a handle from 0 to 0xEF. Returns `nil` for higher numbers, which the specification reserves.
    public init?(_ rawValue: UInt8) {
        guard rawValue <= 0xEF else { return nil }
        self.rawValue = rawValue
    }

    private init(known rawValue: UInt8) { self.rawValue = rawValue }

    /// Handle 0, which a beacon uses for its only set. Our own choice.
    public static let zero = AdvertisingHandle(known: 0)
}

/// The radio modes of LE; raw values are the numbers in commands and reports (Core Specification, Vol 4 Part E
/// 7.8.53 and 7.7.65.13).
public enum PHY: UInt8, Hashable, Sendable, CaseIterable {
    /// 1 Mbit/s, the only mode of Bluetooth 4.
    case le1M = 0x01
    /// 2 Mbit/s; as a secondary mode only.
    case le2M = 0x02
    /// Coded, with 500 or 125 kbit/s and more range.
    case leCoded = 0x03
}

/// The parameters of advertising with the commands of Bluetooth 5 (Core Specification, Vol 4 Part E 7.8.53, version 1).
/// Directed advertising is not supported.
public struct ExtendedAdvertisingParameters: Hashable, Sendable {
    /// The kind of packet to send. Only the combinations that the specification permits can be expressed.
    public enum Kind: Hashable, Sendable {
        /// Packets of Bluetooth 4, with at most 31 bytes, which every scanner receives.
        case legacy(LegacyAdvertisingParameters.Kind)
        /// Packets of Bluetooth 5 that cannot be answered.
        case nonConnectable(secondary: PHY, isAnonymous: Bool)
        /// Packets of Bluetooth 5 for which everybody may request data. Their data is in the scan response, for
        /// which there is no command here: the controller refuses
        /// ``HCICommand/leSetExtendedAdvertisingData(_:handle:)`` for them.
        case scannable(secondary: PHY)
        /// Packets of Bluetooth 5 to which everybody may connect.
        case connectable(secondary: PHY)

        /// The event properties of the specification, without bit 6.
        fileprivate var properties: UInt16 {
            switch self {
            case .legacy(.connectable): return 0x0013
            case .legacy(.scannable): return 0x0012
            case .legacy(.nonConnectable): return 0x0010
            case .nonConnectable(_, let isAnonymous): return isAnonymous ? 0x0020 : 0x0000
            case .scannable: return 0x0002
            case .connectable: return 0x0001
            }
        }

        fileprivate var isLegacy: Bool {
            if case .legacy = self { return true }
            return false
        }

        fileprivate var secondary: PHY {
            switch self {
            case .legacy: return .le1M  // ignored by the controller
            case .nonConnectable(let secondary, _), .scannable(let secondary), .connectable(let secondary):
                return secondary
            }
        }
    }

    /// The permitted intervals, 20 ms to 10,485.759 s, in units of 0.625 ms (7.8.53).
    public static let intervalUnits = 0x00_0020...0xFF_FFFF

    let encoded: [UInt8]
    /// The handle of the advertising set to which these parameters apply.
    public let handle: AdvertisingHandle

    /// Checks the parameters and encodes them.
    ///
    /// - Parameters:
    ///   - handle: The set to which the parameters apply.
    ///   - minimumInterval: The shortest interval, 20 ms to 10,485.759 s, rounded down to a unit of 0.625 ms.
    ///   - maximumInterval: The longest interval, with the range and rounding of the shortest.
    ///   - kind: The kind of packet; by default one of Bluetooth 4 that cannot be answered.
    ///   - ownAddress: The type of the sender's address; by default the random address of the set.
    ///   - channels: The channels on which advertising begins, at least one; all three by default.
    ///   - filterPolicy: The peers that are answered; everybody by default.
    ///   - transmitPower: The wanted power, -127 to 20 dBm; `nil` leaves it to the controller. The controller
    ///     answers with the power that it uses.
    ///   - primary: The radio mode of the first packet: 1M or Coded; only 1M for legacy packets.
    ///   - includesTransmitPower: Whether the packet states the power; must be `false` for legacy packets.
    ///   - secondaryMaximumSkip: The number of advertising events, 0 to 255, that the controller may skip between
    ///     two packets with data; has no effect on legacy packets.
    ///   - setIdentifier: The number of the set that scanners receive (SID), 0 to 15.
    ///   - notifiesScanRequests: Whether the controller sends an event for each scan request.
    /// - Throws: `parameterOutOfRange` for an interval, a power, a channel map or a set identifier outside its
    ///   range; `minimumAboveMaximum` if the shortest interval is longer than the longest;
    ///   `contradictoryParameters` if `primary` is 2M, or if a legacy packet has another mode than 1M or states its
    ///   power.
    public init(
        handle: AdvertisingHandle = .zero, minimumInterval: Duration, maximumInterval: Duration,
        kind: Kind = .legacy(.nonConnectable), ownAddress: OwnAddressType = .random, channels: AdvertisingChannels = .all,
        filterPolicy: AdvertisingFilterPolicy = .everybody, transmitPower: Int8? = nil, primary: PHY = .le1M,
        includesTransmitPower: Bool = false, secondaryMaximumSkip: UInt8 = 0, setIdentifier: UInt8 = 0,
        notifiesScanRequests: Bool = false
    ) throws(HCIError) {
        let minimum = try Units.count(minimumInterval, of: Units.slot, in: Self.intervalUnits, "minimum interval")
        let maximum = try Units.count(maximumInterval, of: Units.slot, in: Self.intervalUnits, "maximum interval")
        guard minimum <= maximum else { throw HCIError(.minimumAboveMaximum, "\(minimum) > \(maximum) units") }
        if let transmitPower, !(-127...20).contains(transmitPower) {
            throw HCIError(.parameterOutOfRange, "transmit power \(transmitPower) dBm")
        }
        guard setIdentifier <= 0x0F else { throw HCIError(.parameterOutOfRange, "set identifier \(setIdentifier)") }
        guard primary != .le2M else { throw HCIError(.contradictoryParameters, "2M is not a primary PHY") }
        if kind.isLegacy, primary != .le1M || includesTransmitPower {
            throw HCIError(.contradictoryParameters, "legacy packets use 1M and do not say their power")
        }
        var bytes = [handle.rawValue]
        bytes.append(littleEndian: kind.properties | (includesTransmitPower ? 1 << 6 : 0))
        bytes.append(littleEndian: UInt64(minimum), byteCount: 3)
        bytes.append(littleEndian: UInt64(maximum), byteCount: 3)
        bytes += [try channels.checked(), ownAddress.rawValue]
        bytes += [UInt8](repeating: 0, count: 1 + BluetoothAddress.byteCount)  // peer: only for directed advertising
        bytes += [filterPolicy.rawValue, UInt8(bitPattern: transmitPower ?? 127), primary.rawValue]
        bytes += [secondaryMaximumSkip, kind.secondary.rawValue, setIdentifier, notifiesScanRequests ? 1 : 0]
        encoded = bytes
        self.handle = handle
    }
}
