// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The place of a device at one moment.
public struct Waypoint: Hashable, Sendable {
    /// The time of the air at which the device is at this place. Not checked.
    public var time: Duration
    /// The first coordinate in metres from the origin; any finite number. Not checked.
    public var x: Double
    /// The second coordinate in metres from the origin; any finite number. Not checked.
    public var y: Double

    /// Creates a place, in metres from the origin, at a time of the air. Values must be finite, which is not checked.
    public init(time: Duration, x: Double, y: Double) {
        self.time = time
        self.x = x
        self.y = y
    }
}

/// The movement of a device: straight lines between waypoints, at rest before the first and after the last.
public struct MotionPath: Sendable {
    private let waypoints: [(time: Microseconds, x: Double, y: Double)]
    /// Metres from the first waypoint to each, along the way.
    private let lengths: [Double]

    /// Creates a movement from waypoints in any order, whose times are cut to whole microseconds. Without waypoints the
    /// device rests at the origin; between two waypoints of the same time it jumps. Cannot fail.
    public init(_ waypoints: [Waypoint]) {
        self.waypoints = waypoints.map { ($0.time.microseconds, $0.x, $0.y) }.sorted { $0.time < $1.time }
        var (length, last) = (0.0, self.waypoints.first)
        lengths = self.waypoints.map { point in
            if let last { length += hypot(point.x - last.x, point.y - last.y) }
            last = point
            return length
        }
    }

    /// Creates a movement that rests at one place, in metres from the origin. Cannot fail.
    public init(x: Double, y: Double) { self.init([Waypoint(time: .zero, x: x, y: y)]) }

    /// Place and speed (metres per microsecond) at a time, and until when the speed stays the same.
    func motion(at time: Microseconds) -> (x: Double, y: Double, speed: Double, until: Microseconds) {
        let (x, y) = position(at: time)
        guard let last = waypoints.last, time < last.time else { return (x, y, 0, .max) }
        var (low, high) = (0, waypoints.count)
        while low < high {
            let middle = (low + high) / 2
            if waypoints[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return (x, y, 0, waypoints[0].time) }
        let (from, to) = (waypoints[low - 1], waypoints[low])
        return (x, y, hypot(to.x - from.x, to.y - from.y) / Double(max(1, to.time - from.time)), to.time)
    }

    /// Metres walked from the beginning until `time`; jumps count.
    func walked(at time: Microseconds) -> Double {
        guard let first = waypoints.first, let last = waypoints.last, let whole = lengths.last, time > first.time else {
            return 0
        }
        if time >= last.time { return whole }
        let (low, share) = leg(at: time)
        return lengths[low] + (lengths[low + 1] - lengths[low]) * share
    }

    func position(at time: Microseconds) -> (x: Double, y: Double) {
        guard let first = waypoints.first, let last = waypoints.last else { return (0, 0) }
        if time <= first.time { return (first.x, first.y) }
        if time >= last.time { return (last.x, last.y) }
        let (low, share) = leg(at: time)
        let (from, to) = (waypoints[low], waypoints[low + 1])
        return (from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share)
    }

    /// The waypoint before `time`, which is between the first and the last, and the share of the way to the next.
    private func leg(at time: Microseconds) -> (from: Int, share: Double) {
        var low = 0
        var high = waypoints.count - 1
        while high - low > 1 {
            let middle = (low + high) / 2
            if waypoints[middle].time <= time { low = middle } else { high = middle }
        }
        return (low, Double(time - waypoints[low].time) / Double(max(1, waypoints[high].time - waypoints[low].time)))
    }
}
