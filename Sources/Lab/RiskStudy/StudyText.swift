// SPDX-License-Identifier: Apache-2.0

/// Numbers and tables for people.
enum StudyText {
    /// With as many places as are worth reading: 0.04, 1.3, 13, 1250.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        let places = abs(value) < 10 ? 2 : abs(value) < 1_000 ? 1 : 0
        return trimmed(fixed(value, places))
    }

    /// A parameter, exactly.
    static func exact(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }

    static func percent(_ value: Double) -> String { "\(fixed(value * 100, 1)) %" }

    static func share(_ share: Share?) -> String {
        guard let share else { return "-" }
        return
            "\(percent(share.value)) (\(share.count) of \(share.of); 95 %: \(fixed(share.low * 100, 1)) to \(fixed(share.high * 100, 1)) %)"
    }

    static func fixed(_ value: Double, _ places: Int) -> String {
        guard value.isFinite else { return "-" }
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = (abs(value) * scale).rounded()
        guard scaled < 1e15 else { return "\(value)" }
        let digits = "\(Int(scaled))"
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        let sign = value < 0 && scaled > 0 ? "-" : ""
        return places == 0 ? sign + padded : "\(sign)\(padded.dropLast(places)).\(padded.suffix(places))"
    }

    private static func trimmed(_ text: String) -> String {
        guard text.contains(".") else { return text }
        var text = text
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }

    /// Columns of equal width; the first `left` columns begin at the left.
    static func table(_ rows: [[String]], left: Int) -> [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { $0.indices.contains(column) ? $0[column].unicodeScalars.count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, text in
                let space = String(repeating: " ", count: widths[column] - text.unicodeScalars.count)
                return column < left ? text + space : space + text
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    static func cut(_ text: String, _ count: Int) -> String {
        text.unicodeScalars.count <= count
            ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(count - 1))) + "…"
    }

    /// A field of a table of comma-separated values (RFC 4180). A text that a spreadsheet would run as a formula gets a quote in front.
    static func field(_ text: String) -> String {
        let safe = ["=", "+", "-", "@"].contains(text.first.map(String.init)) && Double(text) == nil ? "'" + text : text
        return safe.contains(where: { [",", "\"", "\n", "\r"].contains($0) })
            ? "\"" + safe.replacing("\"", with: "\"\"") + "\"" : safe
    }
}

extension StudyTruth {
    /// `30 min within 1.5 m`, or what there is of it.
    var words: String {
        let distance = metres.map { "within \(StudyText.number($0)) m" }
        let time = minutes.map { "\(StudyText.number($0)) min" }
        let numbers = [time, distance].compactMap(\.self).joined(separator: " ")
        return [numbers, geometry ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
    }
}
