// SPDX-License-Identifier: Apache-2.0

/// Separate spans of time in seconds, in ascending order.
public struct Spans: Sendable, Equatable {
    /// The start and end of each span in seconds, in ascending order; no span touches another.
    public private(set) var pieces: [(start: Double, end: Double)] = []

    /// Creates a value without a span.
    public init() {}

    /// Creates a single span from `start` to `end` (seconds), or none unless `end` is greater. Cannot fail.
    public init(_ start: Double, _ end: Double) { if end > start { pieces = [(start, end)] } }

    /// Adds a span (seconds) that begins no earlier than the last one, which is not checked; spans that touch become one. A
    /// span without length is ignored.
    public mutating func append(_ start: Double, _ end: Double) {
        guard end > start else { return }
        if let last = pieces.last, start <= last.end {
            pieces[pieces.count - 1].end = max(last.end, end)
        } else {
            pieces.append((start, end))
        }
    }

    /// The total seconds of all spans, 0 or more.
    public var total: Double { pieces.reduce(0) { $0 + $1.end - $1.start } }
    /// The seconds of the longest span; 0 without one.
    public var longest: Double { pieces.reduce(0) { max($0, $1.end - $1.start) } }

    /// Returns the spans of time that are in both values; may be empty. Cannot fail.
    public func intersection(_ other: Spans) -> Spans {
        var result = Spans()
        var (left, right) = (0, 0)
        while left < pieces.count, right < other.pieces.count {
            let (a, b) = (pieces[left], other.pieces[right])
            result.append(max(a.start, b.start), min(a.end, b.end))
            if a.end < b.end { left += 1 } else { right += 1 }
        }
        return result
    }

    /// Returns whether both have exactly the same spans.
    public static func == (left: Spans, right: Spans) -> Bool {
        left.pieces.elementsEqual(right.pieces) { $0.start == $1.start && $0.end == $1.end }
    }
}
