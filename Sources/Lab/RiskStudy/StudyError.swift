// SPDX-License-Identifier: Apache-2.0

public import CodedError
public import ExposureRisk

/// The reason why a study cannot be made. Equal by code.
public struct StudyError: CodedError {
    /// The kind of a study's error. Raw values are stable.
    public enum Code: String, Sendable, CaseIterable {
        /// The file is larger than a dataset may be, or its table has too many lines.
        case tooLarge
        /// The file is not a valid dataset; ``StudyError/problems`` lists its faults.
        case invalidDataset
        /// The file is not a risk configuration in any of the known forms.
        case invalidConfiguration
        /// The configuration has no model of this name, or no model at all.
        case noSuchModel
        /// The path of the parameter to be varied is malformed, or leads to nothing or to something that is not a number.
        case invalidPath
        /// A range is malformed, does not rise or has too many values; or there are no, too many or repeated variations.
        case invalidRange
    }

    /// The kind of error. Two errors with the same code are equal.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The problems of a dataset, with their paths (or lines of a CSV table); empty for other errors.
    public let problems: [RiskProblem]
    private let detail: String

    package init(
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
