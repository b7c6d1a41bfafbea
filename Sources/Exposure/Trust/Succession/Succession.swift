// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// A signed change of the keys in force.
///
/// The document is JSON (docs/schemas/trust-succession.schema.json) and lists, for each role it changes, *all* keys the role
/// has from then on. It is signed as the bytes it is made of. For every role it changes there must be a signature by a key
/// of that role, or of the operator's, that is valid now. The operator's own keys are changed by operator keys only. A new key that is no spare
/// comes with a ``KeyProof`` by itself.
///
/// What the operator signed is numbered by the operator alone and counts whatever numbers other roles have used. What a role signed for itself is
/// numbered by that role, in steps of at most ``maximumStep``, so that nobody uses up its numbers.
public struct Succession: Sendable {
    /// Most bytes of a document, inclusive; a real one has a few hundred per key. Our own bound.
    public static let maximumByteCount = 65_536
    /// Most by which the number of a role's own succession may be above the last one, inclusive; the operator's may be any. Our own bound.
    public static let maximumStep: UInt64 = 1_000
    /// Most keys in a document, of all roles together. Our own bound.
    public static let maximumKeys = 64
    /// The source that documents without one are for, where the operator signed them: the device's own authority. Our own choice.
    public static let standardSource = "authority"
    // Keeps a signature over a succession from being one over anything else that is signed with the same key.
    private static let domain = Array("vigil trust succession 1\n".utf8)

    /// One signature over the document, by the key of that role and name.
    public struct Signature: Sendable {
        /// Role of the key that signed.
        public let role: KeyRole
        /// Name of the key that signed.
        public let name: KeyName
        /// The signature over ``digest(of:)`` in ASN.1 DER; at most 80 bytes if it came from a file.
        public let signature: [UInt8]

        /// A signature of these parts, not verified; `signature` is ECDSA's in DER. Cannot fail.
        public init(role: KeyRole, name: KeyName, signature: [UInt8]) {
            self.role = role
            self.name = name
            self.signature = signature
        }
    }

    /// The bytes that are signed, JSON of at most ``maximumByteCount`` bytes if it can be read; see ``content()``.
    public let document: [UInt8]
    /// The signatures over ``document``, in any order, perhaps none; those that are not good are ignored when it is applied.
    public let signatures: [Signature]

    /// A succession of a document and its signatures; nothing is checked before it is applied.
    public init(document: [UInt8], signatures: [Signature]) {
        self.document = document
        self.signatures = signatures
    }

    /// The digest that is signed, 32 bytes: SHA-256 over a domain line and the document. Cannot fail.
    public static func digest(of document: [UInt8]) -> [UInt8] { SHA256.digest(of: domain + document) }
}

extension TrustStore {
    /// The keys after `succession`, or why it is refused; a refusal changes nothing.
    ///
    /// - Parameters:
    ///   - source: The source whose keys these are. What the operator signed counts only for the source that it names, so
    ///     that nobody hands it over as another's; a role's own keys are one source's anyway.
    ///   - time: Unix seconds, `nil` when the clock is not trusted.
    /// - Throws: `malformedDocument`, `notProven`, `wrongSource`, `notSigned`, `notNewer`, `stepTooLarge`,
    ///   `leavesRoleEmpty`, `duplicateName`.
    public func applying(
        _ succession: Succession, for source: String = Succession.standardSource, at time: Int64?
    ) throws(TrustError) -> TrustStore {
        let content = try succession.content()
        if let named = content.source, named != source { throw TrustError(.wrongSource, named) }
        let digest = Succession.digest(of: succession.document)
        let signers = Set(
            succession.signatures.compactMap { signature -> KeyRole? in
                let key = key(named: signature.name, for: signature.role, at: time)
                return key?.key.isValid(signature: signature.signature, over: digest) == true ? signature.role : nil
            })
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

    /// Whether the same key is here for the same role, and not as a spare.
    private func hasRegular(_ key: TrustedKey) -> Bool {
        keys.contains { $0.role == key.role && $0.key == key.key && !$0.isSpare }
    }
}
