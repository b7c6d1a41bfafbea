// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The scheme `VigilEvidence` in header fields of HTTP (specification donation 6.4, our own): an issuer of tokens gives a nonce, and a device proves what it
/// is.
public enum EvidenceScheme {
    /// The length of an issuer's nonce in bytes, of our own choosing.
    public static let nonceByteCount = 32
    /// The header field of an issuer's answer with the nonce for the next request.
    public static let nextNonceHeader = "Vigil-Next-Nonce"
    private static let name = "vigilevidence"

    /// The value of `WWW-Authenticate` that asks for evidence with this nonce, which is good for `maximumAge` seconds. Cannot fail.
    public static func wwwAuthenticate(nonce: [UInt8], maximumAge: Int) -> String {
        "VigilEvidence nonce=\"\(Base64URL.paddedString(nonce))\", max-age=\(maximumAge)"
    }

    /// The nonce in a value of `WWW-Authenticate`, from anywhere; `nil` unless exactly one scheme `VigilEvidence` is there, and has a nonce of
    /// ``nonceByteCount`` bytes.
    public static func nonce(inWWWAuthenticate value: some StringProtocol) -> [UInt8]? {
        let schemes = AuthenticationField.schemes(value.utf8).filter { $0.name == name }
        guard schemes.count == 1, schemes[0].isWellFormed else { return nil }
        return schemes[0].parameters["nonce"].flatMap(nonce)
    }

    /// The nonce in a value of ``nextNonceHeader``, from anywhere; `nil` unless it is one of ``nonceByteCount`` bytes.
    public static func nonce(inNextNonce value: some StringProtocol) -> [UInt8]? { nonce(Array(value.utf8)) }

    /// The value of ``nextNonceHeader``. Cannot fail.
    public static func nextNonce(_ nonce: [UInt8]) -> String { Base64URL.paddedString(nonce) }

    /// The value of `Authorization` that carries evidence, the bytes of a CWT. Cannot fail.
    public static func authorization(_ evidence: [UInt8]) -> String {
        "VigilEvidence token=\"\(Base64URL.paddedString(evidence))\""
    }

    /// The bytes of the evidence in a value of `Authorization`, from anywhere; `nil` unless that is this scheme alone with exactly one parameter `token`.
    /// Nothing is verified.
    public static func evidence(inAuthorization value: some StringProtocol) -> [UInt8]? {
        let schemes = AuthenticationField.schemes(value.utf8)
        guard schemes.count == 1, schemes[0].name == name, schemes[0].isWellFormed, schemes[0].parameters.count == 1
        else { return nil }
        return schemes[0].parameters["token"].flatMap { Base64URL.paddedBytes($0) }
    }

    private static func nonce(_ text: [UInt8]) -> [UInt8]? {
        Base64URL.paddedBytes(text).flatMap { $0.count == nonceByteCount ? $0 : nil }
    }
}
