// SPDX-License-Identifier: Apache-2.0

public import CivilTime
import JSON

/// Bodies of indexes, strictly: what is not exactly an index is a fault of the server's, or somebody else's page (spec cwa-protocols 2.1).
public enum IndexReading {
    /// Of a JSON index; a year of dates has 5 KB.
    public static let maximumJSONBytes = 16_384
    /// Of a list of paths.
    public static let maximumListBytes = 1 << 20
    /// Paths of a list that count: the last ones.
    public static let maximumPaths = 4_000

    /// `["DE","EUR"]`: countries, each of 2 to 8 letters.
    public static func countries(_ body: [UInt8]) throws(IndexFault) -> [String] {
        var countries: [String] = []
        for value in try array(body) {
            guard let text = value.string, (2...8).contains(text.utf8.count),
                text.utf8.allSatisfy({ (65...90).contains($0) || (97...122).contains($0) })
            else { throw IndexFault("a country in the index is not one") }
            countries.append(text)
        }
        return countries
    }

    /// `["2020-08-19"]`: days, in any order, each once.
    public static func days(_ body: [UInt8]) throws(IndexFault) -> [CivilDate] {
        var days: [CivilDate] = []
        for value in try array(body) {
            guard let text = value.string, let day = CivilDate(isoText: text) else {
                throw IndexFault("a day in the index is not a date")
            }
            days.append(day)
        }
        guard Set(days).count == days.count else { throw IndexFault("a day is twice in the index") }
        return days.sorted { $0.dayNumber < $1.dayNumber }
    }

    /// `[22,23]`: hours, in any order, each once.
    public static func hours(_ body: [UInt8]) throws(IndexFault) -> [Int] {
        var hours: [Int] = []
        for value in try array(body) {
            guard let hour = value.int, (0...23).contains(hour) else {
                throw IndexFault("an hour in the index is not 0 to 23")
            }
            hours.append(Int(hour))
        }
        guard Set(hours).count == hours.count else { throw IndexFault("an hour is twice in the index") }
        return hours.sorted()
    }

    /// `{"oldest":1,"latest":2}`: hours since 1970 for which trace warnings exist; `nil` when there are none.
    public static func traceWarningHours(_ body: [UInt8]) throws(IndexFault) -> ClosedRange<Int64>? {
        guard body.count <= maximumJSONBytes, let json = try? JSON(parsing: body), let object = json.object else {
            throw IndexFault("the index of trace warnings is not a JSON object")
        }
        switch (object["oldest"], object["latest"]) {
        case (.null?, .null?): return nil
        case (.int(let oldest)?, .int(let latest)?) where 0 <= oldest && oldest <= latest: return oldest...latest
        default: throw IndexFault("the index of trace warnings has no hours")
        }
    }

    /// Lines of relative paths, oldest first. Lines that lead elsewhere (absolute, with a scheme, upwards), or cannot be key files, are left out and
    /// counted: one bad line must not keep the others away.
    public static func paths(_ body: [UInt8]) throws(IndexFault) -> (paths: [String], refused: Int) {
        guard body.count <= maximumListBytes else { throw IndexFault("the list is larger than \(maximumListBytes) bytes") }
        var paths: [String] = []
        var seen = Set<String>()
        var refused = 0
        for line in body.split(separator: UInt8(ascii: "\n")) {
            let bytes = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            guard !bytes.isEmpty else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            guard isRelativeZip(text) else {
                refused += 1
                continue
            }
            if seen.insert(text).inserted { paths.append(text) }
        }
        // A page of HTML has lines as well.
        guard !paths.isEmpty || refused == 0 else { throw IndexFault("no line of the list is the path of a key file") }
        return (Array(paths.suffix(maximumPaths)), refused)
    }

    /// Letters, digits and `-_.` in segments; ends in `.zip`; no segment begins with a dot.
    public static func isRelativeZip(_ path: String) -> Bool {
        guard (5...512).contains(path.utf8.count), path.hasSuffix(".zip") else { return false }
        return path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { segment in
            !segment.isEmpty && !segment.hasPrefix(".")
                && segment.utf8.allSatisfy {
                    (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 || $0 == 46
                        || $0 == 95
                }
        }
    }

    private static func array(_ body: [UInt8]) throws(IndexFault) -> [JSON] {
        guard body.count <= maximumJSONBytes, let json = try? JSON(parsing: body), let array = json.array else {
            throw IndexFault("the index is not a JSON array")
        }
        return array
    }
}
