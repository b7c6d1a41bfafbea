// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON
public import Trust

/// The signature of an answer of DP-3T's servers: the header `Signature` has a JSON Web Token (RFC 7519, ES256)
/// with the SHA-256 of the body (spec checkin-and-nhs A.6). The key that such a server names in `X-Public-Key` is
/// never looked at.
public struct ContentToken: Sendable, Hashable {
    /// The name of the header (spec checkin-and-nhs A.6).
    public static let header = "Signature"
    /// The maximum size of a token in bytes, inclusive; real ones have about 300. The number is this project's own.
    public static let maximumByteCount = 4_096
    /// The claim `iss` of DP-3T's servers (spec checkin-and-nhs A.6).
    public static let issuer = "dp3t"

    /// The SHA-256 of the body, 32 bytes.
    public let contentHash: [UInt8]
    /// The time at which the token states that it was made, in Unix seconds; not negative.
    public let issued: Int64
    /// The time at which the token expires, exclusive, in Unix seconds; after ``issued``.
    public let expires: Int64
    /// Further headers of the answer that the signature is about, by their names without `x-` (spec checkin-and-nhs A.6), as far as they are texts; may be empty.
    /// What they say is not checked.
    public let protectedHeaders: [String: String]
    private let signed: [UInt8]
    private let signature: [UInt8]

    /// Reads a token without verifying it. Returns `nil` if it is longer than ``maximumByteCount``, and unless it is
    /// an ES256 token without `crit`, of ``issuer``, with the claims `content-hash` (32 bytes in Base64), `hash-alg`
    /// (sha-256), `iat` and a later `exp`. Further claims that are texts become ``protectedHeaders``.
    public init?(_ text: [UInt8]) {
        guard text.count <= Self.maximumByteCount else { return nil }
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.json(parts[0]), header["alg"]?.string == "ES256", header["crit"] == nil,
            let claims = Self.json(parts[1]), claims["iss"]?.string == Self.issuer,
            claims["hash-alg"]?.string == "sha-256",
            let hash = claims["content-hash"]?.string.flatMap(Base64.bytes), hash.count == SHA256.byteCount,
            let issued = claims["iat"]?.int, issued >= 0, let expires = claims["exp"]?.int, expires > issued,
            let raw = Base64URL.bytes(parts[2]), let signature = P256.RawSignature.der(raw)
        else { return nil }
        contentHash = hash
        self.issued = issued
        self.expires = expires
        var headers: [String: String] = [:]
        for claim in claims.object?.members ?? [] where !Self.ownClaims.contains(claim.name) {
            if let text = claim.value.string { headers[claim.name] = text }
        }
        protectedHeaders = headers
        signed = Array(text.prefix(parts[0].count + 1 + parts[1].count))
        self.signature = signature
    }

    /// Returns the key of role `config` valid at `time` (Unix seconds, `nil` when unknown) that signed the token;
    /// `nil` if the token is about another body than `body`, or no such key signed it. Does not check ``issued``
    /// and ``expires``.
    public func signer(of body: [UInt8], trust: TrustStore, time: Int64?) -> TrustedKey? {
        guard SHA256.digest(of: body) == contentHash else { return nil }
        return trust.signer(of: SHA256.digest(of: signed), signature: signature, role: .config, at: time)
    }

    /// Returns a new token, for servers; times are in Unix seconds and not checked. `protected` are further headers of
    /// the answer that the token vouches for, with the `x-` of their names left out (spec checkin-and-nhs A.6). `sign`
    /// is called with a digest of 32 bytes and returns an ASN.1 signature over it.
    ///
    /// Returns `nil` when that is not a signature with two numbers of up to 32 bytes. Rethrows what `sign` throws.
    public static func text(
        body: [UInt8], issued: Int64, expires: Int64, protected: [(name: String, value: String)] = [],
        sign: ([UInt8]) throws -> [UInt8]
    ) rethrows -> [UInt8]? {
        var claims: JSON.Object = [
            "content-hash": .string(Base64.string(SHA256.digest(of: body))), "hash-alg": "sha-256", "iss": .string(issuer),
            "iat": .int(issued), "exp": .int(expires),
        ]
        for (name, value) in protected { claims[name] = .string(value) }
        let header = Base64URL.string(Array(#"{"alg":"ES256"}"#.utf8))
        let signed = Array("\(header).\(Base64URL.string(JSON.object(claims).bytes))".utf8)
        guard let raw = P256.RawSignature.raw(try sign(SHA256.digest(of: signed))) else { return nil }
        return signed + Array(".\(Base64URL.string(raw))".utf8)
    }

    private static let ownClaims: Set<String> = ["content-hash", "hash-alg", "iss", "iat", "exp"]

    private static func json(_ part: ArraySlice<UInt8>) -> JSON? {
        guard let bytes = Base64URL.bytes(part), let json = try? JSON(parsing: bytes, maximumDepth: 4), json.object != nil
        else {
            return nil
        }
        return json
    }
}
