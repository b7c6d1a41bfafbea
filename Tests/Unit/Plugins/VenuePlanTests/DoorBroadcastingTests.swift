// SPDX-License-Identifier: Apache-2.0

import JSON
import PresenceTracing
import RandomValues
import Testing
import VenuePlan

/// Which code is broadcast when, and what stands for it on air.
@Suite struct DoorBroadcastingTests {
    /// 2021-03-04, 00:00 UTC.
    private let midnight: Int64 = 1_614_816_000
    private let hour: Int64 = 3_600

    private func maker(_ byte: UInt8) -> PlaceBook.Maker {
        PlaceBook.Maker(publicKey: [UInt8](repeating: 9, count: 96), seed: [UInt8](repeating: byte, count: 16))
    }

    private func book() throws -> PlaceBook {
        var book = PlaceBook()
        _ = try book.describe(
            nil, name: "Café", street: "Street 1, Town", kind: .foodService, stayMinutes: 90, making: maker(1), at: midnight
        )
        return book
    }

    private func showings(
        _ book: PlaceBook, _ opens: Int?, _ closes: Int?, from now: Int64, for span: Int64
    ) throws -> [DoorBroadcasting.Showing] {
        var hours: DoorBroadcasting.Hours?
        if let opens, let closes { hours = DoorBroadcasting.Hours(opens: opens, closes: closes) }
        return DoorBroadcasting(place: 1, hours: hours).showings(of: book, from: now, for: span)
    }

    @Test func hoursDecideWhenTheCodeIsBroadcast() throws {
        let book = try book()
        let text = try #require(book.doorCode(of: 1, at: midnight)?.text)
        func times(_ opens: Int?, _ closes: Int?, from now: Int64, for span: Int64) throws -> [[Int64]] {
            let showings = try showings(book, opens, closes, from: midnight + now, for: span)
            #expect(showings.allSatisfy { $0.text == text })
            return showings.map { [$0.from - midnight, $0.until - midnight] }
        }
        #expect(try times(nil, nil, from: 5, for: 3 * hour) == [[5, 5 + 3 * hour]])
        // 08:00 to 18:00.
        #expect(try times(480, 1_080, from: 0, for: 3 * hour) == [])
        #expect(try times(480, 1_080, from: 7 * hour, for: 3 * hour) == [[8 * hour, 10 * hour]])
        #expect(try times(480, 1_080, from: 17 * hour, for: 3 * hour) == [[17 * hour, 18 * hour]])
        // A bar, 20:00 to 03:00.
        #expect(try times(1_200, 180, from: 23 * hour, for: 3 * hour) == [[23 * hour, 26 * hour]])
        #expect(try times(1_200, 180, from: 2 * hour, for: 20 * hour) == [[2 * hour, 3 * hour], [20 * hour, 22 * hour]])
        // Closed for five minutes.
        #expect(
            try times(605, 600, from: 10 * hour - 60, for: hour) == [
                [10 * hour - 60, 10 * hour], [10 * hour + 300, 11 * hour - 60],
            ])
        for (opens, closes) in [(0, 0), (-1, 5), (5, 1_440)] {
            #expect(DoorBroadcasting.Hours(opens: opens, closes: closes) == nil)
        }
    }

    /// An event's code goes before the place's while the event lasts, as on the screen.
    @Test func anEventsCodeComesAndGoes() throws {
        var book = try book()
        let event = try book.start(
            1, name: "Concert", kind: .culture, begins: midnight + hour, ends: midnight + 2 * hour, making: maker(2),
            at: midnight)
        let showings = try showings(book, nil, nil, from: midnight, for: 3 * hour)
        let own = try #require(book.doorCode(of: 1, at: midnight)?.text)
        let other = try #require(book.code(event)?.code.text)
        #expect(showings.map(\.text) == [own, other, own])
        #expect(
            showings.map { [$0.from - midnight, $0.until - midnight] } == [
                [0, hour], [hour, 2 * hour], [2 * hour, 3 * hour],
            ])
    }

    @Test func theChoiceIsKeptAndGoesWithItsPlace() throws {
        var book = try book()
        #expect(throws: PlaceError.self) { try book.setBroadcast(DoorBroadcasting(place: 2, hours: nil)) }
        for hours in [nil, DoorBroadcasting.Hours(opens: 480, closes: 60)] {
            try book.setBroadcast(DoorBroadcasting(place: 1, hours: hours))
            #expect(try PlaceBook(book.json) == book)
        }
        for damage: JSON in [5, [:], ["place": 2], ["place": 1, "opens": 5], ["place": 1, "opens": 5, "closes": 5_000]] {
            var object = try #require(book.json.object)
            object["broadcast"] = damage
            #expect(throws: PlaceError.self) { try PlaceBook(.object(object)) }
        }
        try book.forgetPlace(1)
        #expect(book.broadcast == nil)
    }

    @Test func aCodeComesBackAsItsText() throws {
        let text = try #require(try book().doorCode(of: 1, at: midnight)?.text)
        let bytes = try #require(BroadcastCode.bytes(of: text))
        #expect(bytes.count < 180 && bytes.first == 1)
        #expect(BroadcastCode.text(of: bytes) == text)
        // Any other text is itself.
        for text in ["https://e.coronawarn.app/?v=1#" + text.split(separator: "#")[1], "UKC19TRACING:1:x.y.z", "ä"] {
            let bytes = try #require(BroadcastCode.bytes(of: text))
            #expect(bytes.first == 0 && BroadcastCode.text(of: bytes) == text)
        }
        #expect(BroadcastCode.bytes(of: "") == nil && BroadcastCode.bytes(of: String(repeating: "x", count: 662)) == nil)
        #expect(BroadcastCode.bytes(of: String(repeating: "x", count: 661)) != nil)
        for bad: [UInt8] in [[], [0], [1], [2, 65], [0, 0xFF], [1, 0x0A, 0xFF], [UInt8](repeating: 0, count: 663)] {
            #expect(BroadcastCode.text(of: bad) == nil)
        }
    }

    /// Whatever is broadcast: a text or nothing, and no text is another's bytes.
    @Test func anyBytesAreATextOrNothing() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<5_000 {
            var bytes = generator.bytes(Int.random(in: 0...40, using: &generator))
            if !bytes.isEmpty { bytes[0] = UInt8.random(in: 0...2, using: &generator) }
            guard let text = BroadcastCode.text(of: bytes) else { continue }
            if let again = BroadcastCode.bytes(of: text) { #expect(BroadcastCode.text(of: again) == text) }
        }
    }
}
