// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// Tokens with which a form proves that it comes from one of our pages and was made for the browser that sends it. A token
/// is a message authentication code of the browser's cookie, so no tokens have to be stored.
public struct FormTokens: Sendable {
    private let key: SecretBytes

    /// Creates tokens under a key; all pages of a site use the same key.
    ///
    /// - Parameter key: 32 secret random bytes. The length is not checked.
    public init(key: SecretBytes) { self.key = key }

    /// Returns the token for pages that are sent to the browser with this cookie: 64 hexadecimal digits. Throws
    /// `operationFailed` if Mbed TLS fails.
    public func token(for cookie: String) throws(CryptographyError) -> String {
        Hex.string(try HMACSHA256.code(for: Array("4:form\(cookie.utf8.count):\(cookie)".utf8), key: key))
    }

    /// Returns whether `token` belongs to the cookie; `false` if it is `nil`. The comparison takes a time that does not
    /// depend on the digits. Throws `operationFailed` if Mbed TLS fails.
    public func fits(_ token: String?, cookie: String) throws(CryptographyError) -> Bool {
        guard let token else { return false }
        return SecretBytes(copying: Array(token.utf8)) == SecretBytes(copying: Array(try self.token(for: cookie).utf8))
    }
}
