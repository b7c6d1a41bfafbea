// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON

/// The content of a succession's document. It must not be used before ``TrustStore/applying(_:for:at:)`` has verified
/// the signatures.
public struct SuccessionContent: Sendable {
    /// The number of the change; 1 to `Int64.max` in a document that can be applied.
    public let sequence: UInt64
    /// All keys that each changed role has from then on; a role that is missing keeps its keys. In a document that
    /// was read there is at least one role, and at most ``Succession/maximumKeys`` keys in all.
    public let roles: [KeyRole: [TrustedKey]]
    /// The name of the authority whose keys change, 1 to 32 bytes in a document that was read. When it is `nil`, the
    /// keys that signed determine the authority, and for the operator's signature it is
    /// ``Succession/standardSource``.
    public let source: String?
    /// The proofs of possession (``KeyProof``) by key, in ASN.1 DER of at most ``KeyProof/maximumByteCount`` bytes;
    /// keys without a proof are missing. Those of a document that was read are verified.
    public let proofs: [TrustedKey: [UInt8]]

    /// Creates the content of a document to be signed; nothing is checked. The keys in `roles` must have the role
    /// under which they are listed, which the document does not repeat.
    public init(
        sequence: UInt64, roles: [KeyRole: [TrustedKey]], source: String? = nil, proofs: [TrustedKey: [UInt8]] = [:]
    ) {
        self.sequence = sequence
        self.roles = roles
        self.source = source
        self.proofs = proofs
    }

    /// Returns the document; the same content results in the same bytes. Throws `malformedDocument` when it has
    /// more than ``Succession/maximumByteCount`` bytes, or ``sequence`` is above `Int64.max`. What else
    /// ``Succession/content()`` refuses, such as too many keys, is not checked.
    public func document() throws(TrustError) -> [UInt8] {
        var named = JSON.Object()
        for (role, keys) in roles.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            named[role.rawValue] = .array(keys.map { Written.key($0, proofs[$0]) })
        }
        guard let number = Int64(exactly: sequence) else { throw TrustError(.malformedDocument, "sequence is too large") }
        var written: JSON.Object = [
            "format": .string(Written.format), "roles": .object(named), "sequence": .int(number),
        ]
        written["source"] = source.map { .string($0) }
        let bytes = JSON.object(written).bytes
        guard bytes.count <= Succession.maximumByteCount else {
            throw TrustError(.malformedDocument, "larger than \(Succession.maximumByteCount) bytes")
        }
        return bytes
    }
}

extension Succession {
    /// What the name of a source may have, in bytes.
    static let maximumSourceByteCount = 32

    /// Reads the document without verifying its signatures. Throws `malformedDocument` when it has another form,
    /// more than ``maximumByteCount`` bytes, more than ``maximumKeys`` keys, an id or version of more than 64
    /// bytes, or a `validUntil` that is not after `validFrom`; and `notProven` when a proof does not verify, unless `verifiesProofs` is `false`: each takes as long as a
    /// signature does, so those of a document that nobody signed are not worth it.
    public func content(verifiesProofs: Bool = true) throws(TrustError) -> SuccessionContent {
        guard document.count <= Self.maximumByteCount else {
            throw TrustError(.malformedDocument, "larger than \(Self.maximumByteCount) bytes")
        }
        guard let json = try? JSON(parsing: document, maximumDepth: 8), json.object != nil else {
            throw TrustError(.malformedDocument, "not JSON of the published schema")
        }
        guard json["format"]?.string == Written.format else {
            throw TrustError(.malformedDocument, "format must be \(Written.format)")
        }
        guard let sequence = json["sequence"]?.int.flatMap(UInt64.init(exactly:)) else {
            throw TrustError(.malformedDocument, "sequence is no whole number from 0 on")
        }
        let source = json["source"].flatMap { $0 == .null ? nil : $0 }
        guard source.map({ (1...Self.maximumSourceByteCount).contains($0.string?.utf8.count ?? 0) }) ?? true else {
            throw TrustError(.malformedDocument, "source is not a name of 1 to \(Self.maximumSourceByteCount) bytes")
        }
        guard let members = json["roles"]?.object?.members, !members.isEmpty else {
            throw TrustError(.malformedDocument, "roles is empty")
        }
        guard members.reduce(0, { $0 + ($1.value.array?.count ?? 0) }) <= Self.maximumKeys else {
            throw TrustError(.malformedDocument, "more than \(Self.maximumKeys) keys")
        }
        var roles: [KeyRole: [TrustedKey]] = [:]
        var proofs: [TrustedKey: [UInt8]] = [:]
        for member in members {
            guard let role = KeyRole(rawValue: member.name), let keys = member.value.array else {
                throw TrustError(.malformedDocument, "roles.\(member.name) is not a role with a list")
            }
            var read: [TrustedKey] = []
            for (index, key) in keys.enumerated() {
                let path = "roles.\(member.name)[\(index)]"
                let trusted = try Written.trusted(key, role: role, path: path)
                read.append(trusted)
                if let proof = try Written.proof(key, path: path) {
                    guard !verifiesProofs || KeyProof.isGood(proof, of: trusted) else {
                        throw TrustError(.notProven, "\(trusted.name)")
                    }
                    proofs[trusted] = proof
                }
            }
            roles[role] = read
        }
        return SuccessionContent(sequence: sequence, roles: roles, source: source?.string, proofs: proofs)
    }
}

/// The document as JSON has it.
private enum Written {
    static let format = "vigil-trust-1"

    static func key(_ key: TrustedKey, _ proof: [UInt8]?) -> JSON {
        var object: JSON.Object = [
            "id": .string(key.name.id), "publicKey": .string(Base64.string(key.key.subjectPublicKeyInfo)),
            "version": .string(key.name.version),
        ]
        object["proof"] = proof.map { .string(Base64.string($0)) }
        object["spare"] = key.isSpare ? true : nil
        object["validFrom"] = key.validFrom.map { .int($0) }
        object["validUntil"] = key.validUntil.map { .int($0) }
        return .object(object)
    }

    static func trusted(_ json: JSON, role: KeyRole, path: String) throws(TrustError) -> TrustedKey {
        guard let id = json["id"]?.string, let version = json["version"]?.string,
            max(id.utf8.count, version.utf8.count) <= Succession.maximumNameByteCount
        else {
            throw TrustError(
                .malformedDocument, "\(path) has no id and version of at most \(Succession.maximumNameByteCount) bytes")
        }
        guard let der = json["publicKey"]?.string.flatMap(Base64.bytes), let key = try? P256.VerificationKey(pemOrDER: der)
        else { throw TrustError(.malformedDocument, "\(path).publicKey is not a P-256 key in Base64") }
        let validFrom = try number(json, "validFrom", path)
        let validUntil = try number(json, "validUntil", path)
        if let validFrom, let validUntil, validFrom >= validUntil {
            throw TrustError(.malformedDocument, "\(path).validUntil is not after validFrom")
        }
        let spare = json["spare"]
        guard spare.map({ $0.bool != nil || $0 == .null }) ?? true else {
            throw TrustError(.malformedDocument, "\(path).spare is neither true nor false")
        }
        return TrustedKey(
            name: KeyName(id: id, version: version), role: role, key: key, validFrom: validFrom, validUntil: validUntil,
            isSpare: spare?.bool ?? false)
    }

    static func proof(_ json: JSON, path: String) throws(TrustError) -> [UInt8]? {
        guard let proof = json["proof"], proof != .null else { return nil }
        guard let bytes = proof.string.flatMap(Base64.bytes), bytes.count <= KeyProof.maximumByteCount else {
            throw TrustError(
                .malformedDocument, "\(path).proof is not Base64 of at most \(KeyProof.maximumByteCount) bytes")
        }
        return bytes
    }

    private static func number(_ json: JSON, _ name: String, _ path: String) throws(TrustError) -> Int64? {
        guard let value = json[name], value != .null else { return nil }
        guard let number = value.int else { throw TrustError(.malformedDocument, "\(path).\(name) is no whole number") }
        return number
    }
}
