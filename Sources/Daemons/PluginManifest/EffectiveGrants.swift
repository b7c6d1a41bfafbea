// SPDX-License-Identifier: Apache-2.0

public import IPNetwork
public import JSON

/// What a plugin gets: what the supervisor sets up for it, and nothing else.
public struct EffectiveGrants: Hashable, Sendable {
    /// One socket to a provider's interface.
    public struct Edge: Hashable, Sendable {
        /// `core`, `egress`, or the name of a plugin.
        public let provider: String
        public let interface: String
        /// Sorted, at least one.
        public let methods: [String]

        /// `interface.Method` each, as the provider is told.
        public var grants: [String] { methods.map { "\(interface).\($0)" } }
    }

    /// Where it may connect to, under the manifest's name for it.
    public struct Outlet: Hashable, Sendable {
        public let name: String
        public let endpoint: Endpoint
    }

    /// A socket that is opened for it.
    public struct Listener: Hashable, Sendable {
        public let name: String
        public let address: IPAddress
        public let port: UInt16
    }

    /// Sorted by provider and interface.
    public let edges: [Edge]
    public let outlets: [Outlet]
    public let listeners: [Listener]
    public let devices: [String]
    /// Names of groups of lines, of ``Manifest/lineNames``.
    public let lines: [String]
    public let quotas: Quotas
    public let mayUseMetered: Bool
    /// As `settings.json` must hold them: checked, with the author's standards filled in.
    public let settings: JSON
}
