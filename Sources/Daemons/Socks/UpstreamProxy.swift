// SPDX-License-Identifier: Apache-2.0

/// A proxy for all connections, for networks that permit no others.
public struct UpstreamProxy: Sendable {
    /// The protocol of the proxy.
    public enum Language: Hashable, Sendable {
        /// SOCKS5 (RFC 1928).
        case socks5
        /// The method CONNECT of HTTP (RFC 9110, section 9.3.6).
        case http
    }

    /// The protocol of the proxy.
    public let language: Language
    /// The address and port of the proxy. It may be private, because the operator named it.
    public let destination: Destination
    let credentials: Credentials?

    /// Creates a proxy at this destination, with this protocol.
    ///
    /// - Parameter credentials: The credentials that the proxy requires; `nil` if it requires none.
    public init(_ language: Language, _ destination: Destination, credentials: Credentials? = nil) {
        self.language = language
        self.destination = destination
        self.credentials = credentials
    }

    /// Reads `host:port`, `socks5://host:port` or `http://host:port`, followed by `:user:password` if the proxy requires
    /// credentials.
    /// - Throws: `SocksError.malformedProxy` if the host or the port is not valid; `SocksError.malformedCredentials` if
    ///   what follows the port has no colon, or unless the name and the password have 1 to 255 bytes each.
    public init(parsing text: some StringProtocol) throws(SocksError) {
        var rest = text[...]
        language = rest.hasPrefix("http://") ? .http : .socks5
        if let scheme = ["http://", "socks5://"].first(where: { rest.hasPrefix($0) }) {
            rest = rest.dropFirst(scheme.count)
        }
        let hostEnd = (rest.hasPrefix("[") ? rest.firstIndex(of: "]") : rest.firstIndex(of: ":")) ?? rest.endIndex
        let port = rest[hostEnd...].drop { $0 == "]" }.dropFirst()
        let portEnd = port.firstIndex(of: ":") ?? port.endIndex
        guard let destination = Destination(rest[..<portEnd]) else { throw SocksError(.malformedProxy) }
        self.destination = destination
        credentials = portEnd == rest.endIndex ? nil : try Credentials(parsing: rest[rest.index(after: portEnd)...])
    }

    /// Returns a handshake that leads to `target` through the proxy. Names are passed on unchanged: the proxy resolves
    /// them. Cannot fail.
    public func handshake(to target: Destination) -> ProxyHandshake {
        ProxyHandshake(language: language, target: target, credentials: credentials)
    }
}
