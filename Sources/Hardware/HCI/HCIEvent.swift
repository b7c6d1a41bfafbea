// SPDX-License-Identifier: Apache-2.0

/// An event from a controller (Core Specification, Vol 4 Part E 7.7).
public enum HCIEvent: Hashable, Sendable {
    /// The answer to a command.
    case commandComplete(CommandComplete)
    /// The refusal of a command, or the promise of an answer.
    case commandStatus(CommandStatus)
    /// The controller reports a fault of its own; the code belongs to its manufacturer.
    case hardwareError(code: UInt8)
    /// Advertisements that were heard, from legacy and extended reports; at least one. Extended ones may be fragments: ``ExtendedReportAssembler``.
    case advertisingReports([AdvertisingReport])
    /// Extended scanning is over because its duration is.
    case scanTimeout
    /// An advertising set stopped by itself.
    case advertisingSetTerminated(AdvertisingSetTerminated)
    /// An LE event this target does not know.
    case otherLowEnergy(subevent: UInt8)
    /// An event this target does not know; 0xFF belongs to the manufacturer.
    case other(code: UInt8)

    /// Reads an event from its packet.
    ///
    /// Throws `notAnEvent` for other packets, and `truncated`, `trailingBytes`, `reportCountOutOfRange`,
    /// `dataLengthOutOfRange`, `reservedValue` with the offset in the event's parameters.
    public init(_ packet: HCIPacket) throws(HCIError) {
        guard packet.indicator == .event else { throw HCIError(.notAnEvent, at: 0, "\(packet.indicator)") }
        try self.init(code: packet.bytes[1], parameters: packet.payload)
    }

    /// Reads an event from its code and parameters, the bytes after their length. Throws as ``init(_:)``, but for `notAnEvent`.
    public init(code: UInt8, parameters: ArraySlice<UInt8>) throws(HCIError) {
        var reader = ByteReader(parameters)
        switch code {
        case 0x0E: self = .commandComplete(try CommandComplete(&reader))
        case 0x0F: self = .commandStatus(try CommandStatus(&reader))
        case 0x10: self = .hardwareError(code: try reader.uint8())
        case 0x3E: self = try Self.lowEnergy(&reader)
        default: self = .other(code: code)
        }
    }

    private static func lowEnergy(_ reader: inout ByteReader) throws(HCIError) -> HCIEvent {
        let event: HCIEvent
        switch try reader.uint8() {
        case 0x02: event = .advertisingReports(try AdvertisingReport.legacyReports(&reader))
        case 0x0D: event = .advertisingReports(try AdvertisingReport.extendedReports(&reader))
        case 0x11: return .scanTimeout
        case 0x12: return .advertisingSetTerminated(try AdvertisingSetTerminated(&reader))
        case let subevent: return .otherLowEnergy(subevent: subevent)
        }
        // More bytes than the reports that were announced: then the number of reports or a length before is wrong.
        guard reader.remaining == 0 else {
            throw HCIError(.trailingBytes, at: reader.offset, "\(reader.remaining) bytes")
        }
        return event
    }
}

/// Command Complete (7.7.14): the answer to a command.
public struct CommandComplete: Hashable, Sendable {
    /// The number of commands that the controller takes now, 0 to 255; 0 means none until it says so.
    public let creditCount: UInt8
    /// The command that is answered; ``Opcode/none`` when only the number of credits is told.
    public let opcode: Opcode
    private let returned: [UInt8]

    init(_ reader: inout ByteReader) throws(HCIError) {
        creditCount = try reader.uint8()
        opcode = Opcode(rawValue: try reader.uint16())
        returned = Array(try reader.bytes(reader.remaining))
    }

    /// The status and the returned parameters; these are ``ReturnParameters/none`` unless the status is success, since controllers send anything
    /// from nothing to garbage after a failure. For an opcode that this target does not know, always success and the bytes
    /// ``ReturnParameters/unparsed(_:)``, whatever they say.
    ///
    /// Throws `truncated` when the status or something after it is missing.
    public func result() throws(HCIError) -> (status: HCIStatus, parameters: ReturnParameters) {
        guard opcode.isKnown else { return (.success, .unparsed(returned)) }
        var reader = ByteReader(returned[...])
        let status = HCIStatus(rawValue: try reader.uint8())
        return (status, status.isSuccess ? try ReturnParameters(opcode, &reader) : .none)
    }
}

extension CommandComplete: CustomStringConvertible, CustomReflectable {
    /// A text for logs without what was returned, which may be random bytes.
    public var description: String { "answer to \(opcode.name), \(returned.count) bytes, \(creditCount) credits" }
    /// Shows opcode and credits alone, so that `dump` prints nothing that was returned.
    public var customMirror: Mirror { Mirror(self, children: ["opcode": opcode, "creditCount": creditCount]) }
}

/// Command Status (7.7.15): the refusal of a command, or the promise of an answer.
public struct CommandStatus: Hashable, Sendable {
    /// The status of the command. Success means only that it has begun.
    public let status: HCIStatus
    /// The number of commands that the controller takes now, 0 to 255.
    public let creditCount: UInt8
    /// The command that it is about; ``Opcode/none`` when only the number of credits is told.
    public let opcode: Opcode

    init(_ reader: inout ByteReader) throws(HCIError) {
        status = HCIStatus(rawValue: try reader.uint8())
        creditCount = try reader.uint8()
        opcode = Opcode(rawValue: try reader.uint16())
    }
}

/// LE Advertising Set Terminated (7.7.65.18): a set has ended by itself.
public struct AdvertisingSetTerminated: Hashable, Sendable {
    /// The reason why the set ended: success for a connection, otherwise ``HCIStatus/advertisingTimeout`` or
    /// ``HCIStatus/limitReached``.
    public let status: HCIStatus
    /// The set's handle as it came: 0x00 ... 0xEF for sets that this program made.
    public let handle: UInt8
    /// Handle of the new connection as it came, 16 bits; means nothing unless the status is success.
    public let connectionHandle: UInt16
    /// The number of advertising events that were sent, 0 to 255; 0 if no limit was set.
    public let completedEvents: UInt8

    init(_ reader: inout ByteReader) throws(HCIError) {
        status = HCIStatus(rawValue: try reader.uint8())
        handle = try reader.uint8()
        connectionHandle = try reader.uint16()
        completedEvents = try reader.uint8()
    }
}
