// SPDX-License-Identifier: Apache-2.0

/// The events that a controller may send (Core Specification, Vol 4 Part E 7.3.1). It always sends Command Complete and
/// Command Status.
public struct EventMask: OptionSet, Hashable, Sendable {
    /// The 64 bits of the mask, as in the command.
    public let rawValue: UInt64

    /// Creates a mask from its bits; a controller may refuse bits that it does not know. Cannot fail.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Hardware Error: the controller reports a fault of its own (7.7.16); bit 15.
    public static let hardwareError = Self(rawValue: 1 << 15)
    /// Data Buffer Overflow: the host sent more data than the controller can hold (7.7.26); bit 25.
    public static let dataBufferOverflow = Self(rawValue: 1 << 25)
    /// LE Meta, which contains all events of ``LEEventMask``; bit 61.
    public static let lowEnergy = Self(rawValue: 1 << 61)

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: rawValue, byteCount: 8)
        return bytes
    }
}

/// The LE events that a controller may send (Core Specification, Vol 4 Part E 7.8.1).
public struct LEEventMask: OptionSet, Hashable, Sendable {
    /// The 64 bits of the mask, as in the command.
    public let rawValue: UInt64

    /// Creates a mask from its bits; a controller may refuse bits that it does not know. Cannot fail.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// LE Advertising Report: the results of legacy scanning (7.7.65.2); bit 1.
    public static let advertisingReport = Self(rawValue: 1 << 1)
    /// LE Extended Advertising Report: the results of extended scanning (7.7.65.13); bit 12.
    public static let extendedAdvertisingReport = Self(rawValue: 1 << 12)
    /// LE Scan Timeout: extended scanning has ended after its duration (7.7.65.17); bit 16.
    public static let scanTimeout = Self(rawValue: 1 << 16)
    /// LE Advertising Set Terminated: a set has stopped by itself (7.7.65.18); bit 17.
    public static let advertisingSetTerminated = Self(rawValue: 1 << 17)

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: rawValue, byteCount: 8)
        return bytes
    }
}
