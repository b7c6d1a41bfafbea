// SPDX-License-Identifier: Apache-2.0

/// One cell of a row.
package enum SQLiteValue: Equatable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    package var text: String? { if case .text(let text) = self { text } else { nil } }
    package var blob: [UInt8]? { if case .blob(let bytes) = self { bytes } else { nil } }
}

/// The tables of a file. Their version stands in the file: how many steps it has taken.
package struct SQLiteSchema: Sendable {
    /// From nothing to version 1, from 1 to 2 and so on. Steps that were released never change; new ones are added at the end.
    package let steps: [[String]]

    /// What a file of this schema says of itself.
    package var version: Int64 { Int64(steps.count) }

    package init(steps: [[String]]) { self.steps = steps }

    /// Tables made at once, which a file of an earlier version does not become.
    package init(version: Int64, statements: [String]) {
        steps = Array(repeating: [], count: max(0, Int(version) - 1)) + [statements]
    }
}
