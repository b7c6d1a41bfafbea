// SPDX-License-Identifier: Apache-2.0

/// An address written as one, in the one form that everybody reads alike.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16.
    public let bytes: [UInt8]

    public var isVersion6: Bool { bytes.count == 16 }

    /// `127.0.0.1` or `[2001:db8::1]`. No zones, no short forms of IPv4, no leading zeros, small letters.
    public init?(_ text: String) {
        let characters = Array(text.utf8)
        if characters.first == 91 {
            guard characters.count >= 4, characters.last == 93 else { return nil }
            guard let bytes = Self.version6(characters[1..<(characters.count - 1)]) else { return nil }
            self.bytes = bytes
        } else {
            guard let bytes = Self.version4(characters[...]) else { return nil }
            self.bytes = bytes
        }
    }

    /// As it is written here; IPv6 in brackets, with its longest run of zeros left out (RFC 5952).
    public var description: String {
        guard isVersion6 else { return bytes.map { String($0) }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        var best = 0..<0
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, groups[end] == 0 { end += 1 }
            if end - start > max(1, best.count) { best = start..<end }
            start = max(end, start + 1)
        }
        func words(_ groups: ArraySlice<UInt16>) -> String { groups.map { String($0, radix: 16) }.joined(separator: ":") }
        guard !best.isEmpty else { return "[\(words(groups[...]))]" }
        return "[\(words(groups[..<best.lowerBound]))::\(words(groups[best.upperBound...]))]"
    }

    /// Whether only this machine can be reached by it.
    public var isLoopback: Bool {
        if let inner = embedded { return inner.isLoopback }
        return isVersion6 ? bytes == Array(repeating: 0, count: 15) + [1] : bytes[0] == 127
    }

    /// Whether it is no place on the public Internet (IANA's special-purpose registries: RFC 6890, 4193, 4291, 3927, 6598).
    public var isPrivate: Bool {
        if let inner = embedded { return inner.isPrivate }
        if isVersion6 {
            // Public is 2000::/3, without documentation (2001:db8::/32).
            return bytes[0] & 0xE0 != 0x20 || bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8])
        }
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0, _, _), (10, _, _), (127, _, _), (169, 254, _), (172, 16...31, _), (192, 168, _), (100, 64...127, _),
            (192, 0, 0), (192, 0, 2), (198, 18...19, _), (198, 51, 100), (203, 0, 113), (224..., _, _):
            return true
        default: return false
        }
    }

    /// The IPv4 address that the kernel would go to by an IPv6 one (`::ffff:a.b.c.d`, RFC 4291).
    private var embedded: IPAddress? {
        guard isVersion6, bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF else { return nil }
        return IPAddress(bytes: Array(bytes[12...]))
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private static func version4(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let parts = text.split(separator: 46, omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            guard (1...3).contains(part.count), part.allSatisfy(Form.isDigit), part.count == 1 || part.first != 48 else {
                return nil
            }
            guard let byte = UInt8(String(decoding: part, as: UTF8.self)) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    private static func version6(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var head: [UInt8] = []
        var tail: [UInt8] = []
        var hasGap = false
        var rest = text
        if rest.starts(with: "::".utf8) {
            hasGap = true
            rest = rest.dropFirst(2)
            if rest.isEmpty { return [UInt8](repeating: 0, count: 16) }
        }
        while true {
            let end = rest.firstIndex(of: 58) ?? rest.endIndex
            let part = rest[rest.startIndex..<end]
            let bytes: [UInt8]
            if end == rest.endIndex, part.contains(46) {
                guard let inner = version4(part) else { return nil }
                bytes = inner
            } else {
                guard (1...4).contains(part.count), part.allSatisfy({ Form.isDigit($0) || (97...102).contains($0) }) else {
                    return nil
                }
                guard let group = UInt16(String(decoding: part, as: UTF8.self), radix: 16) else { return nil }
                bytes = [UInt8(group >> 8), UInt8(group & 0xFF)]
            }
            if hasGap { tail += bytes } else { head += bytes }
            guard head.count + tail.count <= 16 else { return nil }
            guard end < rest.endIndex else { break }
            rest = rest[(end + 1)...]
            if rest.first == 58 {
                guard !hasGap else { return nil }
                hasGap = true
                rest = rest.dropFirst()
                if rest.isEmpty { break }
            }
        }
        let count = head.count + tail.count
        guard hasGap ? count < 16 : count == 16 else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - count) + tail
    }
}
