// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The verification keys in force. A value: a succession makes a new one, the caller stores it.
public struct TrustStore: Sendable, Hashable {
    /// Number of the last succession applied, by the role whose key signed it; a role that is not in it has had none. Each has its own: whoever
    /// stole one role's key cannot use up the numbers of another, the operator's above all.
    public let sequences: [KeyRole: UInt64]
    /// All keys, of every role, valid or not; no two of a role have one name.
    public let keys: [TrustedKey]

    /// A store of these keys. Throws `duplicateName` when a role has two keys of one name and version.
    public init(keys: [TrustedKey], sequences: [KeyRole: UInt64] = [:]) throws(TrustError) {
        var seen: Set<[String]> = []
        for key in keys {
            guard seen.insert([key.role.rawValue, key.name.id, key.name.version]).inserted else {
                throw TrustError(.duplicateName, "\(key.role.rawValue) \(key.name)")
            }
        }
        self.keys = keys
        self.sequences = sequences
    }

    /// The keys of `role` that are valid at `time` (Unix seconds; `nil` when unknown), spares last, otherwise in the order of ``keys``; empty if
    /// none.
    public func keys(for role: KeyRole, at time: Int64?) -> [TrustedKey] {
        let usable = keys.filter { $0.role == role && $0.isValid(at: time) }
        return usable.filter { !$0.isSpare } + usable.filter(\.isSpare)
    }

    /// The key of `role` called `name`; `nil` if there is none, or it is not valid at `time` (Unix seconds; `nil` when unknown).
    public func key(named name: KeyName, for role: KeyRole, at time: Int64?) -> TrustedKey? {
        keys.first { $0.role == role && $0.name == name && $0.isValid(at: time) }
    }

    /// The key of `role` that made `signature` over `digest`, whatever it is called; `nil` when none that is valid at
    /// `time` did. The signature is ASN.1 DER; `digest` has the length of `hash`; `time` is in Unix seconds, `nil` when
    /// unknown.
    public func signer(
        of digest: [UInt8], signature: [UInt8], hash: P256.Digest = .sha256, role: KeyRole, at time: Int64?
    ) -> TrustedKey? {
        keys(for: role, at: time).first { $0.key.isValid(signature: signature, over: digest, hash: hash) }
    }
}
