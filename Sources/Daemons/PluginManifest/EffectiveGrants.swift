// SPDX-License-Identifier: Apache-2.0

public import IPNetwork
public import JSON

/// The permissions that a plugin gets: the supervisor sets up exactly these.
public struct EffectiveGrants: Hashable, Sendable {
    /// One interface of a provider, with the methods that the plugin may call; the interfaces of one provider share a
    /// socket.
    public struct Edge: Hashable, Sendable {
        /// The process that answers: `core`, `egress`, or the name of a plugin.
        public let provider: String
        /// The interface's name, such as `org.vigil.exposure1`.
        public let interface: String
        /// The names of the methods that the plugin may call, sorted; at least one.
        public let methods: [String]

        /// The permitted calls as the provider is told them, `interface.Method` each; sorted, at least one.
        public var grants: [String] { methods.map { "\(interface).\($0)" } }
    }

    /// One destination that the plugin may connect to, with the manifest's name for it.
    public struct Outlet: Hashable, Sendable {
        /// The manifest's name for the endpoint; several outlets may share one.
        public let name: String
        /// The host and port of the destination.
        public let endpoint: Endpoint
    }

    /// A TCP socket that the supervisor opens for the plugin.
    public struct Listener: Hashable, Sendable {
        /// The manifest's name for the socket; the plugin gets the socket by this name.
        public let name: String
        /// The address that the socket is bound to.
        public let address: IPAddress
        /// The TCP port that the socket is bound to, at least 1.
        public let port: UInt16
    }

    /// The interfaces that the plugin may call, sorted by provider and interface; empty if there are none.
    public let edges: [Edge]
    /// The destinations that the plugin may connect to, in the order of the manifest's endpoints and, for each, of the
    /// grants; at most ``Limits/destinations`` different pairs of host and port.
    public let outlets: [Outlet]
    /// The sockets that are opened for the plugin, in the order of the manifest; empty if there are none.
    public let listeners: [Listener]
    /// The paths of the device files that the plugin may open, in the order of the manifest; empty if there are none.
    public let devices: [String]
    /// The groups of lines that the plugin may set, of ``Manifest/lineNames``, in the order of the manifest; empty if there
    /// are none.
    public let lines: [String]
    /// The plugin's quotas: for each, the manifest's number or the operator's, whichever is less.
    public let quotas: Quotas
    /// Whether the plugin may use a network that is metered, where each byte costs money.
    public let mayUseMetered: Bool
    /// The content of `settings.json`: an object that fits the manifest's schema, with the author's defaults filled in; it
    /// contains secrets.
    public let settings: JSON
}
