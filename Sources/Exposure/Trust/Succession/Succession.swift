// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// A signed change of the keys in force.
///
/// The document is JSON (docs/schemas/trust-succession.schema.json). For each role that it changes it lists *all*
/// keys that the role has from then on. Its exact bytes are signed. Every role that it changes needs a signature by
/// a key of that role or of the operator that is valid now; the operator's keys can be changed only by operator
/// keys. A key that is not a spare needs a ``KeyProof``, unless the role has this key already, and not as a spare.
///
/// Documents that the operator signed are numbered by the operator alone, whatever numbers other roles have used.
/// Documents that a role signed for itself are numbered by that role, in steps of at most ``maximumStep``, so that
/// its numbers cannot be used up.
public struct Succession: Sendable {
    /// The maximum size of a document in bytes, inclusive; a real one has a few hundred bytes per key. The number is
    /// this project's own.
    public static let maximumByteCount = 65_536
    /// The maximum step from the last number to that of a succession which a role signed itself, inclusive; the
    /// operator's step may be any. The number is this project's own.
    public static let maximumStep: UInt64 = 1_000
    /// The maximum number of keys in a document, of all roles together. The number is this project's own.
    public static let maximumKeys = 64
    /// The source of a document that names none and that the operator signed: the device's own authority. The name is
    /// this project's own.
    public static let standardSource = "authority"
    // Keeps a signature over a succession from being one over anything else that is signed with the same key.
    private static let domain = Array("vigil trust succession 1\n".utf8)

    /// A signature over the document, by the key of this role and name.
    public struct Signature: Sendable {
        /// The role of the key that signed.
        public let role: KeyRole
        /// The name of the key that signed.
        public let name: KeyName
        /// The signature over ``digest(of:)`` in ASN.1 DER; at most 80 bytes if it came from a file.
        public let signature: [UInt8]

        /// Creates a signature from these parts, which are not verified; `signature` is ECDSA's in DER. Cannot fail.
        public init(role: KeyRole, name: KeyName, signature: [UInt8]) {
            self.role = role
            self.name = name
            self.signature = signature
        }
    }

    /// The signed bytes: JSON of at most ``maximumByteCount`` bytes in a document that ``content()`` can read.
    public let document: [UInt8]
    /// The signatures over ``document`` in any order, may be empty; those that do not verify are ignored.
    public let signatures: [Signature]

    /// Creates a succession from a document and its signatures; nothing is checked before it is applied.
    public init(document: [UInt8], signatures: [Signature]) {
        self.document = document
        self.signatures = signatures
    }

    /// Returns the digest to be signed, 32 bytes: SHA-256 over a domain line and the document. Cannot fail.
    public static func digest(of document: [UInt8]) -> [UInt8] { SHA256.digest(of: domain + document) }
}

extension TrustStore {
    /// Returns the keys in force after `succession`. A refusal changes nothing.
    ///
    /// - Parameters:
    ///   - source: The source whose keys these are. A document that the operator signed counts only for the source
    ///     that it names, so that it cannot be presented for another one; keys of other roles belong to one source
    ///     anyway.
    ///   - time: The present time in Unix seconds; `nil` when the clock is not trusted.
    /// - Throws: ``TrustError``: `malformedDocument` when the document cannot be read; `notProven` when a proof of a signed one is
    ///   wrong, or missing for a key that needs one; `wrongSource` when the document is for another source;
    ///   `notSigned` when a role's change has no valid signature; `notNewer` and `stepTooLarge` when its number is
    ///   too low or too high; `leavesRoleEmpty` when a changed role would have no key that is valid at `time`, with
    ///   any key counting when that is `nil`; `duplicateName` when two keys of a role have the same name.
    public func applying(
        _ succession: Succession, for source: String = Succession.standardSource, at time: Int64?
    ) throws(TrustError) -> TrustStore {
        // Signatures first, one for each key: whoever brings a document makes as many proofs of keys of its own as fit into it, and each takes the time of one.
        let signers = signers(of: succession, at: time)
        let content = try succession.content(verifiesProofs: !signers.isEmpty)
        if let named = content.source, named != source { throw TrustError(.wrongSource, named) }
        var next = keys
        var numbers = sequences
        for (role, replacements) in content.roles {
            guard signers.contains(.operator) || (role != .operator && signers.contains(role)) else {
                throw TrustError(.notSigned, role.rawValue)
            }
            let signer = signers.contains(.operator) ? KeyRole.operator : role
            if signer == .operator, (content.source ?? Succession.standardSource) != source {
                throw TrustError(.wrongSource, Succession.standardSource)
            }
            let last = sequences[signer, default: 0]
            guard content.sequence > last else {
                throw TrustError(.notNewer, "sequence \(content.sequence), in force is \(last)")
            }
            guard signer == .operator || content.sequence - last <= Succession.maximumStep else {
                throw TrustError(.stepTooLarge, "from \(last) to \(content.sequence)")
            }
            numbers[signer] = content.sequence
            if let unproven = replacements.first(where: { !$0.isSpare && !hasRegular($0) && content.proofs[$0] == nil }) {
                throw TrustError(.notProven, "\(unproven.name)")
            }
            next.removeAll { $0.role == role }
            next += replacements
            guard next.contains(where: { $0.role == role && $0.isValid(at: time) }) else {
                throw TrustError(.leavesRoleEmpty, role.rawValue)
            }
        }
        return try TrustStore(keys: next, sequences: numbers)
    }

    private func signers(of succession: Succession, at time: Int64?) -> Set<KeyRole> {
        let digest = Succession.digest(of: succession.document)
        var tried: Set<TrustedKey> = []
        return Set(
            succession.signatures.compactMap { signature -> KeyRole? in
                guard let key = key(named: signature.name, for: signature.role, at: time), tried.insert(key).inserted else {
                    return nil
                }
                return key.key.isValid(signature: signature.signature, over: digest) ? signature.role : nil
            })
    }

    /// Whether the same key is here for the same role, and not as a spare.
    private func hasRegular(_ key: TrustedKey) -> Bool {
        keys.contains { $0.role == key.role && $0.key == key.key && !$0.isSpare }
    }
}
