// SPDX-License-Identifier: Apache-2.0

/// The parameters that a successful command returned after its status.
///
/// Has no text form of its content: random bytes may become somebody's secret.
public enum ReturnParameters: Hashable, Sendable {
    /// Nothing but the status.
    case none
    /// Versions and manufacturer.
    case localVersion(LocalVersion)
    /// The commands that the controller knows.
    case supportedCommands(SupportedCommands)
    /// The public address; all zero in controllers that have none.
    case address(BluetoothAddress)
    /// The abilities of the controller's link layer.
    case lowEnergyFeatures(LEFeatures)
    /// The controller's buffers for data of connections.
    case lowEnergyBuffers(LEBufferSize)
    /// Power of legacy advertising in dBm, -127 ... 20 (before Bluetooth 5: -20 ... 10), unchecked; as the controller states it, not as anybody
    /// measured it.
    case advertisingTransmitPower(Int8)
    /// 64 random bits of the controller, of any value.
    case random(UInt64)
    /// Power in dBm that the controller chose for an advertising set; -127 ... 20, unchecked.
    case selectedTransmitPower(Int8)
    /// Most bytes of data in an advertising set, 31 to 1650, unchecked.
    case maximumAdvertisingDataLength(UInt16)
    /// The number of advertising sets that there can be, 1 to 240, unchecked.
    case supportedAdvertisingSets(UInt8)
    /// The bytes that came for a command this target does not know, with the status if they have one; perhaps none.
    case unparsed([UInt8])

    /// Reads what follows a status of success. Longer than known is fine, since later specifications only append; shorter is
    /// `truncated`, with the offset in the event's parameters.
    init(_ opcode: Opcode, _ reader: inout ByteReader) throws(HCIError) {
        switch opcode {
        case .readLocalVersionInformation:
            let hci = CoreVersion(rawValue: try reader.uint8())
            let hciRevision = try reader.uint16()
            let linkLayer = CoreVersion(rawValue: try reader.uint8())
            let manufacturer = try reader.uint16()
            let linkLayerRevision = try reader.uint16()
            self = .localVersion(
                LocalVersion(
                    hci: hci, hciRevision: hciRevision, linkLayer: linkLayer, manufacturer: manufacturer,
                    linkLayerRevision: linkLayerRevision))
        case .readLocalSupportedCommands:
            self = .supportedCommands(SupportedCommands(try reader.bytes(SupportedCommands.byteCount)))
        case .readAddress: self = .address(try reader.address(.public))
        case .leReadLocalSupportedFeatures: self = .lowEnergyFeatures(LEFeatures(rawValue: try reader.uint64()))
        case .leReadBufferSize:
            let packetByteCount = try reader.uint16()
            self = .lowEnergyBuffers(LEBufferSize(packetByteCount: packetByteCount, packetCount: try reader.uint8()))
        case .leReadAdvertisingTransmitPower: self = .advertisingTransmitPower(try reader.int8())
        case .leRandom: self = .random(try reader.uint64())
        case .leSetExtendedAdvertisingParameters: self = .selectedTransmitPower(try reader.int8())
        case .leReadMaximumAdvertisingDataLength: self = .maximumAdvertisingDataLength(try reader.uint16())
        case .leReadNumberOfSupportedAdvertisingSets: self = .supportedAdvertisingSets(try reader.uint8())
        default: self = .none
        }
    }
}

extension ReturnParameters: CustomStringConvertible, CustomReflectable {
    /// A text for logs: what kind of answer it is and its sizes; neither addresses nor random bytes.
    public var description: String {
        switch self {
        case .none: return "nothing"
        case .localVersion(let version): return "HCI \(version.hci), manufacturer \(version.manufacturer)"
        case .supportedCommands: return "supported commands"
        case .address: return "an address"
        case .lowEnergyFeatures(let features): return "features 0x\(String(features.rawValue, radix: 16))"
        case .lowEnergyBuffers(let size): return "\(size.packetCount) buffers of \(size.packetByteCount) bytes"
        case .advertisingTransmitPower(let power), .selectedTransmitPower(let power): return "\(power) dBm"
        case .random: return "random bytes"
        case .maximumAdvertisingDataLength(let length): return "at most \(length) bytes"
        case .supportedAdvertisingSets(let count): return "\(count) advertising sets"
        case .unparsed(let bytes): return "\(bytes.count) bytes"
        }
    }

    /// A mirror without children, so that `dump` shows no random bytes.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
