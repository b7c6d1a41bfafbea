// SPDX-License-Identifier: Apache-2.0

import IPNetwork

/// A place on the network that a plugin may connect to.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// The host, of 1 to 253 characters: a name of lower-case ASCII letters, digits and dashes, in parts of 1 to 63
    /// between dots; an IPv4 address; or an IPv6 address in brackets and in its shortest form.
    public let host: String
    /// The TCP port, at least 1.
    public let port: UInt16
    /// Whether the host may be, or resolve to, an address in a private network or in the board's own; `false`
    /// permits the public internet only. Egress judges the address at each connection.
    public let isPrivate: Bool

    /// The reason why a host or port cannot be used, an English text that may quote the host, whose characters were checked
    /// before.
    public struct Fault: Error, Equatable, CustomStringConvertible { public let description: String }

    /// Checks the host and the port, and creates an endpoint. An address is changed to its shortest form.
    /// - Throws: `Fault` if the host is neither a name nor an address; if its last part is a number, so that it looks like
    ///   an address; if `isPrivate` is `false` and the host is an address outside the public internet, a name of one part,
    ///   or a name that ends in `localhost` or `local`; or if the port is 0.
    public init(host: String, port: UInt16, isPrivate: Bool = false) throws(Fault) {
        if let fault = Self.fault(in: host, isPrivate: isPrivate) { throw Fault(description: fault) }
        guard port > 0 else { throw Fault(description: "the port must be between 1 and 65535") }
        self.host = IPAddress(host: host)?.host ?? host
        self.port = port
        self.isPrivate = isPrivate
    }

    /// The endpoint as egress is told it: `cdn.example:443`, followed by `!` if private addresses are permitted.
    public var description: String { "\(host):\(port)\(isPrivate ? "!" : "")" }

    private static func fault(in host: String, isPrivate: Bool) -> String? {
        guard Form.host.holds(host) else { return "must be \(Form.host.words)" }
        if let address = IPAddress(host: host) {
            guard !isPrivate, let range = address.specialRange else { return nil }
            return "\(host) is \(range.explanation); write \"private\": true if that is meant"
        }
        guard host.utf8.first != 91 else { return "\(host) is no IPv6 address" }
        let labels = host.utf8.split(separator: 46, omittingEmptySubsequences: false)
        for label in labels {
            guard (1...63).contains(label.count), label.first != 45, label.last != 45 else {
                return
                    "each part of a name has 1 to 63 letters, digits and dashes, with no dash at its ends, and no dot ends the name"
            }
        }
        // Resolvers take 127.1, 0x7f.1 and 2130706433 for addresses, and every one in its own way (WHATWG URL, "ends in a number").
        let last = labels.last ?? host.utf8[...]
        let isNumber = last.allSatisfy(Form.isDigit)
        let isHexadecimal =
            last.starts(with: "0x".utf8) && last.dropFirst(2).allSatisfy { Form.isDigit($0) || (97...102).contains($0) }
        guard !isNumber, !isHexadecimal else {
            return "\(host) ends like an address and is none; IPv4 addresses have four numbers without leading zeros"
        }
        if !isPrivate, host == "localhost" || host.hasSuffix(".localhost") || host.hasSuffix(".local") || labels.count == 1
        {
            return "\(host) is in a private network; write \"private\": true if that is meant"
        }
        return nil
    }
}
