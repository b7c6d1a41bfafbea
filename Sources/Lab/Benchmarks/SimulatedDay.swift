// SPDX-License-Identifier: Apache-2.0

import Core
import GAEN
import HCI
import LabKit
import Logging
import Radio
import Simulation
import TimeTrust
import Vault
import VirtualAir

/// A day of the real beacon in virtual time, for counting what no benchmark can wait for.
struct SimulatedDay {
    /// How often `poll` would return in ``CoreService``. Reports that come close together share a return there and not here.
    private(set) var wakeUps = 0
    private(set) var scans: UInt64 = 0
    private(set) var reports: UInt64 = 0
    /// Versions of the state file.
    private(set) var stateWrites = 0

    /// The shortest time between two versions of the state file (`CoreService.statePause`).
    private static let statePause = Duration.milliseconds(500)

    /// With that many phones two to five metres away, all day.
    init(profile: BoardProfile, phones: Int) throws {
        let air = VirtualAir(seed: 7)
        air.epoch = Release.date.seconds + 43_200
        for number in 0..<phones { air.addPhone(path: MotionPath(x: 2 + Double(number) * 3 / 20, y: 0)) }
        let port = AirPort(air)
        let vault = try Vault(SimulatedStorage(), provider: FileKeyProvider(SimulatedStorage()))
        func instant() -> BootInstant { BootInstant(sinceBoot: air.now) }
        let beacon = try Beacon(
            profile: profile, vault: vault, enabledUnlessStored: true, bootIdentity: BootIdentity(high: 1, low: 1),
            log: Logger(label: "day") { _ in SwiftLogNoOpLogHandler() }, at: instant())
        beacon.advance(to: instant())
        var (stateWritten, writtenChanges) = (Duration.zero, UInt64(0))
        while air.now < .seconds(86_400) {
            for action in beacon.takeActions() {
                switch action {
                case .send(let bytes): port.send(bytes)
                case .reopenTransport(let delay): port.reopen(after: delay)
                case .askForPowerCycle: break
                case .readClocks:
                    let time = UnixTime(seconds: air.epoch).advanced(by: air.now)
                    beacon.heard(.init(.network, time, uncertainty: .zero), at: instant())
                }
            }
            if beacon.changes != writtenChanges, air.now >= stateWritten + Self.statePause {
                (stateWritten, writtenChanges) = (air.now, beacon.changes)
                stateWrites += 1
            }
            let events = port.takeEvents()
            for event in events {
                switch event {
                case .opened: beacon.opened(at: instant())
                case .openFailed: beacon.openFailed(at: instant())
                case .lost: beacon.lost(at: instant())
                case .packet(let packet): beacon.receive(packet, at: instant())
                }
            }
            if !events.isEmpty {
                wakeUps += 1
                beacon.advance(to: instant())
                continue
            }
            var due = Duration.nanoseconds(beacon.deadline.nanoseconds)
            if beacon.changes != writtenChanges { due = min(due, stateWritten + Self.statePause) }
            let next = [due, air.nextEvent ?? due, port.nextEvent ?? due].min() ?? due
            // The air counts whole microseconds.
            air.advance(to: max(next, air.now) + (next > air.now ? .microseconds(1) : .zero))
            guard air.now >= due, air.outputCount(of: port.node) == 0 else { continue }
            wakeUps += 1
            beacon.advance(to: instant())
        }
        let status = beacon.status(
            at: instant(), since: BootInstant(nanoseconds: 0), transport: "", transportProblem: nil)
        (scans, reports) = (status.scanner.scans, status.scanner.reports)
    }
}
