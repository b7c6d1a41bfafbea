// SPDX-License-Identifier: Apache-2.0

import Cryptography
import PrivacyPass

/// Blind signatures of RFC 9474 in all four variants.
enum BlindSignatures: VectorFamily {
    static let name = "rsabssa"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let key = try BlindRSA.PublicKey(modulus: vector["modulus"].hex("modulus"))
                try expect("exponent", vector["publicExponent"].string, "010001")
                let modulus = try BigNumber.read(key.modulus)
                // The vectors have the inverse of the factor.
                let factor = try BigNumber.read(vector["blindingInverse"].hex("blindingInverse"))
                    .inverse(modulo: modulus).secretBytes(key.byteCount)
                let input = try vector["messagePrefix"].hex("messagePrefix") + vector["message"].hex("message")
                let salt = SecretBytes(copying: try vector["salt"].hex("salt"))
                try expect("length of the salt", salt.count, vector["saltLength"].int)
                let message = SecretBytes(copying: input)
                let blinded = try key.blind(message, salt: salt, factor: factor)
                try expect("blinded", Hex.string(blinded), vector["blindedMessage"].string)
                let answer = try blindSignature(of: blinded, vector)
                try expect("blind signature", Hex.string(answer), vector["blindSignature"].string)
                let signature = try key.finish(answer, message: message, saltByteCount: salt.count, factor: factor)
                try expect("signature", Hex.string(signature), vector["signature"].string)
                try expect("valid", key.isValid(signature, over: input, saltByteCount: salt.count), true)
                try expect("another message", key.isValid(signature, over: input + [0], saltByteCount: salt.count), false)
            }
        }
    }

    /// The signer's half, by the plain power with the private exponent: for keys of vectors only.
    static func blindSignature(of message: [UInt8], _ vector: VectorValue) throws -> [UInt8] {
        let modulus = try vector["modulus"].hex("modulus")
        let exponent = try BigNumber.read(vector["privateExponent"].hex("privateExponent"))
        return try BigNumber.read(message).power(exponent, modulo: BigNumber.read(modulus)).bytes(modulus.count)
    }
}

/// Tokens of type 0x0002, step by step.
enum TokenIssuance: VectorFamily {
    static let name = "pp-type2-issuance"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let key = try TokenKey(decoding: vector["tokenKey"].hex("tokenKey"))
                try expect("modulus", Hex.string(key.publicKey.modulus), vector["modulus"].string)
                try expect("key written again", Hex.string(key.encoded), vector["tokenKey"].string)
                try expect("name of the key", Hex.string(key.id), vector["expTokenKeyId"].string)
                try expect("last byte of it", Int(key.truncatedID), vector["expTruncatedTokenKeyId"].int)
                let challengeDigest = SHA256.digest(of: try vector["tokenChallenge"].hex("tokenChallenge"))
                let pending = try PendingToken(
                    key: key, challengeDigest: challengeDigest,
                    secrets: .init(
                        nonce: SecretBytes(copying: vector["nonce"].hex("nonce")),
                        salt: SecretBytes(copying: vector["salt"].hex("salt")),
                        blind: SecretBytes(copying: vector["blind"].hex("blind"))))
                try expect("request", Hex.string(pending.request.encoded), vector["expTokenRequest"].string)
                try expect("request read", TokenRequest(decoding: pending.request.encoded), pending.request)
                let response = try BlindSignatures.blindSignature(of: pending.request.blindedMessage, vector)
                try expect("response", Hex.string(response), vector["expTokenResponse"].string)
                let token = try pending.finished(by: response)
                try expect("token", Hex.string(token.bytes), vector["expToken"].string)
                try token.verify(by: key, challengeDigest: challengeDigest)
            }
        }
    }
}

/// Tokens as a server gets them, and why it refuses them.
enum TokenVerification: VectorFamily {
    static let name = "pp-token-verify"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let key = try TokenKey(decoding: vector["tokenKey"].hex("tokenKey"))
                let digest = SHA256.digest(of: try vector["tokenChallenge"].hex("tokenChallenge"))
                let bytes = try vector["token"].hex("token")
                let verdict: String
                do throws(PrivacyPassError) {
                    try Token(decoding: bytes).verify(by: key, challengeDigest: digest)
                    verdict = "valid"
                } catch {
                    switch error.code {
                    case .malformedToken: verdict = "malformed"
                    case .unknownKey: verdict = "unknown-key"
                    case .challengeMismatch: verdict = "challenge-mismatch"
                    case .badSignature: verdict = "bad-signature"
                    default: verdict = error.code.rawValue
                    }
                }
                try expect("verdict", verdict, vector["expect"].string)
            }
        }
    }
}

/// Challenges, written and read.
enum TokenChallenges: VectorFamily {
    static let name = "pp-token-challenge"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                guard vector["expParse"].isNull else {
                    let bytes = try vector["tokenChallenge"].hex("tokenChallenge")
                    try expect("reading", verdict(bytes), vector["expParse"].string)
                    return
                }
                let origins = try require("originInfo", vector["originInfo"].string)
                let challenge = try TokenChallenge(
                    issuerName: require("issuerName", vector["issuerName"].string),
                    redemptionContext: vector["redemptionContext"].hex("redemptionContext"),
                    origins: origins.isEmpty ? [] : origins.split(separator: ",").map(String.init))
                try expect("bytes", Hex.string(challenge.encoded), vector["expTokenChallenge"].string)
                try expect("read again", TokenChallenge(decoding: challenge.encoded), challenge)
                let input =
                    try [0, 2] + vector["nonce"].hex("nonce") + challenge.digest + vector["tokenKeyId"].hex("tokenKeyId")
                try expect("what is signed", Hex.string(input), vector["expAuthenticatorInput"].string)
            }
        }
    }

    private static func verdict(_ bytes: [UInt8]) -> String {
        do throws(PrivacyPassError) {
            _ = try TokenChallenge(decoding: bytes)
            return "ok"
        } catch { return error.code == .unsupportedType ? "unsupported-type" : "malformed" }
    }
}

/// Header fields of HTTP.
enum TokenHeaderFields: VectorFamily {
    static let name = "pp-http-auth"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                if let value = vector["wwwAuthenticate"].string {
                    let found = PrivateTokenScheme.challenges(inWWWAuthenticate: value)
                    try expect("number of challenges", found.count, vector["expChallenges"].array.count)
                    for (challenge, expected) in zip(found, vector["expChallenges"].array) {
                        try expect("type", Int(challenge.tokenType), expected["tokenType"].int)
                        try expect("key", challenge.tokenKey.map { Hex.string($0) }, expected["tokenKey"].string)
                        try expect("age", challenge.maximumAge, expected["maxAge"].int)
                        try expect("challenge", Hex.string(challenge.tokenChallenge), expected["tokenChallenge"].string)
                    }
                } else {
                    let value = try require("authorization", vector["authorization"].string)
                    let token = PrivateTokenScheme.token(inAuthorization: value)
                    try expect("token", token.map { Hex.string($0.bytes) }, vector["expToken"].string)
                    guard let token else { return }
                    try expect(
                        "read again", PrivateTokenScheme.token(inAuthorization: PrivateTokenScheme.authorization(token)),
                        token)
                }
            }
        }
    }
}

/// Directories of issuers.
enum IssuerDirectories: VectorFamily {
    static let name = "pp-issuer-directory"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let document = Array(try require("document", vector["document"].string).utf8)
                let url = try require("directoryUrl", vector["directoryUrl"].string)
                let directory = try? IssuerDirectory(decoding: document, directoryURL: url)
                let key = try directory?.key(at: Int64(require("now", vector["now"].int)))
                try expect("key", key.map { Hex.string($0.id) }, vector["expTokenKeyId"].string)
                // A directory without a usable key is as none.
                try expect("request URL", key.flatMap { _ in directory?.requestURL }, vector["expRequestUrl"].string)
            }
        }
    }
}
