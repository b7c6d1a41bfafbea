// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where everybody stands, and what those who stand between two devices take from their signals.
///
/// Everybody is an upright screen without an end above, of which two edges bend the signal: blockage model B of 3GPP TR 38.901
/// (7.6.4.2), in the plane. Losses of several add up in dB.
struct Crowd {
    /// Places are those at the beginning of such a time, in which somebody who walks gets some decimetres further.
    private static let step: Microseconds = 250_000
    /// Metres of a wave at 2.44 GHz.
    private static let wavelength = 0.123
    /// Who is nearer than this to one of two devices, in metres, wears it.
    private static let arm = 0.3
    /// Metres from the line to somebody's edge, from which on nothing is lost: there it is less than a decibel.
    private static let reach = 0.45

    private var places: [SIMD2<Double>] = []
    private var moment: Microseconds?

    /// To be called when somebody comes, goes, or has another path.
    mutating func forget() { moment = nil }

    /// dB that all those between `one` and `other` take together at `time`, the same in both directions. `nodes` are all, in
    /// order of their numbers.
    mutating func loss(
        between one: Node, and other: Node, of nodes: [Node], in environment: Environment, at time: Microseconds
    ) -> Double {
        let now = time - time % Self.step
        if moment != now {
            moment = now
            places.removeAll(keepingCapacity: true)
            for node in nodes where node.isSomebody { places.append(node.path.place(at: now)) }
        }
        // From the lower number to the higher one: the same sum both ways, to the last bit.
        let (first, second) = one.id < other.id ? (one, other) : (other, one)
        let start = first.path.place(at: now)
        let line = second.path.place(at: now) - start
        let length = (line * line).sum().squareRoot()
        guard length > 2 * Self.arm else { return 0 }
        let direction = line / length
        var loss = 0.0
        var counted: [SIMD2<Double>] = []
        for place in places {
            let offset = place - start
            let along = (offset * direction).sum()
            guard along > 0, along < length else { continue }
            let aside = abs(offset.x * direction.y - offset.y * direction.x)
            guard aside < environment.bodyWidth / 2 + Self.reach,
                hypot(min(along, length - along), aside) > Self.arm, !counted.contains(place)
            else { continue }
            counted.append(place)
            loss += Self.screen(half: environment.bodyWidth / 2, aside: aside, along: along, of: length)
            if loss >= environment.mostBodyLoss { return environment.mostBodyLoss }
        }
        return loss
    }

    /// dB that one screen takes whose middle is `aside` from the line of `length`, `along` from its beginning. All in metres.
    private static func screen(half: Double, aside: Double, along: Double, of length: Double) -> Double {
        func edge(_ offset: Double) -> Double {
            let detour = max(0, hypot(along, offset) + hypot(length - along, offset) - length)
            let part = atan(.pi / 2 * (.pi / wavelength * detour).squareRoot()) / .pi
            return offset < 0 ? -part : part
        }
        // An edge on each side of the line shades; beside the screen the nearer one lets through.
        let shade = edge(half + aside) + edge(half - aside)
        return shade > 0 ? -20 * log10(1 - shade) : 0
    }
}

extension Node {
    /// Whether somebody is where the device is: plain advertisers hang on walls.
    fileprivate var isSomebody: Bool {
        if case .advertiser = script { return false }
        return true
    }
}

extension MotionPath {
    fileprivate func place(at time: Microseconds) -> SIMD2<Double> {
        let (x, y) = position(at: time)
        return SIMD2(x, y)
    }
}
