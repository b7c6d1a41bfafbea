// SPDX-License-Identifier: Apache-2.0

public import CivilTime

/// A stretch of time, cut at each midnight of UTC. Computed part by part, so that a stretch of centuries costs nothing until it is walked.
///
/// A stretch without length is one part; one that ends before it begins has none. What ends at midnight has no part on the next day.
public struct DayParts: Sequence, IteratorProtocol {
    /// A piece of the stretch within one UTC day.
    public struct Part: Sendable, Hashable {
        /// The day that has the piece.
        public let day: UTCDay
        /// Start of the piece, Unix seconds, included.
        public let start: Int64
        /// End of the piece, Unix seconds, excluded; the next day's first second at most.
        public let end: Int64
    }

    private var start: Int64
    private let end: Int64
    private var isDone: Bool

    /// A stretch from `start` to `end`, both in Unix seconds, the end excluded. Cannot fail.
    public init(from start: Int64, to end: Int64) {
        self.start = start
        self.end = end
        isDone = end < start
    }

    /// The next piece, in the order of time; `nil` after the last, and at once if the stretch ends before it begins.
    public mutating func next() -> Part? {
        guard !isDone else { return nil }
        let day = UTCDay(containing: start)
        let part = Part(day: day, start: start, end: Swift.min(end, UTCDay(number: day.number + 1).start))
        start = part.end
        isDone = start >= end
        return part
    }
}
