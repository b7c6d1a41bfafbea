// SPDX-License-Identifier: Apache-2.0

/// The host names that a listener accepts. A page from another site whose name was pointed at this board's address (DNS
/// rebinding) sends its own name, and its requests are refused.
public struct HostNames: Sendable, Equatable {
    /// As they stand in `Host`, in small letters, without the port.
    private let names: Set<String>
    private let port: UInt16
    private let isSecure: Bool

    /// Creates the names of a listener. Case does not matter, and nothing is checked.
    ///
    /// - Parameters:
    ///   - names: Host names without a dot at the end, IPv4 addresses, and IPv6 addresses in brackets.
    ///   - port: The port of the listener.
    ///   - isSecure: Whether the listener uses TLS. Determines the port of a `Host` without one: 443 or 80.
    public init(_ names: [String], port: UInt16, isSecure: Bool) {
        self.names = Set(names.map { $0.lowercased() })
        self.port = port
        self.isSecure = isSecure
    }

    /// Returns these names and `more`, for one request: the address that its connection has reached. A page from another
    /// site cannot have that address in its `Host`, because the page would then have been loaded from here. Cannot fail.
    public func adding(_ more: [String]) -> Self {
        HostNames(Array(names) + more, port: port, isSecure: isSecure)
    }

    /// Returns whether a request with this `Host` is accepted: one of the names, alone or with the listener's port.
    /// Without a port, 443 or 80 must be the listener's. Case and a dot after the name do not matter. Returns
    /// `false` for `nil` and for more than 255 bytes (our own bound; a name has at most 253).
    public func permit(_ host: String?) -> Bool {
        guard let host, host.utf8.count <= 255 else { return false }
        guard let (name, port) = Self.parts(host.lowercased()) else { return false }
        return names.contains(name) && (port ?? (isSecure ? 443 : 80)) == self.port
    }

    /// Returns whether `origin` (the header `Origin`) has the scheme, a name and the port of this listener. Returns `false`
    /// for `null`.
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

/// Checks where a request that changes something comes from, by the headers that browsers send.
public enum RequestSource {
    /// Returns whether the request comes from one of our own pages, or from a program that is not a browser.
    /// `site`, if there is one, must be `same-origin` or `none`. `origin`, if there is one, must be that of the
    /// listener (``HostNames/isOwn(origin:)``), or `null` together with `same-origin`. Browsers send at least one
    /// of the two, other programs neither.
    ///
    /// - Parameters:
    ///   - origin: The header `Origin`; `nil` if the request has none.
    ///   - site: The header `Sec-Fetch-Site` (Fetch Metadata); `nil` if the request has none.
    ///   - names: The names of the listener.
    ///   - mayBeSilent: Whether both headers may be missing, as with programs that send a token of their own.
    public static func isOurs(origin: String?, site: String?, names: HostNames, mayBeSilent: Bool) -> Bool {
        if let site, site != "same-origin", site != "none" { return false }
        guard let origin else { return mayBeSilent || site != nil }
        // A page that names no referrer names no origin either; what kind of page it is the browser says beside it.
        if origin == "null" { return site == "same-origin" }
        return names.isOwn(origin: origin)
    }
}
