// SPDX-License-Identifier: Apache-2.0

/// The parameters that a successful command returned after its status.
///
/// Their text form does not show the content, because random bytes may become part of a secret.
public enum ReturnParameters: Hashable, Sendable {
    /// No parameters.
    case none
    /// The versions of the controller, and its manufacturer.
    case localVersion(LocalVersion)
    /// The commands that the controller supports.
    case supportedCommands(SupportedCommands)
    /// The public address; all zero if the controller has none.
    case address(BluetoothAddress)
    /// The features of the controller's link layer.
    case lowEnergyFeatures(LEFeatures)
    /// The controller's buffers for connection data.
    case lowEnergyBuffers(LEBufferSize)
    /// The transmit power of legacy advertising in dBm, -127 to 20 (before Bluetooth 5: -20 to 10), unchecked. The
    /// controller states it; it is not measured.
    case advertisingTransmitPower(Int8)
    /// 64 random bits from the controller.
    case random(UInt64)
    /// The transmit power in dBm that the controller chose for an advertising set, -127 to 20, unchecked.
    case selectedTransmitPower(Int8)
    /// The largest number of data bytes in an advertising set, 31 to 1650, unchecked.
    case maximumAdvertisingDataLength(UInt16)
    /// The number of advertising sets that the controller can have, 1 to 240, unchecked.
    case supportedAdvertisingSets(UInt8)
    /// All bytes returned by a command that is unknown here, with the status if there is one; may be empty.
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
    /// A text for logs with the kind and the sizes of the answer; neither addresses nor random bytes.
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
