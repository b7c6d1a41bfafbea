// SPDX-License-Identifier: Apache-2.0

/// The reason why a scenario cannot be simulated, or a simulation could not go on. Equal by code and detail.
public struct EncountersError: Error, Hashable, CustomStringConvertible {
    /// The kinds of failure of a simulation.
    public enum Code: String, Sendable {
        /// The file is not a valid scenario (docs/schemas/simulation.schema.json).
        case invalidScenario
        /// A board refused a mapping because it breaks a rule. A refused key file throws the error of the reader
        /// that refused it.
        case refusedFile
        /// A board's store could not be read.
        case unreadableBoard
    }

    /// The kind of failure.
    public let code: Code
    private let detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// An English sentence for the author of the scenario; may quote its names.
    public var description: String {
        switch code {
        case .invalidScenario: "the scenario cannot be used: \(detail); see docs/simulation.md"
        case .refusedFile: "a key file was refused: \(detail)"
        case .unreadableBoard: "a board's store cannot be read: \(detail)"
        }
    }
}
