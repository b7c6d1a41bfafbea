// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
public import Trust

/// A signed change of the keys in force.
///
/// The document is JSON (docs/schemas/trust-succession.schema.json) and lists, for each role it changes, *all* keys the role
/// has from then on. It is signed as the bytes it is made of. For every role it changes there must be a signature by a key
/// of that role, or of the operator's, that is valid now. The operator's own keys are changed by operator keys only.
///
/// What the operator signed is numbered by the operator alone and counts whatever numbers other roles have used. What a role signed for itself is
/// numbered by that role, in steps of at most ``maximumStep``, so that nobody uses up its numbers.
public struct Succession: Sendable {
    /// What a succession may weigh; a real one has a few hundred bytes per key.
    public static let maximumByteCount = 65_536
    /// How far a role's own succession may go beyond the last one.
    public static let maximumStep: UInt64 = 1_000
    /// Keys of all roles together.
    public static let maximumKeys = 64
    // Keeps a signature over a succession from being one over anything else that is signed with the same key.
    private static let domain = Array("vigil trust succession 1\n".utf8)

    /// One signature over the document, by the key of that role and name.
    public struct Signature: Sendable {
        public let role: KeyRole
        public let name: KeyName
        /// ASN.1 DER.
        public let signature: [UInt8]

        public init(role: KeyRole, name: KeyName, signature: [UInt8]) {
            self.role = role
            self.name = name
            self.signature = signature
        }
    }

    public let document: [UInt8]
    public let signatures: [Signature]

    public init(document: [UInt8], signatures: [Signature]) {
        self.document = document
        self.signatures = signatures
    }

    /// What is signed: SHA-256 over a domain line and the document.
    public static func digest(of document: [UInt8]) -> [UInt8] { SHA256.digest(of: domain + document) }

    fileprivate struct Document: Decodable {
        struct Key: Decodable {
            let id: String
            let version: String
            let publicKey: String
            let validFrom: Int64?
            let validUntil: Int64?
            let spare: Bool?
        }
        let format: String
        let sequence: UInt64
        let roles: [String: [Key]]
    }
}

extension TrustStore {
    /// The keys after `succession`, or why it is refused; a refusal changes nothing. `time` is Unix seconds, `nil` when the
    /// clock is not trusted.
    public func applying(_ succession: Succession, at time: Int64?) throws(TrustError) -> TrustStore {
        let document = try Self.read(succession.document)
        let digest = Succession.digest(of: succession.document)
        let signers = Set(
            succession.signatures.compactMap { signature -> KeyRole? in
                let key = key(named: signature.name, for: signature.role, at: time)
                return key?.key.isValid(signature: signature.signature, over: digest) == true ? signature.role : nil
            })
        var next = keys
        var numbers = sequences
        for (roleName, replacements) in document.roles {
            guard let role = KeyRole(rawValue: roleName) else {
                throw TrustError(.malformedDocument, "roles.\(roleName) is not a role")
            }
            guard signers.contains(.operator) || (role != .operator && signers.contains(role)) else {
                throw TrustError(.notSigned, roleName)
            }
            let signer = signers.contains(.operator) ? KeyRole.operator : role
            let last = sequences[signer, default: 0]
            guard document.sequence > last else {
                throw TrustError(.notNewer, "sequence \(document.sequence), in force is \(last)")
            }
            guard signer == .operator || document.sequence - last <= Succession.maximumStep else {
                throw TrustError(.stepTooLarge, "from \(last) to \(document.sequence)")
            }
            numbers[signer] = document.sequence
            next.removeAll { $0.role == role }
            for (index, replacement) in replacements.enumerated() {
                next.append(try Self.trustedKey(replacement, role: role, path: "roles.\(roleName)[\(index)]"))
            }
            guard next.contains(where: { $0.role == role && $0.isValid(at: time) }) else {
                throw TrustError(.leavesRoleEmpty, roleName)
            }
        }
        return try TrustStore(keys: next, sequences: numbers)
    }

    private static func read(_ bytes: [UInt8]) throws(TrustError) -> Succession.Document {
        guard bytes.count <= Succession.maximumByteCount else {
            throw TrustError(.malformedDocument, "larger than \(Succession.maximumByteCount) bytes")
        }
        guard let document = try? JSONDecoder().decode(Succession.Document.self, from: Data(bytes)) else {
            throw TrustError(.malformedDocument, "not JSON of the published schema")
        }
        guard document.format == "vigil-trust-1" else {
            throw TrustError(.malformedDocument, "format must be vigil-trust-1")
        }
        guard !document.roles.isEmpty else { throw TrustError(.malformedDocument, "roles is empty") }
        guard document.roles.values.reduce(0, { $0 + $1.count }) <= Succession.maximumKeys else {
            throw TrustError(.malformedDocument, "more than \(Succession.maximumKeys) keys")
        }
        return document
    }

    private static func trustedKey(
        _ key: Succession.Document.Key, role: KeyRole, path: String
    ) throws(TrustError) -> TrustedKey {
        guard let der = Base64.bytes(key.publicKey), let publicKey = try? P256.VerificationKey(pemOrDER: der)
        else { throw TrustError(.malformedDocument, "\(path).publicKey is not a P-256 key in Base64") }
        if let from = key.validFrom, let until = key.validUntil, from >= until {
            throw TrustError(.malformedDocument, "\(path).validUntil is not after validFrom")
        }
        return TrustedKey(
            name: KeyName(id: key.id, version: key.version), role: role, key: publicKey, validFrom: key.validFrom,
            validUntil: key.validUntil, isSpare: key.spare ?? false)
    }
}
