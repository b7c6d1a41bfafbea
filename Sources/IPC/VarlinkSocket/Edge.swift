// SPDX-License-Identifier: Apache-2.0

public import Varlink

/// One way into a server, for one kind of caller: a socket, what may be called through it, and what it says about itself.
public struct Edge {
    /// For the service's own use and its log: `control`, `plugin-sync`.
    public let name: String
    /// `nil` for an edge that only gets connections through ``VarlinkServer/adopt(_:on:)``.
    public let listener: VarlinkListener?
    public let grants: Grants
    public let description: ServiceDescription
    /// Whether it gets a share of the owner's time only, when the server has a clock. The operator's console gets what it wants.
    public let isPaced: Bool

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
