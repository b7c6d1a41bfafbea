// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Authority
import Cryptography
import GAEN
import KeyExport
import Testing

@Suite struct EarlyAndRevokedTests {
    private let now = Scene.start
    private let today = "2026-11-13"
    private var path: String { "\(Scene.dates)/\(today)/hour/10" }

    @Test func publishingEarlySkipsEveryWaitButNeverAKeyInUse() throws {
        let scene = try Scene(threshold: 140)
        try scene.publish(now)
        var inUse = Scene.key(1, days: 0)
        inUse.rollingPeriod = 144
        // Ended with the interval under way, as a core ends it.
        var ended = Scene.key(2, days: 0)
        ended.rollingPeriod = Int32((now + 60) / 600 - Int64(ended.rollingStart)) + 1
        _ = try scene.accept([Scene.key(0), inUse, ended], now: now + 60)
        try scene.publish(now + 60, early: true)
        #expect(try scene.hours(today) == [10])
        #expect(same(try scene.package(path).keys, [Scene.key(0), ended]))
    }

    @Test func publishingEarlyLeavesNoHourOut() throws {
        let scene = try Scene { $0.publishing.delaySeconds = 60 }
        try scene.publish(now)
        _ = try scene.accept([Scene.key(0)], now: now)
        // The hour before ended half a minute ago and is not closed yet.
        let later = now + Scene.hour + 30
        _ = try scene.accept([Scene.key(1)], now: later)
        try scene.publish(later, early: true)
        #expect(try scene.hours(today) == [10, 11])
        try scene.publish(now + 3 * Scene.hour + 60)
        #expect(try scene.hours(today) == [10, 11, 12])
        try scene.checkTree()
    }

    @Test func longerOffersDoNotBringBackWhatIsGone() throws {
        let scene = try Scene()
        try scene.publish(now)
        _ = try scene.accept([Scene.key(0)], now: now)
        for day in 0..<5 as Range<Int64> { try scene.publish(now + day * Scene.day + Scene.hour) }
        try scene.reopen { $0.publishing.hourDays = 14 }
        try scene.publish(now + 5 * Scene.day)
        #expect(try scene.hours("2026-11-13") == [])
        #expect(try scene.hours("2026-11-17").count == 24)
        try scene.checkTree()
    }

    @Test func publishingEarlyAgainReplacesAndRevokes() throws {
        let scene = try Scene()
        try scene.publish(now)
        _ = try scene.accept([Scene.key(0)], now: now)
        let first = try scene.publish(now, early: true).packages.first { $0.path == path }
        _ = try scene.accept([Scene.key(1)], now: now)
        let second = try scene.publish(now + 5, early: true).packages.first { $0.path == path }
        #expect(try scene.package(path).keys.count == 2)
        let config = try scene.configuration()
        #expect(config.revokedTags.contains(try #require(first?.tag)))
        #expect(!config.revokedTags.contains(try #require(second?.tag)))
        // The end of the hour changes nothing more, and the next hour goes on.
        _ = try scene.accept([Scene.key(2)], now: now + 60)
        try scene.publish(now + 2 * Scene.hour)
        #expect(try scene.package(path).keys.count == 2)
        #expect(try scene.package("\(Scene.dates)/\(today)/hour/11").keys.count == 1)
    }

    @Test func revokedKeysDisappearFromHourAndDayAndNeverComeBack() throws {
        let scene = try Scene()
        try scene.publish(now)
        _ = try scene.accept([Scene.key(0), Scene.key(1)], now: now)
        try scene.publish(now + Scene.day)
        let day = "\(Scene.dates)/\(today)"
        let before = [path, day].map { scene.file($0) }
        let count = try scene.authority.revoke(
            region: "EUR", date: today, hour: 10, keys: [Scene.key(0).data.bytes], reason: "test", now: now + Scene.day)
        #expect(count == 1)
        let report = try scene.publish(now + Scene.day)
        #expect(report.packages.count == 2)
        for (name, old) in zip([path, day], before) {
            #expect(same(try scene.package(name).keys, [Scene.key(1)]))
            #expect(scene.file(name) != old)
        }
        let config = try scene.configuration()
        for old in before {
            let tag = try #require(old).md5
            #expect(config.revokedTags.contains(tag))
        }
        #expect(try scene.accept([Scene.key(0)], now: now + Scene.day).known == 1)
        // The other region keeps them: its package is another one.
        #expect(try scene.package("/version/v1/diagnosis-keys/country/DE/date/\(today)/hour/10").keys.count == 2)
        try scene.checkTree()
    }

    @Test func revokingADayEmptiesItAndItsHours() throws {
        let scene = try Scene()
        try scene.publish(now)
        _ = try scene.accept([Scene.key(0)], now: now)
        _ = try scene.accept([Scene.key(1)], now: now + Scene.hour)
        try scene.publish(now + Scene.day)
        let count = try scene.authority.revoke(
            region: "EUR", date: today, hour: nil, reason: "test", now: now + Scene.day)
        #expect(count == 2)
        #expect(try scene.publish(now + Scene.day).packages.count == 3)
        #expect(try scene.package("\(Scene.dates)/\(today)").keys.isEmpty)
        #expect(try scene.package("\(Scene.dates)/\(today)/hour/11").keys.isEmpty)
    }

    @Test(arguments: [
        ("XX", "2026-11-13", 10), ("EUR", "2026-11-31", 10), ("EUR", "x", 10), ("EUR", "2026-11-13", 24),
        ("EUR", "2026-11-13", 9),
    ])
    func whatIsNotPublishedCannotBeRevoked(_ region: String, _ date: String, _ hour: Int) throws {
        let scene = try Scene()
        try scene.publish(now)
        try scene.publish(now + Scene.hour)
        #expect(throws: AuthorityError(.unknownPackage)) {
            try scene.authority.revoke(region: region, date: date, hour: hour, reason: "", now: now)
        }
    }

    @Test func theAuditTellsEverythingOnceAndNotices() throws {
        let scene = try Scene()
        try scene.publish(now)
        _ = try scene.accept([Scene.key(0)], now: now)
        try scene.publish(now + Scene.hour)
        try scene.publish(now + Scene.hour)
        let (events, isWhole) = try scene.authority.audit()
        #expect(isWhole)
        #expect(events.filter { $0.event == "package-published" }.count == 2)
        #expect(events.filter { $0.event == "keys-accepted" }.count == 1)
        try scene.tamper("UPDATE audit SET detail = replace(detail, '1', '2') WHERE event = 'keys-accepted'")
        #expect(try !scene.authority.audit().isWhole)
    }
}
