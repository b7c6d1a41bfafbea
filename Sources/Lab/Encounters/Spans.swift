// SPDX-License-Identifier: Apache-2.0

/// Pieces of time in seconds, in order and apart.
public struct Spans: Sendable, Equatable {
    /// Start and end of each piece, in seconds; in order of time, none touching another. Empty if there is none.
    public private(set) var pieces: [(start: Double, end: Double)] = []

    /// Spans without a piece; the total is 0.
    public init() {}

    /// One piece from `start` to `end`, both in seconds; none unless `end` is greater. Cannot fail.
    public init(_ start: Double, _ end: Double) { if end > start { pieces = [(start, end)] } }

    /// Adds a piece, in seconds, that begins no earlier than the last one (not checked); pieces that touch become one. One without length adds
    /// nothing.
    public mutating func append(_ start: Double, _ end: Double) {
        guard end > start else { return }
        if let last = pieces.last, start <= last.end {
            pieces[pieces.count - 1].end = max(last.end, end)
        } else {
            pieces.append((start, end))
        }
    }

    /// Seconds of all pieces together, 0 or more.
    public var total: Double { pieces.reduce(0) { $0 + $1.end - $1.start } }
    /// Seconds of the longest piece; 0 without one.
    public var longest: Double { pieces.reduce(0) { max($0, $1.end - $1.start) } }

    /// The time that lies in pieces of both, piece by piece; perhaps none. Cannot fail.
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

    /// Whether both have the same pieces, to the last bit.
    public static func == (left: Spans, right: Spans) -> Bool {
        left.pieces.elementsEqual(right.pieces) { $0.start == $1.start && $0.end == $1.end }
    }
}
