// SPDX-License-Identifier: Apache-2.0

public import Varlink

/// One way into a server, for one kind of caller: a socket, what may be called through it, and what it says about itself.
public struct Edge {
    /// Name of the edge, for the service's own use and its log: `control`, `plugin-sync`. Unique in a server, which nobody checks.
    public let name: String
    /// The socket that callers connect to; `nil` for an edge that only gets connections through ``VarlinkServer/adopt(_:on:)``.
    public let listener: VarlinkListener?
    /// The methods that may be called through it.
    public let grants: Grants
    /// The interfaces it serves, and what it says about itself.
    public let description: ServiceDescription
    /// Whether it gets only a share of the owner's time, when the server has a clock. The operator's console gets what it wants.
    public let isPaced: Bool

    /// An edge for ``VarlinkServer/add(_:)`` to take; `nil` as `listener` for one whose connections are adopted. Nothing is checked here.
    public init(
        name: String, listener: VarlinkListener?, grants: Grants, description: ServiceDescription, isPaced: Bool = true
    ) {
        self.name = name
        self.listener = listener
        self.grants = grants
        self.description = description
        self.isPaced = isPaced
    }
}
