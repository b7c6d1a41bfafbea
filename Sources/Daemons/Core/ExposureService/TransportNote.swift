// SPDX-License-Identifier: Apache-2.0

/// The note that the owner of the transport makes about it, for people.
public struct TransportNote: Sendable, Equatable {
    /// The location of the last transport's controller, for people, such as the path of a device; empty if there was none.
    public var name: String
    /// The problem with the transport, as an English sentence; `nil` if there is none.
    public var problem: String?

    /// Creates a note of these values; by default there is no transport and no problem.
    public init(name: String = "", problem: String? = nil) {
        self.name = name
        self.problem = problem
    }
}
