// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The signature of an answer of NHS COVID-19's servers, which is bound to its request (specification rules-and-nhs 1.1). What is not signed by
/// a known key counts as no answer.
public struct NHSSignature: Sendable, Hashable {
    /// The identifier of the key that signed, as the server wrote it; foreign text.
    public let keyID: String
    /// The bytes of the signature, ASN.1 DER in what servers send; neither form nor signature is checked yet, and it may be empty.
    public let signature: [UInt8]
    /// The date header as it was received, not empty and not checked otherwise: it is part of what was signed.
    public let date: String

    /// The name of the header with the key's identifier and the signature (rules-and-nhs 1.1).
    public static let headerName = "x-amz-meta-signature"
    /// The name of the header with the date that is signed too (rules-and-nhs 1.1).
    public static let dateHeaderName = "x-amz-meta-signature-date"

    /// Reads the two headers; each is `nil` if it is absent. Gives `nil` unless `header` is `keyId="…",signature="…"` of at most 512 bytes and
    /// nothing else, with an identifier and a signature in Base64, and `date` is there and not empty.
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

    /// Whether one of the keys has signed this answer to that request. Cannot fail: an unknown key is `false`.
    ///
    /// - Parameters:
    ///   - name: The request's name as it was sent (`Request-Id`).
    ///   - method: The HTTP method in capitals.
    ///   - path: The request's path, encoded and without a query.
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
