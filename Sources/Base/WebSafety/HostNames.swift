// SPDX-License-Identifier: Apache-2.0

/// Names under which a listener may be spoken to. A page elsewhere whose name was pointed at this board's address (DNS rebinding) has another
/// one, and gets nothing.
public struct HostNames: Sendable, Equatable {
    /// As they stand in `Host`, in small letters, without the port.
    private let names: Set<String>
    private let port: UInt16
    private let isSecure: Bool

    /// The names of one listener; case does not matter, and nothing is checked.
    ///
    /// - Parameters:
    ///   - names: Names, IPv4 addresses, and IPv6 addresses in brackets.
    ///   - port: Port of the listener.
    ///   - isSecure: Whether the listener speaks TLS; decides the port that a name without one means, 443 or 80.
    public init(_ names: [String], port: UInt16, isSecure: Bool) {
        self.names = Set(names.map { $0.lowercased() })
        self.port = port
        self.isSecure = isSecure
    }

    /// The names with further ones in the same form for one request: the address that its connection has reached. A page
    /// elsewhere cannot have that in its `Host`: it would have been loaded from here. Cannot fail.
    public func adding(_ more: [String]) -> Self {
        HostNames(Array(names) + more, port: port, isSecure: isSecure)
    }

    /// Whether a request with this `Host` is meant for us: `name`, or `name:port` with the listener's own port; case and a dot behind the name do not
    /// matter. `false` without one, and for more than 255 bytes.
    public func permit(_ host: String?) -> Bool {
        guard let host, host.utf8.count <= 255 else { return false }
        guard let (name, port) = Self.parts(host.lowercased()) else { return false }
        return names.contains(name) && (port ?? (isSecure ? 443 : 80)) == self.port
    }

    /// Whether `origin` (the header `Origin`) is one of our own pages: scheme, name and port. `false` for `null`.
    public func isOwn(origin: String) -> Bool {
        let scheme = isSecure ? "https://" : "http://"
        return origin.hasPrefix(scheme) && permit(String(origin.dropFirst(scheme.utf8.count)))
    }

    private static func parts(_ text: String) -> (name: String, port: UInt16?)? {
        var name = text
        var rest = ""
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            name = String(text[...end])
            rest = String(text[text.index(after: end)...])
        } else if let colon = text.firstIndex(of: ":") {
            name = String(text[..<colon])
            rest = String(text[colon...])
        }
        // `example.` is `example`.
        if name.hasSuffix("."), !name.hasPrefix("[") { name.removeLast() }
        if rest.isEmpty { return (name, nil) }
        let digits = rest.dropFirst()
        guard rest.hasPrefix(":"), !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let port = UInt16(digits)
        else { return nil }
        return (name, port)
    }
}

/// The origin of a request that changes something, by the headers that browsers send.
public enum RequestSource {
    /// Whether it may be obeyed. A browser says at least one of the two headers, and a script neither; what says anything else comes from another
    /// site's page.
    ///
    /// - Parameters:
    ///   - origin: `Origin`; `nil` without one.
    ///   - site: `Sec-Fetch-Site` (Fetch Metadata); `nil` without one.
    ///   - mayBeSilent: Whether both may be missing, as from scripts that bring a token of their own.
    public static func isOurs(origin: String?, site: String?, names: HostNames, mayBeSilent: Bool) -> Bool {
        if let site, site != "same-origin", site != "none" { return false }
        guard let origin else { return mayBeSilent || site != nil }
        // A page that names no referrer names no origin either; what kind of page it is the browser says beside it.
        if origin == "null" { return site == "same-origin" }
        return names.isOwn(origin: origin)
    }
}
