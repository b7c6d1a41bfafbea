// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import GAEN
import RandomValues
import Testing
import TimeTrust
import Vault

/// What an earlier release left is all there after the update. The values are those of `Tests/Vectors/store-0.2.0/README.md`.
@Suite struct ReleaseTests {
    private static let today: UInt32 = 19_700

    private func key(_ day: UInt32) throws -> TemporaryExposureKey {
        try #require(
            TemporaryExposureKey(
                secret: SecretBytes(copying: [UInt8](repeating: UInt8(day % 100), count: 16)),
                rollingStart: ENIN(day * 144), rollingPeriod: 144))
    }

    private func scan(day: UInt32, number: UInt32) throws -> ScanRecord {
        let start = day * 86_400 + number * 250
        return ScanRecord(
            start: start, previousScan: start - 250, profileRevision: 7,
            heard: try (0...number).map { sender in
                ScanRecord.Heard(
                    payload: AdvertisingPayload(
                        identifier: RollingProximityIdentifier(Block(low: UInt64(start), high: UInt64(sender))),
                        metadata: AssociatedEncryptedMetadata(word: 0x0102_0304 + sender)),
                    offset: UInt8(sender), readings: try #require(ScanRecord.Readings([-60, -61, -62 - Int8(sender)])))
            }, leftOut: UInt16(number))
    }

    private var time: TrustedTime.Snapshot {
        let start = Int64(Self.today) * 86_400
        let point = TrustedTime.Snapshot.Point(
            source: 4, time: UnixTime(seconds: start + 3_600), uncertaintyMilliseconds: 1_500, ageMilliseconds: 20)
        return TrustedTime.Snapshot(
            bootIdentity: BootIdentity(high: 0x1122_3344_5566_7788, low: 0x99AA_BBCC_DDEE_FF00),
            boot: BootInstant(nanoseconds: 123_456_789), signedFloor: UnixTime(seconds: start), current: point,
            reference: point, isOrderlyStop: true)
    }

    @Test func aStoreOfRelease020IsKept() throws {
        var components = #filePath.split(separator: "/").dropLast(4).map(String.init)
        components += ["Vectors", "store-0.2.0"]
        let fixture = "/" + components.joined(separator: "/")
        let folder = FileManager.default.temporaryDirectory.path + "/vigil-update-\(Unique.name())"
        try FileManager.default.copyItem(atPath: fixture, toPath: folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func open() throws -> Vault {
            try Vault(
                PosixStorage(folder: folder + "/data"),
                provider: FileKeyProvider(PosixStorage(folder: folder + "/keys")))
        }
        let schedule = TEKSchedule(
            current: try key(Self.today), lastInterval: ENIN(Self.today * 144 + 6),
            past: try ((Self.today - 5)..<Self.today).map(key))
        // At the update, after one start of the new release, and after it has stored in its own format.
        for turn in 0..<3 {
            let vault = try open()
            #expect(vault.findings.isEmpty)
            #expect(vault.schedule == schedule)
            #expect(vault.timeSnapshot == time)
            #expect(vault.isEnabled == true)
            #expect(vault.areLedgerKeysStored)
            #expect(vault.days == [Self.today - 1, Self.today])
            for day in vault.days {
                #expect(try vault.scans(day: day) == (0..<3).map { try scan(day: day, number: $0) })
            }
            if turn == 1 { try vault.store(vault.schedule, time: vault.timeSnapshot) }
        }
        let vault = try open()
        try vault.store(vault.schedule, time: vault.timeSnapshot, isEnabled: false)
        #expect(try open().isEnabled == false)
        try open().forget(before: Self.today)
        #expect(try open().days == [Self.today])
        #expect(try open().isEnabled == false)
    }
}
