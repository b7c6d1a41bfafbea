// SPDX-License-Identifier: Apache-2.0

/// The tags of lists of trace keys: which of the public lists answers a device that has read everything before a tag
/// (`lastKeyBundleTag`, milliseconds since 1970, always a full hour; spec checkin-and-nhs A.6).
///
/// List 0 has all keys. For each of the last ``listedHours`` hours that have keys there is one with the keys since then, as far
/// as ``listedKeys`` permits, and one without keys follows the last hour. Whoever has an older tag gets all: reading a key twice
/// does no harm.
struct TraceTags {
    /// Where devices ask, and below it the lists lie.
    static let path = "v3/traceKeys"
    /// The parameter that a device sends.
    static let parameter = "lastKeyBundleTag"
    /// The header with the tag for the next question.
    static let header = "x-key-bundle-tag"
    /// Hours that have lists of their own; older tags get all keys. Our own bound: with more, the tree has most keys many times.
    static let listedHours: Int64 = 48
    /// The most keys in all lists of hours together, each counted once for each list: twice those of list 0, so that all lists
    /// take less than 50 MB. The newest hours come first. Our own bound.
    static let listedKeys = 2 * Int(HealthAuthority.maximumTraceKeys)
    /// Below ``path``, followed by the tag ``since``: an object of no bytes.
    static let sinceName = "since-"
    private static let hourMilliseconds = Hour.seconds * 1_000

    /// Those of the lists, ascending; 0 is the list of all keys.
    private let lists: [Int64]
    /// From this tag on every hour with keys has a list of its own; `nil` if that is not known.
    private let since: Int64?

    /// From the names of the objects below ``path``; others than tags and ``since`` are passed over.
    init(names: [String]) {
        lists = names.compactMap { Int64($0) }.sorted()
        let marks = names.filter { $0.hasPrefix(Self.sinceName) }
        since = marks.compactMap { Int64($0.dropFirst(Self.sinceName.utf8.count)) }.max()
    }

    /// Of hours with so many keys each: those that get a list of their own at `now` (Unix seconds), ascending, and the tag
    /// from which on that is every hour with keys.
    static func listed(_ counts: [Int64: Int], now: Int64) -> (hours: [Int64], since: Int64) {
        var hours: [Int64] = []
        var (length, total) = (0, 0)
        for (hour, count) in counts.sorted(by: { $0.key > $1.key }) {
            length += count
            total += length
            guard hour > Hour.containing(now) - listedHours, total <= listedKeys else {
                return (hours.reversed(), tag(ofHour: hour + 1))
            }
            hours.append(hour)
        }
        return (hours.reversed(), 0)
    }

    static func tag(ofHour hour: Int64) -> Int64 { hour * hourMilliseconds }

    /// The tag of the list that answers `tag` at `now` (Unix seconds); `nil` for a tag that no answer had: no full hour,
    /// or one of the future.
    func list(since tag: Int64, now: Int64) -> Int64? {
        guard let last = lists.last, tag >= 0, tag % Self.hourMilliseconds == 0,
            tag <= max(last, Self.tag(ofHour: Hour.containing(now)))
        else { return nil }
        if lists.contains(tag) { return tag }
        return since.map { tag >= $0 } ?? false ? lists.first { $0 >= tag } ?? last : lists.first
    }

    /// What a question asks for: 0 without the parameter; `nil` when it is no number or comes twice.
    static func tag(of query: [(name: String, value: String)]) -> Int64? {
        let values = query.filter { $0.name == parameter }
        guard values.count <= 1 else { return nil }
        guard let value = values.first?.value else { return 0 }
        return value.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(value) : nil
    }
}
