// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why bytes from a controller, or parameters for one, are refused: the broken rule and its place. Two errors
/// are equal if their codes are.
public struct HCIError: CodedError {
    /// The rules that bytes or parameters can break. Raw values are stable, because they appear in logs and counters.
    public enum Code: String, Sendable, CaseIterable {
        // The stream of packets.
        /// The first byte of a packet is not an indicator: the stream has lost its framing.
        case unknownPacketIndicator
        /// The length of a packet differs from the length in its header.
        case packetLengthMismatch
        // Events and what they return.
        /// The packet does not contain an event.
        case notAnEvent
        /// The event ends in the middle of a field.
        case truncated
        /// The event is longer than its fields.
        case trailingBytes
        /// The event announces a number of reports that the specification does not permit.
        case reportCountOutOfRange
        /// A report announces more data than its format allows.
        case dataLengthOutOfRange
        /// A field has a value that the specification reserves.
        case reservedValue
        // Parameters of commands.
        /// A parameter is outside the range of the specification.
        case parameterOutOfRange
        /// The shortest interval is longer than the longest.
        case minimumAboveMaximum
        /// The scan window is longer than the scan interval.
        case windowAboveInterval
        /// A controller before Bluetooth 5.0 accepts no interval under 100 ms unless advertising is connectable.
        case tooFastForOldController
        /// The data does not fit into the command or the set.
        case dataTooLong
        /// Two parameters exclude each other.
        case contradictoryParameters
        /// The address cannot be used as a random address.
        case addressNotUsable
        /// The random number generator returned unusable addresses four times in a row.
        case generatorStuck
    }

    /// The rule that was broken; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The place of the fault in bytes: from the start of the stream (framing), of the packet, of the event's parameters
    /// or, for ``CommandComplete/result()``, of the status. `nil` for addresses and for the parameters of commands.
    public let offset: UInt64?
    /// Numbers and field names of this error, may be empty; never addresses, identifiers or payloads.
    public let detail: String

    /// Creates an error for a broken rule. `offset` is in bytes, or `nil` if there is no place; `detail` must not contain
    /// an address, an identifier or data.
    public init(
        _ code: Code, at offset: UInt64? = nil, _ detail: String = "",
        file: StaticString = #fileID, line: UInt = #line
    ) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.offset = offset
        self.detail = detail
    }

    /// A text for logs with rule, detail, place and the stable code; never an address, an identifier or data.
    public var description: String {
        let place = offset.map { " (at byte \($0))" } ?? ""
        let more = detail.isEmpty ? "" : ": \(detail)"
        return "\(Self.sentence(code))\(more)\(place) [\(code.rawValue)]"
    }

    private static func sentence(_ code: Code) -> String {
        switch code {
        case .unknownPacketIndicator:
            return "the stream from the controller is out of step; the transport must be reset"
        case .packetLengthMismatch: return "a packet is not as long as its header says"
        case .notAnEvent: return "the packet is not an event"
        case .truncated: return "the event ends in the middle of a field"
        case .trailingBytes: return "the event is longer than what it announces"
        case .reportCountOutOfRange: return "the event announces an impossible number of reports"
        case .dataLengthOutOfRange: return "a report announces more data than advertising can carry"
        case .reservedValue: return "a field has a value reserved by the specification"
        case .parameterOutOfRange: return "a parameter is outside the range of the specification"
        case .minimumAboveMaximum: return "the smallest interval is above the largest"
        case .windowAboveInterval: return "the scan window is longer than the scan interval"
        case .tooFastForOldController:
            return "controllers before Bluetooth 5.0 take no interval under 100 ms without connections"
        case .dataTooLong: return "the data does not fit"
        case .contradictoryParameters: return "parameters exclude each other"
        case .addressNotUsable: return "the address cannot be used as a random address"
        case .generatorStuck: return "the random number generator repeats itself"
        }
    }
}
