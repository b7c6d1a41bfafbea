// SPDX-License-Identifier: Apache-2.0

/// Settings for every request of one client: proxy, trust and identity.
public struct HTTPConfiguration: Sendable {
    /// `host:port` or `user:password@host:port` of a SOCKS5 proxy that resolves names itself (the plugin ABI's `VIGIL_SOCKS`); `nil` connects
    /// directly.
    public var socksProxy: String?
    /// PEM file of the certificate authorities to believe; `nil` takes the system's.
    public var authorityFile: String?
    /// SHA-256 of public keys (SPKI) in Base64. If there are any, the server's key must be one of them, beside having a valid certificate. Keep a
    /// spare: the day the server's key changes, boards with one pin only are cut off. At most 16.
    public var publicKeyPins: [String]
    /// Whether `http://` is permitted: for tests on the loopback, and for content that is signed and needs no secrecy.
    public var allowsPlainHTTP: Bool
    /// The `User-Agent` of every request; visible ASCII, which is not checked. The same on all boards, so that it tells none from another.
    public var userAgent: String
    /// IP address of this machine to connect from, for machines with several; `nil` leaves it to the system. Not through a proxy.
    public var localAddress: String?

    /// A configuration. With the defaults: no proxy, the system's authorities, no pins, HTTPS only, and the system chooses the address to connect
    /// from. Nothing is checked here: ``HTTPClient/init(_:)`` judges pins and file, and a request fails by the rest. See the properties for `nil`.
    public init(
        socksProxy: String? = nil, authorityFile: String? = nil, publicKeyPins: [String] = [],
        allowsPlainHTTP: Bool = false,
        userAgent: String = "vigil", localAddress: String? = nil
    ) {
        self.socksProxy = socksProxy
        self.authorityFile = authorityFile
        self.publicKeyPins = publicKeyPins
        self.allowsPlainHTTP = allowsPlainHTTP
        self.userAgent = userAgent
        self.localAddress = localAddress
    }

    /// Whether `pin` has the form of 32 bytes in Base64: 43 characters of its alphabet and one `=`.
    public static func isPin(_ pin: String) -> Bool {
        let bytes = Array(pin.utf8)
        return bytes.count == 44 && bytes[43] == UInt8(ascii: "=")
            && bytes.dropLast().allSatisfy {
                (65...90).contains($0) || (97...122).contains($0) || (48...57).contains($0) || $0 == 43 || $0 == 47
            }
    }
}
