// SPDX-License-Identifier: Apache-2.0

import BLS12381
import CivilTime
import CrowdNotifier
import Cryptography
import FoundationEssentials
import HTTPClient
import PluginKit
import RandomValues
import Synchronization
import Testing
import VenuePlan

@testable import VenuePlugin

/// Warnings about hidden visits, from a real server and its signatures to the wearer's notices.
@Suite(.serialized) final class HiddenWarningTests {
    private let now: Int64 = 1_614_850_000
    private let folder = FileManager.default.temporaryDirectory.path + "/vigil-hidden-\(Unique.name())"
    private let seal = SecretBytes(copying: [UInt8](repeating: 7, count: 32))
    private let servers: WarningServers
    private let secret: Scalar
    private let keys: VisitDiary.HidingKeys
    private let hour: Int64 = 3_600

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        servers = try WarningServers()
        var random = SeededGenerator(seed: 1)
        secret = .random(using: &random)
        keys = VisitDiary.HidingKeys(
            authority: try MasterPublicKey(secret: secret), wearer: try MasterPublicKey(secret: .random(using: &random)))
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func open() throws -> VenueStore {
        try VenueStore.open(folder: folder, seal: seal)
    }

    private func venue(_ number: Int) throws -> CrowdNotifierVenue {
        try CrowdNotifierVenue(
            name: "Canary \(number)", address: "", start: 0, end: 2_000_000_000,
            publicKey: [UInt8](repeating: 1, count: 96), seed: SHA256.digest(of: Array("\(number)".utf8)), countryData: [])
    }

    private func key(
        _ venue: CrowdNotifierVenue, _ start: Int64, _ end: Int64, by secret: Scalar? = nil, message: String = "x"
    ) throws -> TraceKey {
        let first = VisitHours.start(start)
        let (identity, nonce) = (venue.keys.identity(start: first), [UInt8](repeating: 4, count: 24))
        return TraceKey(
            identity: identity, secretKey: try IdentityKey(identity: identity, secret: secret ?? self.secret).bytes,
            day: UTCDay(containing: first).start,
            encryptedData: try AssociatedData(message: message, start: start, end: end).sealed(
                notificationKey: venue.keys.notificationKey, nonce: nonce), nonce: nonce)
    }

    private func put(_ since: Int64, _ keys: [TraceKey], tag: Int64, by signer: P256.SigningKey? = nil) throws {
        try servers.putTraceKeys(since, TraceKeyList.encoded(keys), since: since, tag: tag, signed: now, by: signer)
    }

    private func run(
        _ store: VenueStore, at moment: Int64? = nil, _ change: (inout WarningFetcher) -> Void = { _ in }
    ) throws {
        var fetcher = try servers.fetcher(store, [.swissCovid])
        fetcher.settings.swissCovidKey = Base64.string(keys.authority.bytes)
        change(&fetcher)
        try fetcher.run(at: moment ?? now)
    }

    private func checkIn(_ store: VenueStore, _ number: Int, at arrival: Int64, until departure: Int64? = nil) throws -> Int
    {
        let (venue, keys) = (try venue(number), keys)
        return try store.change { records in
            var random = SeededGenerator(seed: UInt64(number))
            let visit = try records.diary.checkInHidden(venue, at: arrival, keys: keys, using: &random)
            if let departure { try records.diary.checkOut(visit, at: departure, using: &random) }
            return visit
        }
    }

    @Test func aHiddenVisitIsToldOnceAndByTheAuthorityAlone() throws {
        var random = SeededGenerator(seed: 2)
        let store = try open()
        let start = now - 3 * hour
        let visit = try checkIn(store, 1, at: start, until: start + 600)
        let tag = (now - 60) * 1_000
        let right = try key(venue(1), start, start + 1_800, message: "Stay at home")
        // By a stranger's signature; a key of another master, and none, in a list that is signed rightly.
        try put(0, [right], tag: tag, by: try P256.SigningKey.generate())
        try run(store)
        #expect(store.records.diary.notices.isEmpty && store.records.downloads.problems[.swissCovid] != nil)
        let others = [
            try key(venue(1), start, start + 1_800, by: .random(using: &random)), try key(venue(2), start, start + 1_800),
            TraceKey(
                identity: right.identity, secretKey: [UInt8](repeating: 0, count: 48), day: right.day,
                encryptedData: right.encryptedData, nonce: right.nonce),
        ]
        try put(0, others, tag: tag)
        try run(store)
        #expect(store.records.diary.notices.isEmpty && store.records.downloads.tag == tag)
        try put(tag - 86_400_000, others + [right], tag: tag)
        try run(store)
        #expect(store.records.diary.notices.map(\.content) == [.message("Stay at home")])
        #expect(store.records.diary.notices.map(\.visit) == [visit] && store.records.downloads.problems == [:])
        #expect(try open().records == store.records)
        try run(store)
        #expect(store.records.diary.notices.count == 1)
        // Still hidden: the place is not written down by what was found.
        #expect(store.records.diary.hiddenCount == store.records.diary.visits.count)
    }

    /// A long list is tried in parts. A run that ends early loses nothing, the next goes on, and what was published meanwhile is not missed.
    @Test func aLongListIsTriedInParts() throws {
        let store = try open()
        let start = now - 3 * hour
        for number in 1...6 { _ = try checkIn(store, number, at: start + Int64(number), until: start + 1_200) }
        let warnings = try (1...3).map { try key(venue($0), start, start + 1_800) }
        let tag = (now - 60) / 3_600 * hour * 1_000
        try put(0, warnings, tag: tag)
        func cut(_ fetcher: inout WarningFetcher) { (fetcher.trialsAtOnce, fetcher.hiddenTime) = (0, .zero) }
        // No time at all: nothing is called compared, and the wearer is told so. Parts without a key take none.
        try run(store, cut)
        let done = store.records.downloads.hiddenDone
        #expect(store.records.downloads.tag == nil && store.records.downloads.checked[.swissCovid] == nil)
        #expect(store.records.diary.notices.isEmpty && store.records.downloads.problems[.swissCovid] != nil)
        #expect(done < VenueDownloads.hiddenParts)
        // The power fails; a warning is published that is in a part which is done, or in any other.
        let again = try open()
        #expect(again.records.downloads.hiddenDone == done)
        let later = try (4...6).map { try key(venue($0), start, start + 1_800) }
        try put(0, warnings + later, tag: tag + hour * 1_000)
        try run(again, at: now + 600) { $0.trialsAtOnce = 0 }
        #expect(again.records.downloads.hiddenDone == 0 && again.records.downloads.problems == [:])
        #expect(Set(again.records.diary.notices.map(\.visit)).isSuperset(of: [1, 2, 3]))
        // From the tag of the first part on: what came since is asked for again.
        let kept = try #require(again.records.downloads.tag)
        #expect(kept == (done == 0 ? tag + hour * 1_000 : tag))
        try put(kept - 86_400_000, warnings + later, tag: tag + hour * 1_000)
        try run(again, at: now + 1_200) { $0.trialsAtOnce = 0 }
        #expect(again.records.diary.notices.map(\.visit).sorted() == [1, 2, 3, 4, 5, 6])
        try put(tag + hour * 1_000 - 86_400_000, warnings + later, tag: tag + hour * 1_000)
        try run(again, at: now + 1_800)
        #expect(again.records.diary.notices.count == 6 && again.records.downloads.tag == tag + hour * 1_000)
    }

    /// A look that finds nothing writes blocks, and not each time a file that has room for all hidden visits.
    @Test func aLookThatFindsNothingWritesLittle() throws {
        let store = try VenueStore.open(folder: folder, seal: seal, hides: true)
        for number in 1...3 { _ = try checkIn(store, number, at: now - 3 * hour, until: now - 2 * hour) }
        try put(0, [], tag: (now - 60) * 1_000)
        try run(store)
        #expect(store.records.downloads.problems == [:] && store.records.downloads.checked[.swissCovid] == now)
        let before = store.writtenByteCount
        try put((now - 60) * 1_000 - 86_400_000, [], tag: (now - 30) * 1_000)
        try run(store, at: now + 7_200)
        #expect(store.records.downloads.checked[.swissCovid] == now + 7_200)
        let written = store.writtenByteCount - before
        #expect(written > 0 && written <= 5 * 4_096 + VenueStore.hidingSlotBytes)
        #expect(try open().records == store.records)
    }

    /// What a look has found before it broke off is told at once, and once.
    @Test func aWarningFoundBeforeALookBrokeOffIsTold() throws {
        let store = try open()
        let start = now - 3 * hour
        let visits = try (1...2).map { try checkIn(store, $0, at: start + Int64($0), until: start + 1_200) }
        // Both in one part: the key of the first comes before the break.
        let (first, second) = (try key(venue(1), start, start + 1_800), try key(venue(2), start, start + 1_800))
        func part(_ key: TraceKey) -> Int { Int(key.identity[0]) * VenueDownloads.hiddenParts / 256 }
        let keys = part(first) <= part(second) ? [first, second] : [second, first]
        let told = part(first) <= part(second) ? visits : Array(visits.reversed())
        let tag = (now - 60) / 3_600 * hour * 1_000
        try put(0, keys, tag: tag)
        let asked = Mutex(0)
        let begin = ContinuousClock.now
        try run(store) { fetcher in
            fetcher.trialsAtOnce = 0
            fetcher.hiddenTime = .seconds(1)
            // At the beginning, before the first key, and then it is late.
            fetcher.moment = {
                asked.withLock { asked in
                    asked += 1
                    return asked <= 2 ? begin : begin + .seconds(2)
                }
            }
        }
        #expect(store.records.diary.notices.map(\.visit) == [told[0]])
        #expect(store.records.downloads.problems[.swissCovid] != nil && store.records.downloads.checked[.swissCovid] == nil)
        #expect(try open().records == store.records)
        try run(store, at: now + 600) { $0.trialsAtOnce = 0 }
        #expect(store.records.diary.notices.map(\.visit) == told && store.records.downloads.problems == [:])
    }

    /// What is told does not depend on the mode: random visits and warnings, by identity and hidden.
    @Test(arguments: 1...6) func bothModesTellTheSame(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let store = try open()
        var clear = VisitDiary()
        var venues: [CrowdNotifierVenue] = []
        for number in 0..<5 { venues.append(try venue(number)) }
        for _ in 0..<6 {
            let start = now - Int64.random(in: 0...(10 * 86_400), using: &random)
            let place = venues[Int.random(in: 0..<5, using: &random)]
            let visit = try clear.checkIn(.swissCovid(place), at: start)
            try clear.checkOut(visit, at: min(now, start + Int64.random(in: 0...(3 * hour), using: &random)))
        }
        var warnings: [TraceKey] = []
        for _ in 0..<25 {
            let visit = clear.visits[Int.random(in: 0..<6, using: &random)]
            guard case .swissCovid(let payload) = visit.place else { continue }
            let start = visit.arrival + Int64.random(in: -hour...hour, using: &random)
            let end = min(VisitHours.start(start) + hour, start + Int64.random(in: 0...hour, using: &random))
            warnings.append(try key(CrowdNotifierVenue(payload: payload), start, end))
        }
        let told = Set(IdentityMatcher(clear.crowdNotifierVisits(at: now)).matches(warnings).map(\.visit))
        let diary = clear
        // As the plugin does it: what is in the clear is hidden by the run itself.
        try store.change { records in
            records.diary = diary
            records.hiding = try VisitHiding(secret: SecretBytes(copying: Array("a long secret".utf8)), using: &random)
        }
        try put(0, warnings, tag: (now - 60) * 1_000)
        try run(store)
        #expect(store.records.diary.hiddenCount == store.records.diary.visits.count)
        #expect(Set(store.records.diary.notices.map(\.visit)) == told, "seed \(seed)")
        #expect(store.records.diary.notices.count == told.count)
    }
}
