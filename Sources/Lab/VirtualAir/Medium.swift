// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Who hears whom, and how loud.
struct Medium {
    private struct Pair: Hashable {
        let low: NodeID
        let high: NodeID

        init(_ one: NodeID, _ other: NodeID) {
            low = min(one, other)
            high = max(one, other)
        }
    }

    var environment = Environment()
    /// Where shadowing comes from: a function of seed, pair and time, so that it takes nothing from what else is drawn.
    let seed: UInt64
    private var fixed: [Pair: Int8] = [:]

    init(seed: UInt64) { self.seed = seed }

    mutating func fix(_ one: NodeID, _ other: NodeID, rssi: Int8?) { fixed[Pair(one, other)] = rssi }

    mutating func forget(_ node: NodeID) { fixed = fixed.filter { $0.key.low != node && $0.key.high != node } }

    /// Level of one packet in dBm, -127 to 20; `nil` when it does not arrive. `bodies` is what people in between take in dB, and is asked
    /// for only if it matters.
    func level(
        from sender: Node, power: Int8, to receiver: Node, at time: Microseconds, bodies: @autoclosure () -> Double,
        using generator: inout SplitMix64
    ) -> Int8? {
        let level: Double
        let brief = brief(sender, receiver, at: time)
        if !fixed.isEmpty, let pinned = fixed[Pair(sender.id, receiver.id)] {
            level = Double(pinned)
        } else {
            let (from, to) = (sender.path.position(at: time), receiver.path.position(at: time))
            let offset = Double(power) - sender.bodyLoss - receiver.bodyLoss
            var mean =
                environment.pathLoss.meanRSSI(metres: hypot(from.x - to.x, from.y - to.y)) + offset
                + shadow(Pair(sender.id, receiver.id), at: time) + brief.gain
            // One more, as levels are rounded: who is not heard anyway is not looked at.
            if environment.hasBodies, mean + 6 * max(0, environment.pathLoss.fading) + 1 >= environment.sensitivity {
                mean -= bodies()
            }
            if environment.pathLoss.fading == 0 {
                level = mean.rounded()
            } else {
                // Fading is a sum of twelve uniform numbers: never more than six deviations.
                guard mean + 6 * environment.pathLoss.fading >= environment.sensitivity else { return nil }
                level = (mean + environment.pathLoss.fading * Self.gaussian(using: &generator)).rounded()
            }
        }
        guard level >= environment.sensitivity, !brief.isLost else { return nil }
        let loss = 1 - (1 - sender.loss) * (1 - receiver.loss) * (1 - environment.packetLoss)
        if loss > 0, Double.random(in: 0..<1, using: &generator) < loss { return nil }
        if environment.noise > 0 {
            guard level >= environment.sensitivity + environment.noise * abs(Self.gaussian(using: &generator)) else {
                return nil
            }
        }
        return Int8(min(max(level, -127), 20))
    }

    /// How long it is certain that nothing of `sender` arrives at `receiver`, whatever is drawn; 0 when something may.
    func silence(from sender: Node, power: Int8, to receiver: Node, at time: Microseconds) -> Microseconds {
        guard fixed.isEmpty, environment.pathLoss.exponent > 0 else { return 0 }
        let (from, to) = (sender.path.motion(at: time), receiver.path.motion(at: time))
        let loss = environment.pathLoss
        let margin =
            loss.rssiAtOneMetre + Double(power) - sender.bodyLoss - receiver.bodyLoss + environment.greatestGain
            - environment.sensitivity
        // One more: levels are rounded before they are compared.
        let reach = max(1, pow(10, (margin + 1) / (10 * loss.exponent)))
        let rest = hypot(from.x - to.x, from.y - to.y) - reach
        guard rest > 0 else { return 0 }
        let until = min(from.until, to.until) - time
        let speed = from.speed + to.speed
        guard speed > 0, rest / speed < Double(until) else { return until }
        return Microseconds(rest / speed)
    }

    /// Deviations of shadowing at most: further out the tail would make everybody a possible neighbour of everybody.
    static let mostShadow = 3.0

    /// dB that `pair` gains or loses at `time`.
    private func shadow(_ pair: Pair, at time: Microseconds) -> Double {
        guard environment.shadowing > 0 else { return 0 }
        var generator = generator(of: pair, every: environment.shadowingPeriod, at: time)
        return environment.shadowing * Self.shadow(using: &generator)
    }

    /// dB that `pair` gains or loses for a short while, and whether nothing passes between them.
    private func brief(_ one: Node, _ other: Node, at time: Microseconds) -> (gain: Double, isLost: Bool) {
        guard environment.briefShadowing > 0 || environment.burstLoss > 0 else { return (0, false) }
        let metres = environment.briefShadowingMetres
        let steps = metres > 0 ? (one.path.walked(at: time) + other.path.walked(at: time)) / metres : 0
        // Another seed than that of the long one: with equal periods they would be the same number.
        var generator = generator(
            of: Pair(one.id, other.id), every: environment.briefShadowingPeriod, and: steps, at: time, besides: 0xB41E_F5AD)
        let gain = max(0, environment.briefShadowing) * Self.shadow(using: &generator)
        return (gain, Double.random(in: 0..<1, using: &generator) < environment.burstLoss)
    }

    /// Where what lasts for `seconds` between two devices comes from; each of `steps` makes it as much older.
    private func generator(
        of pair: Pair, every seconds: Double, and steps: Double = 0, at time: Microseconds, besides salt: UInt64 = 0
    ) -> SplitMix64 {
        let own = seed ^ UInt64(bitPattern: Int64(pair.low.rawValue)) << 32 ^ UInt64(bitPattern: Int64(pair.high.rawValue))
        var generator = SplitMix64(seed: own ^ salt)
        let period = max(1, Int64(seconds * 1_000_000))
        // Not everybody's at the same moment.
        let phase = Int64(generator.next() % UInt64(period))
        var age = (time + phase) / period
        if steps > 0 { age = Int64(min(Double(time + phase) / Double(period) + steps, 1e18)) }
        return SplitMix64(seed: generator.next() &+ UInt64(bitPattern: age))
    }

    private static func shadow(using generator: inout SplitMix64) -> Double {
        min(max(gaussian(using: &generator), -mostShadow), mostShadow)
    }

    /// As ``PathLoss`` draws it, from four numbers instead of twelve: this runs for every packet.
    private static func gaussian(using generator: inout SplitMix64) -> Double {
        var sum = -6.0
        for _ in 0..<4 {
            let bits = generator.next()
            for part in 0..<3 { sum += (Double(bits >> (21 * UInt64(part)) & 0x1F_FFFF) + 0.5) / 2_097_152 }
        }
        return sum
    }
}
