// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import JSON

/// A dataset as comma-separated values: a line for each scan instance. For spreadsheets; without `exposures`.
enum DatasetTable {
    /// Rows with the same case and window belong together.
    private static let required = [
        "case", "window", "day", "reportType", "calibrationConfidence", "minAttenuation", "typicalAttenuation",
        "secondsSinceLastScan",
    ]
    private static let ofWindow = ["day", "reportType", "calibrationConfidence"]
    private static let maybeOfWindow = ["infectiousness", "daysSinceOnset", "transmissionRiskLevel"]
    private static let ofScan = ["minAttenuation", "typicalAttenuation", "secondsSinceLastScan"]
    private static let ofTruth = ["metres", "minutes", "geometry", "expected"]
    private static let mostProblems = 100
    private static let mostLineBytes = 4_096
    private static let mostRows = 500_000

    /// Lines without their ends (LF or CRLF).
    private struct Lines {
        var rest: ArraySlice<UInt8>
        /// Read so far.
        private(set) var count = 0

        init(rest: ArraySlice<UInt8>) { self.rest = rest }

        mutating func next() -> ArraySlice<UInt8>? {
            guard !rest.isEmpty else { return nil }
            count += 1
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            let line = rest[..<end]
            rest = rest[min(end + 1, rest.endIndex)...]
            return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }
    }

    private struct Window {
        var fields = JSON.Object()
        var scans: [JSON] = []
        var line: Int
        var scanLines: [Int] = []
    }

    private struct Case {
        var name: String
        var truth: JSON.Object
        var line: Int
        var windows: [Window] = []
        var places: [String: Int] = [:]
    }

    /// Reads a table; throws `invalidDataset` with the lines of all that is wrong.
    static func read(_ bytes: [UInt8]) throws(StudyError) -> StudyDataset {
        var problems: [RiskProblem] = []
        func report(_ line: Int, _ sentence: String) {
            if problems.count < mostProblems { problems.append(RiskProblem("line \(line)", sentence)) }
        }
        var lines = Lines(rest: bytes[...])
        let names = lines.next().flatMap(cells) ?? []
        if Set(names).count != names.count { report(1, "a column is named twice") }
        for name in required where !names.contains(name) { report(1, "the column \(name) is missing") }
        let known = required + maybeOfWindow + ofTruth
        for name in names where !known.contains(name) {
            report(1, "there is no column \(shown(name)); there are \(known.joined(separator: ", "))")
        }
        guard problems.isEmpty else { throw StudyError(.invalidDataset, problems: problems) }

        var rows = 0
        var cases: [Case] = []
        var places: [String: Int] = [:]
        // Line by line: most of a file's memory would be its cells.
        while let line = lines.next() {
            let index = lines.count - 1
            if line.isEmpty { continue }
            guard let row = cells(line) else {
                report(index + 1, "is longer than \(mostLineBytes) bytes")
                continue
            }
            rows += 1
            guard rows <= mostRows else { throw StudyError(.tooLarge, "it has more than \(mostRows) lines") }
            guard row.count == names.count else {
                report(index + 1, "has \(row.count) values where \(names.count) columns are named (no commas in texts)")
                continue
            }
            let values = Dictionary(uniqueKeysWithValues: zip(names, row)).filter { !$0.value.isEmpty }
            let name = values["case"] ?? ""
            let truth = object(values, ofTruth)
            let place = places[name] ?? cases.count
            if place == cases.count {
                places[name] = place
                cases.append(Case(name: name, truth: truth, line: index + 1))
            } else if !truth.isEmpty, truth != cases[place].truth {
                report(index + 1, "says another truth than the first line of its case (line \(cases[place].line))")
            }
            let fields = object(values, ofWindow + maybeOfWindow)
            let window = values["window"] ?? ""
            let number = cases[place].places[window] ?? cases[place].windows.count
            if number == cases[place].windows.count {
                cases[place].places[window] = number
                cases[place].windows.append(Window(fields: fields, line: index + 1))
            } else if fields != cases[place].windows[number].fields {
                report(
                    index + 1,
                    "differs from the first line of its window (line \(cases[place].windows[number].line)) in more than the scan"
                )
            }
            cases[place].windows[number].scans.append(.object(object(values, ofScan)))
            cases[place].windows[number].scanLines.append(index + 1)
        }
        guard problems.isEmpty else { throw StudyError(.invalidDataset, problems: problems) }
        return try StudyDataset.read(json(cases)) { problem in
            guard let line = line(of: problem.path, in: cases) else { return problem }
            let field = problem.path.split(separator: ".").last.map(String.init) ?? ""
            return RiskProblem("line \(line), \(field)", problem.sentence)
        }
    }

    /// Whether these bytes are a table rather than JSON: what JSON begins with begins no column's name.
    static func isTable(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return false }
        return first != UInt8(ascii: "{") && first != UInt8(ascii: "[")
    }

    /// The values of a line; `nil` for one that no table has.
    private static func cells(_ line: ArraySlice<UInt8>) -> [String]? {
        guard line.count <= mostLineBytes else { return nil }
        return line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private static func object(_ values: [String: String], _ names: [String]) -> JSON.Object {
        var object = JSON.Object()
        for name in names {
            guard let text = values[name] else { continue }
            if name == "geometry" {
                object[name] = .string(text)
            } else if let whole = Int64(text) {
                object[name] = .int(whole)
            } else if let number = Double(text), number.isFinite {
                object[name] = .double(number)
            } else {
                object[name] = .string(text)
            }
        }
        return object
    }

    private static func json(_ cases: [Case]) -> JSON {
        [
            "format": .string(StudyDataset.format),
            "cases": .array(
                cases.map { one in
                    var object: JSON.Object = ["name": .string(one.name)]
                    if !one.truth.isEmpty { object["truth"] = .object(one.truth) }
                    object["windows"] = .array(
                        one.windows.map { window in
                            var fields = window.fields
                            fields["scanInstances"] = .array(window.scans)
                            return .object(fields)
                        })
                    return .object(object)
                }),
        ]
    }

    /// The line of a path such as `cases[1].windows[0].scanInstances[3].minAttenuation`.
    private static func line(of path: String, in cases: [Case]) -> Int? {
        let numbers = path.split(whereSeparator: { $0 == "[" || $0 == "]" }).compactMap { Int($0) }
        guard let first = numbers.first, cases.indices.contains(first) else { return nil }
        guard numbers.count > 1, cases[first].windows.indices.contains(numbers[1]) else { return cases[first].line }
        let window = cases[first].windows[numbers[1]]
        guard numbers.count > 2, window.scanLines.indices.contains(numbers[2]) else { return window.line }
        return window.scanLines[numbers[2]]
    }

    /// A name from outside, short and visible.
    private static func shown(_ name: String) -> String {
        String(
            String.UnicodeScalarView(
                name.unicodeScalars.prefix(40).map { $0.isASCII && $0.value > 0x1F && $0.value != 0x7F ? $0 : "?" }))
    }
}

extension StudyDataset {
    /// Reads a dataset from the bytes of a file: JSON, or a table of scan instances (CSV). A line of a table has at
    /// most 4,096 bytes, and quotation marks are not understood, so that no value can have a comma. Throws
    /// `tooLarge` for more than 32 MiB or a table of more than 500,000 lines, and `invalidDataset` with everything
    /// that is wrong, at most 100 problems.
    public init(reading bytes: [UInt8]) throws(StudyError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw StudyError(.tooLarge, "it has more than \(Self.maximumByteCount >> 20) MiB")
        }
        if DatasetTable.isTable(bytes) {
            self = try DatasetTable.read(bytes)
        } else {
            try self.init(parsing: bytes)
        }
    }
}
