// SPDX-License-Identifier: Apache-2.0

/// One cell of a row.
package enum SQLiteValue: Equatable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    /// The number; `nil` for any other kind of cell.
    package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    /// The text; `nil` for any other kind of cell.
    package var text: String? { if case .text(let text) = self { text } else { nil } }
    /// The bytes; `nil` for any other kind of cell.
    package var blob: [UInt8]? { if case .blob(let bytes) = self { bytes } else { nil } }
}

/// The tables of a file. Their version stands in the file: how many steps it has taken.
package struct SQLiteSchema: Sendable {
    /// Statements from nothing to version 1, from 1 to 2 and so on. Steps that were released never change; new ones are added at the end.
    package let steps: [[String]]

    /// The version that a file of this schema carries (`user_version`): how many steps it has taken.
    package var version: Int64 { Int64(steps.count) }

    /// A schema with these steps, none left out.
    package init(steps: [[String]]) { self.steps = steps }

    /// A schema whose tables are made at once, in the last step. A file of an earlier version is only given these statements, so they must suit it.
    package init(version: Int64, statements: [String]) {
        steps = Array(repeating: [], count: max(0, Int(version) - 1)) + [statements]
    }
}
