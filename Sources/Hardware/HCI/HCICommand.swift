// SPDX-License-Identifier: Apache-2.0

/// A command to a controller, whose parameters were checked when it was created. Every command of this target is answered
/// with Command Complete.
///
/// Its text form is its name, because the parameters may contain the identifier that is broadcast.
public struct HCICommand: Hashable, Sendable {
    /// The opcode of the command: its group and its number in the group.
    public let opcode: Opcode
    /// The encoded parameters, at most 255 bytes; they may contain the identifier that is broadcast.
    public let parameters: [UInt8]

    init(_ opcode: Opcode, _ parameters: [UInt8] = []) {
        precondition(parameters.count <= 0xFF)
        self.opcode = opcode
        self.parameters = parameters
    }

    /// The name in the specification, without its prefix `HCI_`, such as `LE Set Scan Enable`.
    public var name: String { opcode.name }

    /// The complete packet with the H4 indicator 1, in the form that serial lines and the kernel's user channel accept.
    public var bytes: [UInt8] {
        var bytes = [HCIPacket.Indicator.command.rawValue]
        bytes.append(littleEndian: opcode.rawValue)
        bytes.append(UInt8(parameters.count))
        return bytes + parameters
    }
}

extension HCICommand: CustomStringConvertible, CustomReflectable {
    /// A text for logs with name and opcode, never the parameters.
    public var description: String { "\(name) (\(opcode))" }
    /// A mirror with the name and the length of the parameters only, so that `dump` shows no identifier.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "byteCount": parameters.count]) }
}

// MARK: - The controller itself (Core Specification, Vol 4 Part E 7.3, 7.4, 7.8)

extension HCICommand {
    /// Reset (Core Specification, Vol 4 Part E 7.3.2): returns the controller to its state after power-on. It then sends
    /// nothing, and has forgotten addresses, data and masks.
    public static let reset = HCICommand(.reset)

    /// Set Event Mask (Core Specification, Vol 4 Part E 7.3.1): selects the events that the controller may send. Without
    /// ``EventMask/lowEnergy`` it sends no advertising reports. Cannot fail.
    public static func setEventMask(_ mask: EventMask) -> HCICommand {
        HCICommand(.setEventMask, mask.bytes)
    }

    /// LE Set Event Mask (Core Specification, Vol 4 Part E 7.8.1): selects the LE events that the controller may send.
    /// Cannot fail; a controller that is older than an event may refuse its bit.
    public static func leSetEventMask(_ mask: LEEventMask) -> HCICommand {
        HCICommand(.leSetEventMask, mask.bytes)
    }

    /// Read Local Version Information (Core Specification, Vol 4 Part E 7.4.1): asks for versions and manufacturer. The
    /// answer is ``ReturnParameters/localVersion(_:)``.
    public static let readLocalVersionInformation = HCICommand(.readLocalVersionInformation)
    /// Read Local Supported Commands (Core Specification, Vol 4 Part E 7.4.2): asks for the commands that the controller
    /// supports. The answer is ``ReturnParameters/supportedCommands(_:)``.
    public static let readLocalSupportedCommands = HCICommand(.readLocalSupportedCommands)
    /// Read BD_ADDR (Core Specification, Vol 4 Part E 7.4.6): asks for the public address. The answer is
    /// ``ReturnParameters/address(_:)``.
    public static let readAddress = HCICommand(.readAddress)
    /// LE Read Buffer Size (Core Specification, Vol 4 Part E 7.8.2, version 1): asks for the buffers for connection data.
    /// The answer is ``ReturnParameters/lowEnergyBuffers(_:)``.
    public static let leReadBufferSize = HCICommand(.leReadBufferSize)
    /// LE Read Local Supported Features (Core Specification, Vol 4 Part E 7.8.3): asks for the features of the link layer.
    /// The answer is ``ReturnParameters/lowEnergyFeatures(_:)``.
    public static let leReadLocalSupportedFeatures = HCICommand(.leReadLocalSupportedFeatures)
    /// LE Read Advertising Physical Channel Tx Power (Core Specification, Vol 4 Part E 7.8.6): asks for the transmit power
    /// of legacy advertising in dBm. The answer is ``ReturnParameters/advertisingTransmitPower(_:)``.
    public static let leReadAdvertisingTransmitPower = HCICommand(.leReadAdvertisingTransmitPower)
    /// LE Rand (Core Specification, Vol 4 Part E 7.8.23): asks for eight random bytes. The answer is
    /// ``ReturnParameters/random(_:)``.
    public static let leRandom = HCICommand(.leRandom)

    /// LE Set Random Address (Core Specification, Vol 4 Part E 7.8.4): sets the random address for advertising and
    /// scanning. The controller refuses it with ``HCIStatus/commandDisallowed`` while either is enabled, so disable both
    /// first.
    ///
    /// Throws ``HCIError/Code/addressNotUsable`` unless ``BluetoothAddress/isUsableAsRandomAddress``.
    public static func leSetRandomAddress(_ address: BluetoothAddress) throws(HCIError) -> HCICommand {
        guard address.isUsableAsRandomAddress else { throw HCIError(.addressNotUsable) }
        return HCICommand(.leSetRandomAddress, address.littleEndianBytes)
    }
}
