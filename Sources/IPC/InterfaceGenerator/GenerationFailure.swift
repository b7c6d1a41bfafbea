// SPDX-License-Identifier: Apache-2.0

/// The reason why nothing was generated: all problems of the texts, in their order.
public struct GenerationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// A problem in a text, and its place.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// The path of the text, as given by the caller.
        public let path: String
        /// The line in the text, counted from 1.
        public let line: Int
        /// The problem and its remedy, in English.
        public let advice: String

        /// The problem in the form of compilers, `PATH:LINE: error: ADVICE`, so that editors find the place.
        public var description: String { "\(path):\(line): error: \(advice)" }
    }

    /// The problems in the order of the texts; never empty.
    public let problems: [Problem]

    /// The problems for the developer's terminal, one line for each.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
