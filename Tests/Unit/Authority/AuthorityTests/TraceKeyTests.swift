// SPDX-License-Identifier: Apache-2.0

import AppConfig
import BLS12381
import CivilTime
import CrowdNotifier
import Cryptography
import FoundationEssentials
import Glibc
import JSON
import KeyExport
import PresenceTracing
import RandomValues
import SQLiteFile
import TestKit
import Testing
import Verification

@testable import Authority

/// SwissCovid's trace keys: from the operator's word or a visitor's upload to signed lists, and who may ask for which.
@Suite struct TraceKeyTests {
    private static let now = Scene.start
    private static let hour = Scene.hour
    private static let path = "/v3/traceKeys"

    private static func scene(_ change: (inout AuthoritySettings) -> Void = { _ in }) throws -> Scene {
        try Scene { settings in
            settings.swissCovid = .init()
            settings.swissCovid?.message = "Please have a test made."
            change(&settings)
        }
    }

    static func venue(_ number: UInt8 = 1) throws -> CrowdNotifierVenue {
        try CrowdNotifierVenue(
            name: "Canary", address: "Street 1", start: 0, end: 4_000_000_000, publicKey: [UInt8](repeating: 1, count: 96),
            seed: [UInt8](repeating: number, count: 32), countryData: [])
    }

    /// What a device is told that was there from and until then.
    private static func matches(
        _ list: TraceKeyList, _ venue: CrowdNotifierVenue, _ from: Int64, _ until: Int64
    ) throws -> [CrowdNotifierMatch] {
        let visit = try #require(CrowdNotifierVisit(number: 1, keys: venue.keys, arrival: from, departure: until))
        return IdentityMatcher([visit]).matches(list.keys)
    }

    private static func headers(_ scene: Scene, _ tag: Int64) throws -> [String: String] {
        let lines = String(decoding: try #require(scene.file("\(path)/\(tag).headers"), "\(tag)"), as: UTF8.self)
        return lines.split(separator: "\n").reduce(into: [:]) { headers, line in
            let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
            headers[parts[0]] = parts[1]
        }
    }

    /// A public list, verified as a board does.
    private static func list(_ scene: Scene, _ tag: Int64 = 0, at moment: Int64 = now) throws -> TraceKeyList {
        let token = try #require(headers(scene, tag)["Signature"])
        return try TraceKeyList(
            body: try #require(scene.file("\(path)/\(tag)")), token: Array(token.utf8), trust: scene.trust(at: moment),
            time: moment, wanted: nil)
    }

    private static func next(_ scene: Scene) throws -> Int64 {
        try #require(Int64(headers(scene, 0)["x-key-bundle-tag"] ?? ""))
    }

    private static func entry(
        _ venue: CrowdNotifierVenue, _ from: Int64, _ until: Int64
    ) throws -> UserUpload.Entry {
        try #require(UserUpload.entries(keys: venue.keys, arrival: from * 1_000, departure: until * 1_000).first)
    }

    /// With a secret each key opens its hour of visits that were hidden for it, and random ones look alike. What was public without one is given keys, too; a secret that is gone or was
    /// replaced changes all.
    @Test func withASecretKeysOpenHiddenVisits() throws {
        let scene = try Self.scene { $0.publishing.paddingMultiplier = 3 }
        let (now, hour) = (Self.now, Self.hour)
        #expect(try scene.authority.tracePublicKey() == nil)
        let venue = try Self.venue()
        let warning = VenueWarning(from: now - 3 * hour, until: now - 2 * hour, message: "Stay at home", isUrgent: false)
        #expect(try scene.authority.warnVisitors(of: venue, warning, now: now) == 1)
        try scene.publish(now + hour)
        #expect(try Self.list(scene, at: now + hour).keys.allSatisfy { $0.secretKey == [UInt8](repeating: 0, count: 48) })
        let authority = try scene.authority.makeTraceSecret(now: now)
        #expect(try scene.authority.makeTraceSecret(now: now) == authority)
        #expect(try scene.authority.tracePublicKey() == authority)
        try scene.publish(now + hour + 60)
        let list = try Self.list(scene, at: now + hour + 60)
        #expect(list.count == 3 && Set(list.keys.map(\.secretKey)).count == 3)
        // All are keys of their identities under the public key: random ones do not show.
        for key in list.keys {
            #expect(try IdentityKey(key.secretKey).belongs(to: key.identity, under: authority))
        }
        var random = SeededGenerator(seed: 1)
        let visitor = try MasterPublicKey(secret: .random(using: &random))
        func isTold(_ venue: CrowdNotifierVenue, _ from: Int64, _ list: TraceKeyList, _ key: MasterPublicKey) throws -> Bool
        {
            let visit = try #require(
                try HiddenVisit(
                    HiddenPlace(venue), arrival: from, departure: from + 600, authority: key, visitor: visitor,
                    using: &random))
            return try list.keys.contains { try !HiddenMatcher([.init(number: 1, visit: visit)]).matches($0).isEmpty }
        }
        #expect(try isTold(venue, now - 3 * hour, list, authority))
        #expect(try !isTold(venue, now - 5 * hour, list, authority))
        #expect(try !isTold(Self.venue(2), now - 3 * hour, list, authority))
        // Those who compare identities are told as before.
        #expect(try Self.matches(list, venue, now - 3 * hour, now - 2 * hour).count == 1)
        // The same list is not signed anew without need.
        let token = try Self.headers(scene, 0)["Signature"]
        try scene.publish(now + hour + 120)
        #expect(try Self.headers(scene, 0)["Signature"] == token)
        // Another process has the same key; another secret has others.
        try scene.reopen()
        #expect(try scene.authority.tracePublicKey() == authority)
        // Without the file, as after a database was taken back alone, nothing is published that opens nothing; put back, it goes on.
        let (file, away) = (scene.path + "/trace-secret", scene.path + "/away")
        try FileManager.default.moveItem(atPath: file, toPath: away)
        #expect(throws: AuthorityError.self) { try scene.publish(now + hour + 180) }
        #expect(try Self.list(scene, at: now + hour + 180).keys.map(\.secretKey) == list.keys.map(\.secretKey))
        try FileManager.default.moveItem(atPath: away, toPath: file)
        try scene.publish(now + hour + 180)
        #expect(try Self.headers(scene, 0)["Signature"] == token)
        // Whoever makes another one says so.
        try FileManager.default.removeItem(atPath: file)
        let other = try scene.authority.makeTraceSecret(now: now)
        #expect(other != authority)
        try scene.publish(now + hour + 240)
        let changed = try Self.list(scene, at: now + hour + 240)
        #expect(try !isTold(venue, now - 3 * hour, changed, authority))
        #expect(try isTold(venue, now - 3 * hour, changed, other))
        // A file that others may read is no secret.
        chmod(scene.path + "/trace-secret", 0o644)
        #expect(throws: AuthorityError.self) { try scene.authority.tracePublicKey() }
    }

    @Test func whoWasThereIsToldAndNobodyElse() throws {
        let scene = try Self.scene { $0.publishing.paddingMultiplier = 3 }
        let (now, hour) = (Self.now, Self.hour)
        // Offered from the start, without keys.
        try scene.publish(now)
        #expect(try Self.list(scene).count == 0)
        let venue = try Self.venue()
        let warning = VenueWarning(
            from: now - 3 * hour + 600, until: now - hour, message: "Stay at home", isUrgent: true)
        #expect(try scene.authority.warnVisitors(of: venue, warning, now: now) == 2)
        #expect(try scene.authority.warnVisitors(of: venue, warning, now: now) == 0)
        // Not before the hour is over.
        try scene.publish(now + 60)
        #expect(try Self.list(scene).count == 0)
        try scene.publish(now + hour)
        let list = try Self.list(scene, at: now + hour)
        #expect(list.version == 3 && list.count == 6 && list.implausible == 0)
        #expect(list.keys.allSatisfy { $0.version == 4 && $0.secretKey == [UInt8](repeating: 0, count: 48) })
        #expect(
            list.keys.map(\.identity).elementsEqual(list.keys.map(\.identity).sorted { $0.lexicographicallyPrecedes($1) }))
        let told = try Self.matches(list, venue, now - 2 * hour, now - 2 * hour + 60)
        #expect(told.map(\.data.message) == ["Stay at home"] && told.first?.data.criticality == .high)
        #expect(told.first?.data.start == now - 2 * hour && told.first?.data.end == now - hour)
        #expect(try Self.matches(list, venue, now - 3 * hour, now - 3 * hour + 599).isEmpty)
        #expect(try Self.matches(list, venue, now - 3 * hour, now - 3 * hour + 600).count == 1)
        #expect(try Self.matches(list, venue, now - hour + 1, now).isEmpty)
        #expect(try Self.matches(list, Self.venue(2), now - 2 * hour, now).isEmpty)
        // Nobody sees of which place.
        let counts = try scene.authority.traceKeyCounts()
        #expect(counts.map(\.day) == [now / Scene.day] && counts.map(\.published) == [6] && counts.map(\.waiting) == [0])
        // Withdrawn with the random ones beside them, or two lists would show which were genuine. Others stay.
        let other = VenueWarning(from: now - hour, until: now, message: "")
        #expect(try scene.authority.warnVisitors(of: Self.venue(3), other, now: now + hour) == 1)
        #expect(
            try scene.authority.withdrawWarnings(of: venue, from: now - 3 * hour, until: now - hour, now: now + hour) == 2)
        #expect(
            try scene.authority.withdrawWarnings(of: venue, from: now - 3 * hour, until: now - hour, now: now + hour) == 0)
        try scene.publish(now + hour)
        #expect(try Self.list(scene, at: now + hour).count == 0)
        try scene.publish(now + 2 * hour)
        #expect(try Self.matches(Self.list(scene, at: now + 2 * hour), venue, now - 3 * hour, now).isEmpty)
        #expect(try Self.matches(Self.list(scene, at: now + 2 * hour), Self.venue(3), now - hour, now).count == 1)
        #expect(try Self.list(scene, at: now + 2 * hour).count == 3)
        let audit = try scene.authority.audit()
        #expect(audit.isWhole && audit.events.contains { $0.event == "visitors-warned" })
        #expect(!audit.events.contains { "\($0)".contains("Canary") || "\($0)".contains("Stay at home") })
        // The last second of the 14th day.
        let end = (now / Scene.day + 15) * Scene.day
        try scene.publish(end - 1)
        #expect(try Self.list(scene, at: end - 1).count == 3)
        try scene.publish(end)
        #expect(try Self.list(scene, at: end).count == 0)
    }

    @Test func aTagAsksForWhatCameSince() throws {
        let scene = try Self.scene()
        let (now, hour) = (Self.now, Self.hour)
        func warn(_ number: UInt8, at moment: Int64) throws {
            let warning = VenueWarning(from: now - hour, until: now, message: "", isUrgent: false)
            #expect(try scene.authority.warnVisitors(of: Self.venue(number), warning, now: moment) == 1)
        }
        func numbers(_ tag: Int64, at moment: Int64) throws -> [UInt8] {
            let list = try Self.list(scene, tag, at: moment)
            return try (1...4).filter { try !Self.matches(list, Self.venue($0), now - hour, now).isEmpty }
        }
        try warn(1, at: now)
        try scene.publish(now + hour)
        let first = try Self.next(scene)
        #expect(first == (now + hour) * 1_000)
        #expect(try numbers(0, at: now + hour) == [1] && numbers(first, at: now + hour) == [])
        // The signatures stay while the lists do.
        let before = try Self.headers(scene, 0)
        try scene.publish(now + 2 * hour)
        #expect(try Self.headers(scene, 0) == before && Self.next(scene) == first)
        try warn(2, at: now + 2 * hour)
        try warn(3, at: now + 5 * hour)
        let moment = now + 6 * hour
        try scene.publish(moment)
        let second = try Self.next(scene)
        #expect(second == (now + 6 * hour) * 1_000)
        #expect(try numbers(0, at: moment) == [1, 2, 3] && numbers(second, at: moment) == [])
        #expect(try numbers((now + 2 * hour) * 1_000, at: moment) == [2, 3])
        #expect(try numbers((now + 5 * hour) * 1_000, at: moment) == [3])
        // What comes in the hour that is decided goes into the next.
        try warn(4, at: moment - 1)
        try scene.publish(moment + hour)
        #expect(try numbers(second, at: moment + hour) == [4])
        // After two days all have the same list; the signature is new each day, since it says until when it counts.
        let later = now + 3 * Scene.day
        try scene.publish(later)
        #expect(try numbers(0, at: later) == [1, 2, 3, 4])
        #expect(
            scene.file("\(Self.path)/\(second)") == nil && scene.file("\(Self.path)/\((now + 5 * hour) * 1_000)") == nil)
        #expect(try Self.next(scene) == later / Scene.day * Scene.day * 1_000)
        let token = try #require(ContentToken(Array((Self.headers(scene, 0)["Signature"] ?? "").utf8)))
        #expect(token.issued == later && token.expires == later + 14 * Scene.day)
    }

    /// Whatever a device asks, the list that it is given says that it begins then or before, and has everything since. The list for the newest tag says so of itself, too: given to somebody
    /// who asks for more it is no answer.
    @Test func theSignatureSaysSinceWhenAListIsWhole() throws {
        let scene = try Self.scene()
        let (now, hour) = (Self.now, Self.hour)
        try scene.publish(now)
        #expect(try Self.list(scene).since == 0)
        var numbers: [Int64: UInt8] = [:]
        for (number, hours) in zip([1, 2, 3, 4, 5, 6, 7] as [UInt8], [0, 1, 5, 6, 60, 61, 70] as [Int64]) {
            let warning = VenueWarning(from: now - hour, until: now, message: "", isUrgent: false)
            #expect(try scene.authority.warnVisitors(of: Self.venue(number), warning, now: now + hours * hour) == 1)
            numbers[(now / hour + hours) * hour * 1_000] = number
        }
        let moment = now + 72 * hour
        try scene.publish(moment)
        let names = try FileManager.default.contentsOfDirectory(atPath: scene.folder.publicTree + Self.path)
        let tags = TraceTags(names: names)
        let newest = try Self.next(scene)
        for asked in [0] + stride(from: (now - 2 * hour) * 1_000, through: newest, by: Int64.Stride(hour * 1_000)) {
            let list = try Self.list(scene, try #require(tags.list(since: asked, now: moment)), at: moment)
            #expect(try #require(list.since) <= asked && list.nextTag == newest, "\(asked)")
            for (tag, number) in numbers where tag >= asked {
                #expect(try Self.matches(list, Self.venue(number), now - hour, now).count == 1, "\(asked) \(number)")
            }
        }
        let last = try Self.list(scene, newest, at: moment)
        #expect(last.count == 0 && last.since == (now + 71 * hour) * 1_000)
        // Withdrawn, its hour is none any more.
        #expect(try scene.authority.withdrawWarnings(of: Self.venue(7), from: now - hour, until: now, now: moment) == 1)
        try scene.publish(moment + 60)
        #expect(try Self.list(scene, Self.next(scene), at: moment + 60).since == (now + 62 * hour) * 1_000)
    }

    /// A clock that was ahead has decided hours that are not over. What comes then is public with the hour that it comes in, and nobody misses it.
    @Test func aClockThatWasAheadHoldsNothingBack() throws {
        let scene = try Self.scene()
        let (now, hour) = (Self.now, Self.hour)
        func warn(_ number: UInt8, at moment: Int64) throws {
            let warning = VenueWarning(from: now - hour, until: now, message: "", isUrgent: false)
            #expect(try scene.authority.warnVisitors(of: Self.venue(number), warning, now: moment) == 1)
        }
        func numbers(_ tag: Int64, at moment: Int64) throws -> [UInt8] {
            let names = try FileManager.default.contentsOfDirectory(atPath: scene.folder.publicTree + Self.path)
            let answer = try #require(TraceTags(names: names).list(since: tag, now: moment), "\(tag)")
            let list = try Self.list(scene, answer, at: moment)
            return try (1...4).filter { try !Self.matches(list, Self.venue($0), now - hour, now).isEmpty }
        }
        try warn(1, at: now)
        try scene.publish(now + hour)
        let before = try Self.next(scene)
        // Somebody publishes by a clock that is six hours ahead.
        try scene.publish(now + 7 * hour)
        try warn(2, at: now + hour + 60)
        // Not before the next publication, which is after the hour.
        #expect(try numbers(0, at: now + 7 * hour) == [1])
        try scene.publish(now + 2 * hour)
        #expect(try numbers(0, at: now + 2 * hour) == [1, 2])
        #expect(try numbers(before, at: now + 2 * hour) == [2])
        let during = try Self.next(scene)
        try warn(3, at: now + 2 * hour + 60)
        try scene.publish(now + 3 * hour)
        #expect(try numbers(during, at: now + 3 * hour).contains(3) && numbers(0, at: now + 3 * hour) == [1, 2, 3])
        let again = try Self.next(scene)
        // The clock has caught up.
        try warn(4, at: now + 9 * hour)
        try scene.publish(now + 10 * hour)
        for tag in [during, again] { #expect(try numbers(tag, at: now + 10 * hour).contains(4), "\(tag)") }
        #expect(try numbers(0, at: now + 10 * hour) == [1, 2, 3, 4])
        let after = try Self.next(scene)
        #expect(after == (now + 10 * hour) * 1_000)
        #expect(try numbers(after, at: now + 10 * hour) == [])
    }

    /// As the clock catches up with hours that were decided too early, everything stays public, and comes in with the next publication.
    @Test func nothingVanishesWhileAClockIsCaughtUpWith() throws {
        let scene = try Self.scene()
        let hour = Self.hour
        var moment = Self.now
        var warned: Set<[UInt8]> = []
        func warn(_ number: UInt8) throws {
            let warning = VenueWarning(from: Self.now - hour, until: Self.now, message: "", isUrgent: false)
            #expect(try scene.authority.warnVisitors(of: Self.venue(number), warning, now: moment) == 1)
            warned.insert(try Self.venue(number).keys.identity(start: Self.now - hour))
        }
        var devices: [TraceDevice] = [TraceDevice()]
        try warn(1)
        moment += hour
        try scene.publish(moment)
        // Somebody publishes by a clock that is three hours ahead.
        try scene.publish(moment + 3 * hour)
        for step in 0...14 {
            try scene.publish(moment)
            #expect(try Set(Self.list(scene, at: moment).keys.map(\.identity)) == warned, "\(step)")
            devices.append(TraceDevice())
            for index in devices.indices {
                try devices[index].ask(scene, at: moment)
                #expect(devices[index].known == warned, "\(step): \(index)")
            }
            try warn(UInt8(step + 2))
            moment += hour
        }
    }

    /// Whatever the authority's clock does: what is public stays public, every tag that was handed out is answered with all that
    /// came since, and no package has other bytes than before.
    @Test(arguments: 1...4) func noClockTakesAnythingBack(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let scene = try Self.scene()
        let hour = Self.hour
        var (right, offset) = (Self.now, Int64(0))
        var (warned, seen) = (Set<[UInt8]>(), Set<[UInt8]>())
        var devices = [TraceDevice](repeating: TraceDevice(), count: 5)
        var packages: [String: [UInt8]] = [:]
        func publish(_ clock: Int64, early: Bool = false) throws {
            try scene.publish(clock, early: early)
            let all = try Set(Self.list(scene, at: clock).keys.map(\.identity))
            #expect(all.isSuperset(of: seen) && all.isSubset(of: warned))
            seen = all
            for index in devices.indices where Bool.random(using: &generator) {
                try devices[index].ask(scene, at: clock)
                #expect(devices[index].known == all, "\(index)")
            }
            let folder = "/version/v2/twp/country/DE/hour"
            let names = try FileManager.default.contentsOfDirectory(atPath: scene.folder.publicTree + folder)
            for name in names where Int64(name) != nil {
                let bytes = try #require(scene.file("\(folder)/\(name)"))
                #expect(packages[name].map { $0 == bytes } ?? true, "\(name)")
                packages[name] = bytes
            }
        }
        for step in 1...40 as ClosedRange<UInt8> {
            right += Int64.random(in: 600...5_000, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: offset = Int64.random(in: -4 * hour...8 * hour, using: &generator)
            case 1: offset = 0
            default: break
            }
            let clock = right + offset
            if Bool.random(using: &generator) {
                let warning = VenueWarning(from: Self.now - hour, until: Self.now, message: "", isUrgent: false)
                _ = try scene.authority.warnVisitors(of: Self.venue(step), warning, now: clock)
                warned.insert(try Self.venue(step).keys.identity(start: Self.now - hour))
            }
            if Bool.random(using: &generator) {
                let record = try #require(CheckInRecord(start: Self.now / 600 - 18, period: 6, level: 5))
                let report = try ProtectedReport(
                    record, location: LocationID(payload: [1]), initializationVector: generator.bytes(16))
                _ = try scene.authority.accept(
                    [SubmittedKey(Scene.key(Int(step)))],
                    checkIns: SubmittedCheckIns(plain: [], reports: [report.encoded]), source: "test", now: clock)
            }
            try publish(clock, early: Int.random(in: 0..<8, using: &generator) == 0)
        }
        // The clock stays right: in the end nothing waits.
        for _ in 0..<14 {
            right += hour
            try publish(right)
        }
        for index in devices.indices { try devices[index].ask(scene, at: right) }
        #expect(seen == warned && devices.allSatisfy { $0.known == warned })
        #expect(!warned.isEmpty && packages.values.contains { !$0.isEmpty })
    }

    /// What a device has read, and where it goes on.
    private struct TraceDevice {
        private(set) var known: Set<[UInt8]> = []
        private var tag: Int64 = 0

        mutating func ask(_ scene: Scene, at moment: Int64) throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: scene.folder.publicTree + path)
            let answer = try #require(TraceTags(names: names).list(since: tag, now: moment), "\(tag)")
            known.formUnion(try list(scene, answer, at: moment).keys.map(\.identity))
            tag = try next(scene)
        }
    }

    /// All lists together are bounded; who has a tag of an hour without a list gets all keys, and none of them is missed.
    @Test func onlySoManyKeysAreInListsOfHours() throws {
        let (hour, seconds) = (Self.now / Self.hour, Self.now)
        var counts: [Int64: Int] = [:]
        for ago in 1...48 as ClosedRange<Int64> { counts[hour - ago] = 1_000 }
        let (hours, since) = TraceTags.listed(counts, now: seconds)
        // 1,000 and 2,000 and so on to 12,000.
        #expect(hours == Array((hour - 12)...(hour - 1)) && since == TraceTags.tag(ofHour: hour - 12))
        let (last, second, oldest) = (hour - 1, hour - 2, hour - 47)
        #expect(TraceTags.listed([last: 40_000], now: seconds) == ([last], 0))
        #expect(TraceTags.listed([last: 40_000, second: 1], now: seconds) == ([last], TraceTags.tag(ofHour: last)))
        #expect(TraceTags.listed([oldest: 1, oldest - 1: 1], now: seconds) == ([oldest], TraceTags.tag(ofHour: oldest)))
        #expect(TraceTags.listed([:], now: seconds) == ([], 0))
        let next = TraceTags.tag(ofHour: hour)
        let names = ["0", "0.headers", "since-\(since)", "\(next)"] + hours.map { "\(TraceTags.tag(ofHour: $0))" }
        let tags = TraceTags(names: names)
        for ago in 1...60 as ClosedRange<Int64> {
            let tag = TraceTags.tag(ofHour: hour - ago)
            #expect(tags.list(since: tag, now: seconds) == (ago <= 12 ? tag : 0), "\(ago)")
        }
        #expect(tags.list(since: next, now: seconds) == next && tags.list(since: next + 3_600_000, now: seconds) == nil)
        // Hours without keys after that tag have none to miss.
        let few = TraceTags(names: ["0", "since-0", "\(TraceTags.tag(ofHour: hour - 5))", "\(next)"])
        #expect(few.list(since: TraceTags.tag(ofHour: hour - 40), now: seconds) == TraceTags.tag(ofHour: hour - 5))
        #expect(few.list(since: TraceTags.tag(ofHour: hour - 4), now: seconds) == next)
        // A tree of before says nothing of it.
        let old = TraceTags(names: ["0", "\(TraceTags.tag(ofHour: hour - 5))", "\(next)"])
        #expect(old.list(since: TraceTags.tag(ofHour: hour - 40), now: seconds) == 0)
    }

    /// Neither the text nor the hours show in the length of what is published: the operator's warnings look like uploads.
    @Test func everyMessageHasOneLength() throws {
        let scene = try Self.scene { $0.publishing.paddingMultiplier = 2 }
        let (now, hour) = (Self.now, Self.hour)
        let texts = ["", "x", String(repeating: "ä", count: 100)]
        for (number, text) in texts.enumerated() {
            let warning = VenueWarning(
                from: now - 2 * hour + 60, until: now - hour - 60, message: text, isUrgent: number == 1)
            _ = try scene.authority.warnVisitors(of: Self.venue(UInt8(number + 1)), warning, now: now)
        }
        let entry = try Self.entry(Self.venue(4), now - hour, now - hour + 60)
        #expect(try scene.authority.accept([entry], source: "test", now: now).accepted == 1)
        try scene.publish(now + hour)
        let list = try Self.list(scene, at: now + hour)
        #expect(list.count == 8 && Set(list.keys.map(\.encryptedData.count)) == [256])
        for (number, text) in texts.enumerated() {
            let told = try Self.matches(list, Self.venue(UInt8(number + 1)), now - 2 * hour, now)
            #expect(told.map(\.data.message) == [text] && told.first?.data.criticality == (number == 1 ? .high : .low))
        }
        for count in 0...250 {
            let data = AssociatedData(
                message: String(repeating: "x", count: count), start: now, end: .max >> 30,
                countryData: AssociatedData.countryData(.high))
            for size in [200, 240, 400] {
                let bytes = data.encoded(byteCount: size)
                #expect(bytes.count == size || data.encoded.count >= size - 1 && bytes == data.encoded, "\(count)")
                #expect(AssociatedData(decoding: bytes) == data)
            }
        }
    }

    /// Over the service, with the address that devices use.
    @Test func theServiceAnswersByTheTag() throws {
        let scene = try Self.scene()
        let (now, hour) = (Self.now, Self.hour)
        try Data(scene.settings.json.bytes).write(to: URL(filePath: scene.folder.settingsFile))
        for (number, hours) in [(1, 0), (2, 3)] as [(UInt8, Int64)] {
            let warning = VenueWarning(from: now - hour, until: now, message: "", isUrgent: false)
            _ = try scene.authority.warnVisitors(of: Self.venue(number), warning, now: now + hours * hour)
        }
        try scene.publish(now + 4 * hour)
        let service = try ServiceTests.Service(scene, ["--now", "\(now + 4 * hour)"])
        func count(_ query: String) throws -> Int {
            let answer = try service.get(Self.path + query, ["-H", "Accept: application/x-protobuf"])
            try #require(answer.status == 200, "\(query): \(answer.status)")
            #expect(answer.headers["content-type"] == "application/x-protobuf")
            #expect(answer.headers["cache-control"] == "public,max-age=300")
            #expect(answer.headers["x-key-bundle-tag"] == "\((now + 4 * hour) * 1_000)")
            let token = try #require(answer.headers["signature"])
            return try TraceKeyList(
                body: answer.body, token: Array(token.utf8), trust: scene.trust(), time: now + 4 * hour, wanted: nil
            ).count
        }
        func tag(_ hours: Int64) -> String { "?lastKeyBundleTag=\((now + hours * hour) * 1_000)" }
        #expect(try count("") == 2 && count("?lastKeyBundleTag=0") == 2 && count("?x=1&lastKeyBundleTag=0") == 2)
        #expect(try count(tag(-100)) == 2 && count(tag(-1)) == 2 && count(tag(0)) == 2)
        #expect(try count(tag(1)) == 1 && count(tag(2)) == 1 && count(tag(3)) == 1 && count(tag(4)) == 0)
        for wrong in [
            tag(5), "?lastKeyBundleTag=1", "?lastKeyBundleTag=-3600000", "?lastKeyBundleTag=x", "?lastKeyBundleTag=",
            "?lastKeyBundleTag=99999999999999999999", "?lastKeyBundleTag=0&lastKeyBundleTag=0",
            "?lastKeyBundleTag=\((now + hour) * 1_000 + 1)",
        ] {
            #expect(try service.get(Self.path + wrong).status == 404, "\(wrong)")
        }
        #expect(service.program.stop() == 0)
    }

    @Test func withoutTheSettingThereIsNothing() throws {
        let scene = try Scene()
        let warning = VenueWarning(from: Self.now - 60, until: Self.now, message: "", isUrgent: false)
        #expect(throws: AuthorityError(.traceKeysNotOffered)) {
            try scene.authority.warnVisitors(of: Self.venue(), warning, now: Self.now)
        }
        let hours = [try Self.entry(Self.venue(), Self.now - 60, Self.now)]
        #expect(try scene.authority.accept(hours, source: "test", now: Self.now).filtered == [.notOffered: 1])
        try scene.publish(Self.now + Self.hour)
        #expect(scene.file("\(Self.path)/0") == nil)
        #expect(try AuthoritySettings(parsing: scene.settings.json.bytes).swissCovid == nil)
        let settings = try Self.scene().settings
        #expect(try AuthoritySettings(parsing: settings.json.bytes) == settings)
        for wrong in [
            #"{"swissCovid": null}"#, #"{"swissCovid": {"messages": ""}}"#, #"{"swissCovid": {"codeHost": ""}}"#,
            #"{"swissCovid": {"message": "\#(String(repeating: "x", count: 201))"}}"#,
        ] {
            #expect(throws: AuthorityError(.invalidSettings), "\(wrong)") {
                try AuthoritySettings(parsing: Array(wrong.utf8))
            }
        }
    }

    @Test func whatNoVisitCanMeetIsRefused() throws {
        let scene = try Self.scene()
        let (now, day) = (Self.now, Scene.day)
        let long = String(repeating: "ä", count: 101)
        let times: [(Int64, Int64, String)] = [
            (now, now, ""), (now, now - 1, ""), (now - 8 * day, now - day + 1, ""), (-1, 60, ""), (.min, .max, ""),
            (0, .max, ""), (now, now + day, ""), (now - 15 * day, now - 14 * day, ""), (now - 60, now, long),
        ]
        for (from, until, message) in times {
            #expect(throws: AuthorityError(.invalidVenue), "\(from) \(until)") {
                try scene.authority.warnVisitors(
                    of: Self.venue(), VenueWarning(from: from, until: until, message: message), now: now)
            }
        }
        #expect(throws: AuthorityError(.invalidVenue)) {
            try scene.authority.withdrawWarnings(of: Self.venue(), from: 0, until: .max, now: now)
        }
        #expect(try scene.authority.traceKeyCounts().isEmpty)
        // As many as are kept at most, with the longest message, are what boards read.
        let key = TraceKey(
            identity: [UInt8](repeating: 1, count: 32), secretKey: [UInt8](repeating: 0, count: 48), day: now,
            encryptedData: [UInt8](
                repeating: 0,
                count: HealthAuthority.messageBytes + SecretBox.tagByteCount), nonce: [UInt8](repeating: 0, count: 24))
        let list = TraceKeyList.encoded([TraceKey](repeating: key, count: 40_000))
        #expect(try TraceKeyList(decoding: list, wanted: nil).count == 40_000)
    }

    @Test func whereBoardsWouldReadNoMoreNothingIsTaken() throws {
        let scene = try Self.scene { $0.publishing.paddingMultiplier = 2 }
        let (now, hour) = (Self.now, Self.hour)
        // One real key and its random one fit, and no more.
        try scene.tamper(
            """
            WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 39998) INSERT INTO trace_key \
            SELECT randomblob(32), \(now / hour), randomblob(32), \(now / Scene.day * Scene.day), randomblob(60), randomblob(24), NULL, NULL FROM number
            """)
        func warn(_ from: Int64) throws -> Int {
            try scene.authority.warnVisitors(
                of: Self.venue(), VenueWarning(from: from, until: from + 60, message: ""), now: now)
        }
        #expect(try warn(now - hour) == 1)
        #expect(throws: AuthorityError(.tooManyTraceKeys)) { try warn(now - 2 * hour) }
        #expect(throws: AuthorityError(.tooManyTraceKeys)) {
            try scene.authority.accept(
                [try Self.entry(Self.venue(), now - 3 * hour, now - 3 * hour + 60)], source: "test", now: now)
        }
        #expect(try scene.authority.traceKeyCounts().map(\.waiting) == [40_000])
        try scene.publish(now + hour)
        #expect(try Self.list(scene, at: now + hour).count == 40_000)
    }

    /// Whoever has tokens for uploads fills their part, and the operator still warns.
    @Test func uploadsLeaveRoomForTheOperator() throws {
        let scene = try Self.scene()
        let (now, hour) = (Self.now, Self.hour)
        try scene.tamper(
            """
            WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 29999) INSERT INTO trace_key \
            SELECT randomblob(32), \(now / hour), randomblob(32), \(now / Scene.day * Scene.day), randomblob(60), randomblob(24), NULL, NULL FROM number
            """)
        func upload(_ hours: Int64) throws -> Int {
            try scene.authority.accept(
                [try Self.entry(Self.venue(), now - hours * hour, now - hours * hour + 60)], source: "test", now: now
            ).accepted
        }
        #expect(try upload(3) == 1)
        #expect(throws: AuthorityError(.tooManyTraceKeys)) { try upload(4) }
        // The same again adds nothing, and is not refused.
        #expect(try upload(3) == 0)
        let warning = VenueWarning(from: now - hour, until: now, message: "Somebody sang.")
        #expect(try scene.authority.warnVisitors(of: Self.venue(2), warning, now: now) == 1)
        try scene.publish(now + hour)
        #expect(try Self.matches(Self.list(scene, at: now + hour), Self.venue(2), now - hour, now).count == 1)
        // What uploads may not, they may not after it either.
        #expect(throws: AuthorityError(.tooManyTraceKeys)) { try upload(4) }
        #expect(try scene.authority.traceKeyCounts().map(\.published) == [30_001])
    }

    /// The hours of one upload go off the lists, with the random ones beside them, whether they were public or not; those of others stay, also of the same place and hour.
    @Test func anUploadIsTakenBackByTwoPeople() throws {
        let scene = try Self.scene { $0.publishing.paddingMultiplier = 3 }
        let (now, hour) = (Self.now, Self.hour)
        let venue = try Self.venue()
        let (wrong, right) = (
            try #require(WarningHandle(hexadecimal: String(repeating: "0a", count: 32))),
            try #require(WarningHandle(hexadecimal: String(repeating: "0b", count: 32)))
        )
        let hours = [
            try Self.entry(venue, now - 3 * hour, now - 2 * hour), try Self.entry(venue, now - 30 * hour, now - 29 * hour),
        ]
        for handle in [wrong, right] {
            #expect(try scene.authority.accept(hours, source: "test", warning: handle, now: now).accepted == 2)
        }
        func propose(_ handle: WarningHandle, _ change: WarningChange = .revoked) throws -> WarningProposal {
            try scene.authority.propose(
                change, of: .handles([handle]), by: "anna", reason: "a token of somebody else", now: now + hour)
        }
        func told() throws -> [Int] {
            let list = try Self.list(scene, at: now + 3 * hour)
            return try [(3, 2), (30, 29), (5, 4)].map {
                try Self.matches(list, venue, now - $0.0 * hour, now - $0.1 * hour - 1).count
            }
        }
        try scene.publish(now + hour)
        #expect(try told() == [2, 2, 0])
        let stranger = try #require(WarningHandle(hexadecimal: String(repeating: "0c", count: 32)))
        #expect(throws: AuthorityError(.unknownWarning)) { try propose(stranger) }
        // Nothing of it has a report type. Types are codes here; where they are none, no key is there to change.
        #expect(throws: AuthorityError(.typesAreCodes)) { try propose(wrong, .confirmedTest) }
        let proposal = try propose(wrong)
        #expect(proposal.venueHours == 2 && proposal.published == 0 && proposal.waiting == 0)
        #expect(proposal.firstDay == (now - 30 * hour) / Scene.day && proposal.lastDay == now / Scene.day)
        #expect(WarningProposal(json: proposal.json) == proposal)
        #expect(throws: AuthorityError(.alreadyProposed)) { try propose(wrong) }
        #expect(try scene.authority.openProposals(now: now + hour) == [proposal])
        // One more comes under the same token while somebody thinks about it.
        let more = [try Self.entry(venue, now - 5 * hour, now - 4 * hour)]
        #expect(try scene.authority.accept(more, source: "test", warning: wrong, now: now + hour).accepted == 1)
        try scene.publish(now + 2 * hour)
        #expect(try told() == [2, 2, 1])
        #expect(throws: AuthorityError(.samePerson)) {
            try scene.authority.confirm(proposal.number, by: "anna", now: now + 2 * hour)
        }
        try scene.reopen()
        #expect(try scene.authority.confirm(proposal.number, by: "bert", now: now + 2 * hour).venueHours == 3)
        #expect(try scene.authority.openProposals(now: now + 2 * hour).isEmpty)
        try scene.publish(now + 3 * hour)
        #expect(try told() == [1, 1, 0])
        #expect(try Self.list(scene, at: now + 3 * hour).count == 6)
        // For good: the same upload does not come again, and there is nothing to take back twice.
        #expect(
            try scene.authority.accept(hours, source: "test", warning: wrong, now: now + 3 * hour).filtered == [
                .takenBack: 2
            ])
        #expect(throws: AuthorityError(.warningRevoked)) { try propose(wrong) }
        for table in ["proposed_trace_key", "proposal"] {
            #expect(try scene.authority.database.first("SELECT count(*) FROM \(table)")?.integer == 0)
        }
        let audit = try scene.authority.audit()
        #expect(audit.isWhole)
        #expect(audit.events.last { $0.event == "warning-confirmed" }?.detail["venueHours"]?.int == 3)
        // One that is dropped changes nothing.
        let other = try propose(right)
        try scene.authority.drop(other.number, by: "bert", now: now + 3 * hour)
        try scene.publish(now + 3 * hour + 60)
        #expect(try told() == [1, 1, 0])
    }

    /// Without room for hours at venues the keys of the same submission are taken, and counted; whoever is told that it failed sends it again.
    @Test func keysDoNotWaitForRoomForVenues() throws {
        let scene = try Self.scene()
        let (now, hour) = (Self.now, Self.hour)
        try Data(scene.settings.json.bytes).write(to: URL(filePath: scene.folder.settingsFile))
        try scene.publish(now)
        try scene.tamper(
            """
            WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 40000) INSERT INTO trace_key \
            SELECT randomblob(32), \(now / hour), randomblob(32), \(now / Scene.day * Scene.day), randomblob(60), randomblob(24), NULL, NULL FROM number
            """)
        let service = try ServiceTests.Service(scene, ["--now", "\(now)"])
        let token = try String(contentsOfFile: scene.path + "/admin-token", encoding: .utf8).filter { !$0.isWhitespace }
        let entry = try Self.entry(Self.venue(), now - hour, now - hour + 60)
        let list = """
            {"temporaryExposureKeys": [{"key": "AAAAAAAAAAAAAAAAAAAAAA==", "rollingStartNumber": \((now / Scene.day - 1) * 144), \
            "transmissionRisk": 5}], "venueHours": ["\(Base64.string(entry.encoded))"]}
            """
        func send() throws -> (status: Int, body: String) {
            let answer = try ServiceTests.Service.curl(
                "http://127.0.0.1:\(service.adminPort)/admin/keys",
                ["-H", "Authorization: Bearer \(token)", "-H", "Content-Type: application/json", "-d", list])
            return (answer.status, String(decoding: answer.body, as: UTF8.self))
        }
        let full = try send()
        #expect(full.status == 503 && full.body.contains("tooManyTraceKeys"), "\(full)")
        #expect(try scene.authority.database.first("SELECT count(*) FROM known")?.integer == 1)
        let metrics = try ServiceTests.Service.curl("http://127.0.0.1:\(service.adminPort)/metrics").body
        #expect(String(decoding: metrics, as: UTF8.self).contains(#"vigil_admin_keys_total{outcome="accepted"} 1"#))
        // Waits for the service, which may be publishing.
        try scene.authority.database.run("DELETE FROM trace_key")
        let taken = try send()
        #expect(taken.status == 200 && taken.body.contains(#""accepted":0,"known":1,"refused":{}"#), "\(taken)")
        #expect(taken.body.contains(#""venueHours":{"accepted":1,"known":0,"filtered":{}}"#), "\(taken)")
        #expect(service.program.stop() == 0)
    }

    @Test func hoursOfAnUploadArePublishedOnce() throws {
        let scene = try Self.scene()
        let (now, hour) = (Self.now, Self.hour)
        let venue = try Self.venue()
        let handle = try #require(WarningHandle(hexadecimal: String(repeating: "0a", count: 32)))
        let hours = [
            try Self.entry(venue, now - 3 * hour, now - 3 * hour + 1_800), try Self.entry(venue, now + 1_801, now + 1_860),
            try Self.entry(venue, now - 15 * Scene.day, now - 15 * Scene.day + 60),
        ]
        let report = try scene.authority.accept(hours, source: "test", warning: handle, now: now)
        #expect(report.accepted == 1 && report.filtered == [.inTheFuture: 1, .tooOld: 1])
        #expect(try scene.authority.accept(hours, source: "test", warning: handle, now: now).known == 1)
        // Who has just left: apps add half an hour, in which the place is not aired yet, and cut at the full hour.
        let rest = try Self.entry(venue, now + 1_800, now + 1_860)
        let other = try Self.scene()
        #expect(try other.authority.accept([rest], source: "test", now: now).accepted == 1)
        // Another person at the same time.
        #expect(try scene.authority.accept([hours[0]], source: "test", now: now).accepted == 1)
        try scene.publish(now + hour)
        let told = try Self.matches(Self.list(scene, at: now + hour), venue, now - 3 * hour, now - 2 * hour)
        #expect(told.map(\.data.message) == [String](repeating: "Please have a test made.", count: 2))
        #expect(told.allSatisfy { $0.data.start == now - 3 * hour && $0.data.end == now - 3 * hour + 1_800 })
        // By the door for programs.
        let message = try Self.entry(venue, now, now + 600).encoded
        func body(_ hours: String) -> [UInt8] { Array(#"{"temporaryExposureKeys": [], "venueHours": \#(hours)}"#.utf8) }
        let text = "\"\(Base64.string(message))\""
        #expect(try KeySubmission.venueHours(in: body("[\(text)]")).entries.map(\.encoded) == [message])
        #expect(try KeySubmission.venueHours(in: body("[]")).entries.isEmpty)
        let fake = UserUpload.Entry(
            preID: hours[0].preID, timeKey: hours[0].timeKey, notificationKey: hours[0].notificationKey, start: 0, end: 1,
            isFake: true)
        let endless = UserUpload.Entry(
            preID: hours[0].preID, timeKey: hours[0].timeKey, notificationKey: hours[0].notificationKey, start: 0,
            end: 3_600_001, isFake: false)
        for wrong in [
            "null", "{}", "\"\"", "[null]", "[\"\"]", "[5]", "[\"!\"]", "[\"\(Base64.string(fake.encoded))\"]",
            "[\"\(Base64.string(endless.encoded))\"]",
            "[\((0...1_024).map { _ in text }.joined(separator: ","))]",
        ] {
            #expect(throws: AuthorityError(.unreadableSubmission), "\(wrong.prefix(40))") {
                try KeySubmission.venueHours(in: body(wrong))
            }
        }
    }

    @Test func theCommandsWarnAndWithdraw() throws {
        let scene = try Self.scene()
        try Data(scene.settings.json.bytes).write(to: URL(filePath: scene.folder.settingsFile))
        let code = CrowdNotifierCode.swissCovid.text(try Self.venue())
        func run(_ arguments: String...) throws -> (output: String, status: Int32) {
            let ran = try Program.run(
                Program.authority,
                ["venues", "trace-keys"] + arguments + ["--state", scene.path, "--now", "\(Self.now)"])
            return (ran.output, ran.status)
        }
        let time = ["--from", "2026-11-13T08:10:00Z", "--until", "2026-11-13T09:30:00Z"]
        let added = try run("add", "--code", code, time[0], time[1], time[2], time[3], "--message", "Hello", "--urgent")
        #expect(added.output == "2\n" && added.status == 0)
        #expect(try run("list").output == "2026-11-13: 0 public, 2 waiting\n")
        try scene.publish(Self.now + Self.hour)
        let told = try Self.matches(
            Self.list(scene, at: Self.now + Self.hour), Self.venue(), Self.now - 3_600, Self.now - 3_500)
        #expect(told.map(\.data.message) == ["Hello"] && told.first?.data.criticality == .high)
        #expect(try run("list").output == "2026-11-13: 2 public, 0 waiting\n")
        #expect(try run("remove", "--code", code, time[0], time[1], time[2], time[3]).output == "2\n")
        #expect(try run("remove", "--code", code, time[0], time[1], time[2], time[3]).output == "0\n")
        #expect(try run("add", "--code", "https://example.org?v=4#AA", time[0], time[1], time[2], time[3]).status == 64)
        #expect(try run("add", "--code", code, time[2], time[3], "--from", "yesterday").status == 64)
        #expect(
            try run("add", "--code", code, "--from", "2026-11-13T08:00:00Z", "--until", "2026-11-13T07:00:00Z").status == 1)
        #expect(try run("list").output.isEmpty)
    }

    /// A running program's port, by the name in its first line.
    private static func port(_ name: String, of program: Program) throws -> Int {
        try #require(eventually { program.output.hasSuffix("\n") }, "\(program.errors)")
        let word = program.output.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix(name + "-port=") }
        return try #require(word.flatMap { Int($0.dropFirst(name.utf8.count + 6)) }, "\(program.output)")
    }

    /// The servers as processes, by the machine's clock: from the health office's token to a visitor's match. `apart`, the
    /// submission has nothing but three secrets, and asks the others.
    @Test(arguments: [false, true]) func theWholeWayByTheCommands(apart: Bool) throws {
        let scene = try Self.scene()
        try Data(scene.settings.json.bytes).write(to: URL(filePath: scene.folder.settingsFile))
        let service = try ServiceTests.Service(scene, ["--trust-clock"])
        let tests = try Program(
            Program.authority,
            [
                "tests", "serve", "--state", scene.path, "--verification-port", "0", "--submission-port", "0",
                "--internal-port", "0",
            ])
        var port = try Self.port("submission", of: tests)
        let inside = try Self.port("internal", of: tests)
        let now = Int64(Date().timeIntervalSince1970)
        let onset = UTCDay(number: now / Scene.day - 2).date.isoText
        let issued = try Program.run(
            Program.authority,
            ["tests", "check-in-token", "--state", scene.path, "--onset", onset] + (apart ? ["--new-secret"] : []))
        #expect(issued.status == 0, "\(issued.errors)")
        let token = issued.output.filter { !$0.isWhitespace }
        var alone: Program?
        if apart {
            let secrets = scene.path + "/secrets"
            try FileManager.default.createDirectory(atPath: secrets, withIntermediateDirectories: true)
            for path in ["tests/submission-secret", "tests/check-in-secret", "admin-token"] {
                let name = path.split(separator: "/").last ?? ""
                try FileManager.default.copyItem(atPath: "\(scene.path)/\(path)", toPath: "\(secrets)/\(name)")
            }
            let program = try Program(
                Program.authority,
                [
                    "tests", "serve", "--only", "submission", "--state", "/nonexistent", "--secrets", secrets,
                    "--submission-port", "0", "--verification-url", "http://127.0.0.1:\(inside)", "--publisher-url",
                    "http://127.0.0.1:\(service.adminPort)",
                ])
            port = try Self.port("submission", of: program)
            alone = program
        }
        let venue = try Self.venue()
        // Within one hour.
        let arrival = (now / Self.hour - 2) * Self.hour + 60
        var generator = SeededGenerator(seed: 4)
        let file = scene.path + "/upload"
        func post(_ hours: [UserUpload.Entry], _ token: String) throws -> Int {
            try Data(UserUpload.filled(hours, using: &generator).encoded).write(to: URL(filePath: file))
            return try ServiceTests.Service.curl(
                "http://127.0.0.1:\(port)/v3/userupload",
                [
                    "--data-binary", "@\(file)", "-H", "Content-Type: application/x-protobuf", "-H",
                    "Authorization: Bearer \(token)",
                ]
            ).status
        }
        let hours = UserUpload.entries(keys: venue.keys, arrival: arrival * 1_000, departure: (arrival + 600) * 1_000)
        #expect(try post(hours, "x") == 403 && post([], "x") == 200)
        #expect(try scene.authority.traceKeyCounts().isEmpty)
        // One that went to the wrong person is taken back, once, and before it was used.
        func revoke(_ token: String) throws -> Int32 {
            let line = #"printf '%s\n' "$1" | "$2" tests revoke-check-in-token --state "$3""#
            return try Program.run("/bin/sh", ["-c", line, "sh", token, Program.authority, scene.path]).status
        }
        let wrong = try Program.run(
            Program.authority, ["tests", "check-in-token", "--state", scene.path, "--onset", onset]
        ).output.filter { !$0.isWhitespace }
        #expect(try revoke(wrong) == 0 && revoke(wrong) == 64 && revoke("x") == 64)
        #expect(try post(hours, wrong) == 403)
        #expect(try post(hours, token) == 200 && post(hours, token) == 403)
        #expect(try revoke(token) == 64)
        let published = try Program.run(Program.authority, ["publish", "--state", scene.path, "--early"])
        #expect(published.status == 0, "\(published.errors)")
        let answer = try service.get(Self.path + "?lastKeyBundleTag=0")
        #expect(answer.status == 200)
        let list = try TraceKeyList(
            body: answer.body, token: Array((answer.headers["signature"] ?? "").utf8), trust: scene.trust(at: now),
            time: now,
            wanted: nil)
        let told = try Self.matches(list, venue, arrival, arrival + 60)
        #expect(told.map(\.data.message) == ["Please have a test made."])
        // The office takes it back by the token, also when it is used up.
        let proposed = try Program.run(
            Program.authority,
            [
                "warnings", "propose", "--state", scene.path, "--code", token, "--by", "anna", "--reason", "not theirs",
            ])
        #expect(proposed.status == 0 && proposed.output.contains("1 hours at venues"), "\(proposed)")
        let confirmed = try Program.run(
            Program.authority, ["warnings", "confirm", "--state", scene.path, "--by", "bert", "1"])
        #expect(confirmed.status == 0, "\(confirmed)")
        #expect(try Program.run(Program.authority, ["publish", "--state", scene.path, "--early"]).status == 0)
        #expect(try service.get(Self.path + "?lastKeyBundleTag=0").body == TraceKeyList.encoded([]))
        #expect(
            try Program.run(Program.authority, ["tests", "check-in-token", "--state", scene.path, "--onset", "soon"]).status
                == 64)
        #expect(alone?.stop() ?? 0 == 0)
        #expect(tests.stop() == 0 && service.program.stop() == 0)
    }
}
