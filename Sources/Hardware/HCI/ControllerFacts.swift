// SPDX-License-Identifier: Apache-2.0

/// The version of the specification that a controller follows (Assigned Numbers 2.1). An open set, in the order of time.
public struct CoreVersion: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of the version in Assigned Numbers.
    public let rawValue: UInt8

    /// The version of that number (Assigned Numbers); any number is taken, and later versions are greater. Cannot fail.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bluetooth 4.0, number 6, the first with LE (Assigned Numbers).
    public static let v40 = Self(rawValue: 6)
    /// Bluetooth 4.1, number 7 (Assigned Numbers).
    public static let v41 = Self(rawValue: 7)
    /// Bluetooth 4.2, number 8 (Assigned Numbers).
    public static let v42 = Self(rawValue: 8)
    /// Bluetooth 5.0, number 9 (Assigned Numbers), the first with extended advertising, which each controller may still lack:
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

    /// Whether `left` is the older version.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// `5.0`; for versions without a name here their number.
    public var description: String {
        let names = [6: "4.0", 7: "4.1", 8: "4.2", 9: "5.0", 10: "5.1", 11: "5.2", 12: "5.3", 13: "5.4", 14: "6.0"]
        return names[Int(rawValue)] ?? "version \(rawValue)"
    }
}

/// Answer to Read Local Version Information (Core Specification, Vol 4 Part E 7.4.1).
public struct LocalVersion: Hashable, Sendable {
    /// Version of the command interface that the controller follows.
    public let hci: CoreVersion
    /// Revision of the command interface; its meaning belongs to the manufacturer.
    public let hciRevision: UInt16
    /// Version of the link layer, which decides what the radio can do.
    public let linkLayer: CoreVersion
    /// Company identifier of the Bluetooth SIG (Assigned Numbers); 0 to 65,535 as the controller says it.
    public let manufacturer: UInt16
    /// Revision of the link layer, often the firmware's; its meaning belongs to the manufacturer.
    public let linkLayerRevision: UInt16
}

/// Answer to Read Local Supported Commands: 64 octets of bits (Vol 4 Part E 6.27).
public struct SupportedCommands: Hashable, Sendable {
    static let byteCount = 64
    private let octets: [UInt8]

    init(_ octets: ArraySlice<UInt8>) { self.octets = Array(octets) }

    /// Whether the controller says that it knows the command; `false` for commands this target has no name for.
    public func contains(_ opcode: Opcode) -> Bool {
        guard let (octet, bit) = opcode.supportBit, octet < octets.count else { return false }
        return octets[octet] & (1 << bit) != 0
    }
}

/// Answer to LE Read Local Supported Features (Vol 6 Part B 4.6).
public struct LEFeatures: OptionSet, Hashable, Sendable {
    /// The 64 bits of the answer, as ``LEFeatures`` names them.
    public let rawValue: UInt64

    /// Takes the 64 bits as they are; those that no member names are features unknown here. Cannot fail.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Bit 0 (Core Specification, Vol 6 Part B 4.6): LE Encryption; of no use to a beacon.
    public static let encryption = Self(rawValue: 1 << 0)
    /// Bit 6 (Core Specification, Vol 6 Part B 4.6): LL Privacy: the controller resolves and makes private addresses.
    public static let privacy = Self(rawValue: 1 << 6)
    /// Bit 8 (Core Specification, Vol 6 Part B 4.6): the radio mode with 2 Mbit/s.
    public static let le2M = Self(rawValue: 1 << 8)
    /// Bit 11 (Core Specification, Vol 6 Part B 4.6): the radio mode for long distances.
    public static let leCoded = Self(rawValue: 1 << 11)
    /// Bit 12 (Core Specification, Vol 6 Part B 4.6): extended advertising, sending and scanning.
    public static let extendedAdvertising = Self(rawValue: 1 << 12)
    /// Bit 13 (Core Specification, Vol 6 Part B 4.6): periodic advertising.
    public static let periodicAdvertising = Self(rawValue: 1 << 13)
}

/// Answer to LE Read Buffer Size (Vol 4 Part E 7.8.2). Length and count 0: the controller shares its buffers with BR/EDR.
public struct LEBufferSize: Hashable, Sendable {
    /// Payload of one ACL packet in bytes; 0 where the controller shares its buffers.
    public let packetByteCount: UInt16
    /// The number of ACL packets that the controller can hold, 0 to 255; 0 where it shares its buffers.
    public let packetCount: UInt8
}
