// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import LabKit
import RandomValues
import Testing
import TimeTrust

@testable import Vault

/// What is written is read again, and nothing that was not written is.
@Suite struct CodingTests {
    private func point(_ generator: inout SeededGenerator) -> TrustedTime.Snapshot.Point {
        TrustedTime.Snapshot.Point(
            source: .random(in: 0...255, using: &generator),
            time: UnixTime(milliseconds: .random(in: .min ... .max, using: &generator)),
            uncertaintyMilliseconds: .random(in: .min ... .max, using: &generator),
            ageMilliseconds: .random(in: .min ... .max, using: &generator))
    }

    private func snapshot(_ generator: inout SeededGenerator) -> TrustedTime.Snapshot {
        TrustedTime.Snapshot(
            bootIdentity: BootIdentity(high: generator.next(), low: generator.next()),
            boot: BootInstant(nanoseconds: .random(in: .min ... .max, using: &generator)),
            signedFloor: Bool.random(using: &generator)
                ? UnixTime(milliseconds: .random(in: .min ... .max, using: &generator)) : nil,
            current: point(&generator), reference: Bool.random(using: &generator) ? point(&generator) : nil,
            isOrderlyStop: .random(using: &generator))
    }

    private func schedule(past: Int, _ generator: inout SeededGenerator) throws -> TEKSchedule {
        func key() throws -> TemporaryExposureKey {
            try #require(
                TemporaryExposureKey(
                    secret: SecretBytes(count: 16, from: &generator),
                    rollingStart: ENIN(.random(in: 0...3_000_000, using: &generator)),
                    rollingPeriod: .random(in: 1...144, using: &generator)))
        }
        return TEKSchedule(
            current: Bool.random(using: &generator) ? try key() : nil,
            lastInterval: Bool.random(using: &generator) ? ENIN(.random(in: 0...3_000_000, using: &generator)) : nil,
            addressSecret: Bool.random(using: &generator) ? SecretBytes(count: 16, from: &generator) : nil,
            past: try (0..<past).map { _ in try key() })
    }

    private func bytes(_ message: SecretBytes) -> [UInt8] { message.withBytes { Array($0) } }

    @Test func keysAndTimeComeBack() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            let schedule = try schedule(past: .random(in: 0...20, using: &generator), &generator)
            let time = Bool.random(using: &generator) ? snapshot(&generator) : nil
            let isEnabled = [nil, false, true].randomElement(using: &generator) ?? nil
            let content = try #require(SlotCoding.decode(SlotCoding.encode(schedule, time, isEnabled: isEnabled)))
            #expect(content.isEnabled == isEnabled)
            #expect(content.schedule == schedule)
            #expect(content.time == time)
            #expect(!content.isTimeDamaged)
        }
    }

    @Test func theFullestScheduleFitsASlot() throws {
        var generator = SeededGenerator(seed: 4)
        let keys = try schedule(past: 400, &generator)
        let full = TEKSchedule(
            current: keys.past[0], lastInterval: ENIN(7), addressSecret: keys.past[1].secret, past: keys.past)
        let message = SlotCoding.encode(full, snapshot(&generator), isEnabled: true)
        #expect(message.count == 4 + 8 + 16 + 151 * 21 + SnapshotCoding.byteCount)
        #expect(message.count <= SlotFile.capacity)
        let vault = try Vault(SimulatedStorage(), provider: FileKeyProvider(SimulatedStorage()))
        try vault.store(full, time: snapshot(&generator))
        #expect(vault.schedule.past.count == 150)
    }

    /// As releases before stored it: no secret for addresses, and a version of its own.
    @Test func aScheduleWithoutAddressSecretIsRead() throws {
        var generator = SeededGenerator(seed: 5)
        let whole = try schedule(past: 5, &generator)
        let bare = TEKSchedule(current: whole.current, lastInterval: whole.lastInterval, past: whole.past)
        let encoded = bytes(ScheduleCoding.encode(bare))
        #expect(ScheduleCoding.decode(SecretBytes(copying: [1] + encoded.dropFirst())) == bare)
        for version in 0...255 where version != 1 && version != 2 {
            #expect(ScheduleCoding.decode(SecretBytes(copying: [UInt8(version)] + encoded.dropFirst())) == nil)
        }
        // It could not have said that there is one.
        let other = [1, encoded[1] | 2] + encoded[2..<8] + [UInt8](repeating: 9, count: 16) + encoded[8...]
        #expect(ScheduleCoding.decode(SecretBytes(copying: other)) == nil)
    }

    /// Whatever happens to the time, the keys are there; whatever happens to the keys, nothing crashes.
    @Test func aTimeThatCannotBeReadCostsItself() throws {
        var generator = SeededGenerator(seed: 6)
        let schedule = try schedule(past: 15, &generator)
        let whole = bytes(SlotCoding.encode(schedule, snapshot(&generator), isEnabled: false))
        let start = whole.count - SnapshotCoding.byteCount
        for end in (start + 1)..<whole.count {
            let content = try #require(SlotCoding.decode(SecretBytes(copying: whole[..<end])))
            #expect(content.schedule == schedule)
            #expect(content.time == nil)
            #expect(content.isTimeDamaged)
        }
        for version in 0...255 where version != 1 {
            var other = whole
            other[start] = UInt8(version)
            let content = try #require(SlotCoding.decode(SecretBytes(copying: other)))
            #expect(content.schedule == schedule)
            #expect(content.isTimeDamaged)
        }
        for end in 0..<start { #expect(SlotCoding.decode(SecretBytes(copying: whole[..<end])) == nil) }
        for version in 0...255 where version != 3 {
            #expect(SlotCoding.decode(SecretBytes(copying: [UInt8(version)] + whole.dropFirst())) == nil)
        }
    }

    /// Version 2 is version 3 without the choice.
    @Test func aSlotOfTheReleaseBeforeWasOn() throws {
        var generator = SeededGenerator(seed: 7)
        let (schedule, time) = (try schedule(past: 4, &generator), snapshot(&generator))
        let now = bytes(SlotCoding.encode(schedule, time, isEnabled: nil))
        let before = try #require(SlotCoding.decode(SecretBytes(copying: [2] + now.dropFirst(2))))
        #expect(before.schedule == schedule)
        #expect(before.time == time)
        #expect(before.isEnabled == true)
        for choice in 0...255 where ![0, 1, 3].contains(choice) {
            #expect(SlotCoding.decode(SecretBytes(copying: [3, UInt8(choice)] + now.dropFirst(2))) == nil)
        }
    }

    /// A reader that took damage for something else would give back what encodes differently.
    @Test func noiseIsRefusedOrMeansWhatItSays() throws {
        var generator = SeededGenerator(seed: 2)
        let seeds = [
            bytes(SlotCoding.encode(try schedule(past: 3, &generator), snapshot(&generator), isEnabled: nil)),
            bytes(ScanCoding.encode(scan(senders: 3, &generator))),
            SnapshotCoding.encode(snapshot(&generator)), [1, 2] + [UInt8](repeating: 7, count: 64),
        ]
        for _ in 0..<20_000 {
            var noise =
                Bool.random(using: &generator)
                ? generator.bytes(.random(in: 0...300, using: &generator))
                : seeds[.random(in: 0..<seeds.count, using: &generator)]
            for _ in 0..<Int.random(in: 0...4, using: &generator) where !noise.isEmpty {
                noise[.random(in: noise.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) {
                noise = Array(noise.prefix(.random(in: 0...noise.count, using: &generator)))
            }
            let message = SecretBytes(copying: noise)
            // Slots and schedules of releases before are read, and written as of this one.
            let isOfThisRelease = noise.first != 2 && noise.dropFirst(4).first != 1
            if isOfThisRelease, let content = SlotCoding.decode(message), !content.isTimeDamaged {
                #expect(
                    bytes(SlotCoding.encode(content.schedule, content.time, isEnabled: content.isEnabled)) == noise)
            }
            if let keys = LedgerKeySlot.decode(message) { #expect(bytes(LedgerKeySlot.encode(keys)) == noise) }
            if let scan = ScanCoding.decode(message) { #expect(bytes(ScanCoding.encode(scan)) == noise) }
            if let time = SnapshotCoding.decode(noise) { #expect(SnapshotCoding.encode(time) == noise) }
            _ = DayKeys(message)
        }
    }

    private func scan(senders: Int, _ generator: inout SeededGenerator) -> ScanRecord {
        ScanRecord(
            start: .random(in: 0 ... .max, using: &generator), previousScan: .random(in: 0 ... .max, using: &generator),
            profileRevision: .random(in: 0 ... .max, using: &generator),
            heard: (0..<senders).map { _ in
                ScanRecord.Heard(
                    payload: AdvertisingPayload(
                        identifier: RollingProximityIdentifier(Block(low: generator.next(), high: 1)),
                        metadata: AssociatedEncryptedMetadata(word: .random(in: 0 ... .max, using: &generator))),
                    offset: .random(in: 0...255, using: &generator),
                    readings: ScanRecord.Readings(
                        (0..<Int.random(in: 1...16, using: &generator)).map { _ in
                            .random(in: -128...127, using: &generator)
                        })
                        ?? ScanRecord.Readings(0))
            }, leftOut: .random(in: 0 ... .max, using: &generator))
    }

    @Test func scansComeBack() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<300 {
            let scan = scan(senders: .random(in: 1...40, using: &generator), &generator)
            let message = ScanCoding.encode(scan)
            #expect(ScanCoding.decode(message) == scan)
            #expect(message.count == ScanCoding.byteCount(scan))
        }
        let fullest = scan(senders: 1_024, &generator)
        #expect(ScanCoding.decode(ScanCoding.encode(fullest)) == fullest)
    }

    @Test func otherVersionsOfARecordAreRefused() {
        var generator = SeededGenerator(seed: 8)
        let whole = bytes(ScanCoding.encode(scan(senders: 2, &generator)))
        for version in 0...255 where version != 2 {
            #expect(ScanCoding.decode(SecretBytes(copying: [UInt8(version)] + whole.dropFirst())) == nil)
        }
    }

    @Test func aRecordKeepsTheLoudestAndCountsTheRest() {
        var generator = SeededGenerator(seed: 9)
        let many = scan(senders: 3_000, &generator)
        #expect(many.heard.count == 1_024)
        #expect(many.leftOut >= 1_976)
        let few = many.loudest(10)
        #expect(few.heard.count == 10)
        let quietest = few.heard.map(\.readings.strongest).min() ?? 127
        #expect(many.heard.filter { !few.heard.contains($0) }.allSatisfy { $0.readings.strongest <= quietest })
    }
}
