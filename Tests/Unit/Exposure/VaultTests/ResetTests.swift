// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import GAEN
import LabKit
import RandomValues
import Testing
import Vault

/// After a factory reset nothing of before can be read, wherever the power went.
@Suite struct ResetTests {
    private struct Device {
        var data = SimulatedStorage()
        var keys = SimulatedStorage()

        func open() throws -> Vault { try Vault(data, provider: FileKeyProvider(keys)) }

        init() throws {
            let vault = try open()
            var generator: any RandomNumberGenerator = SeededGenerator(seed: 1)
            var schedule = TEKSchedule()
            for day in 0..<3 as Range<UInt32> { _ = schedule.next(at: ENIN((19_000 + day) * 144), using: &generator) }
            try vault.store(schedule, time: nil, isEnabled: true)
            for day in 0..<3 as Range<UInt32> {
                try vault.append(
                    ScanRecord(
                        start: (19_000 + day) * 86_400, previousScan: 0, profileRevision: 1,
                        heard: [
                            ScanRecord.Heard(
                                payload: AdvertisingPayload(
                                    identifier: RollingProximityIdentifier(Block(low: 1, high: 2)),
                                    metadata: AssociatedEncryptedMetadata(word: 1)), offset: 0,
                                readings: ScanRecord.Readings(-50))
                        ]))
            }
            _ = try vault.stageLedgerKey()
            for name in ["damaged-tek.slots", "ledger.sqlite", "damaged-ledger.sqlite", "whatever"] {
                try data.write([1, 2, 3], to: name, at: 0)
                try data.sync(name)
            }
            try data.syncFolder()
        }
    }

    private func contains(_ bytes: [UInt8], _ part: ArraySlice<UInt8>) -> Bool {
        guard bytes.count >= part.count else { return false }
        return (0...(bytes.count - part.count)).contains { bytes[$0...].starts(with: part) }
    }

    /// Every operation of the reset and of the opening after it, five ways each of losing what was not synced.
    @Test(arguments: 0..<5)
    func aCutAnywhereEndsInAsNewOrAsBefore(_ way: Int) throws {
        var generator = SeededGenerator(seed: 2)
        var (asBefore, asNew) = (0, 0)
        for operation in 0..<80 {
            var device = try Device()
            let oldKeys = try device.open().ledgerKeys
            let oldSealing = try #require(try device.keys.read("sealing.key", limit: 256))[12..<44]
            let oldData = device.data.copy()
            let power = device.data.power
            // One supply for both, so that the cut falls anywhere in the order of things.
            device.keys = device.keys.afterCut(on: power, using: &generator)
            let vault = try device.open()
            power.operationsUntilCut = operation
            let isCut: Bool
            do {
                try vault.destroy()
                #expect(throws: StorageFailure(.failed)) { try vault.store(vault.schedule, time: nil) }
                _ = try device.open()
                isCut = false
            } catch let failure as StorageFailure where failure.code == .cut {
                isCut = true
            }
            if !isCut, power.operationsUntilCut != nil { power.operationsUntilCut = nil }
            let next = SimulatedPower()
            device.data = device.data.afterCut(on: next, using: &generator)
            device.keys = device.keys.afterCut(on: next, using: &generator)
            let again = try device.open()
            if again.days.count == 3 {
                asBefore += 1
                #expect(again.ledgerKeys == oldKeys && again.isEnabled == true && again.schedule.past.count == 2)
                #expect(isCut && operation < 5, "only before the note of the reset was there")
                continue
            }
            asNew += 1
            #expect(again.schedule == TEKSchedule() && again.isEnabled == nil && again.days.isEmpty)
            #expect(again.ledgerKeys.count == 1 && !oldKeys.contains(again.ledgerKeys[0]))
            #expect(Set(try device.data.names()) == ["tek.slots", "days.keys", "ledger.slots"])
            for bytes in device.keys.allBytes + device.data.allBytes { #expect(!contains(bytes, oldSealing)) }
            // Old contents of flash cells, brought back whole, open with nothing that is left.
            let found = try Vault(oldData, provider: FileKeyProvider(device.keys.copy()))
            #expect(found.schedule == TEKSchedule() && found.days.isEmpty && found.isEnabled == nil)
            #expect(found.ledgerKeys.allSatisfy { !oldKeys.contains($0) })
        }
        #expect(asBefore > 0 && asNew > 40)
    }

    @Test func aResetIsReportedOnce() throws {
        let device = try Device()
        try device.open().destroy()
        #expect(try device.open().findings == [.wasReset])
        #expect(try device.open().findings.isEmpty)
    }

    /// A disk that cannot be written to must not give back what was to be destroyed.
    @Test func aResetThatCannotBeFinishedOpensNothing() throws {
        let device = try Device()
        let vault = try device.open()
        device.keys.isReadOnly = true
        #expect(throws: StorageFailure(.readOnly)) { try vault.destroy() }
        #expect(throws: StorageFailure(.readOnly)) { try device.open() }
        device.keys.isReadOnly = false
        #expect(try device.open().findings == [.wasReset])
    }

    /// The sealing key's folder lies within the data folder by default.
    @Test func aRealFolderIsEmptiedAndItsFoldersAreLeftAlone() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/vigil-reset-\(Unique.name())"
        try FileManager.default.createDirectory(atPath: folder + "/key", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func open() throws -> Vault {
            try Vault(PosixStorage(folder: folder), provider: FileKeyProvider(PosixStorage(folder: folder + "/key")))
        }
        let first = try open()
        let keys = first.ledgerKeys
        try first.destroy()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["key", "reset.pending"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/key").isEmpty)
        let second = try open()
        #expect(second.findings == [.wasReset])
        #expect(second.ledgerKeys != keys)
    }
}
