// SPDX-License-Identifier: Apache-2.0

/// An event from a controller (Core Specification, Vol 4 Part E 7.7).
public enum HCIEvent: Hashable, Sendable {
    /// The answer to a command.
    case commandComplete(CommandComplete)
    /// The refusal of a command, or the confirmation that it has begun.
    case commandStatus(CommandStatus)
    /// The controller reports a fault of its own; the manufacturer defines the code.
    case hardwareError(code: UInt8)
    /// The advertisements that were received, from a legacy or an extended report; at least one. Extended ones may be
    /// fragments; see ``ExtendedReportAssembler``.
    case advertisingReports([AdvertisingReport])
    /// Extended scanning has ended after its duration.
    case scanTimeout
    /// An advertising set has stopped by itself.
    case advertisingSetTerminated(AdvertisingSetTerminated)
    /// An LE event that is unknown here.
    case otherLowEnergy(subevent: UInt8)
    /// An event that is unknown here; code 0xFF is for events of the manufacturer.
    case other(code: UInt8)

    /// Reads the event in a packet.
    ///
    /// Throws `notAnEvent` if the packet contains none. The other errors have the offset in the event's parameters:
    /// `truncated` if the event ends too early, `trailingBytes` if it is longer than its reports, `reportCountOutOfRange`
    /// for an impossible number of reports, `dataLengthOutOfRange` for a report with too much data, and `reservedValue` for
    /// an unknown kind of legacy report.
    public init(_ packet: HCIPacket) throws(HCIError) {
        guard packet.indicator == .event else { throw HCIError(.notAnEvent, at: 0, "\(packet.indicator)") }
        try self.init(code: packet.bytes[1], parameters: packet.payload)
    }

    /// Reads an event from its code and its parameters, which are the bytes after the length. Throws the errors of
    /// ``init(_:)`` except `notAnEvent`.
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
    /// The number of commands that the controller accepts now, 0 to 255; with 0 it accepts none until another event gives
    /// credits.
    public let creditCount: UInt8
    /// The opcode of the command that is answered; ``Opcode/none`` if the event only reports the number of credits.
    public let opcode: Opcode
    private let returned: [UInt8]

    init(_ reader: inout ByteReader) throws(HCIError) {
        creditCount = try reader.uint8()
        opcode = Opcode(rawValue: try reader.uint16())
        returned = Array(try reader.bytes(reader.remaining))
    }

    /// Returns the status and the returned parameters. Unless the status is success, the parameters are
    /// ``ReturnParameters/none``, because controllers may send anything after a failure. For an opcode that is unknown
    /// here, the status is always success, and ``ReturnParameters/unparsed(_:)`` contains all returned bytes.
    ///
    /// Throws `truncated` if the status or a returned parameter is missing.
    public func result() throws(HCIError) -> (status: HCIStatus, parameters: ReturnParameters) {
        guard opcode.isKnown else { return (.success, .unparsed(returned)) }
        var reader = ByteReader(returned[...])
        let status = HCIStatus(rawValue: try reader.uint8())
        return (status, status.isSuccess ? try ReturnParameters(opcode, &reader) : .none)
    }
}

extension CommandComplete: CustomStringConvertible, CustomReflectable {
    /// A text for logs without the returned parameters, which may be random bytes.
    public var description: String { "answer to \(opcode.name), \(returned.count) bytes, \(creditCount) credits" }
    /// A mirror with opcode and credits only, so that `dump` shows no returned parameters.
    public var customMirror: Mirror { Mirror(self, children: ["opcode": opcode, "creditCount": creditCount]) }
}

/// Command Status (7.7.15): the refusal of a command, or the confirmation that it has begun.
public struct CommandStatus: Hashable, Sendable {
    /// The status of the command. Success means only that the command has begun.
    public let status: HCIStatus
    /// The number of commands that the controller accepts now, 0 to 255.
    public let creditCount: UInt8
    /// The opcode of the command; ``Opcode/none`` if the event only reports the number of credits.
    public let opcode: Opcode

    init(_ reader: inout ByteReader) throws(HCIError) {
        status = HCIStatus(rawValue: try reader.uint8())
        creditCount = try reader.uint8()
        opcode = Opcode(rawValue: try reader.uint16())
    }
}

/// LE Advertising Set Terminated (7.7.65.18): a set has stopped by itself.
public struct AdvertisingSetTerminated: Hashable, Sendable {
    /// The reason why the set stopped: success if it led to a connection, otherwise ``HCIStatus/advertisingTimeout`` or
    /// ``HCIStatus/limitReached``.
    public let status: HCIStatus
    /// The handle of the set, unchecked: 0x00 to 0xEF for a set of this program.
    public let handle: UInt8
    /// The handle of the new connection, unchecked; meaningless unless the status is success.
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
