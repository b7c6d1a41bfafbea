// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import RandomValues
import Testing

@testable import Vault

/// Whoever has the network's time can have a board live through many days, and end many keys. What it has of real days stays.
struct LeapingClockTests {
    private static let first: UInt32 = 20_700

    private func vault(_ medium: MemoryStorage) throws -> Vault {
        try Vault(medium, provider: FileKeyProvider(medium), generator: SeededGenerator(seed: 1))
    }

    private func scan(_ day: UInt32, _ number: UInt32, heard count: Int) -> ScanRecord {
        ScanRecord(
            start: day * 86_400 + number * 300, previousScan: 0, profileRevision: 1,
            heard: (0..<count).map {
                .init(
                    payload: AdvertisingPayload(
                        identifier: RollingProximityIdentifier(Block(low: UInt64(number), high: UInt64($0))),
                        metadata: AssociatedEncryptedMetadata(word: 7)), offset: 1, readings: ScanRecord.Readings(-60))
            })
    }

    @Test func noDayOfAFortnightIsGivenUpForOnesThatLeap() throws {
        let medium = MemoryStorage()
        var vault = try vault(medium)
        let honest = (0..<15).map { Self.first + $0 }
        for day in honest { for number in UInt32(0)..<24 { try vault.append(scan(day, number, heard: 2)) } }
        // Days of the future and of the past, 20 minutes each; after some the board starts again.
        for leap in UInt32(0)..<130 {
            let day = leap.isMultiple(of: 2) ? Self.first + 20 + leap : Self.first - 20 - leap
            for number in UInt32(0)..<4 { try vault.append(scan(day, number, heard: Int(leap % 3))) }
            if leap.isMultiple(of: 50) { vault = try self.vault(medium) }
        }
        #expect(Set(vault.days).isSuperset(of: honest))
        for day in honest { #expect(try vault.scans(day: day).count == 24) }
        #expect(vault.days.count <= 100)
    }

    @Test func noKeyOfAWholeDayIsGivenUpForPieces() throws {
        func key(_ start: UInt32, _ period: UInt32) throws -> TemporaryExposureKey {
            let bytes = withUnsafeBytes(of: (start, period, UInt64(0))) { Array($0) }
            return try #require(
                TemporaryExposureKey(secret: SecretBytes(copying: bytes), rollingStart: ENIN(start), rollingPeriod: period))
        }
        let vault = try vault(MemoryStorage())
        let whole = try (0..<15).map { try key((Self.first + $0) * 144, 144) }
        var past = whole
        for piece in UInt32(0)..<400 {
            past.append(try key((Self.first + 14) * 144 + piece % 130, 1 + piece % 12))
            let schedule = TEKSchedule(current: nil, lastInterval: nil, addressSecret: nil, past: past)
            try vault.store(schedule, time: nil)
            past = vault.schedule.past
        }
        #expect(past.count == 150 && whole.allSatisfy { past.contains($0) })
        // In the order in which they were made.
        #expect(Array(past.prefix(15)) == whole)
    }
}
