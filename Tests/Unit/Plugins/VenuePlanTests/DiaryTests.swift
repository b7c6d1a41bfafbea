// SPDX-License-Identifier: Apache-2.0

import CrowdNotifier
import Cryptography
import JSON
import PresenceTracing
import RandomValues
import Testing
import VenueNotices
import VenuePlan

@Suite struct DiaryTests {
    private static let now: Int64 = 1_614_850_000
    private let now = Self.now
    private let day: Int64 = 86_400

    private static func cafe(_ name: String = "Canary", minutes: UInt32 = 90) throws -> VenueTicket {
        .coronaWarnApp(
            try TraceLocation(
                name: name, address: "Canary Street", kind: .permanentFoodService, defaultMinutes: minutes,
                publicKey: [UInt8](repeating: 1, count: 96), seed: [UInt8](repeating: 2, count: 16)))
    }

    private static func bar() throws -> VenueTicket {
        .swissCovid(
            try CrowdNotifierVenue(
                name: "Canary", address: "", start: 0, end: 2_000_000_000, publicKey: [UInt8](repeating: 1, count: 96),
                seed: [UInt8](repeating: 2, count: 32), countryData: []))
    }

    private static func pub() throws -> VenueTicket {
        let key = try P256.SigningKey.generate()
        return .nhs(try VenuePoster(poster(by: key), keys: [VenuePoster.Key(id: "3", key: key.verificationKey)]))
    }

    private static func poster(by key: P256.SigningKey) throws -> String {
        let parts = [#"{"alg":"ES256","kid":"3"}"#, #"{"id":"CANARY","opn":"Canary"}"#].map {
            Base64URL.string(Array($0.utf8))
        }
        let text = parts.joined(separator: ".")
        let signature = try #require(P256.RawSignature.raw(try key.sign(SHA256.digest(of: Array(text.utf8)))))
        return "UKC19TRACING:1:\(text).\(Base64URL.string(signature))"
    }

    private func refusal(_ body: () throws -> Void) -> DiaryError.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? DiaryError)?.code }
    }

    /// The last quarter of an hour of a long stay; nobody is reminded of a short one, nor of one that is over.
    @Test func theWearerIsRemindedBeforeALongVisitEnds() throws {
        var diary = VisitDiary()
        let long = try diary.checkIn(Self.cafe("Long", minutes: 90), at: now)
        let hour = try diary.checkIn(Self.cafe("Hour", minutes: 60), at: now)
        _ = try diary.checkIn(Self.cafe("Short", minutes: 45), at: now)
        #expect(diary.reminders == [now + 2_700..<now + 3_600, now + 4_500..<now + 5_400])
        let ended = diary.checkOutDue(at: now + 3_600)
        #expect(ended.contains(hour))
        #expect(diary.reminders == [now + 4_500..<now + 5_400])
        try diary.checkOut(long, at: now + 4_600)
        #expect(diary.reminders == [])
        for number in 0..<20 { _ = try diary.checkIn(Self.cafe("\(number)"), at: now + 5_400) }
        #expect(diary.reminders.count == VisitDiary.maximumReminders)
    }

    @Test func aVisitFromDoorToDoor() throws {
        var diary = VisitDiary()
        let number = try diary.checkIn(Self.cafe(), at: now)
        #expect(number == 1 && diary.nextCheckOut == now + 5_400)
        // A second press is the same visit; another place is another one at the same time.
        #expect(try diary.checkIn(Self.cafe(), at: now + 60) == 1)
        #expect(try diary.checkIn(Self.cafe("Other"), at: now + 60) == 2)
        #expect(try diary.checkIn(Self.bar(), at: now + 60) == 3)
        try diary.checkOut(1, at: now + 600)
        #expect(diary.visit(1)?.departure == now + 600 && diary.visit(1)?.isOpen == false)
        #expect(refusal { try diary.checkOut(1, at: now + 700) } == .alreadyOver)
        // Back at the same place: another visit.
        #expect(try diary.checkIn(Self.cafe(), at: now + 1_000) == 4)
        #expect(diary.checkOutDue(at: now + 5_459) == [])
        #expect(diary.checkOutDue(at: now + 5_460) == [2])
        #expect(diary.visit(2)?.departure == now + 5_460)
        // By hand, long after it should have ended by itself.
        try diary.checkOut(4, at: now + 90_000)
        #expect(diary.visit(4)?.departure == now + 6_400)
        try diary.delete(2)
        #expect(
            refusal { try diary.delete(2) } == .unknownVisit && refusal { try diary.checkOut(2, at: now) } == .unknownVisit)
        #expect(diary.visits.map(\.number) == [1, 3, 4])
    }

    @Test func clocksThatAreSetBack() throws {
        var diary = VisitDiary()
        _ = try diary.checkIn(Self.cafe(), at: now)
        try diary.checkOut(1, at: now - 3_600)
        #expect(diary.visit(1)?.arrival == now && diary.visit(1)?.departure == now)
        for wrong: Int64 in [-1, .min, .max, 253_402_300_799] {
            #expect(refusal { _ = try diary.checkIn(Self.cafe("Other"), at: wrong) } == .invalidTimes, "\(wrong)")
        }
    }

    @Test func editing() throws {
        var diary = VisitDiary()
        _ = try diary.checkIn(Self.cafe(), at: now)
        #expect(refusal { try diary.edit(1, arrival: now, departure: now, at: now) } == .invalidTimes)
        try diary.checkOut(1, at: now + 60)
        let table: [(Int64, Int64, DiaryError.Code?)] = [
            (now - 600, now + 30, nil), (now, now, nil), (now + 1, now, .invalidTimes), (now, now + 61, .invalidTimes),
            (-1, now, .invalidTimes), (now - 31 * day, now, nil), (now - 31 * day - 1, now, .invalidTimes),
            (.min, .max, .invalidTimes),
        ]
        for (arrival, departure, expected) in table {
            var changed = diary
            #expect(refusal { try changed.edit(1, arrival: arrival, departure: departure, at: now + 60) } == expected)
            #expect(
                (changed.visit(1)?.arrival == arrival) == (expected == nil || arrival == now), "\(arrival) \(departure)")
        }
        #expect(refusal { try diary.edit(7, arrival: now, departure: now, at: now) } == .unknownVisit)
    }

    @Test func forgettingAfterFourteenDays() throws {
        var diary = VisitDiary()
        // Ends on the fourth of March 2021, which began at 1,614,816,000.
        _ = try diary.checkIn(Self.cafe(minutes: 60), at: now)
        _ = try diary.checkIn(Self.cafe("Open"), at: now + 20 * day)
        _ = diary.checkOutDue(at: now + 3_600)
        let midnight: Int64 = 1_614_816_000
        diary.forget(at: midnight + 15 * day - 1)
        #expect(diary.visits.map(\.number) == [1, 2])
        diary.forget(at: midnight + 15 * day)
        #expect(diary.visits.map(\.number) == [2])
        // An open visit is never forgotten, and numbers are not used again.
        diary.forget(at: now + 400 * day)
        #expect(diary.visits.map(\.number) == [2])
        #expect(try diary.checkIn(Self.cafe("New"), at: now) == 3)
    }

    @Test func aFullDiaryRefusesAndLosesNothing() throws {
        var diary = VisitDiary()
        for number in 1...VisitDiary.maximumVisits {
            #expect(try diary.checkIn(Self.cafe("Place \(number)"), at: now) == number)
        }
        #expect(refusal { _ = try diary.checkIn(Self.cafe("One more"), at: now) } == .tooManyVisits)
        #expect(diary.visits.count == VisitDiary.maximumVisits)
        #expect(diary.json.bytes.count < VisitDiary.maximumBytes)
        try diary.delete(5)
        #expect(try diary.checkIn(Self.cafe("One more"), at: now) == VisitDiary.maximumVisits + 1)
    }

    @Test func whatIsComparedWithWarnings() throws {
        var diary = VisitDiary()
        for ticket in [try Self.cafe(), try Self.bar(), try Self.pub()] { _ = try diary.checkIn(ticket, at: now) }
        // Open visits last until now, and not longer than until their end.
        #expect(diary.presenceVisits(at: now + 60).map(\.end) == [now + 60])
        #expect(diary.presenceVisits(at: now + 90_000).map(\.end) == [now + 5_400])
        #expect(diary.presenceVisits(at: now - 60).map(\.end) == [now])
        #expect(diary.crowdNotifierVisits(at: now + 60).map(\.departure) == [now + 60])
        #expect(diary.posterVisits(at: now + 60).map(\.to) == [now + 60])
        #expect(diary.posterVisits(at: now + 90_000).map(\.to) == [now + 12 * 3_600])
        diary.noteSubmitted([1, 2, 99])
        diary.noteTold([3, 99])
        #expect(diary.presenceVisits(at: now).map(\.isSubmitted) == [true])
        #expect(diary.crowdNotifierVisits(at: now).isEmpty)
        #expect(diary.posterVisits(at: now).map(\.wasTold) == [true])
        guard case .coronaWarnApp(let location) = try Self.cafe() else { return }
        #expect(diary.presenceVisits(at: now).map(\.location) == [location.id])
    }

    @Test func nothingIsPrinted() throws {
        var diary = VisitDiary()
        for ticket in [try Self.cafe(), try Self.bar(), try Self.pub()] {
            _ = try diary.checkIn(ticket, at: now)
            #expect(!"\(ticket)".contains("anary") && !"\([ticket])".contains("anary"))
        }
        for text in ["\(diary)", "\(diary.visits)", String(reflecting: diary.visits[2])] {
            #expect(!text.lowercased().contains("canary"), "\(text)")
        }
    }

    @Test func codesOfEverySystem() throws {
        let key = try P256.SigningKey.generate()
        let reader = VenueTicket.Reader(
            descriptors: VenueCode.Descriptor.published, crowdNotifier: [.swissCovid, .notifyMe],
            posterKeys: [VenuePoster.Key(id: "3", key: key.verificationKey)])
        guard case .coronaWarnApp(let location) = try Self.cafe(), case .swissCovid(let venue) = try Self.bar() else {
            return
        }
        #expect(try reader.read(VenueCode.text(location), at: now) == Self.cafe())
        #expect(try reader.read(CrowdNotifierCode.swissCovid.text(venue), at: now) == Self.bar())
        #expect(try reader.read(CrowdNotifierCode.notifyMe.text(venue), at: now) == Self.bar())
        guard case .nhs(let poster) = try reader.read(Self.poster(by: key), at: now) else {
            Issue.record("no poster")
            return
        }
        #expect(poster.id == "CANARY")
        let table: [(String, DiaryError.Code)] = [
            ("", .notAVenueCode), ("https://example.org", .notAVenueCode),
            ("https://s.coronawarn.app?v=1#e30", .notAVenueCode),
            ("https://e.coronawarn.app?v=1#*", .codeRefused),
            (CrowdNotifierCode.swissCovid.text(venue) + "*", .codeRefused),
            ("UKC19TRACING:1:x", .codeRefused), (String(repeating: "x", count: 5_000), .codeRefused),
        ]
        for (text, code) in table { #expect(refusal { _ = try reader.read(text, at: now) } == code, "\(text.prefix(40))") }
        // A system that is not followed has no codes.
        let none = VenueTicket.Reader()
        for text in [VenueCode.text(location), CrowdNotifierCode.swissCovid.text(venue), try Self.poster(by: key)] {
            #expect(refusal { _ = try none.read(text, at: now) } == .notAVenueCode, "\(text.prefix(40))")
        }
    }

    /// A visit that begins now meets nobody of an event that is over, or begins later; its host reads the code all the same.
    @Test func codesOfEventsHaveATime() throws {
        let reader = VenueTicket.Reader(descriptors: VenueCode.Descriptor.known)
        func code(_ start: Int64, _ end: Int64) throws -> String {
            VenueCode.text(
                try TraceLocation(
                    name: "Concert", address: "Hall", start: UInt64(start), end: UInt64(end), kind: .temporaryCulturalEvent,
                    defaultMinutes: 0, publicKey: [], seed: [UInt8](repeating: 2, count: 16)))
        }
        let lead = VenueTicket.Reader.eventLead
        for (start, end, isGood) in [
            (now, now + 60, true), (now - 60, now + 1, true), (now + lead, now + lead + 60, true), (0, now + 1, true),
            (0, 0, true),
            (now - 60, now, false), (now - 9 * 86_400, now - 8 * 86_400, false), (now + lead + 1, now + lead + 60, false),
            (now + 30 * 86_400, now + 31 * 86_400, false), (0, now, false), (253_402_300_000, 253_402_300_799, false),
        ] {
            let text = try code(start, end)
            #expect(
                refusal { _ = try reader.readForVisit(text, at: now) } == (isGood ? nil : .codeRefused), "\(start - now)")
            #expect(refusal { _ = try reader.read(text, at: now) } == nil)
        }
    }

    /// The authority says in its configuration which encoding its codes have; whoever has not asked for one yet reads both.
    @Test func codesInBase32AreRead() throws {
        let reader = VenueTicket.Reader(descriptors: VenueCode.Descriptor.known)
        guard case .coronaWarnApp(let location) = try Self.cafe() else { return }
        // RFC 4648, section 6, without padding.
        let bits = location.payload.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        let digits = stride(from: 0, to: bits.count, by: 5).map { first in
            (0..<5).reduce(0) { $0 << 1 | (first + $1 < bits.count ? Int(bits[first + $1]) : 0) }
        }
        let text = "https://e.coronawarn.app?v=1#" + String(digits.map { Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")[$0] })
        #expect(try reader.readForVisit(text, at: now) == Self.cafe())
        #expect(try reader.readForVisit(VenueCode.text(location), at: now) == Self.cafe())
        #expect(refusal { _ = try reader.readForVisit(text + "A1", at: now) } == .codeRefused)
        var revoking = reader
        revoking.revokedVersions = [1]
        #expect(refusal { _ = try revoking.readForVisit(text, at: now) } == .codeRefused)
    }

    /// Whatever is done, what is written is read again as the same, and everything holds that must.
    @Test func randomDays() throws {
        var random = SeededGenerator(seed: 23)
        let tickets =
            try (0..<12).map { try Self.cafe("Place \($0)", minutes: UInt32($0 * 30)) } + [try Self.bar(), try Self.pub()]
        var diary = VisitDiary()
        var time = now
        var highest = 0
        for _ in 0..<600 {
            // Now and then back.
            time += Int64.random(in: -3_600...20_000, using: &random)
            let number = Int.random(in: 0...highest + 1, using: &random)
            let before = diary
            switch Int.random(in: 0..<8, using: &random) {
            case 0...3:
                if let new = try? diary.checkIn(tickets[Int.random(in: 0..<tickets.count, using: &random)], at: time) {
                    highest = max(highest, new)
                }
            case 4: try? diary.checkOut(number, at: time)
            case 5:
                _ = try? diary.edit(
                    number, arrival: time - Int64.random(in: -9...40_000, using: &random), departure: time, at: time)
            case 6: try? diary.delete(number)
            default: diary.forget(at: time)
            }
            let due = diary.checkOutDue(at: time)
            #expect(due.allSatisfy { diary.visit($0)?.isOpen == false })
            #expect(diary.nextCheckOut.map { $0 > time } ?? true)
            #expect(diary.visits.allSatisfy { $0.arrival <= $0.departure && $0.number <= highest })
            #expect(Set(diary.visits.filter(\.isOpen).map(\.place)).count == diary.visits.count(where: \.isOpen))
            if diary != before { #expect(try VisitDiary(JSON(parsing: diary.json.bytes)) == diary) }
        }
        #expect(highest > 100)
    }

    @Test func damagedDiariesAreRefused() throws {
        var diary = VisitDiary()
        for ticket in [try Self.cafe(), try Self.bar(), try Self.pub()] { _ = try diary.checkIn(ticket, at: now) }
        let whole = diary.json
        #expect(try VisitDiary(whole) == diary)
        func changed(_ name: String, _ value: JSON?) -> JSON {
            guard var entries = whole["visits"]?.array, var entry = entries[0].object, var all = whole.object else {
                return .null
            }
            entry[name] = value
            entries[0] = .object(entry)
            all["visits"] = .array(entries)
            return .object(all)
        }
        for (index, json): (Int, JSON) in [
            .null, [:], ["last": 5], ["last": -1, "visits": []], ["last": 0, "visits": [1]], changed("number", 0),
            changed("number", 2),
            changed("number", 9), changed("number", nil), changed("arrival", -1), changed("departure", 0),
            changed("departure", .int(.max)),
            changed("open", 1), changed("told", nil), changed("submitted", nil), changed("coronaWarnApp", "*"),
            changed("coronaWarnApp", nil),
            ["last": 300, "visits": .array(Array(repeating: changed("x", 1), count: 201))],
        ].enumerated() {
            #expect(refusal { _ = try VisitDiary(json) } == .damagedDiary, "row \(index)")
        }
    }
}
