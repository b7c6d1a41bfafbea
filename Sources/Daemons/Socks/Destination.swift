// SPDX-License-Identifier: Apache-2.0

public import IPNetwork

/// The host that a caller wants to reach, a name or an address. It has only one spelling, so that two hosts are equal if
/// they mean the same.
public enum Host: Hashable, Sendable, CustomStringConvertible {
    /// A name of 1 to 253 lower-case letters, digits, dashes, underscores and dots, without a dot at the end.
    case name(String)
    /// An IPv4 or IPv6 address.
    case address(IPAddress)

    /// Reads a name or an address; capital letters become lower-case, and one dot at the end is dropped. `nil` if the text
    /// is neither: a name with other characters (international names have to be in their ASCII form, RFC 5891), with a
    /// label that is empty, longer than 63 characters or has a dash at an end, longer than 253 characters, or with a last
    /// label that resolvers read as a number (`127.1`, `0x7f000001`), which would evade a rule for addresses.
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

    /// The host as it is written in a rule: IPv6 addresses in brackets.
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

/// The destination that a caller wants to reach: a host and a TCP port.
public struct Destination: Hashable, Sendable, CustomStringConvertible {
    /// The host in its only spelling: lower-case letters, no dot at the end.
    public let host: Host
    /// The TCP port; at least 1 where it was read from text.
    public let port: UInt16

    /// Creates a destination. Port 0 is not refused here, but cannot be reached.
    public init(host: Host, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `name:443`, `192.0.2.1:443` or `[2001:db8::1]:443`; `nil` unless the host is valid and the port is 1 to 65535.
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

    /// The destination in the form that ``init(_:)`` reads, for logs and for the caller's author; it contains the requested
    /// host.
    public var description: String { "\(host):\(port)" }
}
