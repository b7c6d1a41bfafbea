// SPDX-License-Identifier: Apache-2.0

/// A note by the owner of the transport about it, for people.
public struct TransportNote: Sendable, Equatable {
    /// The location of the last transport's controller, for people, such as the path of a device; empty if there was none.
    public var name: String
    /// The trouble with the transport, as an English sentence; `nil` while there is none.
    public var problem: String?

    /// A note with these values; by default there is no transport, and nothing is wrong (`problem` is `nil`).
    public init(name: String = "", problem: String? = nil) {
        self.name = name
        self.problem = problem
    }
}
