// SPDX-License-Identifier: Apache-2.0

public import IPNetwork

/// The host that somebody wants to reach: a name or an address, in one spelling only, so that two of them are the same when
/// they mean the same.
public enum Host: Hashable, Sendable, CustomStringConvertible {
    /// 1 to 253 small letters, digits, dashes, underscores and dots; no dot at the end.
    case name(String)
    /// An IPv4 or IPv6 address.
    case address(IPAddress)

    /// Reads a name or an address; capitals become small, and one dot at the end is dropped. `nil` for what is neither: a name with other characters
    /// (international names travel in their ASCII form, RFC 5891), with a label of no or of more than 63 characters or with a dash at an end, longer
    /// than 253, or with a last label that resolvers take for a number (`127.1`, `0x7f000001`): those would slip past a rule for addresses.
    public init?(_ text: some StringProtocol) {
        if let address = IPAddress(text) {
            self = .address(address)
            return
        }
        var bytes = Array(text.utf8)
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        guard (1...253).contains(bytes.count) else { return nil }
        for index in bytes.indices where (65...90).contains(bytes[index]) { bytes[index] += 32 }
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy(Self.isLabel), let last = labels.last, !Self.looksLikeNumber(last) else { return nil }
        self = .name(String(decoding: bytes, as: UTF8.self))
    }

    /// The host as it stands in a rule: addresses of version 6 in brackets.
    public var description: String {
        switch self {
        case .name(let name): name
        case .address(let address): address.host
        }
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
            && label.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 || $0 == 95 }
    }

    /// As inet_aton reads numbers: decimal, octal, or hexadecimal after 0x.
    private static func looksLikeNumber(_ label: ArraySlice<UInt8>) -> Bool {
        if label.allSatisfy({ (48...57).contains($0) }) { return true }
        return label.starts(with: [48, 120])
            && label.dropFirst(2).allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}

/// The place a caller wants to reach: a host and a TCP port.
public struct Destination: Hashable, Sendable, CustomStringConvertible {
    /// The host, in its one spelling: small letters, no dot at the end.
    public let host: Host
    /// The TCP port; at least 1 where it was read from text.
    public let port: UInt16

    /// A destination of these two. Port 0 is not refused here; it leads nowhere.
    public init(host: Host, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `name:443`, `192.0.2.1:443` or `[2001:db8::1]:443`; `nil` unless the port is 1 to 65535 and the host is one.
    public init?(_ text: some StringProtocol) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let port = UInt16(digits), port > 0
        else { return nil }
        let name = text[..<colon]
        if let address = IPAddress(host: name) {
            self.init(host: .address(address), port: port)
        } else {
            guard !name.contains(":"), let host = Host(name) else { return nil }
            self.init(host: host, port: port)
        }
    }

    /// The destination as ``init(_:)`` reads it, for logs and the caller's author: a host that somebody asked for is in it.
    public var description: String { "\(host):\(port)" }
}
