// SPDX-License-Identifier: Apache-2.0

import CBOR
import Cryptography
import DeviceEvidence

/// Examples of CBOR, read by the laboratory's own decoder.
enum CBORExamples: VectorFamily {
    static let name = "cbor-appendix-a"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let bytes = try vector["hex"].hex("hex")
                let value = try LenientCBOR(decoding: bytes)
                if let diagnostic = vector["diagnostic"].string {
                    try expect("value", value.diagnostic, diagnostic)
                } else {
                    try compare(value, vector["decoded"])
                }
                guard vector["roundtrip"].bool == true else { return }
                try expect("written again", Hex.string(value.preferred), Hex.string(bytes))
                // What the strict decoder takes, it writes as the same bytes.
                guard let strict = try? CBOR(decoding: bytes) else { return }
                try expect("written by the strict encoder", Hex.string(strict.encoded), Hex.string(bytes))
            }
        }
    }

    static func compare(_ value: LenientCBOR, _ expected: VectorValue) throws {
        switch (value, expected) {
        case (.array(let values), .array(let wanted)):
            try expect("number of elements", values.count, wanted.count)
            for (value, wanted) in zip(values, wanted) { try compare(value, wanted) }
        case (.map(let entries), .object(let wanted)):
            try expect("number of entries", entries.count, wanted.count)
            for entry in entries {
                guard case .text(let key) = entry.key else { throw Mismatch(description: "a key that is no text") }
                try compare(entry.value, wanted[key] ?? .null)
            }
        case (.text(let text), _): try expect("text", text, expected.string)
        case (.simple(22), _): try expect("null", expected.isNull, true)
        case (.simple(let number), .bool(let wanted)): try expect("simple value", number, wanted ? 21 : 20)
        case (.float(let number), _): try expect("number", number, expected.double)
        case (_, .string(let digits)): try expect("whole number", value.integerText, digits)
        default: try expect("whole number", value.integerText, expected.int.map(String.init))
        }
    }
}

/// What the decoder of evidence takes, and what it refuses.
enum DeterministicCBOR: VectorFamily {
    static let name = "cbor-deterministic"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let bytes = try vector["hex"].hex("hex")
                let value = try? CBOR(decoding: bytes)
                try expect("verdict", value == nil ? "reject" : "accept", vector["expect"].string)
                guard let value else { return }
                try expect("written again", Hex.string(value.encoded), Hex.string(bytes))
            }
        }
    }
}

/// Signed messages of COSE, good and bad.
enum COSESignatures: VectorFamily {
    static let name = "cose-sign1"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let shouldPass = vector["expect"].string == "pass"
                let message: COSESign1
                do {
                    let value = try CBOR(decoding: vector["cose"].hex("cose"))
                    message = try COSESign1(vector["tagged"].bool == false ? .tagged(COSESign1.tag, value) : value)
                } catch is CBORError, is EvidenceError {
                    try expect("read", false, shouldPass)
                    return
                }
                let external = try vector["externalAad"].hex("externalAad")
                try expect("valid", isValid(message, external, vector), shouldPass)
                guard shouldPass else { return }
                try expect("payload", Hex.string(message.payload), vector["payload"].string)
                let signed = message.toBeSigned(externalData: external)
                try expect("to be signed", Hex.string(signed), vector["toBeSigned"].string)
            }
        }
    }

    private static func isValid(_ message: COSESign1, _ external: [UInt8], _ vector: VectorValue) throws -> Bool {
        let label = COSESign1.Label.algorithm
        let algorithm = (message.protectedHeader[label] ?? message.unprotectedHeader[label])?.integer
        let curves: [String: PublishedECDSA.Curve] = ["P-256": .p256, "P-384": .p384, "P-521": .p521]
        let curve = try require("curve", curves[vector["curve"].string ?? ""])
        func coordinate(_ name: String) throws -> [UInt8] {
            let bytes = try vector[name].hex(name)
            return [UInt8](repeating: 0, count: max(0, curve.rawValue - bytes.count)) + bytes
        }
        let (x, y) = (try coordinate("x"), try coordinate("y"))
        let signed = message.toBeSigned(externalData: external)
        let digest: [UInt8]
        // ES256, ES384, ES512 (RFC 9053, section 2.1).
        switch algorithm {
        case COSESign1.es256: digest = SHA256.digest(of: signed)
        case -35: digest = try SHA384.digest(of: signed)
        case -36:
            var hash = SHA512()
            signed.withUnsafeBytes { hash.update($0) }
            digest = hash.finish()
        default: return false
        }
        let isValid = PublishedECDSA.isValid(signature: message.signature, over: digest, x: x, y: y, on: curve)
        if algorithm == COSESign1.es256, curve == .p256 {
            // SubjectPublicKeyInfo of a point of P-256 (RFC 5480).
            let head = try require("head", Hex.bytes("3059301306072a8648ce3d020106082a8648ce3d03010703420004"))
            let key = try P256.VerificationKey(pemOrDER: head + x + y)
            try expect("the firmware's verdict", message.isValid(by: key, externalData: external), isValid)
        }
        return isValid
    }
}

/// Evidence of devices, accepted and refused.
enum EvidenceTokens: VectorFamily {
    static let name = "eat-evidence"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                if vector["expect"].isNull { try compareStructure(vector) } else { try judge(vector) }
            }
        }
    }

    private static func judge(_ vector: VectorValue) throws {
        let key = try P256.VerificationKey(pemOrDER: vector["deviceKeySpki"].hex("deviceKeySpki"))
        let evidenceCheck = EvidenceCheck(
            issuerNonce: try vector["issuerNonce"].hex("issuerNonce"),
            requestDigest: try vector["requestBodySha256"].hex("requestBodySha256"),
            now: Int64(try require("now", vector["now"].int)), tiers: Set(DeviceEvidence.Tier.allCases))
        let token = try vector["token"].hex("token")
        let result = Result { () throws(EvidenceError) in
            try evidenceCheck.evidence(in: token) { $0 == DeviceEvidence.keyID(of: key) ? key : nil }
        }
        switch result {
        case .failure(let error): try expect("verdict", error.code.rawValue, vector["expect"].string)
        case .success(let evidence):
            try expect("verdict", "accept", vector["expect"].string)
            try expect("tier", evidence.tier.rawValue, vector["expTier"].int)
            try compare(claims: vector["expPayload"].hex("payload"), vector["expClaims"])
            // A quote is an unknown claim here, which is not written again.
            guard evidence.tier != .measured else { return }
            try expect("claims written again", Hex.string(evidence.payload), vector["expPayload"].string)
        }
    }

    private static func compareStructure(_ vector: VectorValue) throws {
        let payload = try vector["expPayload"].hex("payload")
        try compare(claims: payload, vector["expClaims"])
        guard !vector["token"].isNull else {
            try expect("strict CBOR", Hex.string(try CBOR(decoding: payload).encoded), Hex.string(payload))
            return
        }
        let token = try vector["token"].hex("token")
        guard case .tagged(61, .tagged(18, .array(let parts))) = try LenientCBOR(decoding: token), parts.count == 4,
            case .bytes(let headers) = parts[0], case .bytes(let content) = parts[2]
        else { throw Mismatch(description: "no CWT with COSE_Sign1") }
        try expect("signed headers", Hex.string(headers), vector["expProtected"].string)
        try expect("payload", Hex.string(content), Hex.string(payload))
        // Its claims are out of order and fewer than ours: an issuer of ours refuses it.
        let refusal = Result { () throws(EvidenceError) in
            try EvidenceCheck(issuerNonce: [], requestDigest: [], now: 0).evidence(in: token) { _ in nil }
        }
        try expect("refused", refusal, .failure(EvidenceError(.malformed)))
    }

    private static func compare(claims payload: [UInt8], _ expected: VectorValue) throws {
        guard case .map(let entries) = try LenientCBOR(decoding: payload) else {
            throw Mismatch(description: "the claims are no map")
        }
        try expect("number of claims", entries.count, expected.object.count)
        for entry in entries {
            let label = try require("label", entry.key.integerText)
            try compare("claim \(label)", entry.value, expected[label])
        }
    }

    private static func compare(_ what: String, _ value: LenientCBOR, _ expected: VectorValue) throws {
        switch value {
        case .bytes(let bytes): try expect(what, Hex.string(bytes), expected.string)
        case .text(let text): try expect(what, text, expected.string)
        case .array(let values):
            try expect(what, values.count, expected.array.count)
            for (value, wanted) in zip(values, expected.array) { try compare(what, value, wanted) }
        case .simple(let number): try expect(what, number, expected.bool == true ? 21 : 20)
        default: try expect(what, value.integerText, expected.int.map(String.init))
        }
    }
}
