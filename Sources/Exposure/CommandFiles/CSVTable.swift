// SPDX-License-Identifier: Apache-2.0

/// A table of comma-separated values without quoting: a first line that names the columns, in any order, then rows.
struct CSVTable: ~Copyable {
    private var lines: LineReader
    /// For each column asked for: its place in the file, `nil` when the file does not have it.
    private let places: [Int?]
    private let columnCount: Int

    /// Opens `path`; the columns `required` must be there, `optional` ones may, any other is refused.
    init(path: String, required: [String], optional: [String] = []) throws(InputError) {
        var lines = try LineReader(path: path)
        guard let first = try lines.next() else {
            throw InputError(
                file: path, "is empty; its first line must name the columns \(required.joined(separator: ","))")
        }
        let names = first.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard Set(names).count == names.count else { throw InputError(file: path, line: 1, "names a column twice") }
        for name in required where !names.contains(name) {
            throw InputError(
                file: path, line: 1, "the column \(name) is missing; needed are \(required.joined(separator: ","))")
        }
        for name in names where !(required + optional).contains(name) {
            throw InputError(file: path, line: 1, "the column \(name) is unknown")
        }
        places = (required + optional).map { names.firstIndex(of: $0) }
        columnCount = names.count
        self.lines = lines
    }

    /// One row; columns are numbered as they were asked for.
    struct Row {
        fileprivate let fields: [ArraySlice<UInt8>]
        fileprivate let places: [Int?]
        let file: String
        let line: Int

        /// The bytes of a column; `nil` when it is absent or empty.
        func text(_ column: Int) -> ArraySlice<UInt8>? {
            guard let place = places[column], !fields[place].isEmpty else { return nil }
            return fields[place]
        }

        /// A decimal number in `range`, or `nil` when the column is absent or empty.
        func number(_ column: Int, _ name: String, in range: ClosedRange<Int>) throws(InputError) -> Int? {
            guard let text = text(column) else { return nil }
            guard let value = Int(String(decoding: text, as: UTF8.self)), range.contains(value) else {
                throw refusal("\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return value
        }

        func refusal(_ message: String) -> InputError { InputError(file: file, line: line, message) }
    }

    /// The next row that is not empty, or `nil` at the end.
    mutating func next() throws(InputError) -> Row? {
        while let text = try lines.next() {
            if text.isEmpty { continue }
            let fields = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            guard fields.count == columnCount else {
                throw InputError(
                    file: lines.path, line: lines.line, "has \(fields.count) values where \(columnCount) columns are named")
            }
            return Row(fields: fields, places: places, file: lines.path, line: lines.line)
        }
        return nil
    }
}
