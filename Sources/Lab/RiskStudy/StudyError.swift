// SPDX-License-Identifier: Apache-2.0

public import CodedError
public import ExposureRisk

/// The reason why a study cannot be made. Equal by code.
public struct StudyError: CodedError {
    /// The kind of a study's error. Raw values are stable.
    public enum Code: String, Sendable, CaseIterable {
        /// Larger than a dataset may be.
        case tooLarge
        /// No dataset, or one with the ``StudyError/problems``.
        case invalidDataset
        /// No risk configuration in any of the forms there are.
        case invalidConfiguration
        /// The configuration does not have that model.
        case noSuchModel
        /// The parameter to be varied is not there, or is no number.
        case invalidPath
        /// A range that has no end, no step or too many steps.
        case invalidRange
    }

    /// The kind of error. Two errors with the same code are equal.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// All problems of a dataset, with paths (or lines, of CSV); empty for other errors.
    public let problems: [RiskProblem]
    private let detail: String

    init(
        _ code: Code, _ detail: String = "", problems: [RiskProblem] = [], file: StaticString = #fileID, line: UInt = #line
    ) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.detail = detail
        self.problems = problems
    }

    /// The text for people: what happened, why, and what to do next; a dataset's problems follow, one on each line.
    public var description: String {
        switch code {
        case .tooLarge: "the dataset is too large: \(detail); split it, and give all parts with --windows"
        case .invalidDataset:
            (["the dataset cannot be used; mend these (docs/risk-study.md has the format):"] + problems.map { "  \($0)" })
                .joined(separator: "\n")
        case .invalidConfiguration, .noSuchModel, .invalidPath, .invalidRange: detail
        }
    }
}
