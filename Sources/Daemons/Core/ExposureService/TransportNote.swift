// SPDX-License-Identifier: Apache-2.0

/// What the owner of the transport says about it, for people.
public struct TransportNote: Sendable, Equatable {
    /// Where the controller of the last transport is, for people, such as a path of a device; empty if there was none.
    public var name: String
    /// The trouble with the transport, as an English sentence; `nil` while there is none.
    public var problem: String?

    /// A note with these values; by default there is no transport, and nothing is wrong (`problem` is `nil`).
    public init(name: String = "", problem: String? = nil) {
        self.name = name
        self.problem = problem
    }
}
