// SPDX-License-Identifier: Apache-2.0

/// The settings for all requests of a client: proxy, trust and identity.
public struct HTTPConfiguration: Sendable {
    /// The SOCKS5 proxy, as `host:port` or `user:password@host:port`; it resolves the names itself (`VIGIL_SOCKS`
    /// of the plugin ABI). Without a port, libcurl takes 1080. The text may contain a password. `nil` connects
    /// directly.
    public var socksProxy: String?
    /// The path of a PEM file with the certificate authorities to trust; `nil` uses those of the system.
    public var authorityFile: String?
    /// The SHA-256 digests of accepted public keys (SPKI) in Base64, at most 16. If there are any, the server's key
    /// must be one of them, and its certificate must be valid as well, unless the request sets
    /// ``HTTPRequest/ignoresCertificate``. Include a spare: boards with a single pin lose the connection on the day
    /// the server changes its key.
    public var publicKeyPins: [String]
    /// Whether `http://` is permitted: for tests on the loopback interface, and for signed content that need not be secret.
    public var allowsPlainHTTP: Bool
    /// The value of the `User-Agent` header, in visible ASCII, which is not checked. It is the same on all boards, so that
    /// it does not identify one.
    public var userAgent: String
    /// The IP address of this machine to connect from, for machines with several; `nil` leaves the choice to the system.
    /// Has no effect through a proxy.
    public var localAddress: String?
    /// The certificate and key that are shown to a server that asks for them; `nil` shows none. The server learns by it who asks.
    public var identity: HTTPIdentity?

    /// Creates a configuration. By default there is no proxy and there are no pins; the system's authorities are trusted,
    /// only HTTPS is permitted, the system chooses the local address, and no certificate is shown. Nothing is checked here: ``HTTPClient/init(_:)``
    /// checks the pins and the file, and other wrong values make requests fail.
    public init(
        socksProxy: String? = nil, authorityFile: String? = nil, publicKeyPins: [String] = [],
        allowsPlainHTTP: Bool = false,
        userAgent: String = "vigil", localAddress: String? = nil, identity: HTTPIdentity? = nil
    ) {
        self.socksProxy = socksProxy
        self.authorityFile = authorityFile
        self.publicKeyPins = publicKeyPins
        self.allowsPlainHTTP = allowsPlainHTTP
        self.userAgent = userAgent
        self.localAddress = localAddress
        self.identity = identity
    }

    /// Returns whether `pin` has the form of 32 bytes in Base64: 43 characters of its alphabet followed by `=`.
    public static func isPin(_ pin: String) -> Bool {
        let bytes = Array(pin.utf8)
        return bytes.count == 44 && bytes[43] == UInt8(ascii: "=")
            && bytes.dropLast().allSatisfy {
                (65...90).contains($0) || (97...122).contains($0) || (48...57).contains($0) || $0 == 43 || $0 == 47
            }
    }
}
