// SPDX-License-Identifier: Apache-2.0

import CivilTime
import CrowdNotifier
import Cryptography
import Testing
import VenuePlan

@testable import VenuePlugin

/// SwissCovid's lists that are rightly signed and answer another question, as every web server and cache can give them.
extension WarningFetcherTests {
    private func hall() throws -> CrowdNotifierVenue {
        try CrowdNotifierVenue(
            name: "Canary", address: "", start: 0, end: 2_000_000_000, publicKey: [UInt8](repeating: 1, count: 96),
            seed: [UInt8](repeating: 2, count: 32), countryData: [])
    }

    private func key(_ start: Int64) throws -> TraceKey {
        let (venue, nonce) = (try hall(), [UInt8](repeating: 4, count: 24))
        return TraceKey(
            identity: venue.keys.identity(start: VisitHours.start(start)), secretKey: [UInt8](repeating: 0, count: 48),
            day: UTCDay(containing: start).start,
            encryptedData: try AssociatedData(message: "Stay at home", start: start, end: start + 1_800).sealed(
                notificationKey: venue.keys.notificationKey, nonce: nonce), nonce: nonce)
    }

    private func visitor(at start: Int64) throws -> VenueStore {
        let (store, venue) = (try open(), try hall())
        try store.change { _ = try $0.diary.checkIn(.swissCovid(venue), at: start) }
        return store
    }

    /// The list for the newest tag has no keys and was signed today. Whoever asks for all and is given it knows nothing, also of what to ask for next.
    @Test func aListThatBeginsLaterIsNotComplete() throws {
        let start = now - 3 * 86_400
        let store = try visitor(at: start)
        let tag = hour * 3_600_000, empty = TraceKeyList.encoded([])
        try servers.putTraceKeys(0, empty, since: tag, tag: tag, signed: now)
        try run(store, [.swissCovid])
        #expect(store.records.downloads.checked == [:] && store.records.downloads.tag == nil)
        #expect(store.records.downloads.problems[.swissCovid]?.contains("begins later") == true)
        #expect(try open().records == store.records)
        // One that has some of it is told, and not complete.
        let second = try key(start)
        try servers.putTraceKeys(0, TraceKeyList.encoded([second]), since: 3_600_000, tag: tag, signed: now)
        try run(store, [.swissCovid])
        #expect(store.records.diary.notices.count == 1)
        #expect(store.records.downloads.checked == [:] && store.records.downloads.tag == nil)
        // The right one. What the web server says of the next tag counts for nothing.
        try servers.putTraceKeys(
            0, TraceKeyList.encoded([second]), since: 0, tag: tag, header: tag + 3_600_000, signed: now)
        try run(store, [.swissCovid])
        #expect(store.records.downloads.checked == [.swissCovid: now] && store.records.downloads.tag == tag)
        #expect(store.records.downloads.problems == [:])
        // Since an hour before what was asked is well, since an hour after it is not.
        let asked = store.records.downloads.firstTag
        for (since, isWhole) in [(asked + 3_600_000, false), (asked - 3_600_000, true), (asked, true)] {
            try servers.putTraceKeys(asked, empty, since: since, tag: tag, signed: now)
            try run(store, [.swissCovid], at: now + 7_200)
            #expect((store.records.downloads.problems == [:]) == isWhole, "\(since)")
            #expect(store.records.downloads.tag == tag)
        }
    }

    /// A tag alone, signed, says nothing of where the list begins.
    @Test func aServerThatStopsSigningIsAskedForAll() throws {
        let store = try visitor(at: now - 3 * 86_400)
        let tag = hour * 3_600_000, empty = TraceKeyList.encoded([])
        try servers.putTraceKeys(0, empty, since: 0, tag: tag, signed: now)
        try run(store, [.swissCovid])
        #expect(store.records.downloads.tag == tag)
        try servers.putTraceKeys(tag - 86_400_000, empty, since: nil, tag: tag, signed: now)
        let moment = now + 7_200
        try run(store, [.swissCovid], at: moment)
        #expect(store.records.downloads.checked == [.swissCovid: now] && store.records.downloads.tag == nil)
        #expect(store.records.downloads.problems[.swissCovid]?.contains("does not say any more") == true)
        try servers.putTraceKeys(0, empty, since: nil, tag: tag, signed: moment)
        try run(store, [.swissCovid], at: moment)
        #expect(store.records.downloads.checked == [.swissCovid: moment] && store.records.downloads.problems == [:])
    }

    /// SwissCovid's own servers sign no beginning: they are asked for all each time, and what a list had, a later one has, too.
    @Test func withoutASignedBeginningAllIsAskedForAndNothingMayGo() throws {
        let start = now - 3 * 86_400
        let store = try visitor(at: start)
        let tag = hour * 3_600_000
        let others = try (1...4).map { try key(start - $0 * 3_600) }
        let old = try key(now - 13 * 86_400)
        func look(_ keys: [TraceKey], at moment: Int64) throws {
            try servers.putTraceKeys(0, TraceKeyList.encoded(keys), since: nil, tag: tag, signed: moment)
            try run(store, [.swissCovid], at: moment)
            #expect(try open().records == store.records)
        }
        try look(others + [old], at: now)
        #expect(store.records.downloads.checked == [.swissCovid: now] && store.records.downloads.tag == nil)
        // The one of 13 days ago may go; none of the others may, whatever came instead.
        try look(others, at: now + 7_200)
        #expect(store.records.downloads.checked[.swissCovid] == now + 7_200)
        let other = try key(now)
        for keys in [[], [other], Array(others.dropLast()) + [other, other]] {
            try look(keys, at: now + 14_400)
            #expect(store.records.downloads.checked[.swissCovid] == now + 7_200)
            #expect(store.records.downloads.problems[.swissCovid]?.contains("that were there before") == true)
        }
        try servers.forgetRequests()
        try look(others + [try key(start), other], at: now + 21_600)
        #expect(store.records.downloads.problems == [:] && store.records.diary.notices.count == 1)
        #expect(servers.requests.allSatisfy { $0.hasSuffix("lastKeyBundleTag=0") } && !servers.requests.isEmpty)
        // Once they are too old to be kept, they need not be there.
        let later = now + 10 * 86_400
        try look([other], at: later)
        #expect(store.records.downloads.checked[.swissCovid] == later && store.records.downloads.problems == [:])
        // Another server owes nothing of that; one that signs the beginning is taken at its word.
        try servers.putTraceKeys(0, TraceKeyList.encoded([]), since: 0, tag: tag, signed: later)
        try run(store, [.swissCovid], at: later + 7_200)
        #expect(store.records.downloads.problems == [:] && store.records.downloads.tag == tag)
        #expect(store.records.downloads.traceKeys == TraceKeyCounts())
    }
}
