// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// The times whose published keys are here, as signed files say: never as a list or a file's name says. Gaps of up to
/// 15 minutes are none.
public struct PeriodCoverage: Hashable, Sendable, Codable {
    /// Seconds between two files that are no gap. Less than any server's shortest period; NHS COVID-19 moves its windows by so much.
    static let seam: Int64 = 900
    /// Times without a gap that are kept at most; the oldest go first. A server that is silent while it has no keys has a few each day.
    static let mostSpans = 64

    /// Start and end of each time without a gap, in order: half as many as numbers.
    private var bounds: [Int64] = []

    /// A coverage of no periods.
    public init() {}

    /// Whether no period is covered, as at first.
    public var isEmpty: Bool { bounds.isEmpty }

    /// End of the newest time that is here: Unix seconds; `nil` when nothing is.
    public var newestEnd: Int64? { bounds.last }

    /// End of the time without a gap that begins first: Unix seconds; `nil` when nothing is here.
    public var firstEnd: Int64? { bounds.count > 1 ? bounds[1] : nil }

    /// Whether nothing of the day (UTC, in days since 1970) is missing, but for 15 minutes at either end.
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
