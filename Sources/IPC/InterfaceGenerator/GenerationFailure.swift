// SPDX-License-Identifier: Apache-2.0

/// The reason why nothing was generated: everything that is wrong with the texts, in their order.
public struct GenerationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// One thing that is wrong in a text, and its place.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// Path of the text, as it was given.
        public let path: String
        /// Line in the text, counted from 1.
        public let line: Int
        /// The problem and its remedy, in English.
        public let advice: String

        /// `PATH:LINE: error: ADVICE`, as compilers write it, so that editors find the place.
        public var description: String { "\(path):\(line): error: \(advice)" }
    }

    /// The problems in the order of the texts; never empty.
    public let problems: [Problem]

    /// The problems for the developer's terminal, one line for each.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
