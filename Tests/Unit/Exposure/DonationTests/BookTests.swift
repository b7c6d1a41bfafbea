// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import PrivacyPass
import RandomValues
import TestKit
import Testing

@testable import Donation

/// A device's donations over weeks, with an issuer that signs and a server that takes.
@Suite struct BookTests {
    /// Issuer and donation server by their rules, and what they have seen.
    private struct World {
        static let first: Int64 = 20_780
        /// Keys are slow to make, and the same for all.
        static let keys: [(issuer: IssuerKey, key: TokenKey)] = (0..<IssuerKey.dayCount).compactMap { number in
            guard let issuer = try? IssuerKey.day(number), let key = try? BlindRSA.PublicKey(modulus: issuer.modulus),
                let token = try? TokenKey(key)
            else { return nil }
            return (issuer, token)
        }

        var random: SeededGenerator
        var book = DonationBook()
        /// What is on the disk: a power cut goes back to it.
        var disk = [UInt8]()
        var body: [UInt8]?
        var requests: [Int64: Set<[UInt8]>] = [:]
        var spent: [[UInt8]: [UInt8]] = [:]
        var stored: [(day: Int64, content: [UInt8])] = []
        var redeemed = 0
        var facts = DonationFacts(isIncreased: false, windows: [], major: 1, minor: 2)
        /// Days ahead for which keys are published.
        var published: Int64 = 10

        init(seed: UInt64) { random = SeededGenerator(seed: seed) }

        func terms(_ now: Int64) throws -> DonationTerms {
            let today = UTCDay(containing: now).number
            let days = (today...today + published).map { day in
                DonationTerms.Key(
                    day: UTCDay(number: day), key: Self.keys[Int((day - Self.first) % Int64(Self.keys.count))].key)
            }
            return try #require(
                DonationTerms(
                    version: today, issuerName: "issuer.example", issuerAddress: "https://issuer.example",
                    origin: "donation.example", serverAddress: "https://donation.example", keys: days))
        }

        mutating func keep() throws { disk = try book.bytes() }

        /// The next step, on the disk before it is done.
        mutating func step(_ now: Int64) throws -> DonationBook.Step {
            let step = try book.step(terms(now), at: now, using: &random)
            try keep()
            return step
        }

        mutating func powerCut() throws { book = try #require(DonationBook(bytes: disk)) }

        func sign(_ day: Int64, _ request: TokenRequest) throws -> [UInt8] {
            let (issuer, key) = Self.keys[Int((day - Self.first) % Int64(Self.keys.count))]
            #expect(request.truncatedKeyID == key.truncatedID)
            return try issuer.sign(request.blindedMessage)
        }

        mutating func compose(_ day: Int64, _ now: Int64) throws {
            body = book.freeze(
                day, facts, try terms(now), configuration: [1, 2, 3, 4], at: now, using: &random)
            #expect(body != nil)
            try keep()
        }

        /// As the server does it.
        mutating func redeem(_ day: Int64, _ token: Token, _ now: Int64) throws {
            let key = Self.keys[Int((day - Self.first) % Int64(Self.keys.count))].key
            try token.verify(by: key, challengeDigest: terms(now).challenge(of: UTCDay(number: day)).digest)
            #expect(RedemptionRule.days(ofKey: UTCDay(number: day)).contains(UTCDay(containing: now).number))
            let padded = try #require(DonationPadding.padded(body ?? []))
            let content = try #require(DonationBody.content(of: padded))
            redeemed += 1
            if let earlier = spent[token.nonce] {
                #expect(earlier == content)
                return
            }
            spent[token.nonce] = content
            stored.append((day, content))
        }

        /// Does what is to be done at `now`; gives the time of the next step. `cut` says whether the power fails at this place.
        mutating func act(_ now: Int64, cut: (inout SeededGenerator) -> Bool) throws -> Int64? {
            switch try step(now) {
            case .wait(let until): return until
            case .request(let day, let request):
                requests[day, default: []].insert(request.encoded)
                let answer = try sign(day, request)
                if cut(&random) {
                    try powerCut()
                    return now
                }
                #expect(try book.take(answer, day: day, terms(now)))
                if cut(&random) {
                    try powerCut()
                    return now
                }
                try keep()
            case .compose(let day):
                if cut(&random) {
                    try powerCut()
                    return now
                }
                try compose(day, now)
            case .send(let day, let token):
                try redeem(day, token, now)
                if cut(&random) {
                    try powerCut()
                    return now
                }
                book.note(.taken, day: day, at: now, using: &random)
                try keep()
            }
            return now
        }

        /// Lives until `end`.
        mutating func live(
            from start: Int64, until end: Int64, cut: (inout SeededGenerator) -> Bool = { _ in false }
        ) throws {
            var now = start
            while now < end {
                guard let next = try act(now, cut: cut) else { return }
                now = next
            }
        }
    }

    private let start = UTCDay(number: World.first).start + 40_000
    private func agreed(_ seed: UInt64) throws -> World {
        var world = World(seed: seed)
        world.book.agree(text: 1, at: start, using: &world.random)
        try world.keep()
        return world
    }

    @Test func thereAreKeysForTheseTests() {
        #expect(World.keys.count == IssuerKey.dayCount)
        #expect(Set(World.keys.map(\.key.truncatedID)).count == IssuerKey.dayCount)
    }

    @Test func withoutAConsentNothingHappens() throws {
        var world = World(seed: 1)
        #expect(try world.step(start) == .wait(until: nil))
        world.book.agree(text: 3, at: start, using: &world.random)
        #expect(world.book.consent == .init(since: start, text: 3))
        #expect(try world.step(start) == .wait(until: start + DonationBook.pause))
        #expect(try world.step(start + DonationBook.pause - 1) == .wait(until: start + DonationBook.pause))
        #expect(try world.book.step(nil, at: start + 1_000_000, using: &world.random) == .wait(until: nil))
    }

    /// Forty days without a fault: a donation on each day from the third or fourth on, one request for each key, one donation of each token.
    @Test(arguments: 0..<2) func aDonationADay(seed: UInt64) throws {
        var world = try agreed(seed)
        try world.live(from: start, until: start + 40 * 86_400)
        let days = world.stored.map(\.day)
        #expect(days.first.map { (World.first + 2...World.first + 4).contains($0) } == true)
        #expect(days == Array((days.first ?? 0)...World.first + 39) || days == Array((days.first ?? 0)...World.first + 40))
        #expect(world.requests.values.allSatisfy { $0.count == 1 })
        #expect(world.redeemed == world.stored.count)
        #expect(world.book.history.count == DonationBook.maximumHistory)
        #expect(world.book.history.allSatisfy { $0.outcome == .taken })
        #expect(try world.book.bytes().count < 12_000)
    }

    /// The power fails in half of all places; now and then the device is off for days.
    @Test(arguments: 0..<6) func powerCutsGiveNeitherASecondRequestNorASecondDonation(seed: UInt64) throws {
        var world = try agreed(100 + seed)
        var now = start
        var cuts = 0
        while now < start + 30 * 86_400 {
            let next = try #require(
                try world.act(now) { random in
                    let isCut = Bool.random(using: &random)
                    cuts += isCut ? 1 : 0
                    return isCut
                })
            now = next
            if Int.random(in: 0..<40, using: &world.random) == 0 {
                now += .random(in: 0..<3 * 86_400, using: &world.random)
            }
        }
        #expect(cuts > 20)
        #expect(world.requests.values.allSatisfy { $0.count == 1 })
        #expect(Set(world.stored.map(\.day)).count == world.stored.count)
        #expect(world.spent.count == world.stored.count && world.stored.count > 3)
    }

    @Test func aWithdrawalLeavesADateAndNothingElse() throws {
        var world = try agreed(7)
        try world.live(from: start, until: start + 9 * 86_400)
        let asked = try #require(world.book.askedUntil)
        let tokens = world.book.tickets.compactMap(\.token)
        #expect(!tokens.isEmpty && !world.stored.isEmpty)
        world.book.withdraw()
        var nothing = DonationBook()
        nothing.askedUntil = asked
        #expect(world.book == nothing)
        let text = String(decoding: try world.book.bytes(), as: UTF8.self)
        #expect(tokens.allSatisfy { !text.contains($0) })
        #expect(text.utf8.count < 200, "\(text)")
        // The next consent asks for no key a second time.
        let again = start + 9 * 86_400
        world.book.agree(text: 1, at: again, using: &world.random)
        let before = world.requests
        try world.live(from: again, until: again + 20 * 86_400)
        #expect(world.requests.allSatisfy { $0.value.count == 1 })
        #expect(before.allSatisfy { world.requests[$0.key] == $0.value })
        #expect(world.stored.contains { $0.day > asked })
        // A donation under way when it was withdrawn: its end is none of anybody's.
        world.book.note(.taken, day: 1, at: again, using: &world.random)
    }

    @Test func anAnswerByAnotherKeyStopsUntilThereAreOtherTerms() throws {
        var world = try agreed(8)
        var now = start + 3 * 86_400
        guard case .request(let day, let request) = try world.step(now) else {
            Issue.record("no request")
            return
        }
        var answer = try world.sign(day, request)
        answer[100] ^= 1
        #expect(try !world.book.take(answer, day: day, world.terms(now)))
        #expect(world.book.stopped == .otherKey)
        #expect(try world.step(now) == .wait(until: nil))
        #expect(try world.book.take(try world.sign(day, request), day: day, world.terms(now)))
        #expect(world.book.stopped == .otherKey)
        // Another version.
        now += 86_400
        guard case .request = try world.step(now) else {
            Issue.record("no request with other terms")
            return
        }
        #expect(world.book.stopped == nil)
        for length in [0, 255, 257] {
            #expect(try !world.book.take([UInt8](repeating: 1, count: length), day: day + 1, world.terms(now)))
        }
    }

    @Test func refusalsOfTheIssuer() throws {
        for refusal in DonationBook.IssuerRefusal.allCases {
            var world = try agreed(9)
            let now = start + 3 * 86_400
            guard case .request(let day, let request) = try world.step(now) else {
                Issue.record("no request")
                continue
            }
            world.book.noteRefusal(refusal, day: day, try world.terms(now), at: now, using: &world.random)
            let next = try world.step(now)
            switch refusal {
            case .notThisDay:
                guard case .request(let other, _) = next else {
                    Issue.record("\(refusal): \(next)")
                    continue
                }
                #expect(other == day + 1)
            case .notYet, .unreachable:
                guard case .wait(let until?) = next else {
                    Issue.record("\(refusal): \(next)")
                    continue
                }
                let range = refusal == .notYet ? DonationBook.dayAndMore : DonationBook.retrySeconds
                #expect(range.contains(until - now))
                if refusal == .unreachable {
                    // The same request again.
                    #expect(try world.step(until) == .request(day: day, request))
                }
            case .deviceRefused:
                #expect(next == .wait(until: nil) && world.book.stopped == .deviceRefused)
            }
        }
    }

    /// Who gets a token on its day would be known by the donation that follows.
    @Test func noTokenIsAskedForOnItsDay() throws {
        var world = try agreed(10)
        var now = start
        while now < start + 12 * 86_400 {
            switch try world.step(now) {
            case .request(let day, _):
                #expect(day > UTCDay(containing: now).number)
                world.book.noteRefusal(.notYet, day: day, try world.terms(now), at: now, using: &world.random)
            case .wait(let until): now = try #require(until)
            default: Issue.record("a donation without a token")
            }
        }
    }

    @Test func keysThatArePublishedLateAreAskedForSoon() throws {
        var world = try agreed(11)
        world.published = 3
        try world.live(from: start, until: start + 20 * 86_400)
        #expect(world.requests.values.allSatisfy { $0.count == 1 })
        #expect(world.stored.count >= 15)
    }

    /// A server that is away for a day: the same donation with the same token, and none is made up for.
    @Test func aDonationThatCannotBeSentIsTriedAgainUntilItLapses() throws {
        var world = try agreed(12)
        try world.live(from: start, until: start + 5 * 86_400)
        var now = start + 5 * 86_400
        var sent: [Int64: Set<[UInt8]>] = [:]
        while now < start + 9 * 86_400 {
            switch try world.step(now) {
            case .wait(let until): now = try #require(until)
            case .request(let day, let request):
                #expect(try world.book.take(world.sign(day, request), day: day, world.terms(now)))
            case .compose(let day): try world.compose(day, now)
            case .send(let day, let token):
                sent[day, default: []].insert(token.bytes)
                world.book.note(nil, day: day, at: now, using: &world.random)
            }
        }
        #expect(sent.count >= 3 && sent.values.allSatisfy { $0.count == 1 })
        #expect(world.book.history.contains { $0.outcome == .lapsed })
        // None of an earlier day is left for later.
        #expect(world.book.frozenDay.map { $0 >= UTCDay(containing: now).number - 1 } ?? true)
    }

    @Test func aDamagedBookIsNone() throws {
        var world = try agreed(13)
        try world.live(from: start, until: start + 5 * 86_400)
        let bytes = try world.book.bytes()
        #expect(DonationBook(bytes: bytes) == world.book)
        for count in stride(from: 0, to: bytes.count, by: 97) {
            #expect(DonationBook(bytes: Array(bytes[..<count])) == nil)
        }
        #expect("\(world.book)" == "consent")
    }
}
