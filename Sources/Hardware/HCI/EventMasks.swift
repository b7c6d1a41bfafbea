// SPDX-License-Identifier: Apache-2.0

/// Which events a controller may send (Core Specification, Vol 4 Part E 7.3.1). Command Complete and Command Status always come.
public struct EventMask: OptionSet, Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let hardwareError = Self(rawValue: 1 << 15)
    public static let dataBufferOverflow = Self(rawValue: 1 << 25)
    /// LE Meta: everything in ``LEEventMask``.
    public static let lowEnergy = Self(rawValue: 1 << 61)

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: rawValue, byteCount: 8)
        return bytes
    }
}

/// Which LE events a controller may send (Core Specification, Vol 4 Part E 7.8.1).
public struct LEEventMask: OptionSet, Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let advertisingReport = Self(rawValue: 1 << 1)
    public static let extendedAdvertisingReport = Self(rawValue: 1 << 12)
    public static let scanTimeout = Self(rawValue: 1 << 16)
    public static let advertisingSetTerminated = Self(rawValue: 1 << 17)

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: rawValue, byteCount: 8)
        return bytes
    }
}
