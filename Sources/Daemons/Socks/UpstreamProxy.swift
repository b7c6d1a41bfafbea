// SPDX-License-Identifier: Apache-2.0

/// A proxy that everything goes through, where a network lets nothing else out.
public struct UpstreamProxy: Sendable {
    /// The protocol that the proxy is spoken to in.
    public enum Language: Hashable, Sendable {
        /// SOCKS5 (RFC 1928).
        case socks5
        /// The method CONNECT of HTTP (RFC 9110, section 9.3.6).
        case http
    }

    /// The protocol that the proxy is spoken to in.
    public let language: Language
    /// The address and port of the proxy. It may be private: the operator named it.
    public let destination: Destination
    let credentials: Credentials?

    /// A proxy at this destination, spoken to in this protocol.
    ///
    /// - Parameter credentials: `nil` if the proxy asks for none.
    public init(_ language: Language, _ destination: Destination, credentials: Credentials? = nil) {
        self.language = language
        self.destination = destination
        self.credentials = credentials
    }

    /// Reads `host:port`, `socks5://host:port` or `http://host:port`, with `:user:password` behind it if it asks for them.
    /// - Throws: `SocksError`: `malformedProxy` if host or port is none, `malformedCredentials` if what stands behind has no colon, or unless name
    ///   and password have 1 to 255 bytes each.
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

    /// A handshake that leads to `target` through the proxy. Names are handed on as they are: what they mean is the proxy's
    /// to find out. Cannot fail.
    public func handshake(to target: Destination) -> ProxyHandshake {
        ProxyHandshake(language: language, target: target, credentials: credentials)
    }
}
