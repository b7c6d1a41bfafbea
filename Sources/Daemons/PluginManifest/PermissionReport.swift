// SPDX-License-Identifier: Apache-2.0

/// The permissions that a plugin asks for, those that it gets and those that it lacks, with the reasons.
public struct PermissionReport: Hashable, Sendable {
    /// The kinds of permissions. Raw values are stable: `--json` prints them.
    public enum Kind: String, Sendable, CaseIterable { case call, endpoint, listen, device, line, quota }

    /// One line of the report: a permission that a plugin asks for.
    public struct Item: Hashable, Sendable {
        /// The kind of the permission.
        public let kind: Kind
        /// The name of the permission, such as `org.vigil.exposure1.GetStatus`, `distribution`, `web`, `/dev/i2c-1`,
        /// `lights` or `memory`.
        public let name: String
        /// The author's reason from the manifest, on one line; empty for quotas.
        public let why: String
        /// Whether the plugin has the permission when it runs, at least in part: it is granted, and what it refers to is
        /// provided. Always `true` for quotas.
        public let isHad: Bool
        /// The permission as it is granted: `from core`, `cdn.example:443` (several are separated by commas),
        /// `127.0.0.1:8080`, `/dev/i2c-1`, `16 MiB of 32 MiB`; empty if nothing is granted.
        public let gets: String
        /// The reason why the plugin lacks the permission, or a remark on it, in a few English words; empty if there is
        /// none.
        public let note: String
    }

    /// All permissions that the plugin asks for: calls, endpoints, listeners, devices and lines, each in the order of the
    /// manifest, then the quotas; empty if there are none. The list is the same for a plugin that may not run.
    public let items: [Item]

    /// The permissions that the plugin asks for and does not get; empty if it gets all.
    public var lacking: [Item] { items.filter { !$0.isHad } }
}

/// The decision about one plugin: whether it may run, and with which grants.
public struct PluginDecision: Hashable, Sendable {
    /// The possible decisions. Raw values are stable: `--json` prints them.
    public enum State: String, Sendable, CaseIterable {
        /// The plugin may run, with the permissions in ``PluginDecision/effectiveGrants``.
        case allowed
        /// The plugin is not started, because the operator has not enabled it.
        case disabled
        /// The plugin is not started, because it or its grants have problems.
        case refused
    }

    /// The plugin's name; while its manifest cannot be read, its folder's.
    public let name: String
    /// The plugin's manifest; `nil` if it cannot be read.
    public let manifest: Manifest?
    /// The decision: the plugin may run, is disabled, or is refused.
    public let state: State
    /// The reason for the decision in a few English words, such as `grants.json does not enable it`.
    public let reason: String
    /// The report of the plugin's permissions; empty if it has no manifest.
    public let permissions: PermissionReport
    /// The problems of the plugin or of its grants; empty if there are none. An enabled plugin with problems is
    /// ``State/refused``; one that is not enabled may have problems, too.
    public let problems: [Problem]
    /// The notes on what does no harm but should be looked at, in English, one line each: first the advice on interface
    /// texts, then remarks on the grants, of at most 400 characters each. Empty if there are none.
    public let notes: [String]
    /// The permissions that the supervisor sets up; `nil` unless the plugin is ``State/allowed``.
    public let effectiveGrants: EffectiveGrants?
}
