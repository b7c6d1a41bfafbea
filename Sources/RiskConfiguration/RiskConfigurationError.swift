// SPDX-License-Identifier: Apache-2.0

public import ExposureRisk

/// Why a document is not used. Equal by code.
public struct RiskConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Raw values are stable: they appear in logs and answers.
    public enum Code: String, Sendable, CaseIterable {
        /// Larger than a document of its kind can be.
        case tooLarge
        /// Not JSON or protobuf of that kind, or with the ``RiskConfigurationError/problems``.
        case invalid
        /// No key that may sign configurations signed it.
        case notSigned
        /// Its version is below the one that was taken already: an old document played back.
        case older
        /// Its version is the one that was taken already, and its content is not.
        case contradiction
        /// What was kept cannot be read.
        case damaged
    }

    /// Of a document with more, only so many are told.
    public static let mostProblems = 100

    public let code: Code
    /// Everything that is wrong, with paths, in the order of the document; for ``Code/invalid`` only.
    public let problems: [RiskProblem]
    private let detail: String

    init(_ code: Code, _ detail: String = "", problems: [RiskProblem] = []) {
        self.code = code
        self.detail = detail
        self.problems = problems
    }

    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// What happened, why, and what to do; an invalid document's problems follow, one on each line.
    public var description: String {
        switch code {
        case .tooLarge: "the risk configuration is too large: \(detail); publish a smaller one"
        case .invalid:
            (["the risk configuration has faults, and the one before it stays in force; mend these:"]
                + problems.map { "  \($0)" }).joined(separator: "\n")
        case .notSigned:
            "no key that may sign configurations signed the risk configuration; provision the authority's key of role config"
        case .older: "the risk configuration is older than the one in force: \(detail); publish it with a higher version"
        case .contradiction:
            "the risk configuration has the version of another one: \(detail); publish it with a higher version"
        case .damaged: "the stored risk configuration cannot be used: \(detail); fetch it again"
        }
    }
}
