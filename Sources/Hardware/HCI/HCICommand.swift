// SPDX-License-Identifier: Apache-2.0

/// A command to a controller, with parameters that were checked when it was made. Every command of this target is answered
/// with Command Complete.
///
/// Its text form is its name: parameters hold the identifier that goes on air.
public struct HCICommand: Hashable, Sendable {
    /// The number of the command: its group and its number in the group.
    public let opcode: Opcode
    /// The parameters as they travel, at most 255 bytes; may hold the identifier that goes on air.
    public let parameters: [UInt8]

    init(_ opcode: Opcode, _ parameters: [UInt8] = []) {
        precondition(parameters.count <= 0xFF)
        self.opcode = opcode
        self.parameters = parameters
    }

    /// The name in the specification, without its prefix `HCI_`, such as `LE Set Scan Enable`.
    public var name: String { opcode.name }

    /// The packet, with the H4 indicator 1: what serial lines and the kernel's user channel both take.
    public var bytes: [UInt8] {
        var bytes = [HCIPacket.Indicator.command.rawValue]
        bytes.append(littleEndian: opcode.rawValue)
        bytes.append(UInt8(parameters.count))
        return bytes + parameters
    }
}

extension HCICommand: CustomStringConvertible, CustomReflectable {
    /// For logs: name and number, never the parameters.
    public var description: String { "\(name) (\(opcode))" }
    /// Shows the name and the length alone, so that `dump` prints no identifier.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "byteCount": parameters.count]) }
}

// MARK: - The controller itself (Core Specification, Vol 4 Part E 7.3, 7.4, 7.8)

extension HCICommand {
    /// Core Specification, Vol 4 Part E 7.3.2: back to the state after power-on. What was on air is off; addresses, data and masks are forgotten.
    public static let reset = HCICommand(.reset)

    /// Set Event Mask (Core Specification, Vol 4 Part E 7.3.1): chooses the events that the controller may send. Without
    /// ``EventMask/lowEnergy`` there are no advertising reports. Cannot fail.
    public static func setEventMask(_ mask: EventMask) -> HCICommand {
        HCICommand(.setEventMask, mask.bytes)
    }

    /// Core Specification, Vol 4 Part E 7.8.1: which LE events the controller may send. Controllers older than an event may refuse its bit.
    public static func leSetEventMask(_ mask: LEEventMask) -> HCICommand {
        HCICommand(.leSetEventMask, mask.bytes)
    }

    /// Core Specification, Vol 4 Part E 7.4.1: versions and manufacturer, answered as ``ReturnParameters/localVersion(_:)``.
    public static let readLocalVersionInformation = HCICommand(.readLocalVersionInformation)
    /// Core Specification, Vol 4 Part E 7.4.2: which commands the controller knows, answered as ``ReturnParameters/supportedCommands(_:)``.
    public static let readLocalSupportedCommands = HCICommand(.readLocalSupportedCommands)
    /// Core Specification, Vol 4 Part E 7.4.6: the public address, answered as ``ReturnParameters/address(_:)``.
    public static let readAddress = HCICommand(.readAddress)
    /// Core Specification, Vol 4 Part E 7.8.2, version 1: buffers for data, answered as ``ReturnParameters/lowEnergyBuffers(_:)``.
    public static let leReadBufferSize = HCICommand(.leReadBufferSize)
    /// Core Specification, Vol 4 Part E 7.8.3: what the link layer can do, answered as ``ReturnParameters/lowEnergyFeatures(_:)``.
    public static let leReadLocalSupportedFeatures = HCICommand(.leReadLocalSupportedFeatures)
    /// Core Specification, Vol 4 Part E 7.8.6: the power of legacy advertising in dBm, answered as ``ReturnParameters/advertisingTransmitPower(_:)``.
    public static let leReadAdvertisingTransmitPower = HCICommand(.leReadAdvertisingTransmitPower)
    /// Core Specification, Vol 4 Part E 7.8.23: eight random bytes of the controller, answered as ``ReturnParameters/random(_:)``.
    public static let leRandom = HCICommand(.leRandom)

    /// Core Specification, Vol 4 Part E 7.8.4: the random address of advertising and scanning. Refused with ``HCIStatus/commandDisallowed`` while
    /// either is on: disable first.
    ///
    /// Throws ``HCIError/Code/addressNotUsable`` unless ``BluetoothAddress/isUsableAsRandomAddress``.
    public static func leSetRandomAddress(_ address: BluetoothAddress) throws(HCIError) -> HCICommand {
        guard address.isUsableAsRandomAddress else { throw HCIError(.addressNotUsable) }
        return HCICommand(.leSetRandomAddress, address.littleEndianBytes)
    }
}
