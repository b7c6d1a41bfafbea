// SPDX-License-Identifier: Apache-2.0

import Glibc
public import VirtualAir

/// A person's place at any moment: straight lines between points, at rest before the first and after the last.
///
/// The air has the same path as a ``VirtualAir/MotionPath``; what is true is computed from this one, by other means.
public struct Track: Sendable {
    /// A place, in metres, at a moment.
    public struct Point: Sendable, Equatable {
        /// The time when the person is there, in seconds of the air; any finite number. Not checked.
        public var time: Double
        /// First coordinate, in metres from the origin; any finite number. Not checked.
        public var x: Double
        /// Second coordinate, in metres from the origin; any finite number. Not checked.
        public var y: Double

        /// A place, in metres from the origin, at a time in seconds of the air. Values are not checked; they must be
        /// finite.
        public init(time: Double, x: Double, y: Double) {
            self.time = time
            self.x = x
            self.y = y
        }
    }

    /// The points in order of time; at least one.
    public let points: [Point]

    /// Takes points in any order; without any the person rests at the origin. Cannot fail.
    public init(_ points: [Point]) {
        self.points = points.isEmpty ? [Point(time: 0, x: 0, y: 0)] : points.sorted { $0.time < $1.time }
    }

    /// This path for the air, its times rounded to microseconds.
    public var path: MotionPath {
        MotionPath(points.map { Waypoint(time: .microseconds(Int64(($0.time * 1_000_000).rounded())), x: $0.x, y: $0.y) })
    }

    /// The place at a moment (seconds of the air), in metres from the origin. Cannot fail.
    public func place(at time: Double) -> (x: Double, y: Double) {
        var (low, high) = (0, points.count)
        while low < high {
            let middle = (low + high) / 2
            if points[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return (points[0].x, points[0].y) }
        let from = points[low - 1]
        guard low < points.count, points[low].time > from.time else { return (from.x, from.y) }
        let share = (time - from.time) / (points[low].time - from.time)
        return (from.x + (points[low].x - from.x) * share, from.y + (points[low].y - from.y) * share)
    }

    /// Metres between two people at a moment (seconds of the air), 0 or more. Cannot fail.
    public func distance(to other: Track, at time: Double) -> Double {
        let (one, two) = (place(at: time), other.place(at: time))
        return hypot(one.x - two.x, one.y - two.y)
    }

    /// The times when the two are within `metres` of each other between `start` and `end` (seconds of the air), in seconds of the air: exact, as
    /// both move in straight lines. Empty if they never are.
    public func near(_ other: Track, within metres: Double, from start: Double, to end: Double) -> Spans {
        var times = [start, end]
        for time in points.map(\.time) + other.points.map(\.time) where time > start && time < end { times.append(time) }
        times.sort()
        var spans = Spans()
        for (from, to) in zip(times, times.dropFirst()) where to > from {
            // Just inside the piece, so that a jump at its end belongs to the next one.
            let (first, last) = (offset(other, at: from), offset(other, at: from + (to - from) * 0.5))
            let length = (to - from) * 0.5
            let (speedX, speedY) = ((last.x - first.x) / length, (last.y - first.y) / length)
            let a = speedX * speedX + speedY * speedY
            let b = first.x * speedX + first.y * speedY
            let c = first.x * first.x + first.y * first.y - metres * metres
            guard a > 1e-12 else {
                if c <= 0 { spans.append(from, to) }
                continue
            }
            let discriminant = b * b - a * c
            guard discriminant > 0 else { continue }
            let root = discriminant.squareRoot()
            spans.append(from + max(0, (-b - root) / a), from + min(to - from, (-b + root) / a))
        }
        return spans
    }

    private func offset(_ other: Track, at time: Double) -> (x: Double, y: Double) {
        let (one, two) = (place(at: time), other.place(at: time))
        return (one.x - two.x, one.y - two.y)
    }
}
