// SPDX-License-Identifier: Apache-2.0

public import ExposureRisk

/// The reason why a profile is not used: all its problems.
public struct AuthorityProfileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problems with their places in the document, in its order, 1 to ``RiskConfigurationError/mostProblems``;
    /// an empty place is the whole document.
    public let problems: [RiskProblem]

    init(_ problems: [RiskProblem]) { self.problems = problems }
    init(_ sentence: String) { problems = [RiskProblem("", sentence)] }

    /// The problems, one on each line, for the operator who wrote the profile. May quote its texts, never a key.
    public var description: String {
        (["the authority's profile has faults; mend these:"] + problems.map { "  \($0)" }).joined(separator: "\n")
    }
}
