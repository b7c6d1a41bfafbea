// SPDX-License-Identifier: Apache-2.0

public import JSON

/// How many of SwissCovid's trace keys there were of each UTC day. SwissCovid's servers do not sign which question a list answers, so a web server could give
/// a list without keys to everybody who asks for all. But keys are kept for 14 days (spec checkin-and-nhs A.5), so a list of all has no fewer of a day than a list before.
public struct TraceKeyCounts: Sendable, Hashable {
    /// By days since 1970.
    private var counts: [Int64: Int] = [:]
    /// The days before today whose keys are counted: 12, two fewer than servers keep them, whatever their clocks and hours of tidying are.
    public static let days: Int64 = 12
    private static let daySeconds: Int64 = 86_400

    /// Creates counts of nothing.
    public init() {}

    /// Counts a key whose day begins at `day`, in Unix seconds. Cannot fail.
    public mutating func add(day: Int64) { counts[day / Self.daySeconds, default: 0] += 1 }

    /// Returns how many fewer keys these are than `known`, each of the last ``days`` and the next day for itself; 0 if no day has fewer. `now` is in Unix seconds.
    public func missing(of known: TraceKeyCounts, at now: Int64) -> Int {
        known.recent(at: now).counts.reduce(0) { $0 + max(0, $1.value - (counts[$1.key] ?? 0)) }
    }

    /// Returns the counts of the last ``days``, of today and of the next day alone, at `now` in Unix seconds: what is to be stored. An authority may warn of times that are still to
    /// come, less than a day ahead.
    public func recent(at now: Int64) -> TraceKeyCounts {
        let today = now / Self.daySeconds
        var recent = TraceKeyCounts()
        recent.counts = counts.filter { (today - Self.days...today + 1).contains($0.key) }
        return recent
    }

    /// The counts as JSON: pairs of a day and a number, by days. ``init(_:)`` reads it.
    public var json: JSON {
        .array(counts.sorted { $0.key < $1.key }.map { .array([.int($0.key), .int(Int64($0.value))]) })
    }

    /// Reads counts that ``json`` has produced, of at most ``days`` and two more. Cannot fail: what cannot be read counts as none.
    public init(_ json: JSON) {
        for entry in (json.array ?? []).prefix(Int(Self.days) + 2) {
            guard let pair = entry.array, pair.count == 2, let day = pair[0].int, let count = pair[1].int,
                (1...Int64(Int32.max)).contains(count)
            else { continue }
            counts[day] = Int(count)
        }
    }
}
