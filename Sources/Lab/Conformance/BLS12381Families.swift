// SPDX-License-Identifier: Apache-2.0

import BLS12381
import Cryptography

/// Digests as numbers modulo r.
enum ScalarHashes: VectorFamily {
    static let name = "fr_hash"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let message = try vector["message"].hex("message")
                // Of a message that is whole an exponent is the same hash.
                let scalar = IdentityCiphertext.exponent(seed: SecretBytes(copying: []), identity: [], message: message)
                try expect("number", scalar.bytes == SecretBytes(copying: vector["fr"].hex("fr")), true)
            }
        }
    }
}

/// Messages as points of the first group.
enum PointHashes: VectorFamily {
    static let name = "hash_to_g1"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let point = G1(hashing: try vector["message"].hex("message"))
                try expect("point", Hex.string(point.bytes), vector["g1"].string)
            }
        }
    }
}

/// Pairings of points.
enum Pairings: VectorFamily {
    static let name = "pairing"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let value = GT(pairing: try G1(vector["g1"].hex("g1")), try G2(vector["g2"].hex("g2")))
                try expect("value", value.bytes.withBytes { Hex.string($0) }, vector["gt"].string)
            }
        }
    }
}

/// Bytes that are a number or a point, and such that are none.
enum PointSerializations: VectorFamily {
    static let name = "mcl_serialization"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let bytes = try vector["bytes"].hex("bytes")
                let group = try require("group", vector["group"].string)
                let result = Result { try written(bytes, group) }
                switch try require("result", vector["result"].string) {
                case "ok":
                    try expect("written again", Hex.string(result.get()), vector["bytes"].string)
                    guard !vector["scalarTimesGenerator"].isNull else { break }
                    let scalar = try Scalar(SecretBytes(copying: vector["scalarTimesGenerator"].hex("scalar")))
                    let multiple =
                        group == "G1"
                        ? G1.generator.multiplied(by: scalar).bytes : G2.generator.multiplied(by: scalar).bytes
                    try expect("multiple of the generator", Hex.string(multiple), vector["bytes"].string)
                case let verdict:
                    guard case .failure(let error as BLS12381Error) = result else {
                        throw Mismatch(description: "read, where a refusal is expected")
                    }
                    try expect("refusal", error.code, refusal(verdict, vector["reason"].string ?? ""))
                }
            }
        }
    }

    private static func written(_ bytes: [UInt8], _ group: String) throws -> [UInt8] {
        switch group {
        case "G1": return try G1(bytes).bytes
        case "G2": return try G2(bytes).bytes
        case "Fr": return try Scalar(SecretBytes(copying: bytes)).bytes.withBytes { Array($0) }
        default: throw Mismatch(description: "there is no group \(group)")
        }
    }

    private static func refusal(_ verdict: String, _ reason: String) -> BLS12381Error.Code {
        switch reason {
        case _ where verdict == "rejectSubgroup": .notInGroup
        case "length": .wrongLength
        case "not on curve": .notOnCurve
        default: .notCanonical
        }
    }
}

/// Keys of a master and of identities.
enum IdentityKeyDerivations: VectorFamily {
    static let name = "ibe_key_derivation"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let secret = try Scalar(SecretBytes(copying: vector["masterSecretKey"].hex("secret")))
                let identity = try vector["identity"].hex("identity")
                let master = try MasterPublicKey(secret: secret)
                let key = try IdentityKey(identity: identity, secret: secret)
                try expect("public key", Hex.string(master.bytes), vector["masterPublicKey"].string)
                try expect("identity's key", Hex.string(key.bytes), vector["secretKeyForIdentity"].string)
                try expect("belongs", key.belongs(to: identity, under: master), true)
            }
        }
    }
}

/// Messages encrypted with a given seed and nonce.
enum IdentityEncryptions: VectorFamily {
    static let name = "ibe_encrypt"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let identity = try vector["identity"].hex("identity")
                let message = try vector["message"].hex("message")
                let seed = SecretBytes(copying: try vector["x"].hex("x"))
                let exponent = IdentityCiphertext.exponent(seed: seed, identity: identity, message: message)
                try expect("r", exponent.bytes == SecretBytes(copying: vector["r"].hex("r")), true)
                let text = try IdentityCiphertext(
                    encrypting: message, to: identity, under: MasterPublicKey(vector["masterPublicKey"].hex("key")),
                    seed: seed, nonce: vector["nonce"].hex("nonce"))
                try compare(text, vector)
            }
        }
    }

    static func compare(_ text: IdentityCiphertext, _ vector: VectorValue) throws {
        try expect("c1", Hex.string(text.pointBytes), vector["c1"].string)
        try expect("c2", Hex.string(text.masked), vector["c2"].string)
        try expect("c3", Hex.string(text.box), vector["c3"].string)
    }
}

/// Messages that open, and such that do not.
enum IdentityDecryptions: VectorFamily {
    static let name = "ibe_decrypt"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let identity = try vector["identity"].hex("identity")
                let opened: [UInt8]?
                do throws(BLS12381Error) {
                    let text = try IdentityCiphertext(vector)
                    let key = try IdentityKey(hex(vector["secretKeyForIdentity"]))
                    opened = try? text.opened(identity: identity, key: key)
                } catch {
                    // What is no point opens as little as what is another's.
                    opened = nil
                }
                try expect("message", opened.map { Hex.string($0) }, vector["message"].string)
            }
        }
    }

    fileprivate static func hex(_ value: VectorValue) -> [UInt8] { value.string.flatMap { Hex.bytes($0) } ?? [] }
}

extension IdentityCiphertext {
    /// Reads `c1`, `c2`, `c3` and `nonce` of a vector.
    init(_ vector: VectorValue) throws(BLS12381Error) {
        try self.init(
            point: IdentityDecryptions.hex(vector["c1"]), masked: IdentityDecryptions.hex(vector["c2"]),
            box: IdentityDecryptions.hex(vector["c3"]), nonce: IdentityDecryptions.hex(vector["nonce"]))
    }
}
