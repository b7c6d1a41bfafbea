// SPDX-License-Identifier: Apache-2.0

public import Trust

/// An authority whose key files are accepted: its keys, and the region for which its files are signed.
public struct ExportAuthority: Sendable, Hashable {
    /// The name of its profile, of the form `[a-z][a-z0-9-]{0,31}`, which is not checked here; empty for the
    /// authority whose sources are named by the id of the signing key alone.
    public let name: String
    /// The authority's keys; those of the role *export* sign its files. Two authorities may have keys of the same
    /// name.
    public let trust: TrustStore
    /// The rule by which a file of the authority counts as signed.
    public let policy: SignaturePolicy
    /// The region that the authority's files must name, in upper or lower case; `nil` when any region is accepted.
    public let region: String?

    /// Creates an authority from these parts, which are not checked; `region` is `nil` when any region is accepted.
    public init(name: String = "", trust: TrustStore, policy: SignaturePolicy, region: String? = nil) {
        self.name = name
        self.trust = trust
        self.policy = policy
        self.region = region
    }

    /// How a statement by a key with this id is called where several authorities are followed.
    func source(ofKey id: String) -> String { name.isEmpty ? id : "\(name)/\(id)" }
}
