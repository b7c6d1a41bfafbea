// SPDX-License-Identifier: Apache-2.0

import Glibc
public import VirtualAir

/// The movement of a person: straight lines between points, at rest before the first and after the last.
///
/// The air gets the same movement as a ``VirtualAir/MotionPath``; the truth is computed from this one, by other code.
public struct Track: Sendable {
    /// The place of a person at a moment.
    public struct Point: Sendable, Equatable {
        /// The time in seconds of the air at which the person is at this place; any finite number. Not checked.
        public var time: Double
        /// The first coordinate in metres from the origin; any finite number. Not checked.
        public var x: Double
        /// The second coordinate in metres from the origin; any finite number. Not checked.
        public var y: Double

        /// Creates a place, in metres from the origin, at a time in seconds of the air. Values must be finite, which is not
        /// checked.
        public init(time: Double, x: Double, y: Double) {
            self.time = time
            self.x = x
            self.y = y
        }
    }

    /// The points in order of time; at least one.
    public let points: [Point]

    /// Creates a movement from points in any order; without points the person rests at the origin. Cannot fail.
    public init(_ points: [Point]) {
        self.points = points.isEmpty ? [Point(time: 0, x: 0, y: 0)] : points.sorted { $0.time < $1.time }
    }

    /// The same movement for the air, with times rounded to microseconds.
    public var path: MotionPath {
        MotionPath(points.map { Waypoint(time: .microseconds(Int64(($0.time * 1_000_000).rounded())), x: $0.x, y: $0.y) })
    }

    /// Returns the place at a moment (seconds of the air), in metres from the origin. Cannot fail.
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

    /// Returns the distance between two people at a moment (seconds of the air), in metres, 0 or more. Cannot fail.
    public func distance(to other: Track, at time: Double) -> Double {
        let (one, two) = (place(at: time), other.place(at: time))
        return hypot(one.x - two.x, one.y - two.y)
    }

    /// Returns the times, in seconds of the air between `start` and `end`, at which two people are within `metres` of each
    /// other; empty if they never are. The result is exact, because both move in straight lines.
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
