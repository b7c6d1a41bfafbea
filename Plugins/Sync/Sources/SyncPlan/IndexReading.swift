// SPDX-License-Identifier: Apache-2.0

public import CivilTime
import JSON

/// Reads the bodies of indexes, strictly: a body that is not exactly an index is the server's fault, or another page (spec
/// cwa-protocols 2.1).
public enum IndexReading {
    /// The most bytes of a JSON index: 16 KiB, our choice; the dates of a whole year need 5 KB.
    public static let maximumJSONBytes = 16_384
    /// The most bytes of a list of paths: 1 MiB, our choice, for 4,000 paths of 260 bytes.
    public static let maximumListBytes = 1 << 20
    /// The most paths that are used of a list, the last ones: 4,000, our choice; 14 days of 10 files an hour are 3,360.
    public static let maximumPaths = 4_000

    /// Reads the countries of a JSON index such as `["DE","EUR"]`, each of 2 to 8 ASCII letters, in the index's order;
    /// repetitions are kept.
    /// - Throws: `IndexFault` if the body is larger than ``maximumJSONBytes`` or not a JSON array, or if an element is not
    ///   such a country.
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

    /// Reads the days of a JSON index such as `["2020-08-19"]`, in any order, and returns them in order.
    ///
    /// - Throws: `IndexFault` if the body is larger than ``maximumJSONBytes`` or not a JSON array, if an element is not a
    ///   date, or if a day is there twice.
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

    /// Reads the hours of a JSON index such as `[22,23]`, 0 to 23, in any order, and returns them in order.
    /// - Throws: `IndexFault` if the body is larger than ``maximumJSONBytes`` or not a JSON array, if an element is not 0
    ///   to 23, or if an hour is there twice.
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

    /// Reads the hours for which there are trace warnings, such as `{"oldest":1,"latest":2}`, in hours since 1970, both
    /// ends included; `nil` if both are `null`, because there are no warnings.
    /// - Throws: `IndexFault` if the body is larger than ``maximumJSONBytes`` or not a JSON object, or if its hours are
    ///   neither two numbers from 0 in rising order nor both `null`.
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

    /// Reads a list of relative paths, one a line, oldest first. Lines that are not acceptable paths of key files
    /// (``isRelativeZip(_:)``) are left out and counted, so that one bad line does not make the others useless.
    /// - Returns: The last ``maximumPaths`` paths, each once, and the number of lines left out. No path and 0 for a body
    ///   without lines.
    /// - Throws: `IndexFault` if the body is larger than ``maximumListBytes``, or has lines of which none is an acceptable
    ///   path.
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

    /// Returns whether a path is acceptable: 5 to 512 bytes, with `.zip` at its end, of ASCII letters, digits and
    /// `-_.`, in segments between slashes that are not empty and do not begin with a dot.
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
