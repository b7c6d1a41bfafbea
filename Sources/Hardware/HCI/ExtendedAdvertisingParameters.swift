// SPDX-License-Identifier: Apache-2.0

/// The name of an advertising set, chosen by the host: 0x00 ... 0xEF.
public struct AdvertisingHandle: Hashable, Sendable {
    /// The number in commands, 0x00 ... 0xEF.
    public let rawValue: UInt8

    /// A handle from 0 to 0xEF; `nil` above, which the specification reserves.
    public init?(_ rawValue: UInt8) {
        guard rawValue <= 0xEF else { return nil }
        self.rawValue = rawValue
    }

    private init(known rawValue: UInt8) { self.rawValue = rawValue }

    /// Handle 0, for the one set of a beacon. Our own choice.
    public static let zero = AdvertisingHandle(known: 0)
}

/// The radio modes of LE, by their numbers in commands and reports.
public enum PHY: UInt8, Hashable, Sendable, CaseIterable {
    /// 1 Mbit/s, the only one that Bluetooth 4 has.
    case le1M = 0x01
    /// 2 Mbit/s; only as a secondary mode.
    case le2M = 0x02
    /// Coded: 500 or 125 kbit/s, with more range.
    case leCoded = 0x03
}

/// The parameters of advertising with the commands of Bluetooth 5 (Core Specification, Vol 4 Part E 7.8.53, version 1).
/// Directed advertising is left out.
public struct ExtendedAdvertisingParameters: Hashable, Sendable {
    /// The packets that are sent; the combinations that the specification allows, and no others.
    public enum Kind: Hashable, Sendable {
        /// The packets of Bluetooth 4, which every scanner hears: at most 31 bytes.
        case legacy(LegacyAdvertisingParameters.Kind)
        /// Packets of Bluetooth 5 that nobody can answer.
        case nonConnectable(secondary: PHY, isAnonymous: Bool)
        /// Packets of Bluetooth 5 that everybody may ask for more data.
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

    /// Permitted intervals, 20 ms ... 10,485.759 s, in units of 0.625 ms (7.8.53).
    public static let intervalUnits = 0x00_0020...0xFF_FFFF

    let encoded: [UInt8]
    /// The set that these are for.
    public let handle: AdvertisingHandle

    /// Checks the parameters and encodes them.
    ///
    /// - Parameters:
    ///   - minimumInterval: 20 ms ... 10,485.759 s, rounded down to units of 0.625 ms, like the maximum.
    ///   - transmitPower: wanted power, -127 ... 20 dBm; `nil` leaves it to the controller, which answers with what it takes.
    ///   - primary: the radio mode of the first packet: not 2M, and 1M for legacy packets.
    ///   - includesTransmitPower: whether the power is said in the packet; not in legacy packets.
    ///   - secondaryMaximumSkip: the number of events, 0 ... 255, that may pass without the packets with the data; of no effect with legacy
    ///     packets.
    ///   - setIdentifier: 0 ... 15, told to scanners (SID).
    ///   - notifiesScanRequests: whether each scan request becomes an event.
    /// - Throws: `parameterOutOfRange`, `minimumAboveMaximum`, `contradictoryParameters`.
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
