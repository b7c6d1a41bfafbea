// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// The times for which published keys are here, as signed files state; lists and names of files are not used. A gap
/// of up to 15 minutes does not count as one: that is less than any server's shortest period, and as much as NHS
/// COVID-19 moves its windows by. Of the times between gaps, the 64 newest are kept.
public struct PeriodCoverage: Hashable, Sendable, Codable {
    /// Seconds between two files that are no gap. Less than any server's shortest period; NHS COVID-19 moves its windows by so much.
    static let seam: Int64 = 900
    /// Times without a gap that are kept at most; the oldest go first. A server that is silent while it has no keys has a few each day.
    static let mostSpans = 64

    /// Start and end of each time without a gap, in order: half as many as numbers.
    private var bounds: [Int64] = []

    /// Creates a coverage without periods.
    public init() {}

    /// Whether no period is covered.
    public var isEmpty: Bool { bounds.isEmpty }

    /// The end of the newest covered time, in Unix seconds; `nil` when none is covered.
    public var newestEnd: Int64? { bounds.last }

    /// The end of the oldest covered time before its first gap, in Unix seconds; `nil` when none is covered.
    public var firstEnd: Int64? { bounds.count > 1 ? bounds[1] : nil }

    /// Whether the whole UTC day, in days since 1970, is covered without a gap; up to 15 minutes may be missing at
    /// each end.
    public func covers(day: Int64) -> Bool {
        spans.contains {
            $0.start <= UTCDay(number: day).start + Self.seam && $0.end >= UTCDay(number: day + 1).start - Self.seam
        }
    }

    private var spans: [(start: Int64, end: Int64)] {
        stride(from: 0, to: bounds.count - 1, by: 2).map { (bounds[$0], bounds[$0 + 1]) }
    }

    mutating func add(start: Int64, end: Int64) {
        var joined: [(start: Int64, end: Int64)] = []
        for span in (spans + [(start, end)]).sorted(by: { ($0.start, $0.end) < ($1.start, $1.end) }) {
            if let last = joined.last, span.start <= last.end + Self.seam {
                joined[joined.count - 1].end = max(last.end, span.end)
            } else {
                joined.append(span)
            }
        }
        bounds = joined.suffix(Self.mostSpans).flatMap { [$0.start, $0.end] }
    }

    /// Forgets what was before `time`.
    mutating func forget(before time: Int64) {
        bounds = spans.filter { $0.end > time }.flatMap { [max($0.start, time), $0.end] }
    }
}
