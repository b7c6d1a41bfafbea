// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import HCI
import Radio
import RandomValues
import Simulation
import Testing
import VirtualAir

/// A radio on a virtual controller, in virtual time, with everything it said and everything that was on air.
final class RadioBench {
    let air: VirtualAir
    let port: AirPort
    var radio: Radio
    /// What the radio told its owner, with the time.
    var events: [(at: Duration, event: RadioEvent)] = []
    var powerRequests: [Duration] = []
    var broadcasts: [Broadcast] = []
    var generator = SeededGenerator(seed: 7)

    init(
        _ profile: BoardProfile = .token, _ model: ControllerModel = ControllerModel(), seed: UInt64 = 1
    ) throws {
        air = VirtualAir(seed: seed)
        port = AirPort(air, model)
        radio = try Radio(profile: profile, generator: SeededGenerator(seed: seed))
        let node = port.node
        air.addObserver { [weak self] in if $0.node == node, $0.end != nil { self?.broadcasts.append($0) } }
    }

    /// A fresh identity on air.
    @discardableResult
    func broadcastNew() throws -> BeaconIdentity {
        let identity = try identity()
        radio.broadcast(identity, at: air.now)
        obey()
        return identity
    }

    func broadcast(_ door: DoorIdentity) {
        radio.broadcast(door: door, at: air.now)
        obey()
    }

    func identity() throws -> BeaconIdentity {
        let payload = AdvertisingPayload(
            identifier: RollingProximityIdentifier(Block(low: generator.next(), high: generator.next())),
            metadata: AssociatedEncryptedMetadata(word: 7))
        guard let identity = BeaconIdentity(address: try .nonResolvable(from: &generator), payload: payload) else {
            throw HCIError(.addressNotUsable)
        }
        return identity
    }

    /// Beacon and scanner, as its owner would start them.
    func start() throws {
        try broadcastNew()
        radio.listen(true, at: air.now)
        run(for: .milliseconds(100))
    }

    func run(for span: Duration) {
        let end = air.now + span
        var turns = 0
        while true {
            turns += 1
            deliver()
            let before = air.now
            let next = [radio.deadline, port.nextEvent, air.nextEvent].compactMap { $0 }.min() ?? end
            guard next <= end else { break }
            air.advance(to: max(next, air.now))
            deliver()
            radio.advance(to: air.now)
            obey()
            if air.now > before {
                turns = 0
            } else if turns > 10_000 {
                Issue.record("the radio wants to be called at once, again and again, at \(air.now)")
                return
            }
        }
        air.advance(to: end)
    }

    private func deliver() {
        while case let arrived = port.takeEvents(), !arrived.isEmpty {
            for event in arrived {
                switch event {
                case .opened: radio.opened(at: air.now)
                case .openFailed: radio.openFailed(at: air.now)
                case .lost: radio.lost(at: air.now)
                case .packet(let packet): radio.receive(packet, at: air.now)
                }
            }
            obey()
        }
    }

    private func obey() {
        for action in radio.takeActions() {
            switch action {
            case .send(let bytes): port.send(bytes)
            case .reopenTransport(let delay): port.reopen(after: delay)
            case .askForPowerCycle: powerRequests.append(air.now)
            case .event(let event): events.append((air.now, event))
            }
        }
    }

    func goSilent() {
        radio.broadcast(nil, at: air.now)
        obey()
    }

    // MARK: What was seen. Plain values, because a failed expectation prints what it was asked of.

    var isAdvertising: Bool { radio.isAdvertising }
    var counters: RadioCounters { radio.counters }

    func count(_ rung: Rung) -> UInt64 { radio.counters.rungs[rung] ?? 0 }

    var scans: [ScanSummary] {
        events.compactMap { if case .scanFinished(let summary) = $0.event { summary } else { nil } }
    }

    /// When `predicate` was first told after `start`.
    func first(after start: Duration, _ predicate: (RadioEvent) -> Bool) -> Duration? {
        events.first { $0.at >= start && predicate($0.event) }?.at
    }

    /// When the first advertisement of somebody else was heard after `start`.
    func heard(after start: Duration) -> Duration? {
        first(after: start) { if case .heard = $0 { true } else { false } }
    }
}
