// SPDX-License-Identifier: Apache-2.0

/// A thing that a board should have, and whether it was found; a line of `vigil board check`.
public struct BoardItem: Sendable, Hashable, Codable {
    /// The states of a thing. Raw values are stable, because they appear in the command's JSON.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// The thing is present, as described or as Vigil needs it, or it is absent and the board's file says so. A
        /// clock chip, watchdog or source of randomness that is present is `good` even if the file says that there
        /// is none.
        case good
        /// The thing is absent, cannot be used, or differs from the description.
        case missing
        /// The check cannot tell, or the thing is absent and the board's file does not say whether it should be
        /// there. Lights, buzzer, button, battery and memory are `unknown` if the file does not describe them.
        case unknown
    }

    /// A stable word for scripts, such as `clockChip`; unique in a check.
    public let id: String
    /// The name of the thing in English, for people.
    public let title: String
    /// The state of the thing.
    public let state: State
    /// What was found, in one line of 1 to 200 characters. May contain text from drivers.
    public let found: String
    /// Advice in English for the technician; `nil` for state `good`, which needs none.
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
