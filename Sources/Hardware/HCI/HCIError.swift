// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why bytes from a controller, or parameters for one, were refused: which rule, and where. Equal by code.
public struct HCIError: CodedError {
    /// The rules that bytes or parameters can break. Raw values are stable: they appear in logs and counters.
    public enum Code: String, Sendable, CaseIterable {
        // The stream of packets.
        /// The first byte of a packet is no indicator: the stream is out of step.
        case unknownPacketIndicator
        /// A packet is not as long as its header says.
        case packetLengthMismatch
        // Events and what they return.
        /// The packet is none with an event.
        case notAnEvent
        /// The event ends in the middle of a field.
        case truncated
        /// The event is longer than what it announces.
        case trailingBytes
        /// The event announces an impossible number of reports.
        case reportCountOutOfRange
        /// A report announces more data than advertising can carry.
        case dataLengthOutOfRange
        /// A field has a value that the specification reserves.
        case reservedValue
        // Parameters of commands.
        /// A parameter is outside of the specification's range.
        case parameterOutOfRange
        /// The smallest interval is above the largest.
        case minimumAboveMaximum
        /// The scan window is longer than the scan interval.
        case windowAboveInterval
        /// Controllers before Bluetooth 5.0 take no interval under 100 ms without connections.
        case tooFastForOldController
        /// The data do not fit into the command or the set.
        case dataTooLong
        /// Parameters exclude each other.
        case contradictoryParameters
        /// The address cannot be used as a random address.
        case addressNotUsable
        /// The random number generator repeats itself.
        case generatorStuck
    }

    /// The rule that was broken; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// Place of the fault, in bytes: since the start of the stream (framing) or packet, since the start of the event's parameters, or since the
    /// status for what ``CommandComplete/result()`` reads; `nil` for parameters of commands and addresses.
    public let offset: UInt64?
    /// Numbers and field names of the case, perhaps empty; never addresses, identifiers or payloads.
    public let detail: String

    /// An error of that rule. `offset` is in bytes, `nil` without a place; `detail` must hold no address, identifier or
    /// data.
    public init(
        _ code: Code, at offset: UInt64? = nil, _ detail: String = "",
        file: StaticString = #fileID, line: UInt = #line
    ) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.offset = offset
        self.detail = detail
    }

    /// A text for logs: rule, detail, place and the stable code; never an address, an identifier or data.
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
