// SPDX-License-Identifier: Apache-2.0

/// Why nothing was generated: everything that is wrong with the texts, in their order.
public struct GenerationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// One thing that is wrong, and what to write instead.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// As the text's path was given.
        public let path: String
        /// Counted from 1.
        public let line: Int
        public let advice: String

        /// As compilers write it, so that editors find the place.
        public var description: String { "\(path):\(line): error: \(advice)" }
    }

    /// Never empty.
    public let problems: [Problem]

    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
