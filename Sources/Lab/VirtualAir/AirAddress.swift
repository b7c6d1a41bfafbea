// SPDX-License-Identifier: Apache-2.0

/// A device address as it is sent: 48 bits, and whether the address is random.
///
/// The devices of a simulation belong to nobody, so these addresses may be shown.
public struct AirAddress: Hashable, Sendable {
    /// The 48 bits; the most significant byte is written first.
    public let value: UInt64
    /// Whether the address is random; otherwise it is public.
    public let isRandom: Bool

    /// Creates an address from the lowest 48 bits of `value`; the others are dropped. Cannot fail.
    public init(value: UInt64, isRandom: Bool) {
        self.value = value & 0xFFFF_FFFF_FFFF
        self.isRandom = isRandom
    }

    /// Creates an address from six bytes in the order of HCI, least significant first; missing bytes are zero, further ones
    /// are dropped. Cannot fail.
    public init(littleEndian bytes: some Collection<UInt8>, isRandom: Bool) {
        self.init(value: bytes.prefix(6).reversed().reduce(0) { $0 << 8 | UInt64($1) }, isRandom: isRandom)
    }

    /// A non-resolvable private address: the two top bits are 0 (Core Specification, Vol 6 Part B 1.3.2.2).
    static func nonResolvable(using generator: inout some RandomNumberGenerator) -> Self {
        Self(value: UInt64.random(in: 1..<(1 << 46) - 1, using: &generator), isRandom: true)
    }

    /// A private address of one of both forms (Core Specification, Vol 6 Part B 1.3.2.2); takes as much chance for either.
    static func random(_ form: PhoneModel.AddressForm, using generator: inout some RandomNumberGenerator) -> Self {
        let address = nonResolvable(using: &generator)
        return form == .nonResolvable ? address : Self(value: address.value | 1 << 46, isRandom: true)
    }

    /// The six bytes in the order of HCI, least significant first.
    public var bytes: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) } }

    /// The address as it is written, in small letters: `00:02:aa:00:00:01`.
    public var text: String {
        bytes.reversed().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":")
    }
}
