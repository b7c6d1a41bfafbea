// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// Tokens by which a form shows that it stood on a page of ours, made for the browser that sends it: a code over the browser's cookie. Nothing has to
/// be kept for them.
public struct FormTokens: Sendable {
    private let key: SecretBytes

    /// Tokens under a key; all of one site use the same.
    ///
    /// - Parameter key: 32 random bytes that nobody else has. The length is not checked.
    public init(key: SecretBytes) { self.key = key }

    /// The token of pages for this cookie: 64 hexadecimal digits. Throws `operationFailed` when the library refuses.
    public func token(for cookie: String) throws(CryptographyError) -> String {
        Hex.string(try HMACSHA256.code(for: Array("4:form\(cookie.utf8.count):\(cookie)".utf8), key: key))
    }

    /// Whether the form's token belongs to the cookie; `false` without one. Compared in time that does not depend on the
    /// digits. Throws `operationFailed` when the library refuses.
    public func fits(_ token: String?, cookie: String) throws(CryptographyError) -> Bool {
        guard let token else { return false }
        return SecretBytes(copying: Array(token.utf8)) == SecretBytes(copying: Array(try self.token(for: cookie).utf8))
    }
}
