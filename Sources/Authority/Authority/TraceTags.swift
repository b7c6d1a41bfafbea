// SPDX-License-Identifier: Apache-2.0

/// The tags of lists of trace keys: which of the public lists answers a device that has read everything before a tag
/// (`lastKeyBundleTag`, milliseconds since 1970, always a full hour; spec checkin-and-nhs A.6).
///
/// List 0 has all keys. For each of the last ``listedHours`` hours that have keys there is one with the keys since then,
/// and one without keys follows the last hour. Whoever has an older tag gets all: reading a key twice does no harm.
struct TraceTags {
    /// Where devices ask, and below it the lists lie.
    static let path = "v3/traceKeys"
    /// The parameter that a device sends.
    static let parameter = "lastKeyBundleTag"
    /// The header with the tag for the next question.
    static let header = "x-key-bundle-tag"
    /// Hours that have lists of their own; older tags get all keys. Our own bound: with more, the tree has most keys many times.
    static let listedHours: Int64 = 48
    private static let hourMilliseconds = Hour.seconds * 1_000

    /// Those of the lists, ascending; 0 is the list of all keys, the last one is that of none.
    private let lists: [Int64]

    init(_ lists: [Int64]) { self.lists = lists.sorted() }

    static func tag(ofHour hour: Int64) -> Int64 { hour * hourMilliseconds }

    /// The tag of the list that answers `tag` at `now` (Unix seconds); `nil` for a tag that no answer had: no full hour,
    /// or one of the future.
    func list(since tag: Int64, now: Int64) -> Int64? {
        guard let last = lists.last, tag >= 0, tag % Self.hourMilliseconds == 0,
            tag <= max(last, Self.tag(ofHour: Hour.containing(now)))
        else { return nil }
        if lists.contains(tag) { return tag }
        // Every hour since then that has keys has a list.
        let isRecent = tag / Self.hourMilliseconds > Hour.containing(now) - Self.listedHours
        return isRecent ? lists.first { $0 >= tag } ?? last : lists.first
    }

    /// What a question asks for: 0 without the parameter; `nil` when it is no number or comes twice.
    static func tag(of query: [(name: String, value: String)]) -> Int64? {
        let values = query.filter { $0.name == parameter }
        guard values.count <= 1 else { return nil }
        guard let value = values.first?.value else { return 0 }
        return value.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(value) : nil
    }
}
