// SPDX-License-Identifier: Apache-2.0

/// One thing that a board should have, and whether it has it; a line of `vigil board check`.
public struct BoardItem: Sendable, Hashable, Codable {
    /// The state in which the thing was found. Raw values are stable: they appear in the command's JSON.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// There, as described, or as Vigil needs it.
        case good
        /// Not there, or not as described.
        case missing
        /// It cannot be told from here, or the board's file does not say.
        case unknown
    }

    /// One stable word, such as `clockChip`, for scripts; each once in a check.
    public let id: String
    /// The thing's name in English, for people.
    public let title: String
    /// The state in which the thing was found.
    public let state: State
    /// The finding, in one line of 1 to 200 characters; holds text of drivers.
    public let found: String
    /// Advice in English for the technician; `nil` where there is nothing to do, always with state `good`.
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
