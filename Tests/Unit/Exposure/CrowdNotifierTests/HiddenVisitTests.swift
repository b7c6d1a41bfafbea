// SPDX-License-Identifier: Apache-2.0

import BLS12381
import Cryptography
import RandomValues
import Testing

@testable import CrowdNotifier

/// The privacy mode: what is stored, what opens it, and what does not.
@Suite struct HiddenVisitTests {
    private let authority: Scalar
    private let visitor: Scalar
    private let venue: CrowdNotifierVenue
    private let noon = Samples.midnight + 12 * 3_600

    init() throws {
        var random = SeededGenerator(seed: 1)
        authority = .random(using: &random)
        visitor = .random(using: &random)
        venue = try Samples.venue()
    }

    private func hidden(
        _ venue: CrowdNotifierVenue, _ arrival: Int64, _ departure: Int64, seed: UInt64 = 2, by authority: Scalar? = nil
    ) throws -> HiddenVisit {
        var random = SeededGenerator(seed: seed)
        return try #require(
            try HiddenVisit(
                HiddenPlace(venue), arrival: arrival, departure: departure,
                authority: MasterPublicKey(secret: authority ?? self.authority), visitor: MasterPublicKey(secret: visitor),
                using: &random))
    }

    private func key(
        _ venue: CrowdNotifierVenue, hour: Int64, start: Int64, end: Int64, day: Int64? = nil, by secret: Scalar? = nil
    ) throws -> TraceKey {
        let identity = venue.keys.identity(start: hour)
        let nonce = [UInt8](repeating: 7, count: 24)
        return TraceKey(
            identity: identity, secretKey: try IdentityKey(identity: identity, secret: secret ?? authority).bytes,
            day: day ?? hour - hour % 86_400,
            encryptedData: try AssociatedData(message: "Bitte testen", start: start, end: end).sealed(
                notificationKey: venue.keys.notificationKey, nonce: nonce), nonce: nonce)
    }

    private func matcher(_ visits: HiddenVisit..., openUntil: Int64? = nil) -> HiddenMatcher {
        HiddenMatcher(visits.enumerated().map { .init(number: $0 + 1, visit: $1, openUntil: openUntil) })
    }

    /// The same moments as by identity: the warning is about 12:10 to 12:20.
    @Test func momentsInCommon() throws {
        let warning = try key(venue, hour: noon, start: noon + 600, end: noon + 1_200)
        let table: [(Int64, Int64, Bool)] = [
            (0, 599, false), (0, 600, true), (700, 800, true), (1_200, 1_300, true), (1_201, 1_300, false),
            (-7_200, 7_200, true), (600, 600, true), (-600, 599, false),
        ]
        for (arrival, departure, expected) in table {
            let visit = try hidden(venue, noon + arrival, noon + departure)
            let byIdentity = IdentityMatcher([
                try #require(
                    CrowdNotifierVisit(number: 1, keys: venue.keys, arrival: noon + arrival, departure: noon + departure))
            ])
            let matches = try matcher(visit).matches(warning)
            #expect(matches.count == (expected ? 1 : 0), "\(arrival) \(departure)")
            #expect(matches == byIdentity.matches([warning]), "\(arrival) \(departure)")
            // One that is open ends when it is said, and not when it would end by itself.
            let long = try hidden(venue, noon + arrival, noon + arrival + HiddenVisit.longestSeconds)
            #expect(try matcher(long, openUntil: noon + departure).matches(warning).count == (expected ? 1 : 0))
        }
    }

    @Test func nothingElseOpensAnHour() throws {
        var random = SeededGenerator(seed: 3)
        let visit = try hidden(venue, noon, noon + 60)
        let matcher = matcher(visit)
        func count(_ key: TraceKey) throws -> Int { try matcher.matches(key).count }
        func right(_ day: Int64? = nil, by secret: Scalar? = nil, hour: Int64? = nil) throws -> TraceKey {
            try key(venue, hour: hour ?? noon, start: noon, end: noon + 60, day: day, by: secret)
        }
        #expect(try count(right()) == 1)
        #expect(try count(right(by: .random(using: &random))) == 0)
        #expect(try count(right(hour: noon + 3_600)) == 0)
        #expect(try count(right(Samples.midnight + 86_400)) == 0)
        #expect(try count(key(Samples.venue(name: "Other"), hour: noon, start: noon, end: noon + 60)) == 0)
        let good = try right()
        // No key, another length, a point outside of the curve, another nonce: no match, and no trap.
        let faults: [[UInt8]] = [
            [UInt8](repeating: 0, count: 48), [], [UInt8](repeating: 0xFF, count: 48), Array(good.secretKey.dropLast()),
            good.secretKey + [0],
        ]
        for secretKey in faults {
            let wrong = TraceKey(
                identity: good.identity, secretKey: secretKey, day: good.day, encryptedData: good.encryptedData,
                nonce: good.nonce)
            #expect(try count(wrong) == 0)
        }
        // The key of another identity under this one's name.
        let other = try right(hour: noon + 3_600)
        #expect(
            try count(
                TraceKey(
                    identity: good.identity, secretKey: other.secretKey, day: good.day, encryptedData: good.encryptedData,
                    nonce: good.nonce)) == 0)
        // Text for another venue.
        #expect(
            try count(
                TraceKey(
                    identity: good.identity, secretKey: good.secretKey, day: good.day,
                    encryptedData: good.encryptedData.map { $0 ^ 1 }, nonce: good.nonce)) == 0)
    }

    @Test func hoursAreTriedOnTheirOwnDay() throws {
        let late = Samples.midnight + 86_400
        let visit = try hidden(venue, late - 1_800, late + 1_800)
        #expect(visit.hours.map(\.day) == [Samples.midnight, late])
        #expect(matcher(visit).days == [Samples.midnight, late] && matcher(visit).trialCount(day: late) == 1)
        let warning = try key(venue, hour: late, start: late, end: late + 600)
        #expect(try matcher(visit).matches(warning).map(\.hour) == [late])
    }

    @Test func anEndedVisitKeepsTheHoursUntilThen() throws {
        var random = SeededGenerator(seed: 4)
        var visit = try hidden(venue, noon + 60, noon + 60 + HiddenVisit.longestSeconds)
        #expect(visit.hours.count == 13)
        let (all, before) = (visit.hours, visit.end)
        try visit.finish(at: noon + 3_600 + 300, arrival: noon + 60, using: &random)
        #expect(Set(visit.hours) == Set(all.prefix(2)) && visit.end != before && visit.end.count == before.count)
        #expect(
            try matcher(visit).matches(key(venue, hour: noon + 3_600, start: noon + 3_600, end: noon + 3_700)).count == 1)
        #expect(try matcher(visit).matches(key(venue, hour: noon + 3_600, start: noon + 3_901, end: noon + 4_000)).isEmpty)
        #expect(try matcher(visit).matches(key(venue, hour: noon + 7_200, start: noon + 7_200, end: noon + 7_300)).isEmpty)
        let read = try #require(try HiddenReader(secret: visitor)?.read(visit))
        #expect(read.departure == noon + 3_900 && read.content.arrival == noon + 60)
    }

    @Test func theVisitorReadsAndNobodyElse() throws {
        var random = SeededGenerator(seed: 5)
        let long = try Samples.venue(
            name: String(repeating: "Ä", count: 100), address: String(repeating: "🙂", count: 100))
        for venue in [venue, long, try Samples.venue(name: "", address: "")] {
            let visit = try hidden(venue, noon, noon + 60)
            let read = try #require(try HiddenReader(secret: visitor)?.read(visit))
            #expect(venue.name.hasPrefix(read.content.place.name) && venue.address.hasPrefix(read.content.place.address))
            #expect(read.content.place.name.unicodeScalars.count >= min(60, venue.name.unicodeScalars.count))
            #expect(read.content.place.keys.identity(start: noon) == venue.keys.identity(start: noon))
            #expect(read.content.place.keys.preID == venue.keys.preID)
            #expect(try HiddenReader(secret: .random(using: &random))?.read(visit) == nil)
            #expect(try HiddenReader(secret: authority)?.read(visit) == nil)
        }
    }

    /// What is stored has the same form for all venues, and other bytes each time.
    @Test func allVenuesLookAlike() throws {
        let venues = [
            venue, try Samples.venue(name: "", address: "", countryData: []),
            try Samples.venue(name: String(repeating: "🙂", count: 100), address: String(repeating: "x", count: 100)),
        ]
        let visits = try venues.enumerated().map { try hidden($1, noon, noon + 7_200, seed: UInt64($0)) }
        for visit in visits {
            #expect(visit.key.count == 96 && visit.entry.count == HiddenVisit.entryByteCount)
            #expect(visit.end.count == HiddenVisit.endByteCount && visit.hours.count == 3)
            #expect(visit.hours.allSatisfy { $0.sealed.count == HiddenVisit.Hour.byteCount })
        }
        #expect(try hidden(venue, noon, noon) != hidden(venue, noon, noon, seed: 9))
        #expect("\(visits[0])" == "HiddenVisit")
        var text = ""
        dump(visits[0], to: &text)
        #expect(!text.contains("hours"))
    }

    @Test func timesThatCannotBeHiddenAreRefused() throws {
        var random = SeededGenerator(seed: 6)
        let (key, wearer) = (try MasterPublicKey(secret: authority), try MasterPublicKey(secret: visitor))
        let limit = Int64(HiddenVisit.maximumHours) * 3_600
        for (arrival, departure) in [(-1, 5), (noon, noon - 1), (noon, noon + limit), (noon, .max)] as [(Int64, Int64)] {
            let visit = try HiddenVisit(
                HiddenPlace(venue), arrival: arrival, departure: departure, authority: key, visitor: wearer, using: &random)
            #expect(visit == nil)
        }
    }

    /// A disk that changed: any part may be any bytes of the right length.
    @Test func damagedPartsMatchNothing() throws {
        let visit = try hidden(venue, noon, noon + 60)
        let warning = try key(venue, hour: noon, start: noon, end: noon + 60)
        var random = SeededGenerator(seed: 7)
        for index in stride(from: 0, to: HiddenVisit.Hour.byteCount, by: 9) {
            var sealed = visit.hours[0].sealed
            sealed[index] ^= UInt8.random(in: 1...255, using: &random)
            let hour = try #require(HiddenVisit.Hour(day: Samples.midnight, sealed: sealed))
            let damaged = try #require(HiddenVisit(key: visit.key, entry: visit.entry, hours: [hour], end: visit.end))
            #expect(try matcher(damaged).matches(warning).isEmpty, "\(index)")
        }
        // Without an end that can be read the visit lasts to the end of its hour, so that no warning is lost.
        let endless = try #require(
            HiddenVisit(
                key: visit.key, entry: visit.entry, hours: visit.hours, end: [UInt8](repeating: 1, count: visit.end.count)))
        #expect(try matcher(endless).matches(warning).count == 1)
        #expect(try HiddenReader(secret: visitor)?.read(endless) == nil)
        #expect(HiddenVisit(key: [], entry: visit.entry, hours: visit.hours, end: visit.end) == nil)
        #expect(HiddenVisit(key: visit.key, entry: visit.entry, hours: [], end: visit.end) == nil)
        #expect(HiddenVisit.Hour(day: 1, sealed: visit.hours[0].sealed) == nil)
        #expect(HiddenVisit.Hour(day: 0, sealed: []) == nil)
    }
}
