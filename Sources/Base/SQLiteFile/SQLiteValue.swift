// SPDX-License-Identifier: Apache-2.0

/// A cell of a row. There is no case for real numbers: a cell with one is read as `null`.
package enum SQLiteValue: Equatable, Sendable {
    /// NULL, and when read also a real number.
    case null
    /// A whole number of 64 bits.
    case integer(Int64)
    /// A text in UTF-8. When read, bytes that are not UTF-8 are replaced by U+FFFD.
    case text(String)
    /// Bytes, which may be none.
    case blob([UInt8])

    /// The number; `nil` for any other kind of cell.
    package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    /// The text; `nil` for any other kind of cell.
    package var text: String? { if case .text(let text) = self { text } else { nil } }
    /// The bytes; `nil` for any other kind of cell.
    package var blob: [UInt8]? { if case .blob(let bytes) = self { bytes } else { nil } }
}

/// The tables of a database. The file stores the version of its schema: the number of steps that have been applied.
package struct SQLiteSchema: Sendable {
    /// The statements of each step: from an empty file to version 1, from 1 to 2, and so on. Released steps never change;
    /// new ones are added at the end.
    package let steps: [[String]]

    /// The version of this schema (`user_version`), which is its number of steps.
    package var version: Int64 { Int64(steps.count) }

    /// Creates a schema from all of its steps.
    package init(steps: [[String]]) { self.steps = steps }

    /// Creates a schema whose tables are all made in the last step. A file of any earlier version is given these statements
    /// only, so they must suit it. `version` is 1 or more.
    package init(version: Int64, statements: [String]) {
        steps = Array(repeating: [], count: max(0, Int(version) - 1)) + [statements]
    }
}
