// SPDX-License-Identifier: Apache-2.0

/// The name and password of a SOCKS client (RFC 1929), 1 to 255 bytes each. Never printed.
public struct Credentials: Sendable, CustomStringConvertible, CustomReflectable {
    let user: [UInt8]
    let password: [UInt8]

    /// Creates credentials from these bytes, which are copied.
    ///
    /// - Throws: `SocksError.malformedCredentials` unless the name and the password have 1 to 255 bytes each.
    public init(user: some Sequence<UInt8>, password: some Sequence<UInt8>) throws(SocksError) {
        self.user = Array(user)
        self.password = Array(password)
        guard (1...255).contains(self.user.count), (1...255).contains(self.password.count) else {
            throw SocksError(.malformedCredentials)
        }
    }

    /// Reads `user:password`; the name ends at the first colon.
    /// - Throws: `SocksError.malformedCredentials` if there is no colon, or unless each part has 1 to 255 bytes.
    public init(parsing text: some StringProtocol) throws(SocksError) {
        guard let colon = text.firstIndex(of: ":") else { throw SocksError(.malformedCredentials) }
        try self.init(user: text[..<colon].utf8, password: text[text.index(after: colon)...].utf8)
    }

    /// The word `credentials`, without their content.
    public var description: String { "credentials" }
    /// A mirror without children, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// In a time that does not tell how much of the password was right.
    func matches(user: some Sequence<UInt8>, password: some Sequence<UInt8>) -> Bool {
        Self.areEqual(self.user, Array(user)) && Self.areEqual(self.password, Array(password))
    }

    private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
