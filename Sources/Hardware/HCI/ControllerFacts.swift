// SPDX-License-Identifier: Apache-2.0

/// The version of the specification that a controller implements (Assigned Numbers 2.1). Unknown versions are allowed and
/// keep their number.
public struct CoreVersion: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of the version in Assigned Numbers.
    public let rawValue: UInt8

    /// Creates the version with this number (Assigned Numbers). Any number is allowed; later versions are greater. Cannot
    /// fail.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bluetooth 4.0, number 6, the first with LE (Assigned Numbers).
    public static let v40 = Self(rawValue: 6)
    /// Bluetooth 4.1, number 7 (Assigned Numbers).
    public static let v41 = Self(rawValue: 7)
    /// Bluetooth 4.2, number 8 (Assigned Numbers).
    public static let v42 = Self(rawValue: 8)
    /// Bluetooth 5.0, number 9 (Assigned Numbers), the first with extended advertising, which is optional: see
    /// ``LEFeatures/extendedAdvertising``.
    public static let v50 = Self(rawValue: 9)
    /// Bluetooth 5.1, number 10 (Assigned Numbers).
    public static let v51 = Self(rawValue: 10)
    /// Bluetooth 5.2, number 11 (Assigned Numbers).
    public static let v52 = Self(rawValue: 11)
    /// Bluetooth 5.3, number 12 (Assigned Numbers).
    public static let v53 = Self(rawValue: 12)
    /// Bluetooth 5.4, number 13 (Assigned Numbers).
    public static let v54 = Self(rawValue: 13)
    /// Bluetooth 6.0, number 14 (Assigned Numbers).
    public static let v60 = Self(rawValue: 14)

    /// Returns whether `left` is the older version.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The version in the form `5.0`; for a version without a name here, its number.
    public var description: String {
        let names = [6: "4.0", 7: "4.1", 8: "4.2", 9: "5.0", 10: "5.1", 11: "5.2", 12: "5.3", 13: "5.4", 14: "6.0"]
        return names[Int(rawValue)] ?? "version \(rawValue)"
    }
}

/// The answer to Read Local Version Information (Core Specification, Vol 4 Part E 7.4.1).
public struct LocalVersion: Hashable, Sendable {
    /// The version of the command interface.
    public let hci: CoreVersion
    /// The revision of the command interface, whose meaning the manufacturer defines.
    public let hciRevision: UInt16
    /// The version of the link layer, which determines what the radio can do.
    public let linkLayer: CoreVersion
    /// The company identifier of the manufacturer (Assigned Numbers), as the controller reports it.
    public let manufacturer: UInt16
    /// The revision of the link layer, often that of the firmware; the manufacturer defines its meaning.
    public let linkLayerRevision: UInt16
}

/// The answer to Read Local Supported Commands: 64 octets of bits (Vol 4 Part E 6.27).
public struct SupportedCommands: Hashable, Sendable {
    static let byteCount = 64
    private let octets: [UInt8]

    init(_ octets: ArraySlice<UInt8>) { self.octets = Array(octets) }

    /// Returns whether the controller reports that it supports the command; `false` for commands without a name in
    /// ``Opcode``.
    public func contains(_ opcode: Opcode) -> Bool {
        guard let (octet, bit) = opcode.supportBit, octet < octets.count else { return false }
        return octets[octet] & (1 << bit) != 0
    }
}

/// The answer to LE Read Local Supported Features (Vol 6 Part B 4.6).
public struct LEFeatures: OptionSet, Hashable, Sendable {
    /// The 64 bits of the answer.
    public let rawValue: UInt64

    /// Creates a set from the 64 bits; bits without a member are features that are unknown here. Cannot fail.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// LE Encryption, which a beacon does not need; bit 0 (Core Specification, Vol 6 Part B 4.6).
    public static let encryption = Self(rawValue: 1 << 0)
    /// LL Privacy: the controller resolves and generates private addresses; bit 6 (Core Specification, Vol 6 Part B 4.6).
    public static let privacy = Self(rawValue: 1 << 6)
    /// The radio mode with 2 Mbit/s; bit 8 (Core Specification, Vol 6 Part B 4.6).
    public static let le2M = Self(rawValue: 1 << 8)
    /// The radio mode for long range; bit 11 (Core Specification, Vol 6 Part B 4.6).
    public static let leCoded = Self(rawValue: 1 << 11)
    /// Extended advertising, for sending and scanning; bit 12 (Core Specification, Vol 6 Part B 4.6).
    public static let extendedAdvertising = Self(rawValue: 1 << 12)
    /// Periodic advertising; bit 13 (Core Specification, Vol 6 Part B 4.6).
    public static let periodicAdvertising = Self(rawValue: 1 << 13)
}

/// The answer to LE Read Buffer Size (Vol 4 Part E 7.8.2). A length and count of 0 mean that the controller shares its
/// buffers with BR/EDR.
public struct LEBufferSize: Hashable, Sendable {
    /// The payload of an ACL packet in bytes; 0 if the buffers are shared.
    public let packetByteCount: UInt16
    /// The number of ACL packets that the controller can hold, 0 to 255; 0 if the buffers are shared.
    public let packetCount: UInt8
}
