// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The verification keys in force. It is a value: applying a succession returns a new one, which the caller stores.
public struct TrustStore: Sendable, Hashable {
    /// The number of the last succession applied, by the role whose key signed it; a role without one is missing.
    /// Each role has its own numbers, so that a thief of one role's key cannot use up those of another, above all the
    /// operator's.
    public let sequences: [KeyRole: UInt64]
    /// All keys of every role, valid or not; no two keys of a role have the same name.
    public let keys: [TrustedKey]

    /// Creates a store of these keys. Throws `duplicateName` when two keys of a role have the same id and version.
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

    /// Returns the keys of `role` that are valid at `time` (Unix seconds; `nil` when unknown), in the order of
    /// ``keys`` but with spare keys last; empty if there are none.
    public func keys(for role: KeyRole, at time: Int64?) -> [TrustedKey] {
        let usable = keys.filter { $0.role == role && $0.isValid(at: time) }
        return usable.filter { !$0.isSpare } + usable.filter(\.isSpare)
    }

    /// Returns the key of `role` with this name; `nil` if there is none, or it is not valid at `time` (Unix seconds;
    /// `nil` when unknown).
    public func key(named name: KeyName, for role: KeyRole, at time: Int64?) -> TrustedKey? {
        keys.first { $0.role == role && $0.name == name && $0.isValid(at: time) }
    }

    /// Returns the key of `role`, whatever its name, that made `signature` over `digest`; `nil` when no key valid at
    /// `time` did. The signature is ASN.1 DER, `digest` has the length of `hash`, and `time` is in Unix seconds,
    /// `nil` when unknown.
    public func signer(
        of digest: [UInt8], signature: [UInt8], hash: P256.Digest = .sha256, role: KeyRole, at time: Int64?
    ) -> TrustedKey? {
        keys(for: role, at: time).first { $0.key.isValid(signature: signature, over: digest, hash: hash) }
    }
}
