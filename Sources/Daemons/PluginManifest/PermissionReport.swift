// SPDX-License-Identifier: Apache-2.0

/// A report of what a plugin asks for, gets and lacks, with the author's reason and ours.
public struct PermissionReport: Hashable, Sendable {
    /// The kinds of permissions. Raw values are stable: `--json` prints them.
    public enum Kind: String, Sendable, CaseIterable { case call, endpoint, listen, device, line, quota }

    /// One line of the report: something that a plugin asks for.
    public struct Item: Hashable, Sendable {
        /// The kind of permission that it is about.
        public let kind: Kind
        /// The name of the permission, such as `org.vigil.exposure1.GetStatus`, `distribution`, `web`, `/dev/i2c-1`,
        /// `lights` or `memory`.
        public let name: String
        /// The author's reason, in the manifest's words, on one line; empty for quotas.
        public let why: String
        /// Whether the plugin has it, at least in part, once it runs: it is granted, and somebody provides it. Always for quotas.
        public let isHad: Bool
        /// The permission as it is given: `from core`, `cdn.example:443` (several with commas between), `127.0.0.1:8080`, `/dev/i2c-1`, `16 MiB of 32
        /// MiB`; empty if nothing is given.
        public let gets: String
        /// The reason why the plugin lacks the item, or a remark on it, in a few English words; empty without either.
        public let note: String
    }

    /// All permissions that the plugin asks for: calls, endpoints, listeners, devices, lines, each in the order of the
    /// manifest, then the quotas; empty without any. It says the same of a plugin that may not run.
    public let items: [Item]

    /// The items that it asks for and does not get; empty when it gets all.
    public var lacking: [Item] { items.filter { !$0.isHad } }
}

/// The decision about one plugin: whether it may run, and with which grants.
public struct PluginDecision: Hashable, Sendable {
    /// The decisions that there are. Raw values are stable: `--json` prints them.
    public enum State: String, Sendable, CaseIterable {
        /// It may run, with what ``PluginDecision/effectiveGrants`` says.
        case allowed
        /// The operator has not enabled it, so it is not started.
        case disabled
        /// Something is wrong with it or with what it is granted.
        case refused
    }

    /// The plugin's name, or its folder's while its manifest cannot be read.
    public let name: String
    /// The plugin's manifest; `nil` while there is none that can be read.
    public let manifest: Manifest?
    /// The state of the plugin: it may run, is disabled, or is refused.
    public let state: State
    /// The reason, in a few English words, such as `grants.json does not enable it`.
    public let reason: String
    /// The report of permissions; empty without a manifest.
    public let permissions: PermissionReport
    /// The problems of the plugin or of its grants; it is ``State/refused`` if there are any, and otherwise they are empty. A plugin that is not
    /// enabled has them too.
    public let problems: [Problem]
    /// Notes on what does no harm and should be looked at, in English, one line each: first the advice on its texts, then at most 400 characters each
    /// on its grants. Empty if there are none.
    public let notes: [String]
    /// The grants that the supervisor sets up; `nil` unless it is ``State/allowed``.
    public let effectiveGrants: EffectiveGrants?
}
