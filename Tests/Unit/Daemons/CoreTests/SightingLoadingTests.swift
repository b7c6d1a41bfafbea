// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import GAEN
import LabKit
import Matching
import RandomValues
import Testing
import Vault

/// Judged by what the matcher finds in it.
@Suite struct SightingLoadingTests {
    private static let today: UInt32 = 19_700
    private var generator = SeededGenerator(seed: 1)

    private func vault() throws -> Vault { try Vault(SimulatedStorage(), provider: FileKeyProvider(SimulatedStorage())) }

    private mutating func key(_ day: UInt32) throws -> DiagnosisKey {
        try #require(
            DiagnosisKey(
                data: Block(low: generator.next(), high: UInt64(day)), rollingStart: ENIN(day * 144),
                transmissionRiskLevel: 3, reportType: .confirmedTest, daysSinceOnset: 0))
    }

    /// `key` as it is heard at noon of its day.
    private func heard(_ key: DiagnosisKey, _ readings: [Int8]) throws -> ScanRecord.Heard {
        let keys = try IdentifierKeys(SecretBytes(copying: key.data.bytes))
        let identifier = keys.identifier(for: ENIN(key.rollingStart.number + 72))
        return ScanRecord.Heard(
            payload: AdvertisingPayload(
                identifier: identifier,
                metadata: keys.encrypt(.version11(transmitPower: -10, confidence: .high), with: identifier)),
            offset: 3, readings: try #require(ScanRecord.Readings(readings)))
    }

    private func scan(_ day: UInt32, revision: UInt16 = 1, second: UInt32 = 0, _ heard: [ScanRecord.Heard]) -> ScanRecord {
        ScanRecord(
            start: day * 86_400 + 43_200 + second, previousScan: day * 86_400 + 43_000, profileRevision: revision,
            heard: heard)
    }

    private mutating func noise(_ count: Int, readings: Int = 16, rssi: Int8 = -40) -> [ScanRecord.Heard] {
        (0..<count).map { _ in
            ScanRecord.Heard(
                payload: AdvertisingPayload(
                    identifier: RollingProximityIdentifier(Block(low: generator.next(), high: 0)),
                    metadata: AssociatedEncryptedMetadata(word: 0)), offset: 0,
                readings: ScanRecord.Readings([Int8](repeating: rssi, count: readings)) ?? ScanRecord.Readings(rssi))
        }
    }

    /// A clock that leapt has left more days than can be compared: those of the last fortnight come first, then those of which most is kept.
    @Test mutating func ofTooManyDaysTheFullestAreLoaded() throws {
        let vault = try vault()
        for place in UInt32(0)..<60 {
            let key = try key(Self.today - 40 + place)
            let count = place.isMultiple(of: 2) ? 5 : 1
            for _ in 0..<count { try vault.append(scan(Self.today - 40 + place, revision: 0, [try heard(key, [-60])])) }
        }
        let loader = SightingLoader(vault, now: Self.today * 86_400) { _ in 0 }
        // The oldest of them was the last of the fortnight then.
        #expect(loader.earliest < Self.today * 86_400)
        var loading = loader
        while loading.loadNextDay() {}
        // 15 days, of which 8 are full, and 16 full ones besides.
        #expect(loading.finish().index.count == 8 * 5 + 7 + 16 * 5)
    }

    private func matches(_ loading: SightingLoading, _ keys: [DiagnosisKey]) -> [Match] {
        let matcher = Matcher(index: loading.index, now: ENIN((Self.today + 1) * 144))
        keys.withUnsafeBufferPointer { matcher.add($0) }
        return matcher.finish()
    }

    /// Of all days that are kept: what the present day is, somebody on the network may have said.
    @Test mutating func everyReadingOfTheDaysThatAreKeptIsFound() throws {
        let vault = try vault()
        // Backwards, as after a clock that jumped: the days begin in any order.
        let days = (0...20).map { Self.today - 18 + UInt32($0) }.reversed()
        var keys: [UInt32: DiagnosisKey] = [:]
        for day in days {
            let key = try key(day)
            keys[day] = key
            try vault.append(scan(day, revision: UInt16(day % 2), [try heard(key, [-60, -70, -65])]))
        }
        let loading = SightingLoading(vault, now: Self.today * 86_400 + 80_000) { $0 == 0 ? -5 : 3 }
        #expect(loading.index.count == 21 * 3)
        #expect(loading.shortenedDays.isEmpty && loading.unreadableDays.isEmpty && loading.leftOutCount == 0)
        for day in (Self.today - 13)...Self.today {
            let key = try #require(keys[day])
            let match = try #require(matches(loading, [key]).first)
            let correction: Int8 = day % 2 == 0 ? -5 : 3
            #expect(match.sightings.map(\.rssi) == [-60, -70, -65].map { $0 + correction })
            #expect(match.sightings.allSatisfy { $0.time == day * 86_400 + 43_203 })
            #expect(match.sightings.allSatisfy { $0.previousScan == day * 86_400 + 43_000 })
        }
    }

    @Test mutating func aBusyDayKeepsStrongestAndMean() throws {
        for _ in 0..<30 {
            let vault = try vault()
            let key = try key(Self.today)
            let readings = (0..<Int.random(in: 3...16, using: &generator)).map { _ in
                Int8.random(in: -95 ... -45, using: &generator)
            }
            try vault.append(scan(Self.today, [try heard(key, readings)] + noise(40)))
            let loading = SightingLoading(vault, now: Self.today * 86_400 + 50_000, dailyLimit: 100) { _ in 0 }
            #expect(loading.shortenedDays == [Self.today])
            #expect(loading.leftOutCount == 0)
            #expect(loading.index.count == 82)
            let match = try #require(matches(loading, [key]).first)
            #expect(match.sightings.map(\.rssi).max() == readings.max())
            func mean(_ values: [Int8]) -> Double { Double(values.reduce(0) { $0 + Int($1) }) / Double(values.count) }
            #expect(abs(mean(match.sightings.map(\.rssi)) - mean(readings)) <= 0.25)
        }
    }

    @Test mutating func aFloodCostsTheScansItWasIn() throws {
        let vault = try vault()
        let (before, during) = (try key(Self.today), try key(Self.today))
        try vault.append(scan(Self.today, [try heard(before, [-90])]))
        for second in 1...5 as ClosedRange<UInt32> { try vault.append(scan(Self.today, second: second * 60, noise(1_000))) }
        try vault.append(scan(Self.today, second: 400, [try heard(during, [-90])] + noise(1_000)))
        let loading = SightingLoading(vault, now: Self.today * 86_400 + 50_000, dailyLimit: 1_000) { _ in 0 }
        #expect(loading.index.count <= 1_000)
        #expect(loading.index.count > 950)
        // One reading is one sighting; all others are two.
        #expect(loading.leftOutCount == 6_002 - (loading.index.count + 1) / 2)
        #expect(matches(loading, [before, during]).map(\.key) == [before])
    }

    @Test mutating func aDayThatCannotBeReadCostsItself() throws {
        let data = SimulatedStorage()
        let vault = try Vault(data, provider: FileKeyProvider(SimulatedStorage()))
        for day in (Self.today - 2)...Self.today { try vault.append(scan(day, noise(1, readings: 1))) }
        data.unreadable = ["day-\(Self.today - 1).log"]
        let loading = SightingLoading(vault, now: Self.today * 86_400 + 50_000) { _ in 0 }
        #expect(loading.index.count == 2)
        #expect(loading.unreadableDays == [Self.today - 1])
    }
}
