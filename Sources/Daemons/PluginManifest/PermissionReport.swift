// SPDX-License-Identifier: Apache-2.0

/// What a plugin asks for, gets and lacks, with the author's reason and ours.
public struct PermissionReport: Hashable, Sendable {
    public enum Kind: String, Sendable, CaseIterable { case call, endpoint, listen, device, line, quota }

    /// One line of it.
    public struct Item: Hashable, Sendable {
        public let kind: Kind
        /// `org.vigil.exposure1.GetStatus`, `distribution`, `web`, `/dev/i2c-1`, `lights`, `memory`.
        public let name: String
        /// The author's words; empty for quotas.
        public let why: String
        /// Whether it has it, at least in part.
        public let isHad: Bool
        /// What exactly it gets: `from core`, `cdn.example:443`, `127.0.0.1:8080`, `16 MiB of 32 MiB`; empty if nothing.
        public let gets: String
        /// Why it lacks it, or what should be known about it; empty if there is nothing to say.
        public let note: String
    }

    public let items: [Item]

    /// What it asks for and does not get.
    public var lacking: [Item] { items.filter { !$0.isHad } }
}

/// What becomes of one plugin.
public struct PluginDecision: Hashable, Sendable {
    public enum State: String, Sendable, CaseIterable {
        /// It may run, with what ``PluginDecision/effectiveGrants`` says.
        case allowed
        /// The operator has not enabled it.
        case disabled
        /// Something is wrong with it or with what it is granted.
        case refused
    }

    public let name: String
    /// `nil` while there is none that can be read.
    public let manifest: Manifest?
    public let state: State
    /// Why, in a sentence.
    public let reason: String
    public let permissions: PermissionReport
    /// Why it is ``State/refused``; a plugin that is not enabled has them too.
    public let problems: [Problem]
    /// What does no harm and should be looked at.
    public let notes: [String]
    /// `nil` unless it is ``State/allowed``.
    public let effectiveGrants: EffectiveGrants?
}
