// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON
import PresenceTracing
import RandomValues
import Testing
import VenueNotices
import VenuePlan

/// A host's places and the codes at their doors.
@Suite struct PlaceBookTests {
    private let now: Int64 = 1_614_850_000

    private func maker(_ byte: UInt8 = 3) -> PlaceBook.Maker {
        PlaceBook.Maker(publicKey: [1, 2], seed: [UInt8](repeating: byte, count: 16))
    }

    private func cafe(_ book: inout PlaceBook, _ number: Int? = nil, name: String = "Café", seed: UInt8 = 3) throws -> Int {
        try book.describe(
            number, name: name, street: "Street 1, Town", kind: .foodService, stayMinutes: 90, making: maker(seed), at: now)
    }

    private func refusal(_ body: () throws -> Void) -> PlaceError.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? PlaceError)?.code }
    }

    private func location(_ code: HostCode) throws -> TraceLocation {
        try VenueCode.read(code.text, as: VenueCode.Descriptor.published)
    }

    @Test func aDescribedPlaceHasACodeThatVisitorsCanRead() throws {
        var book = PlaceBook()
        #expect(try cafe(&book) == 1)
        let code = try #require(book.place(1)?.codes.first)
        #expect(code.state(at: now) == .shown && code.isOwn && code.number == 1)
        let location = try location(code)
        #expect(location.name == "Café" && location.address == "Street 1, Town" && location.defaultMinutes == 90)
        #expect(location.kind == .permanentFoodService && location.publicKey == [1, 2] && location.end == 0)
        // The same again changes nothing; other words make another code, and the old one is over.
        let before = book
        #expect(try cafe(&book, 1, seed: 4) == 1)
        #expect(book == before)
        #expect(try cafe(&book, 1, name: "Bar", seed: 4) == 1)
        #expect(book.place(1)?.codes.map { $0.state(at: now) } == [.revoked, .shown])
        #expect(try self.location(#require(book.code(2)?.code)).name == "Bar")
        #expect(try cafe(&book, name: "Second", seed: 5) == 2)
        #expect(try PlaceBook(JSON(parsing: book.json.bytes)) == book)
        try book.forgetPlace(1)
        #expect(book.places.map(\.number) == [2] && refusal { try book.forgetPlace(1) } == .unknownPlace)
        #expect(try cafe(&book, name: "Third", seed: 6) == 3)
    }

    /// An event goes before the place's own code, and that before one that was imported; what is over is not shown.
    @Test func aScreenShowsWhatIsAtTheDoorNow() throws {
        var book = PlaceBook()
        _ = try cafe(&book)
        #expect(book.screenCode(at: now) == nil)
        #expect(refusal { try book.setScreen(2) } == .unknownPlace && book.screen == nil)
        try book.setScreen(1)
        #expect(book.screenCode(at: now)?.number == 1)
        let kept = try PlaceBook(JSON(parsing: book.json.bytes))
        #expect(kept == book && kept.screen == 1)
        for (begins, byte) in [(now + 100, 4), (now + 200, 5)] as [(Int64, UInt8)] {
            _ = try book.start(
                1, name: nil, kind: .culture, begins: begins, ends: now + 300, making: maker(byte), at: now)
        }
        #expect([0, 150, 250, 300].map { book.screenCode(at: now + $0)?.number } == [1, 2, 3, 1])
        try book.revoke(1, making: nil, at: now)
        #expect(book.screenCode(at: now) == nil)
        try book.forgetPlace(1)
        #expect(book.screen == nil)
        // A place that there is not cannot be on the screen.
        for wrong in [.int(7), .string("1"), .null, .int(.max)] as [JSON] {
            var object = try #require(kept.json.object)
            object["screen"] = wrong
            #expect(refusal { _ = try PlaceBook(.object(object)) } == .damagedPlaces, "\(wrong)")
        }
    }

    @Test func whatNoCodeCanSayIsRefusedWhole() throws {
        var book = PlaceBook()
        _ = try cafe(&book)
        let before = book
        let long = String(repeating: "x", count: 256)
        let table: [(Int?, String, String, Int, PlaceError.Code)] = [
            (nil, "", "S", 90, .invalidName), (nil, long, "S", 90, .invalidName), (1, "a\nb", "S", 90, .invalidName),
            (1, "N", "", 90, .invalidStreet), (1, "N", long, 90, .invalidStreet),
            (1, "N", "a\u{2028}b", 90, .invalidStreet),
            (nil, "N", "S", 14, .invalidStay), (nil, "N", "S", 1_426, .invalidStay), (nil, "N", "S", .min, .invalidStay),
            (9, "N", "S", 90, .unknownPlace),
        ]
        for (number, name, street, stay, expected) in table {
            for maker in [maker(), nil] {
                #expect(
                    refusal {
                        _ = try book.describe(
                            number, name: name, street: street, kind: .other, stayMinutes: stay, making: maker, at: now)
                    } == expected, "\(expected)")
            }
        }
        #expect(book == before)
        for number in 2...PlaceBook.maximumPlaces { #expect(try cafe(&book, name: "Room \(number)") == number) }
        #expect(refusal { _ = try cafe(&book, name: "One more") } == .tooManyPlaces)
    }

    @Test func anEventFromItsBeginningToItsEnd() throws {
        var book = PlaceBook()
        _ = try cafe(&book)
        let number = try book.start(
            1, name: "Concert", kind: .culture, begins: now + 600, ends: now + 7_200, making: maker(4), at: now)
        let code = try #require(book.code(number)?.code)
        #expect(code.state(at: now) == .coming && code.state(at: now + 600) == .shown)
        #expect(code.state(at: now + 7_199) == .shown && code.state(at: now + 7_200) == .ended)
        let location = try location(code)
        #expect(
            location.name == "Concert" && location.start == UInt64(now + 600) && location.end == UInt64(now + 7_200)
                && location.kind == .temporaryCulturalEvent)
        // Whoever comes at the beginning is there to the end, however short the usual stay of the place is.
        #expect(location.defaultMinutes == 110)
        for (length, minutes) in [(Int64(43_200), 720), (43_201, 90)] {
            var other = PlaceBook()
            _ = try cafe(&other)
            let event = try other.start(
                1, name: nil, kind: .culture, begins: now, ends: now + length, making: maker(6), at: now)
            #expect(try self.location(try #require(other.code(event)?.code)).defaultMinutes == UInt32(minutes))
        }
        let short = try book.start(1, name: nil, kind: .club, begins: now, ends: now + 600, making: maker(5), at: now)
        #expect(
            try self.location(try #require(book.code(short)?.code)).defaultMinutes
                == UInt32(book.place(1)?.stayMinutes ?? 0))
        try book.end(number, at: now + 1_000)
        #expect(book.code(number)?.code.state(at: now + 1_000) == .ended)
        #expect(refusal { try book.end(number, at: now + 1_000) } == .alreadyOver)
        #expect(
            refusal { try book.end(1, at: now) } == .notAnEvent && refusal { try book.end(99, at: now) } == .unknownCode)
        let day: Int64 = 86_400
        for (begins, ends) in [
            (now, now), (now + 5, now), (now - 10, now), (-1, now + 5), (now, now + 31 * day + 1), (Int64.min, Int64.max),
            (now, 253_402_300_800),
        ] {
            #expect(
                refusal {
                    _ = try book.start(1, name: nil, kind: .other, begins: begins, ends: ends, making: maker(), at: now)
                } == .invalidTimes, "\(begins) \(ends)")
        }
        #expect(try PlaceBook(JSON(parsing: book.json.bytes)) == book)
    }

    @Test func aRevokedCodeIsReplacedAndLaterForgotten() throws {
        var book = PlaceBook()
        _ = try cafe(&book)
        try book.revoke(1, making: maker(9), at: now)
        #expect(book.place(1)?.codes.map { $0.state(at: now) } == [.revoked, .shown])
        let codes = try #require(book.place(1)?.codes)
        #expect(try location(codes[0]).name == location(codes[1]).name && codes[0].text != codes[1].text)
        #expect(refusal { try book.revoke(1, making: nil, at: now) } == .alreadyOver)
        // 14 days of UTC later; the day of `now` began at 1,614,816,000.
        book.forget(at: 1_614_816_000 + 15 * 86_400 - 1)
        #expect(book.place(1)?.codes.map(\.number) == [1, 2])
        book.forget(at: 1_614_816_000 + 15 * 86_400)
        #expect(book.place(1)?.codes.map(\.number) == [2])
        // Without a known time it is over for as long as nobody knows.
        try book.revoke(2, making: nil, at: nil)
        #expect(book.place(1)?.codes.map { $0.state(at: nil) } == [.revoked])
    }

    @Test func aFullDoorMakesRoomOfWhatIsOver() throws {
        var book = PlaceBook()
        _ = try cafe(&book)
        for number in 2...PlaceBook.maximumCodes {
            _ = try book.start(
                1, name: "Event \(number)", kind: .club, begins: now, ends: now + 600, making: maker(UInt8(number)), at: now
            )
        }
        #expect(
            refusal {
                _ = try book.start(1, name: nil, kind: .club, begins: now, ends: now + 600, making: maker(), at: now)
            } == .tooManyCodes)
        try book.end(2, at: now)
        let added = try book.start(1, name: nil, kind: .club, begins: now, ends: now + 600, making: maker(), at: now)
        #expect(added == PlaceBook.maximumCodes + 1 && book.code(2) == nil && book.code(1) != nil)
    }

    @Test func importedCodes() throws {
        var book = PlaceBook()
        _ = try cafe(&book)
        let key = try P256.SigningKey.generate()
        let parts = [#"{"alg":"ES256","kid":"3"}"#, #"{"id":"ABC","opn":"Pub","pc":"SW1"}"#].map {
            Base64URL.string(Array($0.utf8))
        }
        let signed = parts.joined(separator: ".")
        let signature = try #require(P256.RawSignature.raw(try key.sign(SHA256.digest(of: Array(signed.utf8)))))
        let text = "UKC19TRACING:1:\(signed).\(Base64URL.string(signature))"
        let ticket = VenueTicket.nhs(
            try VenuePoster(text, keys: [VenuePoster.Key(id: "3", key: key.verificationKey)]))
        let number = try book.add(ticket, text: text, to: 1, at: now)
        let code = try #require(book.code(number)?.code)
        #expect(code.system == .nhs && code.name == "Pub" && !code.isOwn && code.state(at: now) == .shown)
        #expect(refusal { _ = try book.add(ticket, text: text, to: 1, at: now) } == .alreadyThere)
        #expect(refusal { _ = try book.add(ticket, text: text, to: 7, at: now) } == .unknownPlace)
        #expect(
            refusal { _ = try book.add(ticket, text: text + String(repeating: " ", count: 4_096), to: 1, at: now) }
                == .codeTooLong)
        // Revoked, nothing is made in its place, and it may come back.
        try book.revoke(number, making: maker(), at: now)
        #expect(book.place(1)?.codes.count == 2)
        #expect(try book.add(ticket, text: text, to: 1, at: now) == number + 1)
        #expect(try PlaceBook(JSON(parsing: book.json.bytes)) == book)
    }

    @Test func damagedBooksAreRefused() throws {
        var book = PlaceBook()
        _ = try cafe(&book)
        guard var all = book.json.object, var place = all["places"]?.array?.first?.object,
            var code = place["codes"]?.array?.first?.object
        else { return }
        func changed(_ change: () -> Void) -> JSON {
            let (oldPlace, oldCode, oldAll) = (place, code, all)
            change()
            place["codes"] = place["codes"] ?? .null
            if code != oldCode { place["codes"] = [.object(code)] }
            if place != oldPlace { all["places"] = [.object(place)] }
            defer { (place, code, all) = (oldPlace, oldCode, oldAll) }
            return .object(all)
        }
        #expect(try PlaceBook(changed {}) == book)
        for (index, json) in [
            changed { all["lastPlace"] = 0 }, changed { all["lastCode"] = 0 }, changed { all["places"] = nil },
            changed { place["kind"] = "castle" }, changed { place["stay"] = 3 }, changed { place["number"] = 0 },
            changed { place["codes"] = 5 }, changed { code["system"] = "x" }, changed { code["text"] = 1 },
            changed { code["number"] = -1 }, changed { code["own"] = nil }, .null, [:],
        ].enumerated() {
            #expect(refusal { _ = try PlaceBook(json) } == .damagedPlaces, "row \(index)")
        }
    }
}
