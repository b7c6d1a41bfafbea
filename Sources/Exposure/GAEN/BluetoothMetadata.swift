// SPDX-License-Identifier: Apache-2.0

/// The confidence with which a sender knows its own transmit power (metadata v1.1, byte 0, bits 3:2).
public enum CalibrationConfidence: UInt8, Sendable, CaseIterable, Comparable {
    /// An average over every device there is.
    case lowest = 0
    /// An average over the manufacturer's devices.
    case low = 1
    /// A similar model was measured.
    case medium = 2
    /// This model was measured.
    case high = 3

    /// Orders by confidence, the lowest first.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The four bytes a sender encrypts: protocol version, calibration confidence, transmit power.
///
/// Byte 0: bits 7:6 major version (01), 5:4 minor version (0 for v1.0, 1 for v1.1), 3:2 calibration confidence (v1.1),
/// 1:0 reserved. Byte 1: transmit power in dBm, signed. Bytes 2 and 3: zero, ignored on receipt.
/// (Bluetooth specification v1.2, "Associated Encrypted Metadata"; shared facts: gaen-core section 1.)
public struct BluetoothMetadata: Hashable, Sendable {
    /// The four bytes as they lie in memory, read as a native integer.
    public let word: UInt32

    /// Creates metadata from any four bytes, laid out as in ``word``; the versions are not checked.
    public init(word: UInt32) { self.word = word }

    /// Returns metadata v1.0: the bytes 0x40, `transmitPower` in dBm and two zeros (Bluetooth Specification 1.2).
    /// Cannot fail.
    public static func version10(transmitPower: Int8) -> BluetoothMetadata {
        BluetoothMetadata(bytes: (0x40, UInt8(bitPattern: transmitPower), 0, 0))
    }

    /// Returns metadata v1.1, which phones and this firmware send: the byte 0x50 with the confidence in bits 3:2,
    /// `transmitPower` in dBm and two zeros. Cannot fail.
    public static func version11(transmitPower: Int8, confidence: CalibrationConfidence) -> BluetoothMetadata {
        BluetoothMetadata(bytes: (0x50 | confidence.rawValue << 2, UInt8(bitPattern: transmitPower), 0, 0))
    }

    private init(bytes: (UInt8, UInt8, UInt8, UInt8)) {
        word = withUnsafeBytes(of: bytes) { $0.loadUnaligned(as: UInt32.self) }
    }

    /// Creates metadata from four bytes in the order in which they are sent; returns `nil` when `bytes` does not have
    /// four.
    public init?(_ bytes: some Collection<UInt8>) {
        guard let word = AssociatedEncryptedMetadata(bytes)?.word else { return nil }
        self.word = word
    }

    /// The four bytes in the order they are sent.
    public var bytes: [UInt8] { withUnsafeBytes(of: word) { Array($0) } }

    /// The major version, 0 to 3, from bits 7:6 of byte 0. Every published version has 1; another value is more
    /// likely noise than a newer version.
    public var majorVersion: UInt8 { bytes[0] >> 6 }
    /// The minor version, 0 to 3, from bits 5:4 of byte 0: 0 for v1.0, 1 for v1.1.
    public var minorVersion: UInt8 { bytes[0] >> 4 & 3 }
    /// The transmit power that the sender states, in dBm, -128 to 127; not checked.
    @inlinable public var transmitPower: Int8 {
        Int8(truncatingIfNeeded: UInt32(littleEndian: word) >> 8)
    }
    /// The confidence from bits 3:2 of byte 0, whatever the version. Senders of v1.0 leave these bits zero, which
    /// reads as the lowest.
    public var calibrationConfidence: CalibrationConfidence {
        CalibrationConfidence(rawValue: bytes[0] >> 2 & 3) ?? .lowest
    }
}
