// SPDX-License-Identifier: Apache-2.0

import Authority
import Cryptography
import GAEN
import JSON
import KeyExport
import Testing

@Suite struct PublishingTests {
    private let now = Scene.start
    private let today = "2026-11-13"

    @Test func anHourIsPublishedOnceItIsOverAndNeverChanges() throws {
        let scene = try Scene()
        try scene.publish(now)
        #expect(try scene.hours(today) == [])
        #expect(try scene.dates() == [])
        let keys = (0..<30).map { Scene.key($0) }
        _ = try scene.accept(keys, now: now + 60)
        try scene.publish(now + Scene.hour - 1)
        #expect(try scene.hours(today) == [])
        try scene.publish(now + Scene.hour)
        #expect(try scene.hours(today) == [10])
        let path = "\(Scene.dates)/\(today)/hour/10"
        let (published, summary) = try scene.package(path)
        #expect(same(published, keys))
        #expect(published.map(\.data.bytes) == published.map(\.data.bytes).sorted { $0.lexicographicallyPrecedes($1) })
        #expect(
            summary.region == "EUR" && summary.startTimestamp == UInt64(now) && summary.endTimestamp == UInt64(now) + 3_600)
        let bytes = scene.file(path)
        _ = try scene.accept([Scene.key(100)], now: now + Scene.hour)
        try scene.publish(now + 2 * Scene.hour)
        try scene.publish(now + 20 * Scene.hour)
        #expect(scene.file(path) == bytes)
        #expect(try scene.hours(today) == [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23])
    }

    @Test func hoursWithoutKeysAreSignedAndEmpty() throws {
        let scene = try Scene()
        try scene.publish(now)
        try scene.publish(now + 2 * Scene.hour)
        for hour in [10, 11] {
            let (keys, summary) = try scene.package("\(Scene.dates)/\(today)/hour/\(hour)")
            #expect(keys.isEmpty && summary.keyCount == 0)
        }
    }

    @Test func aKeyWaitsTwoHoursAfterItsLastUse() throws {
        let scene = try Scene()
        try scene.publish(now)
        // Ended at 09:50, so nobody counts it any more from 11:50 on: the hour that begins at 12:00.
        var key = Scene.key(0, days: 0)
        key.rollingPeriod = Int32(now / 600 - Int64(key.rollingStart)) - 1
        // Ended exactly at 09:00: 11:00.
        var exact = Scene.key(1, days: 0)
        exact.rollingPeriod = 9 * 6
        _ = try scene.accept([key, exact], now: now)
        try scene.publish(now + 3 * Scene.hour)
        #expect(try scene.package("\(Scene.dates)/\(today)/hour/10").keys.isEmpty)
        #expect(try scene.package("\(Scene.dates)/\(today)/hour/11").keys.map(\.data) == [exact.data])
        #expect(try scene.hours(today) == [10, 11, 12])
        #expect(try scene.package("\(Scene.dates)/\(today)/hour/12").keys.map(\.data) == [key.data])
    }

    @Test func fewKeysWaitForOthers() throws {
        let scene = try Scene(threshold: 10)
        try scene.publish(now)
        _ = try scene.accept((0..<6).map { Scene.key($0) }, now: now)
        try scene.publish(now + Scene.hour)
        #expect(try scene.package("\(Scene.dates)/\(today)/hour/10").keys.isEmpty)
        _ = try scene.accept((6..<10).map { Scene.key($0) }, now: now + Scene.hour)
        try scene.publish(now + 2 * Scene.hour)
        #expect(same(try scene.package("\(Scene.dates)/\(today)/hour/11").keys, (0..<10).map { Scene.key($0) }))
    }

    @Test func keysThatWaitedTooLongArePaddedAlikeInEveryRegion() throws {
        let scene = try Scene(threshold: 50) {
            $0.publishing.holdHours = 3
            $0.publishing.paddingExtra = 20
        }
        try scene.publish(now)
        let keys = (0..<4).map { Scene.key($0) }
        _ = try scene.accept(keys, now: now)
        try scene.publish(now + 5 * Scene.hour)
        for hour in [10, 11, 12, 14] {
            #expect(try scene.package("\(Scene.dates)/\(today)/hour/\(hour)").keys.isEmpty)
        }
        let published = try scene.package("\(Scene.dates)/\(today)/hour/13").keys
        #expect((50...70).contains(published.count))
        let data = Set(published.map(\.data))
        #expect(data.count == published.count && data.isSuperset(of: keys.map(\.data)))
        // Nothing but its data tells a random key from a real one.
        func metadata(_ key: ExportedKey) -> ExportedKey {
            var copy = key.content
            copy.data = .init()
            return copy
        }
        #expect(Set(published.map(metadata)) == Set(keys.map(metadata)))
        let other = try scene.package("/version/v1/diagnosis-keys/country/DE/date/\(today)/hour/13").keys
        #expect(same(other, published))
    }

    @Test func eachRealKeyCanHaveRandomCompanions() throws {
        let scene = try Scene(threshold: 10) { $0.publishing.paddingMultiplier = 5 }
        try scene.publish(now)
        _ = try scene.accept([Scene.key(0), Scene.key(1)], now: now)
        try scene.publish(now + Scene.hour)
        let published = try scene.package("\(Scene.dates)/\(today)/hour/10").keys
        #expect(published.count == 10 && Set(published.map(\.data)).count == 10)
        let other = try scene.package("/version/v1/diagnosis-keys/country/DE/date/\(today)/hour/10").keys
        #expect(same(other, published))
    }

    @Test func regionsHaveTheirOwnKeys() throws {
        let scene = try Scene()
        try scene.publish(now)
        _ = try scene.accept([Scene.key(0)], regions: ["EUR"], now: now)
        _ = try scene.accept([Scene.key(1)], now: now)
        try scene.publish(now + Scene.hour)
        #expect(try scene.list("/version/v1/diagnosis-keys/country") == ["DE", "EUR"])
        #expect(try scene.package("\(Scene.dates)/\(today)/hour/10").keys.count == 2)
        let german = try scene.package("/version/v1/diagnosis-keys/country/DE/date/\(today)/hour/10")
        #expect(german.keys.map(\.data) == [Scene.key(1).data] && german.summary.region == "DE")
    }

    @Test func aDayHasAllOfItsHours() throws {
        let scene = try Scene()
        try scene.publish(now)
        for number in 0..<14 {
            _ = try scene.accept([Scene.key(number)], now: now + Int64(number) * Scene.hour)
            try scene.publish(now + Int64(number + 1) * Scene.hour - 1)
        }
        #expect(try scene.dates() == [])
        try scene.publish(now + 14 * Scene.hour)
        #expect(try scene.dates() == [today])
        let (keys, summary) = try scene.package("\(Scene.dates)/\(today)")
        #expect(same(keys, (0..<14).map { Scene.key($0) }))
        #expect(summary.endTimestamp - summary.startTimestamp == 86_400)
        #expect(try scene.hours("2026-11-14") == [])
        try scene.checkTree()
    }

    @Test func olderDaysAndHoursAreForgotten() throws {
        let scene = try Scene()
        try scene.publish(now)
        _ = try scene.accept([Scene.key(0)], now: now)
        for day in 0..<17 as Range<Int64> { try scene.publish(now + day * Scene.day + 2 * Scene.hour) }
        let dates = try scene.dates()
        #expect(dates.count == 10 && dates.first == "2026-11-19" && dates.last == "2026-11-28")
        #expect(scene.file("\(Scene.dates)/\(today)") == nil)
        #expect(try scene.hours("2026-11-28").count == 24)
        #expect(try scene.hours("2026-11-27") == [])
        // Nothing is left of what is in no list, neither as file nor as key.
        let status = try scene.authority.status(now: now + 17 * Scene.day)
        let packages = try #require(status["regions"]?.array?.first?["packages"]?.array)
        #expect(packages.allSatisfy { ($0["date"]?.string ?? "") >= "2026-11-19" })
        try scene.checkTree()
    }

    @Test func whatAListNamedAnHourAgoIsStillThere() throws {
        let scene = try Scene()
        try scene.publish(now)
        let midnight = now + 14 * Scene.hour
        try scene.publish(midnight + Scene.day - Scene.hour)
        #expect(try scene.hours(today).count == 14)
        try scene.publish(midnight + Scene.day + 600)
        #expect(try scene.hours(today) == [])
        #expect(scene.file("\(Scene.dates)/\(today)/hour/10") != nil)
        try scene.publish(midnight + Scene.day + Scene.hour + 600)
        #expect(scene.file("\(Scene.dates)/\(today)/hour/10") == nil)
    }

    @Test func aLongSilenceLosesNoKey() throws {
        let scene = try Scene()
        try scene.publish(now)
        try scene.publish(now + Scene.hour)
        let keys = (0..<8).map { Scene.key($0) }
        _ = try scene.accept(keys, now: now + Scene.hour)
        // The service was off for five days.
        let later = now + 5 * Scene.day
        try scene.publish(later)
        #expect(try scene.dates() == ["2026-11-13", "2026-11-14", "2026-11-15", "2026-11-16", "2026-11-17"])
        var found: [ExportedKey] = []
        for date in ["2026-11-17", "2026-11-18"] {
            for hour in try scene.hours(date) { found += try scene.package("\(Scene.dates)/\(date)/hour/\(hour)").keys }
        }
        #expect(same(found, keys))
        try scene.checkTree()
    }

    @Test func noPackageIsLargerThanAllowedAndNoKeyIsLost() throws {
        let scene = try Scene { $0.publishing.maximumKeys = 1_000 }
        try scene.publish(now)
        _ = try scene.accept((0..<1_500).map { Scene.key($0) }, now: now)
        for hours in [1, 24, 48] as [Int64] { try scene.publish(now + hours * Scene.hour) }
        #expect(try scene.package("\(Scene.dates)/\(today)").keys.count == 1_000)
        #expect(try scene.package("\(Scene.dates)/2026-11-14").keys.count == 500)
    }

    @Test func aKeyThatGrewTooOldWhileItWaitedIsCountedAndForgotten() throws {
        let scene = try Scene(threshold: 10) { $0.publishing.holdHours = 168 }
        try scene.publish(now)
        _ = try scene.accept([Scene.key(0, days: 14)], now: now)
        try scene.publish(now + 2 * Scene.day)
        let audit = try scene.authority.audit()
        #expect(audit.events.contains { $0.event == "keys-too-old-while-waiting" })
        #expect(try scene.authority.status(now: now + 2 * Scene.day)["regions"]?.array?.first?["waiting"] == 0)
    }

    @Test func batchesAreOfferedWhenAskedFor() throws {
        let scene = try Scene { $0.publishing.isOfferedAsBatches = true }
        try scene.publish(now)
        _ = try scene.accept([Scene.key(0)], now: now)
        try scene.publish(now + Scene.hour)
        _ = try scene.accept([Scene.key(1)], now: now + 2 * Scene.hour)
        try scene.publish(now + 4 * Scene.hour)
        let lines = String(decoding: try #require(scene.file("/ens/EUR/index.txt")), as: UTF8.self).split(separator: "\n")
        #expect(lines == ["ens/EUR/\(now)-\(now + 3600)-00001.zip", "ens/EUR/\(now + 7200)-\(now + 10800)-00001.zip"])
        for (number, line) in lines.enumerated() {
            #expect(try scene.package("/\(line)").keys.map(\.data) == [Scene.key(number).data])
        }
        // They stay when the hours of the other kind are gone.
        try scene.publish(now + 5 * Scene.day)
        #expect(try scene.package("/\(lines[0])").keys.count == 1)
    }

    @Test func theSameKeysGiveTheSameListsAndContents() throws {
        func tree(_ order: [Int]) throws -> ([String: [UInt8]], [[ExportedKey]]) {
            let scene = try Scene()
            try scene.publish(now)
            for number in order { _ = try scene.accept([Scene.key(number)], now: now) }
            try scene.publish(now + Scene.day)
            var lists: [String: [UInt8]] = [:]
            for path in ["/version", "/version/v1/diagnosis-keys/country", Scene.dates, "\(Scene.dates)/\(today)/hour"] {
                lists[path] = scene.file(path) ?? []
            }
            return (lists, [try scene.package("\(Scene.dates)/\(today)").keys])
        }
        let first = try tree([0, 1, 2, 3])
        let second = try tree([3, 1, 0, 2])
        #expect(first.0 == second.0 && first.1 == second.1)
        #expect(first.0.values.allSatisfy { !$0.isEmpty })
    }

    @Test func publishingAgainChangesNothing() throws {
        let scene = try Scene()
        _ = try scene.accept([Scene.key(0)], now: now)
        #expect(try scene.publish(now + Scene.hour).isChanged)
        let generation = try scene.authority.status(now: now)["generation"]
        #expect(try !scene.publish(now + Scene.hour + 30).isChanged)
        #expect(try scene.authority.status(now: now)["generation"] == generation)
    }
}
