// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The signature of an answer of NHS COVID-19's servers, which binds the answer to its request (specification rules-and-nhs
/// 1.1). An answer that no known key has signed is treated as no answer.
public struct NHSSignature: Sendable, Hashable {
    /// The identifier of the signing key, as the server wrote it; foreign text.
    public let keyID: String
    /// The bytes of the signature, which servers send in ASN.1 DER. They may be empty: neither form nor signature is
    /// checked before ``isValid(name:method:path:body:keys:)``.
    public let signature: [UInt8]
    /// The date header as it was received, which is part of the signed content; not empty, and not checked otherwise.
    public let date: String

    /// The name of the header with the key's identifier and the signature (rules-and-nhs 1.1).
    public static let headerName = "x-amz-meta-signature"
    /// The name of the header with the date, which is signed, too (rules-and-nhs 1.1).
    public static let dateHeaderName = "x-amz-meta-signature-date"

    /// Reads the two headers, each of which is `nil` if it is absent. Returns `nil` unless `header` is exactly
    /// `keyId="…",signature="…"`, of at most 512 bytes, with an identifier that is not empty and a signature in Base64, and
    /// `date` is present and not empty.
    public init?(header: String?, date: String?) {
        guard let header, let date, !date.isEmpty, header.utf8.count <= 512, header.hasPrefix("keyId=\""),
            header.hasSuffix("\"")
        else { return nil }
        let inner = header.dropFirst("keyId=\"".count).dropLast()
        let parts = inner.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[1] == ",signature=",
            let bytes = Base64.bytes(String(parts[2]))
        else { return nil }
        keyID = String(parts[0])
        signature = bytes
        self.date = date
    }

    /// Returns whether the key that the answer names has signed this answer to this request. Cannot fail: `false` if `keys`
    /// does not contain the key.
    ///
    /// - Parameters:
    ///   - name: The request's name as it was sent (`Request-Id`).
    ///   - method: The HTTP method in capitals.
    ///   - path: The request's path, percent-encoded and without a query.
    ///   - body: The bytes of the answer's body.
    ///   - keys: The keys that may sign, by their identifiers.
    public func isValid(
        name: String, method: String, path: String, body: [UInt8], keys: [String: P256.VerificationKey]
    ) -> Bool {
        guard let key = keys[keyID] else { return false }
        let content = Array("\(name):\(method):\(path):\(date):".utf8) + body
        return key.isValid(signature: signature, over: SHA256.digest(of: content))
    }
}
