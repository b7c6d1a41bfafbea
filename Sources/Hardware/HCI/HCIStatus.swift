// SPDX-License-Identifier: Apache-2.0

/// The status of a command or a link from the controller; 0 is success (Core Specification, Vol 1 Part F).
///
/// Codes without a name here are allowed and keep their number.
public struct HCIStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code as the controller sends it, 0 to 255 (Core Specification, Vol 1 Part F).
    public let rawValue: UInt8

    /// Creates a status from any code. Cannot fail.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Status 0x00 (Core Specification, Vol 1 Part F): the command was carried out or, in Command Status, has begun.
    public static let success = Self(rawValue: 0x00)
    /// Status 0x01 (Core Specification, Vol 1 Part F): the controller does not support the command.
    public static let unknownCommand = Self(rawValue: 0x01)
    /// Status 0x03 (Core Specification, Vol 1 Part F): the controller has a hardware fault.
    public static let hardwareFailure = Self(rawValue: 0x03)
    /// Status 0x07 (Core Specification, Vol 1 Part F): the controller has no memory left, for instance for another
    /// advertising set.
    public static let memoryCapacityExceeded = Self(rawValue: 0x07)
    /// Status 0x09 (Core Specification, Vol 1 Part F): the controller has reached its limit of simultaneous connections.
    public static let connectionLimitExceeded = Self(rawValue: 0x09)
    /// Status 0x0C (Core Specification, Vol 1 Part F): the command is not permitted in the present state, such as a change
    /// of address while advertising is enabled.
    public static let commandDisallowed = Self(rawValue: 0x0C)
    /// Status 0x0D (Core Specification, Vol 1 Part F): the controller lacks the resources.
    public static let limitedResources = Self(rawValue: 0x0D)
    /// Status 0x11 (Core Specification, Vol 1 Part F): the controller does not support the feature or the parameter.
    public static let unsupportedFeatureOrParameter = Self(rawValue: 0x11)
    /// Status 0x12 (Core Specification, Vol 1 Part F): a parameter is wrong, or contradicts another one.
    public static let invalidParameters = Self(rawValue: 0x12)
    /// Status 0x1F (Core Specification, Vol 1 Part F): the controller failed, and no other code fits.
    public static let unspecifiedError = Self(rawValue: 0x1F)
    /// Status 0x30 (Core Specification, Vol 1 Part F): a parameter is outside the range that every controller must accept.
    public static let parameterOutOfRange = Self(rawValue: 0x30)
    /// Status 0x3A (Core Specification, Vol 1 Part F): the controller is busy; the command may succeed later.
    public static let controllerBusy = Self(rawValue: 0x3A)
    /// Status 0x3C (Core Specification, Vol 1 Part F): advertising ended after its duration.
    public static let advertisingTimeout = Self(rawValue: 0x3C)
    /// Status 0x42 (Core Specification, Vol 1 Part F): there is no advertising set with this handle.
    public static let unknownAdvertisingIdentifier = Self(rawValue: 0x42)
    /// Status 0x43 (Core Specification, Vol 1 Part F): advertising ended after the requested number of events.
    public static let limitReached = Self(rawValue: 0x43)
    /// Status 0x44 (Core Specification, Vol 1 Part F): the host cancelled the operation.
    public static let operationCancelledByHost = Self(rawValue: 0x44)
    /// Status 0x45 (Core Specification, Vol 1 Part F): the data does not fit into the time or the radio mode.
    public static let packetTooLong = Self(rawValue: 0x45)

    /// Whether the code is 0, ``success``.
    public var isSuccess: Bool { self == .success }

    /// The name in the specification, such as `command disallowed`; `nil` for a code without one.
    public var name: String? {
        Int(rawValue) < Self.names.count && !Self.names[Int(rawValue)].isEmpty ? Self.names[Int(rawValue)] : nil
    }

    /// The name and the code in hexadecimal, such as `command disallowed (0x0c)`; for logs.
    public var description: String {
        let digits = String(rawValue, radix: 16)
        return "\(name ?? "unnamed status") (0x\(rawValue < 16 ? "0" : "")\(digits))"
    }

    /// A sentence in English with meaning and advice, for the codes that a technician may see; `nil` for all others, most
    /// of which are about connections, which a beacon does not have.
    public var sentence: String? {
        switch self {
        case .success: return "The controller did what it was told."
        case .unknownCommand: return "This Bluetooth controller is too old for the command, or its firmware is not loaded."
        case .hardwareFailure: return "The Bluetooth controller reports a fault of its own. Cut its power and try again."
        case .memoryCapacityExceeded:
            return "The Bluetooth controller has no memory left. Fewer advertising sets, or a reset, give it some."
        case .connectionLimitExceeded: return "The Bluetooth controller cannot do more of this at the same time."
        case .commandDisallowed:
            return """
                The controller does not do this now. Most often an address or data was to be changed while advertising or \
                scanning was on, or another program uses the same adapter.
                """
        case .limitedResources: return "The Bluetooth controller is out of resources. A reset usually helps."
        case .unsupportedFeatureOrParameter:
            return "This Bluetooth controller cannot advertise or scan in the way that was asked for."
        case .invalidParameters:
            return "The controller refuses a parameter. Enabling a random address before one was set gives this, too."
        case .unspecifiedError: return "The controller failed and does not say why. Reset it; if it goes on, replace it."
        case .parameterOutOfRange: return "A parameter is outside what this controller accepts."
        case .controllerBusy: return "The Bluetooth controller is busy. Try again a moment later."
        case .advertisingTimeout: return "Advertising ended because its time was over."
        case .unknownAdvertisingIdentifier:
            return "The controller does not know this advertising set: it was never made, or a reset removed it."
        case .limitReached: return "Advertising ended after the number of events that was asked for."
        case .operationCancelledByHost: return "The operation was called off by this program."
        case .packetTooLong: return "The advertising data is too long for the time or the radio mode that was chosen."
        default: return nil
        }
    }

    /// Vol 1 Part F 1.3 in order; empty where the list has a gap.
    private static let names = [
        "success", "unknown HCI command", "unknown connection identifier", "hardware failure", "page timeout",
        "authentication failure", "PIN or key missing", "memory capacity exceeded", "connection timeout",
        "connection limit exceeded", "synchronous connection limit to a device exceeded", "connection already exists",
        "command disallowed", "connection rejected due to limited resources",
        "connection rejected due to security reasons", "connection rejected due to unacceptable BD_ADDR",
        "connection accept timeout exceeded", "unsupported feature or parameter value", "invalid HCI command parameters",
        "remote user terminated connection", "remote device terminated connection due to low resources",
        "remote device terminated connection due to power off", "connection terminated by local host",
        "repeated attempts", "pairing not allowed", "unknown LMP PDU", "unsupported remote feature",
        "SCO offset rejected", "SCO interval rejected", "SCO air mode rejected", "invalid LMP/LL parameters",
        "unspecified error", "unsupported LMP/LL parameter value", "role change not allowed", "LMP/LL response timeout",
        "LMP/LL error transaction collision", "LMP PDU not allowed", "encryption mode not acceptable",
        "link key cannot be changed", "requested QoS not supported", "instant passed",
        "pairing with unit key not supported", "different transaction collision", "", "QoS unacceptable parameter",
        "QoS rejected", "channel classification not supported", "insufficient security",
        "parameter out of mandatory range", "", "role switch pending", "", "reserved slot violation",
        "role switch failed", "extended inquiry response too large", "secure simple pairing not supported by host",
        "host busy - pairing", "connection rejected due to no suitable channel found", "controller busy",
        "unacceptable connection parameters", "advertising timeout", "connection terminated due to MIC failure",
        "connection failed to be established / synchronization timeout", "MAC connection failed",
        "coarse clock adjustment rejected but will try to adjust using clock dragging", "type0 submap not defined",
        "unknown advertising identifier", "limit reached", "operation cancelled by host", "packet too long",
        "too late", "too early", "insufficient channels",
    ]
}
