// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import GAEN
import LabKit
import RandomValues
import Testing
import Vault

@Suite struct VaultTests {
    private func scan(_ start: UInt32, heard: Int = 2, canary: UInt64 = 0x4341_4e41_5259_2121) -> ScanRecord {
        ScanRecord(
            start: start, previousScan: start - 240, profileRevision: 3,
            heard: (0..<heard).map {
                .init(
                    payload: AdvertisingPayload(
                        identifier: RollingProximityIdentifier(Block(low: canary, high: UInt64($0))),
                        metadata: AssociatedEncryptedMetadata(word: 7)), offset: 1,
                    readings: ScanRecord.Readings(-60))
            })
    }

    private func schedule(days: Int = 3, seed: Int = 1) -> TEKSchedule {
        var generator: any RandomNumberGenerator = SeededGenerator(seed: seed)
        var schedule = TEKSchedule()
        for day in 0..<days { _ = schedule.next(at: ENIN(UInt32(18_600 + day) * 144 + 5), using: &generator) }
        return schedule
    }

    /// A share of `vigil-lab prove cuts-of-power`.
    @Test(arguments: 0..<6)
    func nothingCommittedIsLostByCuts(_ trial: Int) {
        var trial = CutTrial(generator: SeededGenerator(seed: trial))
        #expect(trial.run(cuts: 100) == nil)
    }

    @Test func whatIsKeptComesBackFromARealFolder() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/vigil-vault-\(Unique.name())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let schedule = schedule()
        let scans = (0..<50).map { scan(1_700_000_000 + $0 * 300, heard: Int($0) + 1) }
        do {
            let vault = try Vault(PosixStorage(folder: folder), provider: FileKeyProvider(PosixStorage(folder: folder)))
            #expect(vault.findings.isEmpty)
            try vault.store(schedule, time: nil)
            for scan in scans { try vault.append(scan) }
        }
        let vault = try Vault(PosixStorage(folder: folder), provider: FileKeyProvider(PosixStorage(folder: folder)))
        #expect(vault.schedule == schedule)
        #expect(try vault.days.flatMap { try vault.scans(day: $0) } == scans)
        #expect(vault.findings.isEmpty)
    }

    @Test func forgettingDestroysKeyAndFile() throws {
        let data = SimulatedStorage()
        let keys = SimulatedStorage()
        let vault = try Vault(data, provider: FileKeyProvider(keys))
        for day in 0..<5 as Range<UInt32> { try vault.append(scan((19_000 + day) * 86_400)) }
        let before = (data: data.allBytes, key: Array(keys.allBytes[0][12..<44]))
        try vault.forget(before: 19_003)
        #expect(vault.days == [19_003, 19_004])
        #expect(try vault.scans(day: 19_001).isEmpty)
        #expect(try data.names().filter { $0.hasPrefix("day-") }.count == 2)
        // The key that could open yesterday's copy of everything is nowhere any more.
        for bytes in keys.allBytes + data.allBytes { #expect(!contains(bytes, before.key)) }
        // Nothing of the old sealed stores is left in place either.
        for old in before.data where old.count == 8_192 { #expect(!data.allBytes.contains(old)) }
        let again = try Vault(data, provider: FileKeyProvider(keys))
        #expect(again.days == [19_003, 19_004])
        #expect(again.findings.isEmpty)
    }

    private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard bytes.count >= part.count else { return false }
        return (0...(bytes.count - part.count)).contains { bytes[$0...].starts(with: part) }
    }

    @Test func nothingLiesInTheClear() throws {
        let data = SimulatedStorage()
        let vault = try Vault(data, provider: FileKeyProvider(SimulatedStorage()))
        let schedule = schedule()
        try vault.store(schedule, time: nil)
        try vault.append(scan(1_700_000_000))
        let canary = withUnsafeBytes(of: UInt64(0x4341_4e41_5259_2121)) { Array($0) }
        let secrets = schedule.ownKeys(at: ENIN(18_605 * 144)).map { $0.secret.withBytes { Array($0) } }
        #expect(secrets.count == 3)
        for bytes in data.allBytes {
            for part in secrets + [canary] { #expect(!contains(bytes, part)) }
        }
    }

    @Test(arguments: ["tek.slots", "days.keys", "ledger.slots"], [UInt8(0), 0xff, 0x5a])
    func damagedStoresAreSetAsideAndTheBeaconGoesOn(_ store: String, _ noise: UInt8) throws {
        let data = SimulatedStorage()
        let keys = SimulatedStorage()
        let vault = try Vault(data, provider: FileKeyProvider(keys))
        try vault.store(schedule(), time: nil)
        try vault.append(scan(1_700_000_000))
        var generator = SeededGenerator(seed: 2)
        data.corrupt(store) { bytes in
            for index in bytes.indices { bytes[index] = noise == 0x5a ? .random(in: 0...255, using: &generator) : noise }
        }
        let again = try Vault(data, provider: FileKeyProvider(keys))
        #expect(again.findings.contains(.setAside(store: store, as: "damaged-" + store)))
        try again.store(schedule(seed: 2), time: nil)
        try again.append(scan(1_700_000_300))
        let third = try Vault(data, provider: FileKeyProvider(keys))
        #expect(third.findings.isEmpty)
        #expect(third.schedule == again.schedule)
        #expect(try third.scans(day: 1_700_000_000 / 86_400).last == scan(1_700_000_300))
    }

    @Test func oneDamagedSlotCostsOneStoreAtMost() throws {
        let data = SimulatedStorage()
        let keys = SimulatedStorage()
        let vault = try Vault(data, provider: FileKeyProvider(keys))
        let (first, second) = (schedule(days: 1), schedule(days: 2))
        try vault.store(first, time: nil)
        try vault.store(second, time: nil)
        data.corrupt("tek.slots") { $0[5_000] ^= 1 }
        #expect(try Vault(data, provider: FileKeyProvider(keys)).schedule == second)
        data.corrupt("tek.slots") { $0[4_200] ^= 1 }
        #expect([first, second].contains(try Vault(data, provider: FileKeyProvider(keys)).schedule))
    }

    @Test func aDamagedRecordCostsItself() throws {
        let data = SimulatedStorage()
        let keys = SimulatedStorage()
        let vault = try Vault(data, provider: FileKeyProvider(keys))
        let scans = (0..<10).map { scan(1_700_000_000 + $0 * 300) }
        for scan in scans { try vault.append(scan) }
        let day: UInt32 = 1_700_000_000 / 86_400
        data.corrupt("day-\(day).log") { $0[$0.count / 2] ^= 1 }
        let again = try Vault(data, provider: FileKeyProvider(keys))
        let found = try again.scans(day: day)
        #expect(found.count == 9)
        #expect(found.allSatisfy(scans.contains))
        #expect(again.findings == [.damagedRecords(day: day, places: 1)])
        try again.append(scan(1_700_003_000))
        #expect(try again.scans(day: day).count == 10)
    }

    @Test(arguments: 1...60)
    func aTornTailIsCutOff(_ lost: Int) throws {
        let data = SimulatedStorage()
        let keys = SimulatedStorage()
        let vault = try Vault(data, provider: FileKeyProvider(keys))
        for index in 0..<3 as Range<UInt32> { try vault.append(scan(1_700_000_000 + index)) }
        let day: UInt32 = 1_700_000_000 / 86_400
        data.corrupt("day-\(day).log") { $0.removeLast(lost) }
        let again = try Vault(data, provider: FileKeyProvider(keys))
        #expect(try again.scans(day: day).count == 2)
        try again.append(scan(1_700_000_009))
        #expect(try again.scans(day: day).map(\.start) == [1_700_000_000, 1_700_000_001, 1_700_000_009])
        #expect(again.findings == [.tornRecord(day: day)])
    }

    @Test func midnightOnAFullDiskRollsTheKey() throws {
        let data = SimulatedStorage()
        let vault = try Vault(data, provider: FileKeyProvider(SimulatedStorage()))
        try vault.store(schedule(days: 1), time: nil)
        data.capacity = 0
        let next = schedule(days: 2)
        try vault.store(next, time: nil)
        #expect(vault.schedule == next)
        #expect(throws: StorageFailure(.full)) { try vault.append(scan(1_700_000_000)) }
    }

    @Test func aDiskThatCannotBeWrittenToKeepsWhatItHas() throws {
        let data = SimulatedStorage()
        let keys = SimulatedStorage()
        let vault = try Vault(data, provider: FileKeyProvider(keys))
        let schedule = schedule()
        try vault.store(schedule, time: nil)
        data.isReadOnly = true
        #expect(throws: StorageFailure(.readOnly)) { try vault.store(self.schedule(), time: nil) }
        #expect(vault.schedule == schedule)
        #expect(try Vault(data, provider: FileKeyProvider(keys)).schedule == schedule)
    }

    @Test func clocksThatJumpAboutFillNothing() throws {
        let data = SimulatedStorage()
        let vault = try Vault(data, provider: FileKeyProvider(SimulatedStorage()))
        for day in 0..<130 as Range<UInt32> { try vault.append(scan((20_000 + day * 37 % 9_001) * 86_400)) }
        #expect(vault.days.count == 100)
        #expect(try data.names().count == 103)
        #expect(vault.findings.count == 30)
    }

    @Test func aRecordCannotBeMoved() throws {
        let data = SimulatedStorage()
        let keys = SimulatedStorage()
        let vault = try Vault(data, provider: FileKeyProvider(keys))
        for index in 0..<2 as Range<UInt32> { try vault.append(scan(1_700_000_000 + index)) }
        let day: UInt32 = 1_700_000_000 / 86_400
        data.corrupt("day-\(day).log") { bytes in
            let half = bytes.count / 2
            bytes = Array(bytes[half...]) + Array(bytes[..<half])
        }
        #expect(try Vault(data, provider: FileKeyProvider(keys)).scans(day: day).isEmpty)
    }
}
