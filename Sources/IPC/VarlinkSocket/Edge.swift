// SPDX-License-Identifier: Apache-2.0

public import Varlink

/// An entrance to a server for one kind of caller: a socket, the methods that may be called, and the description that
/// callers get.
public struct Edge {
    /// The name of the edge for the service and its log, such as `control` or `plugin-sync`. Must be unique in a server,
    /// which is not checked.
    public let name: String
    /// The socket to which callers connect; `nil` for an edge that only gets connections from
    /// ``VarlinkServer/adopt(_:on:)``.
    public let listener: VarlinkListener?
    /// The methods that callers of this edge may call.
    public let grants: Grants
    /// The interfaces of this edge, and the answer to `GetInfo`.
    public let description: ServiceDescription
    /// Whether the edge is limited to a share of the owner's time, if the server has a clock. The operator's console is
    /// not.
    public let isPaced: Bool

    /// Creates an edge for ``VarlinkServer/add(_:)``. `listener` is `nil` for an edge whose connections are adopted.
    /// Nothing is checked here.
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
