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

/// The tables of a file, made at once; their version stands in the file.
package struct SQLiteSchema: Sendable {
    package let version: Int64
    package let statements: [String]

    package init(version: Int64, statements: [String]) {
        self.version = version
        self.statements = statements
    }
}
