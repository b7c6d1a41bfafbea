// SPDX-License-Identifier: Apache-2.0

public import CivilTime

/// A period of time, divided at each UTC midnight. The parts are computed one by one, so that a period of centuries
/// costs nothing until it is iterated.
///
/// A period without length has one part, and one that ends before it begins has none. A period that ends at midnight
/// has no part on the next day.
public struct DayParts: Sequence, IteratorProtocol {
    /// A part of the period within one UTC day.
    public struct Part: Sendable, Hashable {
        /// The UTC day of the part.
        public let day: UTCDay
        /// The start of the part, inclusive, in Unix seconds.
        public let start: Int64
        /// The end of the part, exclusive, in Unix seconds; at most the first second of the next day.
        public let end: Int64
    }

    private var start: Int64
    private let end: Int64
    private var isDone: Bool

    /// Creates the parts of the period from `start` to before `end`, both in Unix seconds. Cannot fail.
    public init(from start: Int64, to end: Int64) {
        self.start = start
        self.end = end
        isDone = end < start
    }

    /// Returns the next part in time order; `nil` after the last, and at once if the period ends before it begins.
    public mutating func next() -> Part? {
        guard !isDone else { return nil }
        let day = UTCDay(containing: start)
        let part = Part(day: day, start: start, end: Swift.min(end, UTCDay(number: day.number + 1).start))
        start = part.end
        isDone = start >= end
        return part
    }
}
