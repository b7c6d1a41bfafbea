// SPDX-License-Identifier: Apache-2.0

/// The type of an address in a report (Core Specification, Vol 4 Part E 7.7.65.13). Reserved values are allowed and keep
/// their number.
public struct AddressType: RawRepresentable, Hashable, Sendable {
    /// The number of the type in reports (7.7.65.13).
    public let rawValue: UInt8

    /// Creates a type from any number; a number without a name here is reserved. Cannot fail.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Number 0x00: the manufacturer assigned the address to the device (7.7.65.13).
    public static let `public` = Self(rawValue: 0x00)
    /// Number 0x01: the device made the address; it is static, resolvable or non-resolvable
    /// (``BluetoothAddress/RandomKind``).
    public static let random = Self(rawValue: 0x01)
    /// Number 0x02: the public identity behind a resolvable address that the controller resolved.
    public static let publicIdentity = Self(rawValue: 0x02)
    /// Number 0x03: the static random identity behind a resolvable address that the controller resolved.
    public static let randomIdentity = Self(rawValue: 0x03)
    /// Number 0xFE: the receiver's address in a directed advertisement, a resolvable private address that the
    /// controller could not resolve (Core Specification, Vol 4 Part E 7.7.65.13).
    public static let unresolved = Self(rawValue: 0xFE)
    /// Number 0xFF: no address was sent, and the six bytes mean nothing (Core Specification, Vol 4 Part E 7.7.65.13).
    public static let anonymous = Self(rawValue: 0xFF)
}

/// A Bluetooth device address of 48 bits. In packets the least significant byte comes first, in text the most significant.
public struct BluetoothAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address as a number below 2^48: `0x0000_C011_2233_4455` for C0:11:22:33:44:55.
    public let value: UInt64
    /// The type of the address. Addresses of different types are never equal.
    public let type: AddressType

    static let byteCount = 6
    private static let valueMask: UInt64 = 0xFFFF_FFFF_FFFF

    /// Creates an address of this `type` from the lower 48 bits of `value`; the upper bits are ignored. Cannot
    /// fail.
    public init(value: UInt64, type: AddressType) {
        self.value = value & Self.valueMask
        self.type = type
    }

    /// Creates an address of this `type` from six bytes, least significant first. Returns `nil` for any other
    /// number of bytes.
    public init?(littleEndian bytes: some Collection<UInt8>, type: AddressType) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(value: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }, type: type)
    }

    /// Reads an address in the form `C0:11:22:33:44:55`, in either case; the text does not contain the `type`.
    /// Returns `nil` for any other text.
    public init?(_ text: some StringProtocol, type: AddressType) {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == Self.byteCount else { return nil }
        var value: UInt64 = 0
        for part in parts {
            // `UInt8(_:radix:)` also takes a sign.
            guard part.count == 2, part.first != UInt8(ascii: "+"), part.first != UInt8(ascii: "-"),
                let byte = UInt8(String(decoding: part, as: UTF8.self), radix: 16)
            else { return nil }
            value = value << 8 | UInt64(byte)
        }
        self.init(value: value, type: type)
    }

    /// The six bytes of the address, least significant first, as in packets.
    public var littleEndianBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: value, byteCount: Self.byteCount)
        return bytes
    }

    /// The address in the form `C0:11:22:33:44:55`. It is personal data and must not be logged.
    public var description: String {
        littleEndianBytes.reversed().map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
            .joined(separator: ":")
    }
}

// MARK: - Random addresses

extension BluetoothAddress {
    /// The kinds of random addresses, distinguished by their two most significant bits (Core Specification, Vol 6
    /// Part B 1.3.2).
    public enum RandomKind: UInt8, Sendable, CaseIterable {
        /// Bits 00: cannot be linked to a device; used by a beacon of exposure notification.
        case nonResolvable = 0b00
        /// Bits 01: can be linked to a device by peers that have its identity resolving key.
        case resolvable = 0b01
        /// Bits 10: reserved; iOS ignores such advertisers (shared facts: gaen-core section 2).
        case reserved = 0b10
        /// Bits 11: stays the same until the device loses power.
        case `static` = 0b11
    }

    private static let randomBits: UInt64 = 0x3FFF_FFFF_FFFF

    /// The kind of a random address, from its two highest bits; `nil` unless the type is `random`, `randomIdentity`
    /// or `unresolved`.
    public var randomKind: RandomKind? {
        switch type {
        case .random, .randomIdentity, .unresolved: return RandomKind(rawValue: UInt8(value >> 46))
        default: return nil
        }
    }

    /// Whether a controller accepts this as its random address (Vol 6 Part B 1.3.2): its type is random, its kind is not
    /// reserved, and its 46 random bits are neither all 0 nor all 1.
    public var isUsableAsRandomAddress: Bool {
        guard type == .random, let randomKind, randomKind != .reserved else { return false }
        let bits = value & Self.randomBits
        return bits != 0 && bits != Self.randomBits
    }

    /// Draws a new non-resolvable private address (Vol 6 Part B 1.3.2.2): the two highest bits are 0, the others are random
    /// but neither all 0 nor all 1. The result differs from the controller's public address if that is given as
    /// `publicAddress`.
    ///
    /// `generator` must be cryptographically secure, because the addresses of a device must not be linkable. Throws
    /// ``HCIError/Code/generatorStuck`` if four addresses in a row are unusable: with a good generator the probability is
    /// below 2^-170, and an address that never changes is worse than none.
    public static func nonResolvable(
        from generator: inout some RandomNumberGenerator, otherThan publicAddress: BluetoothAddress? = nil
    ) throws(HCIError) -> BluetoothAddress {
        for _ in 0..<4 {
            let address = BluetoothAddress(value: generator.next() & randomBits, type: .random)
            if address.isUsableAsRandomAddress, address.value != publicAddress?.value { return address }
        }
        throw HCIError(.generatorStuck)
    }
}
