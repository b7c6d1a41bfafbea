// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import GAEN
import LabKit
import Logging
import Radio
import RandomValues
import Simulation
import Testing
import TimeTrust
import Vault
import VirtualAir

/// A beacon on a virtual controller and a simulated disk, in virtual time.
final class Bench {
    /// 2026-11-21 22:00 UTC: two hours before midnight.
    static let epoch: Int64 = 1_795_298_400
    /// What the time is when this life begins: later than ``epoch`` for one that follows another.
    let start: Int64

    let air: VirtualAir
    let data = SimulatedStorage()
    let keys = SimulatedStorage()
    let port: AirPort
    let vault: Vault
    let beacon: Beacon
    /// Identities on air, with the times.
    private(set) var broadcasts: [Broadcast] = []
    private(set) var powerRequests = 0
    private(set) var clockRequests = 0
    /// What a clock says when it is asked; `nil`: nothing.
    var clock: ((Duration) -> TrustedTime.PlausibleReading?)?

    init(
        _ profile: BoardProfile = .token, seed: UInt64 = 1, clock: ((Duration) -> TrustedTime.PlausibleReading?)? = nil,
        on disk: (data: any StorageMedium, keys: any StorageMedium)? = nil, start: Int64 = Bench.epoch, boot: UInt64 = 2,
        log: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) throws {
        self.start = start
        air = VirtualAir(seed: seed)
        air.epoch = start
        port = AirPort(air)
        vault = try Vault(
            disk?.data ?? data, provider: FileKeyProvider(disk?.keys ?? keys), generator: SeededGenerator(seed: seed))
        beacon = try Beacon(
            profile: profile, vault: vault, enabledUnlessStored: true, bootIdentity: BootIdentity(high: 1, low: boot),
            generator: SeededGenerator(seed: seed),
            log: log, at: BootInstant(nanoseconds: 0))
        self.clock = clock
        let node = port.node
        air.addObserver { [weak self] in if $0.node == node { self?.note($0) } }
    }

    private func note(_ broadcast: Broadcast) {
        if broadcast.end != nil { broadcasts.removeLast() }
        broadcasts.append(broadcast)
    }

    /// A clock that is right, to within a second.
    static func right(_ now: Duration) -> TrustedTime.PlausibleReading? {
        .init(.network, UnixTime(milliseconds: epoch * 1_000 + now.milliseconds), uncertainty: .seconds(1))
    }

    var now: BootInstant { BootInstant(sinceBoot: air.now) }

    func run(for span: Duration) {
        let end = air.now + span
        var turns = 0
        beacon.advance(to: now)
        obey()
        while true {
            deliver()
            let before = air.now
            let next = [beacon.deadline.duration, port.nextEvent, air.nextEvent].compactMap { $0 }.min() ?? end
            guard next <= end else { break }
            air.advance(to: max(next, air.now))
            deliver()
            beacon.advance(to: now)
            obey()
            turns = air.now > before ? 0 : turns + 1
            guard turns < 10_000 else {
                Issue.record("the beacon wants to be called at once, again and again, at \(air.now)")
                return
            }
        }
        air.advance(to: end)
    }

    func set(_ source: TrustedTime.PlausibleSource, to seconds: Int64) {
        beacon.heard(.init(source, UnixTime(seconds: seconds), uncertainty: .seconds(1)), at: now)
        obey()
    }

    func stop() {
        beacon.stop(at: now)
        obey()
        run(for: .seconds(1))
    }

    private func deliver() {
        while case let arrived = port.takeEvents(), !arrived.isEmpty {
            for event in arrived {
                switch event {
                case .opened: beacon.opened(at: now)
                case .openFailed: beacon.openFailed(at: now)
                case .lost: beacon.lost(at: now)
                case .packet(let packet): beacon.receive(packet, at: now)
                }
            }
            obey()
        }
    }

    private func obey() {
        while case let actions = beacon.takeActions(), !actions.isEmpty {
            for action in actions {
                switch action {
                case .send(let bytes): port.send(bytes)
                case .reopenTransport(let delay): port.reopen(after: delay)
                case .askForPowerCycle: powerRequests += 1
                case .readClocks:
                    clockRequests += 1
                    if let reading = clock?(air.now) { beacon.heard(reading, at: now) }
                }
            }
        }
    }

    var status: CoreStatus {
        beacon.status(at: now, since: BootInstant(nanoseconds: 0), transport: "test", transportProblem: nil)
    }

    /// The 16 bytes of identifier in a broadcast.
    static func identifier(_ broadcast: Broadcast) -> [UInt8] { Array(broadcast.data.dropFirst(11).prefix(16)) }

    /// All identifiers that `key` can have been heard as.
    static func identifiers(_ key: TemporaryExposureKey) throws -> [[UInt8]] {
        let keys = try IdentifierKeys(key.secret)
        return (0..<key.rollingPeriod).map { keys.identifier(for: ENIN(key.rollingStart.number + $0)).bytes }
    }
}
