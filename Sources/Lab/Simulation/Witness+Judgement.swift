// SPDX-License-Identifier: Apache-2.0

public import GAEN
import TimeTrust
public import VirtualAir

extension Witness {
    /// Judges everything that `node` has sent by its own keys: each identifier must follow from exactly one pair of key and
    /// interval, and the interval must fit the time of the clocks. Breaches are added to ``findings``; one without a time
    /// of its own gets `moment`.
    public func judge(_ node: NodeID, by keys: [TemporaryExposureKey], at moment: Duration) {
        var pairs: [[UInt8]: (key: Int, interval: ENIN)] = [:]
        for (number, key) in keys.enumerated() {
            guard let derived = try? IdentifierKeys(key.secret) else { continue }
            for interval in key.rollingStart.number..<key.end.number {
                let identifier = derived.identifier(for: ENIN(interval)).bytes
                if pairs.updateValue((number, ENIN(interval)), forKey: identifier) != nil {
                    note(.ambiguous, node, at: moment)
                }
            }
        }
        for (identifier, appearance) in appearances where appearance.node == node {
            guard let pair = pairs[identifier] else {
                note(.unknownKey, node, at: appearance.start, "on air in life \(appearance.life)")
                continue
            }
            guard let civil = appearance.civil, let present = ENIN(unixSeconds: civil.seconds) else { continue }
            let distance = Int64(present.number) - Int64(pair.interval.number)
            if distance.magnitude > 2 { note(.wrongInterval, node, at: appearance.start, "\(distance) intervals") }
        }
        for crossing in crossings where crossing.node == node {
            if let pair = pairs[crossing.identifier], Int64(keys[pair.key].rollingStart.day) >= crossing.day { continue }
            note(.overMidnight, node, at: crossing.end, "\(crossing.late.seconds) s")
        }
        crossings.removeAll { $0.node == node }
    }

    /// Takes a packet that a receiver heard, and judges its data and the time since the packet before, which must be 200 to
    /// 280 ms. Packets from an address that no watched device uses now are ignored.
    public func heard(_ packet: AirReceiver.Packet) {
        guard var state = onAir[packet.address] else { return }
        figures.packets += 1
        if let last = state.lastPacket {
            let spacing = packet.at - last
            if spacing < .milliseconds(200) || spacing > .milliseconds(280) {
                note(.spacing, state.node, at: packet.at, "\(spacing.seconds) s")
            }
        }
        if packet.data.count != 31 || identifiers[packet.address] != Array(packet.data.dropFirst(11).prefix(16)) {
            note(.malformed, state.node, at: packet.at)
        }
        state.lastPacket = packet.at
        onAir[packet.address] = state
        levels[state.node, default: (0, 0)].sum += Int(packet.rssi)
        levels[state.node, default: (0, 0)].count += 1
    }

    /// Notes that the receiver was off for a while: the next packet is not compared with the one before.
    public func receiverPaused() { for address in onAir.keys { onAir[address]?.lastPacket = nil } }

    /// Judges the mean level of a device at the receiver: it must be within 1 dB of `expected` (dBm). Otherwise, or if
    /// nothing was heard, a breach at `moment` is added to ``findings``.
    public func judgeLevel(of node: NodeID, expected: Double, at moment: Duration) {
        guard let level = levels[node], level.count > 0 else { return note(.level, node, at: moment, "nothing heard") }
        let mean = Double(level.sum) / Double(level.count)
        if abs(mean - expected) > 1 { note(.level, node, at: moment, "\(mean) instead of \(expected) dBm") }
    }
}
