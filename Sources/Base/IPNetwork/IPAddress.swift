// SPDX-License-Identifier: Apache-2.0

/// An IP address of version 4 or 6, without a zone.
public struct IPAddress: Hashable, Sendable {
    /// The versions of IP: `v4` with four bytes (RFC 791), `v6` with sixteen (RFC 8200).
    public enum Version: Hashable, Sendable { case v4, v6 }

    /// The version of the address. In version 4 only ``low`` is used; in version 6 ``high`` and ``low`` hold the sixteen
    /// bytes.
    public let version: Version
    /// The first eight bytes of an address of version 6; 0 in version 4.
    public let high: UInt64
    /// The last eight bytes of an address of version 6, or the four bytes of one of version 4.
    public let low: UInt64

    /// Creates an address of version 4 from a number whose highest byte is the first: 0x7F000001 is 127.0.0.1. Cannot fail.
    public init(v4 number: UInt32) {
        version = .v4
        high = 0
        low = UInt64(number)
    }

    /// Creates an address of version 6 from its first and its last eight bytes, each as a number whose highest byte comes
    /// first. Cannot fail.
    public init(high: UInt64, low: UInt64) {
        version = .v6
        self.high = high
        self.low = low
    }

    /// The address of version 4 inside an address of the form `::ffff:a.b.c.d`, which an IPv6 socket gives for an IPv4
    /// client (RFC 4291, section 2.5.5.2); any other address unchanged.
    public var unmapped: IPAddress {
        guard version == .v6, high == 0, low >> 32 == 0xFFFF else { return self }
        return IPAddress(v4: UInt32(truncatingIfNeeded: low))
    }

    /// Creates an address from four or sixteen bytes in network order. Returns `nil` for any other number of bytes.
    public init?(bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4: self.init(v4: bytes.reduce(0) { $0 << 8 | UInt32($1) })
        case 16:
            self.init(
                high: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
                low: bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) })
        default: return nil
        }
    }

    /// Reads four decimal numbers without leading zeros, or one of the forms of RFC 4291, section 2.2. Returns `nil` for
    /// anything else, such as `127.1`, `0x7f.0.0.1` and `fe80::1%eth0`.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 45 else { return nil }
        if bytes.contains(UInt8(ascii: ":")) {
            guard let groups = Self.groups(bytes[...]) else { return nil }
            self.init(
                high: groups[..<4].reduce(0) { $0 << 16 | UInt64($1) },
                low: groups[4...].reduce(0) { $0 << 16 | UInt64($1) })
        } else {
            guard let number = Self.quad(bytes[...]) else { return nil }
            self.init(v4: number)
        }
    }

    /// Reads an address in the form of URLs (RFC 3986, section 3.2.2): version 6 in brackets, version 4 without. Returns
    /// `nil` for anything else, including host names.
    public init?(host text: some StringProtocol) {
        guard text.hasPrefix("[") else {
            self.init(text)
            guard version == .v4 else { return nil }
            return
        }
        guard text.hasSuffix("]") else { return nil }
        self.init(text.dropFirst().dropLast())
        guard version == .v6 else { return nil }
    }

    /// The address in the form of URLs, which ``init(host:)`` reads: version 6 in brackets.
    public var host: String { version == .v6 ? "[\(self)]" : "\(self)" }

    /// The bytes of the address in network order: four or sixteen.
    public var bytes: [UInt8] {
        let lower = (0..<8).reversed().map { UInt8(truncatingIfNeeded: low >> ($0 * 8)) }
        guard version == .v6 else { return Array(lower.suffix(4)) }
        return (0..<8).reversed().map { UInt8(truncatingIfNeeded: high >> ($0 * 8)) } + lower
    }

    private static func quad(_ text: ArraySlice<UInt8>) -> UInt32? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var number: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
            var value: UInt32 = 0
            for digit in part {
                guard (48...57).contains(digit) else { return nil }
                value = value * 10 + UInt32(digit - 48)
            }
            guard value <= 255 else { return nil }
            number = number << 8 | value
        }
        return number
    }

    private static func groups(_ text: ArraySlice<UInt8>) -> [UInt16]? {
        let colon = UInt8(ascii: ":")
        let gap = text.indices.dropLast().first { text[$0] == colon && text[$0 + 1] == colon }
        guard let gap else {
            guard let groups = run(text), groups.count == 8 else { return nil }
            return groups
        }
        guard let before = run(text[..<gap]), let after = run(text[(gap + 2)...]), before.count + after.count < 8,
            // What stands before the gap cannot end in an address of version 4.
            !text[..<gap].contains(UInt8(ascii: "."))
        else { return nil }
        return before + [UInt16](repeating: 0, count: 8 - before.count - after.count) + after
    }

    /// Groups between colons, the last two perhaps as an address of version 4.
    private static func run(_ text: ArraySlice<UInt8>) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let number = quad(part) else { return nil }
                groups += [UInt16(number >> 16), UInt16(truncatingIfNeeded: number)]
                continue
            }
            guard (1...4).contains(part.count) else { return nil }
            var value: UInt16 = 0
            for byte in part {
                guard let digit = hexadecimal(byte) else { return nil }
                value = value << 4 | digit
            }
            groups.append(value)
        }
        return groups.count <= 8 ? groups : nil
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt16? {
        switch byte {
        case 48...57: UInt16(byte - 48)
        case 65...70: UInt16(byte - 55)
        case 97...102: UInt16(byte - 87)
        default: nil
        }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address in dotted decimal for version 4, and in the form that RFC 5952 recommends for version 6. All
    /// groups are hexadecimal, even of an address that contains one of version 4.
    public var description: String {
        guard version == .v6 else { return bytes.map { "\($0)" }.joined(separator: ".") }
        let groups = [high, low].flatMap { half in (0..<4).reversed().map { UInt16(truncatingIfNeeded: half >> ($0 * 16)) }
        }
        var longest = 0..<0
        var start = 0
        while start < 8 {
            let end = groups[start...].firstIndex { $0 != 0 } ?? 8
            if end - start > longest.count { longest = start..<end }
            start = end + 1
        }
        func text(_ part: ArraySlice<UInt16>) -> String {
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        // One group alone is not shortened (section 4.2.2).
        guard longest.count > 1 else { return text(groups[...]) }
        return text(groups[..<longest.lowerBound]) + "::" + text(groups[longest.upperBound...])
    }
}
