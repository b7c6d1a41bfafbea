// SPDX-License-Identifier: Apache-2.0

import ForeignText

/// Rows under headings, columns aligned, what is too wide for the screen broken within the last column.
package struct TextTable {
    /// A heading, and on which side its values stand.
    struct Column {
        var heading: String
        var isNumber = false
    }

    private let columns: [Column]
    private var rows: [(cells: [String], tone: Screen.Tone?)] = []

    /// Creates a table without rows. Headings that begin with `#` have numbers below them, aligned at the right;
    /// the `#` is not shown. There must be at least one heading.
    package init(_ headings: String...) {
        columns = headings.map {
            $0.hasPrefix("#") ? Column(heading: String($0.dropFirst()), isNumber: true) : Column(heading: $0)
        }
    }

    /// Adds a row. Missing cells are empty, surplus ones are left out; cells are made harmless for terminals, and
    /// cut to 1,000 characters.
    package mutating func add(_ cells: [String], _ tone: Screen.Tone? = nil) {
        let cells = cells.prefix(columns.count).map { ForeignText.line($0, limit: 1_000) }
        rows.append((cells + [String](repeating: "", count: columns.count - cells.count), tone))
    }

    /// Whether the table has no row; the headings do not count.
    package var isEmpty: Bool { rows.isEmpty }

    /// Returns the table with its headings, with a line break at the end. Only the last column is wrapped, to at
    /// least 20 columns, so wide columns before it, or numbers in it, can make lines longer than the screen.
    package func text(_ screen: Screen) -> String {
        let last = columns.count - 1
        var widths = columns.indices.map { index in
            max(PlainText.width(columns[index].heading), rows.map { PlainText.width($0.cells[index]) }.max() ?? 0)
        }
        let before = widths[..<last].reduce(0) { $0 + $1 + 2 }
        if !columns[last].isNumber { widths[last] = min(widths[last], max(20, screen.width - before)) }
        var text = line(columns.map(\.heading), widths, screen, .quiet)
        for row in rows {
            let broken = columns[last].isNumber ? [row.cells[last]] : screen.wrapped(row.cells[last], width: widths[last])
            for (number, part) in broken.enumerated() {
                let front = number == 0 ? Array(row.cells[..<last]) : [String](repeating: "", count: last)
                text += line(front + [part], widths, screen, row.tone)
            }
        }
        return text
    }

    private func line(_ cells: [String], _ widths: [Int], _ screen: Screen, _ tone: Screen.Tone?) -> String {
        var text = ""
        for (index, cell) in cells.enumerated() {
            let gap = String(repeating: " ", count: max(0, widths[index] - PlainText.width(cell)))
            text += (index > 0 ? "  " : "") + (columns[index].isNumber ? gap + cell : cell + gap)
        }
        while text.last == " " { text.removeLast() }
        return screen.tint(text, tone) + "\n"
    }
}
