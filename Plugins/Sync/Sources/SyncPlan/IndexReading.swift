// SPDX-License-Identifier: Apache-2.0

public import CivilTime
import JSON

/// Bodies of indexes, strictly: what is not exactly an index is a fault of the server's, or somebody else's page (spec cwa-protocols 2.1).
public enum IndexReading {
    /// The largest JSON index, in bytes, a choice of ours; the dates of a whole year take 5 KB.
    public static let maximumJSONBytes = 16_384
    /// The largest list of paths, in bytes, a choice of ours: room for 4,000 paths of 260 bytes.
    public static let maximumListBytes = 1 << 20
    /// The number of paths of a list that count, the last ones; a choice of ours: 14 days of 10 files an hour are 3,360.
    public static let maximumPaths = 4_000

    /// The countries of a JSON index such as `["DE","EUR"]`, in its order, each of 2 to 8 ASCII letters; one may be there twice.
    /// - Throws: `IndexFault` if it is larger than ``maximumJSONBytes``, no JSON array, or one country is not one.
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

    /// The days of a JSON index such as `["2020-08-19"]`, where they stand in any order, each once; returned in order.
    ///
    /// - Throws: `IndexFault` if it is larger than ``maximumJSONBytes``, no JSON array, a day is not a date, or a day is in
    ///   it twice.
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

    /// The hours of a JSON index such as `[22,23]`, 0 to 23, where they stand in any order, each once; returned in order.
    /// - Throws: `IndexFault` if it is larger than ``maximumJSONBytes``, no JSON array, an hour is not 0 to 23, or an hour is in it twice.
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

    /// `{"oldest":1,"latest":2}`: hours since 1970 for which trace warnings exist, both ends included; `nil` if both are `null`, so there are none.
    /// - Throws: `IndexFault` if it is larger than ``maximumJSONBytes``, no JSON object, or its hours are neither two numbers from 0 in order nor
    ///   both `null`.
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
    /// - Returns: The last ``maximumPaths`` paths, each once, and the number of lines that were left out. No path and 0 for a body without lines.
    /// - Throws: `IndexFault` if the body is larger than ``maximumListBytes``, or has lines of which none is such a path.
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

    /// Whether a path may be followed: 5 to 512 bytes, letters, digits and `-_.` in its segments, `.zip` at its end, and no segment that is
    /// empty or begins with a dot.
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
