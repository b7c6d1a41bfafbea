// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import GAEN
import Interfaces
import KeyExport
import KeyIntake
import LabKit
import Ledger
import Logging
import Radio
import RandomValues
import Simulation
import Testing
import TimeTrust
import Trust
import Vault
import VirtualAir

/// A device in a place collects nothing, sends nothing, and keeps nothing of the person whose it was.
@Suite struct PlaceTests {
    private let caller = ExposureServiceBench.caller()

    private func logs(_ bench: Bench) throws -> [String] { try bench.data.names().filter { $0.hasPrefix("day-") } }

    private func meets(_ bench: Bench) {
        let phone = bench.air.addPhone()
        bench.air.fix(phone, bench.port.node, rssi: -60)
    }

    @Test(arguments: [false, true]) func aPlaceListensAndKeepsNothing(mustTimeSlice: Bool) throws {
        var profile = BoardProfile.kiosk
        profile.mustTimeSlice = mustTimeSlice
        let bench = try Bench(profile, clock: Bench.right)
        meets(bench)
        let service = try bench.service()
        bench.run(for: .seconds(3 * 3_600))
        #expect(bench.broadcasts.isEmpty)
        let status = bench.status
        #expect(status.scanner.scans > 150 && status.scanner.exposureNotifications > 1_500)
        #expect(status.scanner.storedScans == 0 && status.scanner.lastScanIdentifiers == 1)
        #expect(
            status.radio.rotations == 0 && status.radio.keysMade == 0
                && Set(status.radio.ladder.keys).isSubset(of: ["prove-alive"]))
        #expect(bench.vault.days.isEmpty && bench.vault.schedule == TEKSchedule())
        #expect(try logs(bench) == [])
        // It works, and says what it does.
        let said = try service.status(for: caller, at: bench.now)
        #expect(said.state == .active && said.role == .place)
        #expect(said.sentence.contains("sends nothing and keeps nothing"))
        #expect(service.scene(at: bench.now).signals == [.onAir])
        // The same board for a person, to show that there was something to keep.
        profile.role = .person
        let person = try Bench(profile, clock: Bench.right)
        meets(person)
        person.run(for: .seconds(3_600))
        #expect(person.status.scanner.storedScans > 40 && person.broadcasts.count > 2)
        #expect(try logs(person).count == 1)
    }

    @Test func aPlaceWhoseRadioIsGoneSaysSo() throws {
        let bench = try Bench(.kiosk, clock: Bench.right)
        let service = try bench.service()
        bench.run(for: .seconds(60))
        bench.air.apply(Fault(.silent, for: .seconds(600)), to: bench.port.node)
        bench.run(for: .seconds(120))
        #expect(try service.status(for: caller, at: bench.now).state == .radioTrouble)
        bench.run(for: .seconds(1_200))
        #expect(try service.status(for: caller, at: bench.now).state == .active)
    }

    @Test func aPersonsThingsGoWithTheRole() throws {
        let bench = try Bench(clock: Bench.right)
        meets(bench)
        let service = try bench.service()
        try service.enable(by: caller, at: bench.now)
        bench.run(for: .seconds(3 * 3_600))
        #expect(bench.vault.days.count == 2)
        let before = try #require(bench.vault.schedule.current)
        let sent = Set(bench.broadcasts.map(Bench.identifier))
        let old = bench.data.copy()

        try service.setRole(.place, by: caller, at: bench.now)
        bench.run(for: .milliseconds(100))
        #expect(!bench.status.radio.onAir)
        #expect(bench.vault.days.isEmpty && bench.vault.schedule == TEKSchedule())
        #expect(try logs(bench) == [])
        // What old cells of the flash hold opens with nothing that is left.
        let found = try Vault(old, provider: FileKeyProvider(bench.keys.copy()))
        #expect(found.days.isEmpty && found.schedule == TEKSchedule())
        let entry = try #require(try service.audit(after: nil).records.last)
        #expect(entry.kind == "roleChanged" && entry.details == ["role": "place", "destroyedDays": "2"])
        let count = bench.broadcasts.count
        bench.run(for: .seconds(7_200))
        #expect(bench.broadcasts.count == count && bench.vault.days.isEmpty)

        // Back again it begins as a new device: who agreed for a place agreed for no person.
        try service.setRole(.person, by: caller, at: bench.now)
        bench.run(for: .seconds(3_600))
        #expect(bench.broadcasts.count == count && bench.vault.days.isEmpty && !bench.beacon.isEnabled)
        #expect(try service.audit(after: nil).records.map(\.kind) == ["roleChanged"])
        try service.enable(by: caller, at: bench.now)
        bench.run(for: .seconds(3_600))
        #expect(bench.broadcasts.count > count && bench.vault.days.count == 1)
        #expect(bench.vault.schedule.past.isEmpty && bench.vault.schedule.current?.secret != before.secret)
        #expect(sent.isDisjoint(with: bench.broadcasts[count...].map(Bench.identifier)))
    }

    /// The power goes at each operation of the change: it is one or the other afterwards, and a place holds nothing after its next start.
    @Test func aCutAnywhereIsFinishedAtTheNextStart() throws {
        var generator = SeededGenerator(seed: 5)
        var cuts = 0
        for operation in 0..<200 {
            let bench = try Bench(clock: Bench.right)
            meets(bench)
            let ledger = try Ledger(path: nil, keys: MemoryLedgerKeys())
            func service(_ beacon: Beacon, _ vault: Vault) throws -> ExposureService {
                ExposureService(
                    beacon, vault: vault, ledger: ledger, trust: try TrustStore(keys: []), policy: .namedKeys,
                    program: .failure(IntakeFailure(.programMissing)),
                    log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            }
            let first = try service(bench.beacon, bench.vault)
            bench.run(for: .seconds(700))
            #expect(bench.vault.days.count == 1)
            // One supply for both; the ledger is elsewhere, and was written before.
            bench.data.operationsUntilCut = operation
            bench.keys.operationsUntilCut = Int.random(in: 0...operation, using: &generator)
            let outcome = Result { try first.setRole(.place, by: caller, at: bench.now) }
            let isCut = bench.data.power.isCut || bench.keys.power.isCut
            if isCut { cuts += 1 } else { try outcome.get() }
            let vault = try Vault(
                bench.data.afterCut(using: &generator), provider: FileKeyProvider(bench.keys.afterCut(using: &generator)))
            let beacon = try Beacon(
                profile: .token, vault: vault, bootIdentity: BootIdentity(high: 1, low: 3),
                generator: SeededGenerator(seed: 2),
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, at: BootInstant(nanoseconds: 0))
            let second = try service(beacon, vault)
            #expect(second.role == .place)
            #expect(vault.days.isEmpty && vault.schedule == TEKSchedule(), "cut at \(operation)")
            if !isCut { break }
        }
        #expect(cuts >= 8)
    }

    /// A kiosk's board that was given to a person: a ledger that is lost must not cost fourteen days. An older firmware's place gives up what
    /// it has collected.
    @Test(arguments: [true, false]) func aLostLedgerIsNoChangeOfRole(isRemembered: Bool) throws {
        var profile = BoardProfile.kiosk
        profile.role = .person
        let bench = try Bench(profile, clock: Bench.right)
        meets(bench)
        bench.run(for: .seconds(700))
        #expect(bench.vault.days.count == 1)
        let ledger = try Ledger(path: nil, keys: MemoryLedgerKeys())
        for _ in 0..<2 {
            let vault = try Vault(bench.data, provider: FileKeyProvider(bench.keys))
            let beacon = try Beacon(
                profile: .kiosk, vault: vault, bootIdentity: BootIdentity(high: 1, low: 3),
                generator: SeededGenerator(seed: 2),
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, at: BootInstant(nanoseconds: 0))
            let service = ExposureService(
                beacon, vault: vault, ledger: ledger, trust: try TrustStore(keys: []), policy: .namedKeys,
                program: .failure(IntakeFailure(.programMissing)), isRemembered: isRemembered,
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            #expect(service.role == (isRemembered ? .place : .person))
            #expect(vault.days.count == (isRemembered ? 0 : 1))
            #expect((vault.schedule == TEKSchedule()) == isRemembered)
        }
    }
}
