// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The password that opens a survey once: 16 random bytes, made by the device. Only its digest is ever sent by the device; the wearer takes the text to the survey.
///
/// The text is base 32 in Crockford's digits: seven groups of four, of which the last twelve bits tell a mistake in typing. What looks alike is read as the same.
/// Has no text form by itself, so that none gets into a log.
public struct SurveySecret: Sendable, Equatable, CustomStringConvertible {
    /// The length of a password in bytes.
    public static let byteCount = 16
    /// The most bytes of a typed text that are looked at, our own bound.
    public static let maximumTypedBytes = 128

    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let groups = 7, groupDigits = 4

    private let secret: SecretBytes

    /// Makes a new one.
    public init(using random: inout some RandomNumberGenerator) {
        secret = SecretBytes(copying: (0..<Self.byteCount).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    /// Takes the bytes of one; `nil` for another number of bytes than ``byteCount``.
    init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        secret = SecretBytes(copying: bytes)
    }

    /// Reads what a person has typed, from anywhere: capital or small letters, with hyphens and blanks or without, O for 0 and I or L for 1. `nil` if it is none, or if a digit is
    /// wrong: all but one of 4,096 mistakes are told.
    public init?(typed text: some StringProtocol) {
        guard text.utf8.count <= Self.maximumTypedBytes else { return nil }
        var bits: [UInt8] = []
        for scalar in text.unicodeScalars {
            if scalar == "-" || scalar == "_" || scalar.properties.isWhitespace || (0x2010...0x2015).contains(scalar.value)
            {
                continue
            }
            guard let digit = Self.value(of: scalar) else { return nil }
            bits += (0..<5).reversed().map { digit >> $0 & 1 }
        }
        guard bits.count == Self.groups * Self.groupDigits * 5 else { return nil }
        let bytes = (0..<Self.byteCount).map { index in bits[index * 8..<index * 8 + 8].reduce(0) { $0 << 1 | $1 } }
        guard Array(bits[(Self.byteCount * 8)...]) == Self.check(bytes) else { return nil }
        self.init(bytes: bytes)
    }

    /// The text for the wearer: 28 digits in groups of four, with hyphens between. Secret.
    public var text: String {
        let bytes = bytes
        let bits = bytes.flatMap { byte in (0..<8).reversed().map { byte >> $0 & 1 } } + Self.check(bytes)
        let typed = (0..<bits.count / 5).map { index in
            Self.digits[Int(bits[index * 5..<index * 5 + 5].reduce(0) { $0 << 1 | $1 })]
        }
        return (0..<Self.groups).map { group in
            String(decoding: typed[group * Self.groupDigits..<(group + 1) * Self.groupDigits], as: UTF8.self)
        }.joined(separator: "-")
    }

    /// SHA-256 of the bytes: what the device sends and the donation server keeps.
    public var digest: [UInt8] { SHA256.digest(of: bytes) }

    /// The bytes, which are secret: for the disk.
    var bytes: [UInt8] { secret.withBytes { Array($0) } }

    /// Nothing of it.
    public var description: String { "a one-time password" }

    private static func value(of scalar: Unicode.Scalar) -> UInt8? {
        switch scalar {
        case "o", "O": return 0
        case "i", "I", "l", "L": return 1
        default: break
        }
        guard scalar.isASCII else { return nil }
        let byte = UInt8(scalar.value)
        let upper = (0x61...0x7A).contains(byte) ? byte - 0x20 : byte
        return digits.firstIndex(of: upper).map { UInt8($0) }
    }

    /// The twelve bits that tell a mistake.
    private static func check(_ bytes: [UInt8]) -> [UInt8] {
        let digest = SHA256.digest(of: Array("vigil-survey-password-check-1".utf8) + bytes)
        return (0..<12).map { digest[$0 / 8] >> UInt8(7 - $0 % 8) & 1 }
    }
}
