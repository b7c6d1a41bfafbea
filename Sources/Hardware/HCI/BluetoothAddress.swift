// SPDX-License-Identifier: Apache-2.0

/// The kind of an address in a report (Core Specification, Vol 4 Part E 7.7.65.13). An open set: reserved values keep their number.
public struct AddressType: RawRepresentable, Hashable, Sendable {
    /// The number of the type in reports (7.7.65.13).
    public let rawValue: UInt8

    /// Takes any number; those that are not named here are reserved. Cannot fail.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Number 0x00: assigned to the device by its maker (7.7.65.13).
    public static let `public` = Self(rawValue: 0x00)
    /// Made by the device: static, resolvable or non-resolvable (``BluetoothAddress/RandomKind``).
    public static let random = Self(rawValue: 0x01)
    /// Public identity behind a resolvable address that the controller resolved.
    public static let publicIdentity = Self(rawValue: 0x02)
    /// Static random identity behind a resolvable address that the controller resolved.
    public static let randomIdentity = Self(rawValue: 0x03)
    /// Random address that the controller could not resolve; only in directed advertisements.
    public static let unresolved = Self(rawValue: 0xFE)
    /// The type 0xFF: no address was sent, and the six bytes mean nothing (Core Specification, Vol 4 Part E 7.7.65.13).
    public static let anonymous = Self(rawValue: 0xFF)
}

/// A Bluetooth device address, 48 bits: least significant byte first on the wire, most significant first in print.
public struct BluetoothAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address as a number below 2^48, `0x0000_C011_2233_4455` for C0:11:22:33:44:55.
    public let value: UInt64
    /// The kind of address; two addresses of different kinds differ.
    public let type: AddressType

    static let byteCount = 6
    private static let valueMask: UInt64 = 0xFFFF_FFFF_FFFF

    /// An address of the lower 48 bits of `value`; the bits above are ignored.
    public init(value: UInt64, type: AddressType) {
        self.value = value & Self.valueMask
        self.type = type
    }

    /// Reads six bytes in the order of the wire; `nil` for any other number.
    public init?(littleEndian bytes: some Collection<UInt8>, type: AddressType) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(value: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }, type: type)
    }

    /// Reads `C0:11:22:33:44:55` in either case; `nil` for anything else.
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

    /// The six bytes in the order of the wire, least significant first.
    public var littleEndianBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: value, byteCount: Self.byteCount)
        return bytes
    }

    /// `C0:11:22:33:44:55`. Somebody's address is personal data: not for logs.
    public var description: String {
        littleEndianBytes.reversed().map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
            .joined(separator: ":")
    }
}

// MARK: - Random addresses

extension BluetoothAddress {
    /// The kinds of random addresses, told apart by their two most significant bits (Vol 6 Part B 1.3.2).
    public enum RandomKind: UInt8, Sendable, CaseIterable {
        /// 00: what a beacon of exposure notification uses; nobody can link it to anything.
        case nonResolvable = 0b00
        /// 01: peers that hold the identity resolving key can link it.
        case resolvable = 0b01
        /// 10: has no meaning; iOS ignores such advertisers.
        case reserved = 0b10
        /// 11: the same until power goes.
        case `static` = 0b11
    }

    private static let randomBits: UInt64 = 0x3FFF_FFFF_FFFF

    /// The kind by the two highest bits; `nil` for addresses that are not random.
    public var randomKind: RandomKind? {
        switch type {
        case .random, .randomIdentity, .unresolved: return RandomKind(rawValue: UInt8(value >> 46))
        default: return nil
        }
    }

    /// Whether a controller may be given this as its random address (Vol 6 Part B 1.3.2): random, not of the reserved kind,
    /// and its 46 random bits neither all 0 nor all 1.
    public var isUsableAsRandomAddress: Bool {
        guard type == .random, let randomKind, randomKind != .reserved else { return false }
        let bits = value & Self.randomBits
        return bits != 0 && bits != Self.randomBits
    }

    /// A fresh non-resolvable private address (Vol 6 Part B 1.3.2.2): two top bits 0, the others random but neither all 0 nor
    /// all 1, and not the controller's public address, which the caller may give as `publicAddress`.
    ///
    /// The generator must be cryptographic: addresses of one device must not be linkable. A generator that gives four
    /// unusable addresses in a row is stuck (chance with a good one: below 2^-170), and an address that never changes is
    /// worse than none: throws ``HCIError/Code/generatorStuck``.
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
