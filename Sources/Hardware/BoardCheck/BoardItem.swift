// SPDX-License-Identifier: Apache-2.0

/// One thing a board should have, and whether it has it.
public struct BoardItem: Sendable, Hashable, Codable {
    public enum State: String, Sendable, Codable, CaseIterable {
        /// There, as described, or as Vigil needs it.
        case good
        /// Not there, or not as described.
        case missing
        /// It cannot be told from here, or the board's file does not say.
        case unknown
    }

    /// One stable word.
    public let id: String
    public let title: String
    public let state: State
    /// What was found.
    public let found: String
    /// What to do; absent where there is nothing to do.
    public let fix: String?

    /// Characters of what was found at most.
    private static let longest = 200

    init(_ id: String, _ title: String, _ state: State, _ found: String, fix: String? = nil) {
        self.id = id
        self.title = title
        self.state = state
        // What a driver says may be long, several lines, or nothing.
        let line = found.prefix(Self.longest).map { $0.isNewline ? " " : $0 }
        self.found = line.isEmpty ? "the kernel says nothing" : String(line)
        self.fix = state == .good ? nil : fix
    }
}
