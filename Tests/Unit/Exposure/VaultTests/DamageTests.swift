// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Glibc
import LabKit
import RandomValues
import Testing
import TimeTrust
import Vault

/// Whatever becomes of the files and the disk: there is a vault, it says what happened, and it takes what comes next.
@Suite struct DamageTests {
    private static let day: UInt32 = 19_700
    private static let log = "day-\(day).log"

    enum Filling: CaseIterable {
        case zeros, ones, noise

        func byte(_ generator: inout SeededGenerator) -> UInt8 {
            switch self {
            case .zeros: 0
            case .ones: 0xff
            case .noise: .random(in: 0...255, using: &generator)
            }
        }
    }

    private func scan(_ number: UInt32, senders: Int = 5) -> ScanRecord {
        ScanRecord(
            start: Self.day * 86_400 + number * 250, previousScan: 1, profileRevision: 1,
            heard: (0..<senders).map {
                ScanRecord.Heard(
                    payload: AdvertisingPayload(
                        identifier: RollingProximityIdentifier(Block(low: UInt64(number), high: UInt64($0))),
                        metadata: AssociatedEncryptedMetadata(word: 1)),
                    offset: 0, readings: ScanRecord.Readings(Int8(-100 + $0 % 90)))
            })
    }

    /// Another for each seed.
    private func schedule(_ days: Int = 2, seed: Int = 7) -> TEKSchedule {
        var generator: any RandomNumberGenerator = SeededGenerator(seed: seed)
        var schedule = TEKSchedule()
        for day in 0..<days { _ = schedule.next(at: ENIN((Self.day + UInt32(day)) * 144), using: &generator) }
        return schedule
    }

    private func snapshot() -> TrustedTime.Snapshot {
        let point = TrustedTime.Snapshot.Point(
            source: 5, time: UnixTime(seconds: 1_700_000_000), uncertaintyMilliseconds: 1, ageMilliseconds: 2)
        return TrustedTime.Snapshot(
            bootIdentity: BootIdentity(high: 1, low: 2), boot: BootInstant(nanoseconds: 3), signedFloor: nil,
            current: point, reference: nil, isOrderlyStop: true)
    }

    private struct Device {
        let data = SimulatedStorage()
        let keys = SimulatedStorage()
        func open() throws -> Vault { try Vault(data, provider: FileKeyProvider(keys)) }
    }

    /// A device in use: two states stored, ten scans kept.
    private func device() throws -> Device {
        let device = Device()
        let vault = try device.open()
        try vault.store(schedule(1, seed: 1), time: snapshot())
        try vault.store(schedule(2, seed: 2), time: snapshot())
        for number in 0..<10 as Range<UInt32> { try vault.append(scan(number)) }
        #expect(vault.findings.isEmpty)
        return device
    }

    /// After any damage: what is stored now is there at the next start, and nothing is reported twice.
    private func goesOn(_ device: Device) throws {
        let (schedule, time, last) = (schedule(2, seed: 3), snapshot(), scan(300))
        let vault = try device.open()
        try vault.store(schedule, time: time)
        try vault.append(last)
        let next = try device.open()
        #expect(next.schedule == schedule)
        #expect(next.timeSnapshot == time)
        #expect(try next.scans(day: Self.day).last == last)
        #expect(
            next.findings.allSatisfy { finding in
                if case .damagedRecords = finding { true } else { false }
            })
    }

    @Test(arguments: ["tek.slots", "days.keys", "ledger.slots", log, "sealing.key"], Filling.allCases)
    func aFileFilledFromEndToEndIsReported(_ name: String, _ filling: Filling) throws {
        var generator = SeededGenerator(seed: 4)
        let device = try device()
        for storage in [device.data, device.keys] {
            storage.corrupt(name) { for index in $0.indices { $0[index] = filling.byte(&generator) } }
        }
        let vault = try device.open()
        switch name {
        case Self.log:
            #expect(try vault.scans(day: Self.day).isEmpty)
            #expect(!vault.findings.isEmpty)
        case "sealing.key":
            #expect(vault.findings.contains(.setAside(store: "tek.slots", as: "damaged-tek.slots")))
            #expect(vault.findings.contains(.setAside(store: "days.keys", as: "damaged-days.keys")))
            #expect(vault.findings.contains(.setAside(store: "ledger.slots", as: "damaged-ledger.slots")))
            #expect(vault.findings.contains(.setAside(store: Self.log, as: "damaged-" + Self.log)))
        default: #expect(vault.findings.contains(.setAside(store: name, as: "damaged-" + name)))
        }
        try goesOn(device)
    }

    /// Any stretch of any file: what is given back was once stored, and a store is lost only with a finding.
    @Test(arguments: ["tek.slots", "days.keys", "ledger.slots", log, "sealing.key"], Filling.allCases)
    func aFileFilledInPartLosesThatPartAtMost(_ name: String, _ filling: Filling) throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<40 {
            let device = try device()
            let before = try device.open()
            let scans = try before.scans(day: Self.day)
            for storage in [device.data, device.keys] {
                storage.corrupt(name) { bytes in
                    let start = Int.random(in: bytes.indices, using: &generator)
                    let end = Int.random(in: (start + 1)...bytes.count, using: &generator)
                    for index in start..<end { bytes[index] = filling.byte(&generator) }
                }
            }
            let vault = try device.open()
            let found = try vault.scans(day: Self.day)
            #expect(found.allSatisfy(scans.contains))
            if found != scans { #expect(!vault.findings.isEmpty) }
            if vault.schedule == TEKSchedule() { #expect(!vault.findings.isEmpty) }
            try goesOn(device)
        }
    }

    @Test(arguments: 0..<2)
    func oneBadCopyOfTheSealingKeyCostsNothing(_ slot: Int) throws {
        let device = try device()
        var generator = SeededGenerator(seed: 6)
        device.keys.corrupt("sealing.key") {
            $0.replaceSubrange((slot * 128)..<(slot * 128 + 128), with: generator.bytes(128))
        }
        let vault = try device.open()
        #expect(vault.findings.isEmpty)
        #expect(try vault.scans(day: Self.day).count == 10)
        // And the copy is made again.
        device.keys.corrupt("sealing.key") { for index in 0..<128 { $0[(1 - slot) * 128 + index] = 0 } }
        #expect(try device.open().findings.isEmpty)
        device.keys.corrupt("sealing.key") { $0 += [UInt8](repeating: 7, count: 1_000) }
        #expect(try device.open().findings.isEmpty)
        try goesOn(device)
    }

    /// A store that is missing is no reason to delete what it would have opened.
    @Test func logsWithoutAStoreOfKeysAreSetAside() throws {
        let device = try device()
        try device.data.remove("days.keys")
        let vault = try device.open()
        #expect(vault.findings == [.setAside(store: Self.log, as: "damaged-" + Self.log)])
        try goesOn(device)
    }

    @Test(arguments: ["tek.slots", "days.keys", "ledger.slots", log])
    func aBadSectorCostsItsFile(_ name: String) throws {
        let device = try device()
        device.data.unreadable = [name]
        let vault = try device.open()
        try vault.store(schedule(), time: nil)
        try vault.append(scan(20))
        #expect(vault.findings.contains(.setAside(store: name, as: "damaged-" + name)))
        device.data.unreadable = []
        try goesOn(device)
    }

    @Test func aFullDiskKeepsKeysAndTimeAndTakesScansAgainLater() throws {
        let device = try device()
        let vault = try device.open()
        let next = Self.day + 1
        device.data.capacity = 0
        let schedule = schedule(3)
        let other = ScanRecord(start: next * 86_400, previousScan: 0, profileRevision: 1, heard: scan(1).heard)
        for _ in 0..<5 {
            try vault.store(schedule, time: snapshot())
            #expect(throws: StorageFailure(.full)) { try vault.append(scan(20)) }
            // A new day needs a key, which has its place, and a file, which has none.
            #expect(throws: StorageFailure(.full)) { try vault.append(other) }
        }
        #expect(vault.schedule == schedule)
        #expect(try device.open().schedule == schedule)
        #expect(try device.open().timeSnapshot == snapshot())
        device.data.capacity = .max
        try vault.append(scan(21))
        try vault.append(other)
        #expect(try vault.scans(day: Self.day) == (0..<10).map { scan($0) } + [scan(21)])
        let again = try device.open()
        #expect(try again.scans(day: Self.day).count == 11)
        #expect(try again.scans(day: next) == [other])
        #expect(again.findings.isEmpty)
    }

    @Test func theFirstStartOnAFullDiskHasAVaultAllTheSame() throws {
        let device = Device()
        device.data.capacity = 0
        let vault = try device.open()
        #expect(vault.findings == [.cannotWrite(.full)])
        #expect(throws: StorageFailure(.full)) { try vault.store(schedule(), time: nil) }
        device.data.capacity = .max
        // From here on both slots have their place, though the vault began without.
        try vault.store(schedule(), time: nil)
        device.data.capacity = 0
        for _ in 0..<4 { try vault.store(schedule(), time: nil) }
        device.data.capacity = .max
        try goesOn(device)
    }

    @Test func aReadOnlyDiskCanBeRead() throws {
        let device = try device()
        device.data.isReadOnly = true
        device.keys.isReadOnly = true
        let vault = try device.open()
        #expect(try vault.scans(day: Self.day).count == 10)
        #expect(vault.timeSnapshot == snapshot())
        #expect(vault.schedule.past.count == 1)
        #expect(throws: StorageFailure(.readOnly)) { try vault.store(schedule(), time: nil) }
        #expect(throws: StorageFailure(.readOnly)) { try vault.append(scan(20)) }
        device.data.isReadOnly = false
        try vault.append(scan(20))
        #expect(try vault.scans(day: Self.day).count == 11)
    }

    @Test func aReadOnlyDiskWithDamageStillGivesTheRest() throws {
        let device = try device()
        device.data.corrupt("tek.slots") { for index in $0.indices { $0[index] = 0 } }
        device.data.isReadOnly = true
        let vault = try device.open()
        #expect(vault.schedule == TEKSchedule())
        #expect(vault.findings == [.cannotWrite(.readOnly)])
        #expect(try vault.scans(day: Self.day).count == 10)
        device.data.isReadOnly = false
        try vault.store(schedule(), time: nil)
        // The damaged store is kept for whoever wants to look at it.
        #expect(vault.findings.last == .setAside(store: "tek.slots", as: "damaged-tek.slots"))
        try goesOn(device)
    }

    @Test func aFloodIsCutDownToTheLoudestOnceTheDayIsFull() throws {
        let data = SimulatedStorage()
        let keys = SimulatedStorage()
        func open() throws -> Vault { try Vault(data, provider: FileKeyProvider(keys), dailyQuota: 100_000) }
        var vault = try open()
        for number in 0..<20 as Range<UInt32> { try vault.append(scan(number, senders: 1_000)) }
        // The file remembers, so starting anew gives no new quota.
        vault = try open()
        for number in 20..<40 as Range<UInt32> { try vault.append(scan(number, senders: 1_000)) }
        let scans = try vault.scans(day: Self.day)
        #expect(scans.map(\.heard.count) == [1_000, 1_000, 1_000, 1_000] + [Int](repeating: 64, count: 36))
        #expect(scans[10].heard.allSatisfy { $0.readings.strongest >= -17 })
        #expect(scans[10].leftOut == 936)
        #expect(vault.findings == [.quotaReached(day: Self.day)])
        // What a quiet scan says goes in whole.
        try vault.append(scan(50))
        #expect(try vault.scans(day: Self.day).last == scan(50))
        // And the next day begins anew.
        let next = ScanRecord(
            start: (Self.day + 1) * 86_400, previousScan: 0, profileRevision: 1, heard: scan(1, senders: 1_000).heard)
        try vault.append(next)
        #expect(try vault.scans(day: Self.day + 1) == [next])
    }

    @Test func whatIsWrittenIsCountedByPurpose() throws {
        let data = SimulatedStorage()
        let vault = try Vault(data, provider: FileKeyProvider(SimulatedStorage()))
        let start = vault.written
        #expect(start.schedule == 8_192)
        #expect(start.dayKeys == 8_192)
        #expect(start.ledgerKeys == 8_192)
        try vault.store(schedule(), time: snapshot())
        #expect(vault.written.schedule == start.schedule + 4_096)
        #expect(vault.written.sightings == 0)
        try vault.append(scan(1))
        #expect(vault.written.dayKeys == start.dayKeys + 4_096)
        let first = vault.written.sightings
        #expect(first == 12 + 28 + 15 + 5 * 23)
        try vault.append(ScanRecord(start: Self.day * 86_400, previousScan: 0, profileRevision: 1, heard: []))
        #expect(vault.written.sightings == first)
        #expect(vault.written.total == data.bytesWritten)
    }

    /// Headers that check and bodies that do not open: the log of another day key under this name.
    @Test func aLogOfAnotherKeyIsNoisyButNotSlow() throws {
        let (device, other) = (try device(), try device())
        let foreign = try other.open()
        for number in 0..<200 as Range<UInt32> { try foreign.append(scan(number, senders: 1_000)) }
        let bytes = try #require(try other.data.read(Self.log, limit: .max))
        device.data.corrupt(Self.log) { $0 = bytes }
        let start = threadTime()
        let vault = try device.open()
        #expect(try vault.scans(day: Self.day).isEmpty)
        #expect(threadTime() - start < .seconds(20))
        #expect(vault.findings == [.damagedRecords(day: Self.day, places: 1)])
        try goesOn(device)
    }
}

/// What this thread has had of a processor: other work on the machine does not count.
private func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
