// SPDX-License-Identifier: Apache-2.0

public import IPNetwork
public import JSON

/// The permissions that a plugin gets: what the supervisor sets up for it, and nothing else.
public struct EffectiveGrants: Hashable, Sendable {
    /// One interface of a provider, with the methods that may be called; those of one provider share a socket.
    public struct Edge: Hashable, Sendable {
        /// The process that answers: `core`, `egress`, or the name of a plugin.
        public let provider: String
        /// The interface's name, such as `org.vigil.exposure1`.
        public let interface: String
        /// Names of the methods that may be called, sorted; at least one.
        public let methods: [String]

        /// `interface.Method` each, as the provider is told; sorted, at least one.
        public var grants: [String] { methods.map { "\(interface).\($0)" } }
    }

    /// One destination that it may connect to, under the manifest's name for it.
    public struct Outlet: Hashable, Sendable {
        /// The manifest's name for the endpoint; several outlets may share one.
        public let name: String
        /// The host and port that it leads to.
        public let endpoint: Endpoint
    }

    /// A TCP socket that the supervisor opens for the plugin.
    public struct Listener: Hashable, Sendable {
        /// The manifest's name for it, by which the plugin is handed the socket.
        public let name: String
        /// The address that it is bound to.
        public let address: IPAddress
        /// The TCP port that it is bound to, at least 1.
        public let port: UInt16
    }

    /// The interfaces that it may call, sorted by provider and interface; empty for none.
    public let edges: [Edge]
    /// The destinations that it may connect to, in the order of the manifest's endpoints and then of the grants; at most ``Limits/destinations``
    /// different pairs of host and port.
    public let outlets: [Outlet]
    /// The sockets that are opened for it, in the order of the manifest; empty without any.
    public let listeners: [Listener]
    /// Paths of device files that it may open, in the order of the manifest; empty without any.
    public let devices: [String]
    /// Names of groups of lines, of ``Manifest/lineNames``, in the order of the manifest; empty without any.
    public let lines: [String]
    /// The manifest's quotas, or less where the operator granted less.
    public let quotas: Quotas
    /// Whether it may use the network while that costs money by the byte.
    public let mayUseMetered: Bool
    /// The settings as `settings.json` must hold them: an object, checked, with the author's standards filled in, secrets included.
    public let settings: JSON
}
