// SPDX-License-Identifier: Apache-2.0

public import Trust

/// An authority whose key files are taken: its own keys, and the region its files are signed for.
public struct ExportAuthority: Sendable, Hashable {
    /// The name of its profile; empty for the one whose statements are called by the id of the signing key alone.
    public let name: String
    /// The keys of the role *export* are those that sign its files. Two authorities may call their keys the same.
    public let trust: TrustStore
    /// The rule by which a file of the authority counts as signed.
    public let policy: SignaturePolicy
    /// The region that the authority's files must name, in any case of letters; `nil` where any region counts.
    public let region: String?

    /// An authority of these parts, unchecked. `region` is the one its files must name; `nil` for any.
    public init(name: String = "", trust: TrustStore, policy: SignaturePolicy, region: String? = nil) {
        self.name = name
        self.trust = trust
        self.policy = policy
        self.region = region
    }

    /// How a statement by a key with this id is called where several authorities are followed.
    func source(ofKey id: String) -> String { name.isEmpty ? id : "\(name)/\(id)" }
}
