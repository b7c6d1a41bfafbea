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
    /// When each server was spoken to.
    private struct Contacts {
        private var last: [Bool: Int64] = [:]
        /// The least time between a contact to one and the next to the other.
        private(set) var apart = Int64.max

        mutating func note(issuer: Bool, _ now: Int64) {
            if let other = last[!issuer] { apart = min(apart, now - other) }
            last[issuer] = now
        }
    }

    /// Issuer and donation server by their rules, and what they have seen.
    private struct World {
        static let first: Int64 = 20_780
        static let keys = PublishedKeys.all

        var random: SeededGenerator
        var book = DonationBook()
        /// What is on the disk: a power cut goes back to it.
        var disk = [UInt8]()
        var body: [UInt8]?
        var requests: [Int64: Set<[UInt8]>] = [:]
        var spent: [[UInt8]: [UInt8]] = [:]
        var stored: [(day: Int64, content: [UInt8])] = []
        var redeemed = 0
        var contacts = Contacts()
        /// The days for which something was sent, and the moments at which something was asked for, cover or not.
        var sentDays: [Int64] = []
        var asked: [(day: Int64, isCover: Bool)] = []
        var facts = DonationFacts(isIncreased: false, windows: [])
        /// Days ahead for which keys are published.
        var published: Int64 = 10
        /// When the document was published; `nil`: now.
        var document: Int64?

        init(seed: UInt64) { random = SeededGenerator(seed: seed) }

        func terms(_ now: Int64) throws -> DonationTerms {
            let today = UTCDay(containing: document ?? now).number
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

        func key(_ day: Int64) -> TokenKey { Self.keys[Int((day - Self.first) % Int64(Self.keys.count))].key }

        /// Does what is no request.
        mutating func carry(_ step: DonationBook.Step, _ now: Int64) throws {
            switch step {
            case .compose(let day): try compose(day, now)
            case .send(let day, let token):
                try redeem(day, token, now)
                book.note(.taken, day: day, at: now, using: &random)
            default: try cover(step, now)
            }
        }

        /// Does a step of cover; any other is a fault.
        mutating func cover(_ step: DonationBook.Step, _ now: Int64) throws {
            switch step {
            case .coverRequest(let day, _):
                let answer = DonationCover.answer(using: &random)
                #expect(try book.take(answer, day: day, terms(now), at: now, using: &random))
            case .sendCover(let day): book.note(.taken, day: day, at: now, using: &random)
            default: Issue.record("no cover: \(step)")
            }
        }

        func sign(_ day: Int64, _ request: TokenRequest) throws -> [UInt8] {
            let (issuer, key) = Self.keys[Int((day - Self.first) % Int64(Self.keys.count))]
            #expect(request.truncatedKeyID == key.truncatedID)
            return try issuer.sign(request.blindedMessage)
        }

        mutating func compose(_ day: Int64, _ now: Int64) throws {
            body = book.freeze(
                day, facts, try terms(now), at: now, using: &random)
            #expect(body != nil)
            try keep()
        }

        /// As the server does it.
        mutating func redeem(_ day: Int64, _ token: Token, _ now: Int64) throws {
            try token.verify(by: key(day), challengeDigest: terms(now).challenge(of: UTCDay(number: day)).digest)
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
            sentDays.append(day)
        }

        /// Does what is to be done at `now`; gives the time of the next step. `cut` says whether the power fails at this place.
        mutating func act(_ now: Int64, cut: (inout SeededGenerator) -> Bool) throws -> Int64? {
            switch try step(now) {
            case .wait(let until): return until
            case .coverRequest(let day, let request):
                contacts.note(issuer: true, now)
                asked.append((day, true))
                #expect(DonationCover.truncatedKeyID(ofRequest: request) == key(day).truncatedID)
                #expect(request.count == TokenRequest.byteCount && (try? TokenRequest(decoding: request)) == nil)
                let answer = DonationCover.answer(using: &random)
                if cut(&random) {
                    try powerCut()
                    return now
                }
                #expect(try book.take(answer, day: day, terms(now), at: now, using: &random))
                try keep()
            case .sendCover(let day):
                contacts.note(issuer: false, now)
                if cut(&random) {
                    try powerCut()
                    return now
                }
                sentDays.append(day)
                book.note(.taken, day: day, at: now, using: &random)
                try keep()
            case .request(let day, let request):
                requests[day, default: []].insert(request.encoded)
                asked.append((day, false))
                contacts.note(issuer: true, now)
                let answer = try sign(day, request)
                if cut(&random) {
                    try powerCut()
                    return now
                }
                #expect(try book.take(answer, day: day, terms(now), at: now, using: &random))
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
                contacts.note(issuer: false, now)
                try redeem(day, token, now)
                if cut(&random) {
                    try powerCut()
                    return now
                }
                book.note(.taken, day: day, at: now, using: &random)
                try keep()
            case .sendErrand: Issue.record("nobody has agreed to a monthly purpose here")
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
        world.book.agree(text: 1, try world.terms(start), at: start)
        try world.keep()
        return world
    }

    @Test func thereAreKeysForTheseTests() {
        #expect(World.keys.count == IssuerKey.dayCount)
        #expect(Set(World.keys.map(\.key.truncatedID)).count == IssuerKey.dayCount)
    }

    @Test func withoutTermsNothingHappens() throws {
        var world = World(seed: 1)
        #expect(try world.book.step(nil, at: start, using: &world.random) == .wait(until: nil))
        world.book.agree(text: 3, try world.terms(start), at: start)
        #expect(world.book.consent == .init(since: start, text: 3, issuer: "issuer.example", server: "donation.example"))
        #expect(try world.book.step(nil, at: start + 1_000_000, using: &world.random) == .wait(until: nil))
    }

    /// Without a consent there is cover, as often; a consent and its end change nothing of when something is sent, and how long it is.
    @Test(arguments: 0..<3) func whoSeesTheNetworkSeesNoConsent(seed: UInt64) throws {
        var world = World(seed: 300 + seed)
        let (agreed, withdrawn, end) = (start + 20 * 86_400 + 5_000, start + 40 * 86_400 + 7_000, start + 60 * 86_400)
        try world.live(from: start, until: agreed)
        #expect(world.stored.isEmpty && world.requests.isEmpty && world.book.history.isEmpty && world.book.seed == nil)
        world.book.agree(text: 1, try world.terms(agreed), at: agreed)
        try world.live(from: agreed, until: withdrawn)
        let first = try #require(world.stored.first?.day) - UTCDay(containing: agreed).number
        #expect((3...11).contains(first), "\(first)")
        let last = try #require(world.stored.last?.day)
        #expect(world.stored.count == Int(last - (world.stored.first?.day ?? 0)) + 1)
        world.book.withdraw()
        try world.live(from: withdrawn, until: end)
        #expect(world.stored.last?.day == last)
        // Each day once; the day of the withdrawal may be left out, because its second is drawn anew.
        let days = world.sentDays
        let all = Set((days.first ?? 0)...(days.last ?? 0))
        #expect(all.subtracting(days).isSubset(of: [UTCDay(containing: withdrawn).number]), "\(all.subtracting(days))")
        #expect(days.count == Set(days).count && days.count > 48)
        #expect(world.asked.map(\.day) == Array((world.asked.first?.day ?? 0)...(world.asked.last?.day ?? 0)))
        #expect(world.contacts.apart >= DonationBook.apart, "\(world.contacts.apart) s")
    }

    /// Before the pause is over nothing is asked for with evidence, and nothing collected.
    @Test func inTheFirstDayThereIsOnlyCover() throws {
        for seed: UInt64 in 0..<8 {
            var world = try agreed(500 + seed)
            try world.live(from: start, until: start + DonationBook.pause)
            #expect(world.requests.isEmpty && world.stored.isEmpty)
        }
    }

    /// Forty days without a fault: a donation on each day from the third or fourth on, one request for each key, one donation of each token.
    @Test(arguments: 0..<2) func aDonationADay(seed: UInt64) throws {
        var world = try agreed(seed)
        try world.live(from: start, until: start + 40 * 86_400)
        let days = world.stored.map(\.day)
        let first = (days.first ?? 0) - World.first
        #expect((3...11).contains(first), "\(first)")
        #expect(days == Array((days.first ?? 0)...World.first + 39) || days == Array((days.first ?? 0)...World.first + 40))
        #expect(world.requests.values.allSatisfy { $0.count == 1 })
        #expect(world.redeemed == world.stored.count)
        #expect(world.book.history.count == DonationBook.maximumHistory)
        #expect(world.sentDays.count == Set(world.sentDays).count)
        #expect(world.contacts.apart >= DonationBook.apart, "\(world.contacts.apart) s")
        #expect(world.book.history.allSatisfy { $0.outcome == .taken })
        #expect(try world.book.bytes().count < 12_000)
    }

    /// The power fails in half of all places; now and then the device is off for days.
    @Test(arguments: 0..<4) func powerCutsGiveNeitherASecondRequestNorASecondDonation(seed: UInt64) throws {
        var world = try agreed(100 + seed)
        var now = start
        var cuts = 0
        while now < start + 40 * 86_400 {
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
        #expect(world.contacts.apart >= DonationBook.apart, "\(world.contacts.apart) s")
    }

    @Test func aWithdrawalLeavesWhatABookWithoutAConsentHas() throws {
        var world = try agreed(7)
        let again = start + 18 * 86_400
        try world.live(from: start, until: again)
        let asked = try #require(world.book.askedUntil)
        let tokens = world.book.tickets.compactMap(\.token)
        #expect(!tokens.isEmpty && !world.stored.isEmpty)
        let seconds = try (again / 86_400...again / 86_400 + 3).map { try world.book.second(of: $0) }
        world.book.withdraw()
        #expect(
            world.book.askedUntil == asked && world.book.clock == nil && world.book.history.isEmpty
                && world.book.marks.isEmpty)
        #expect(world.book.tickets.allSatisfy { $0.isCover && ($0.token ?? "").isEmpty } && world.book.frozenDay == nil)
        let text = String(decoding: try world.book.bytes(), as: UTF8.self)
        #expect(tokens.allSatisfy { !text.contains($0) })
        #expect(text.utf8.count < 700, "\(text)")
        // The next consent asks for no key a second time.
        world.book.agree(text: 1, try world.terms(again), at: again)
        let before = world.requests
        _ = try world.step(again)
        #expect(try (again / 86_400...again / 86_400 + 3).map { try world.book.second(of: $0) } != seconds)
        try world.live(from: again, until: again + 20 * 86_400)
        #expect(world.requests.allSatisfy { $0.value.count == 1 })
        #expect(before.allSatisfy { world.requests[$0.key] == $0.value })
        #expect(world.stored.contains { $0.day > asked })
        // A donation under way when it was withdrawn: its end is none of anybody's.
        world.book.note(.taken, day: 1, at: again, using: &world.random)
    }

    /// The first request, when it is due.
    private func firstRequest(_ world: inout World) throws -> (day: Int64, request: TokenRequest, now: Int64) {
        var now = start
        let (day, request) = try nextRequest(&world, &now)
        return (day, request, now)
    }

    /// The next request from `now` on, when it is due.
    private func nextRequest(_ world: inout World, _ now: inout Int64) throws -> (day: Int64, request: TokenRequest) {
        while true {
            switch try world.step(now) {
            case .wait(let until): now = try #require(until)
            case .request(let day, let request): return (day, request)
            case let step: try world.carry(step, now)
            }
        }
    }

    @Test func twoAnswersByAnotherKeyStopRequestsUntilThereIsAnotherKey() throws {
        var world = try agreed(8)
        let (soon, other, first) = try firstRequest(&world)
        #expect(
            try world.book.take(world.sign(soon, other), day: soon, world.terms(first), at: first, using: &world.random))
        // That of the day after: it is asked for until midnight has come twice.
        var now = first
        var (day, request) = try nextRequest(&world, &now)
        // A short one is none: somebody on the way has cut it.
        for length in [0, 255, 257] {
            #expect(
                try !world.book.take(
                    [UInt8](repeating: 1, count: length), day: day, world.terms(now), at: now, using: &world.random))
            #expect(world.book.stopped == nil)
            let before = now
            #expect(try nextRequest(&world, &now) == (day, request))
            #expect(now - before >= DonationBook.retrySeconds.lowerBound)
        }
        for strike in 1...2 {
            var answer = try world.sign(day, request)
            answer[100] ^= 1
            #expect(try !world.book.take(answer, day: day, world.terms(now), at: now, using: &world.random))
            #expect(world.book.stopped == (strike == 2 ? .otherKey : nil))
            guard strike == 1 else { continue }
            // A second try for the same day would be seen; the next day's is due anyway.
            let (before, moment) = (day, now)
            (day, request) = try nextRequest(&world, &now)
            #expect(day == before + 1 && now == moment)
        }
        // There are fifteen keys, and no day shall have that of this one again for a while.
        world.published = 3
        // Another version with the same key is nothing new: there is cover. Without that key there is something to ask for.
        while world.book.stopped != nil {
            switch try world.step(now) {
            case .wait(let until): now = try #require(until)
            case .request(let other, _):
                let hasKey = try world.terms(now).key(of: UTCDay(number: day)) != nil
                #expect(!hasKey && other > day)
            case let step: try world.carry(step, now)
            }
            #expect(now < start + 40 * 86_400)
            guard now < start + 40 * 86_400 else { return }
        }
        #expect(try nextRequest(&world, &now).day > day)
    }

    @Test func refusalsOfTheIssuer() throws {
        for refusal in DonationBook.IssuerRefusal.allCases {
            var world = try agreed(9)
            let (day, request, now) = try firstRequest(&world)
            let isOther = world.book.noteRefusal(refusal, day: day + 1, try world.terms(now), at: now, using: &world.random)
            #expect(!isOther)
            let isNoted = world.book.noteRefusal(refusal, day: day, try world.terms(now), at: now, using: &world.random)
            #expect(isNoted)
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
                // The same request again.
                if refusal == .unreachable { #expect(try world.step(until) == .request(day: day, request)) }
            case .deviceRefused:
                #expect(world.book.stopped == .deviceRefused)
                guard case .coverRequest(let other, _) = next else {
                    Issue.record("\(refusal): \(next)")
                    continue
                }
                #expect(other == day + 1)
            }
        }
    }

    /// What an issuer may do to a device whose wearer has agreed.
    enum Unkindness: CaseIterable { case knowsItNot, hasGivenIt, signsWithAnother }

    /// Whoever is refused asks and sends as a device without a consent: each day once, a batch in one go, one batch a week. It shows its evidence once in a batch if it is unknown.
    @Test(arguments: Unkindness.allCases) func whoIsRefusedFallsNotSilent(unkindness: Unkindness) throws {
        var world = try agreed(800)
        var batches: [(at: Int64, days: [Int64], withEvidence: Int)] = []
        func note(_ day: Int64, _ now: Int64, isReal: Bool) {
            if batches.last?.at != now { batches.append((now, [], 0)) }
            batches[batches.count - 1].days.append(day)
            if isReal { batches[batches.count - 1].withEvidence += 1 }
        }
        var now = start
        while now < start + 60 * 86_400 {
            switch try world.step(now) {
            case .wait(let until): now = try #require(until)
            case .request(let day, let request):
                note(day, now, isReal: true)
                let terms = try world.terms(now)
                switch unkindness {
                case .knowsItNot: world.book.noteRefusal(.deviceRefused, day: day, terms, at: now, using: &world.random)
                case .hasGivenIt: world.book.noteRefusal(.notThisDay, day: day, terms, at: now, using: &world.random)
                case .signsWithAnother:
                    var answer = try world.sign(day, request)
                    answer[7] ^= 1
                    let isToken = try world.book.take(answer, day: day, terms, at: now, using: &world.random)
                    #expect(!isToken)
                }
                try world.powerCut()
                // The answer was lost with the power: nothing of it was on the disk.
                guard try world.book.handedOut(day, terms) == .request(request) else {
                    Issue.record("another request")
                    return
                }
                switch unkindness {
                case .knowsItNot: world.book.noteRefusal(.deviceRefused, day: day, terms, at: now, using: &world.random)
                case .hasGivenIt: world.book.noteRefusal(.notThisDay, day: day, terms, at: now, using: &world.random)
                case .signsWithAnother:
                    _ = try world.book.take(
                        [UInt8](repeating: 1, count: 256), day: day, terms, at: now, using: &world.random)
                }
                try world.keep()
            case .coverRequest(let day, let request):
                note(day, now, isReal: false)
                try world.cover(.coverRequest(day: day, request), now)
            case .sendCover(let day):
                world.sentDays.append(day)
                try world.cover(.sendCover(day: day), now)
            case let step: Issue.record("there is no token: \(step)")
            }
        }
        let days = batches.flatMap(\.days)
        #expect(days == Array((days.first ?? 0)...(days.last ?? 0)))
        // A donation that is near puts a batch off by some hours.
        let gap = DonationBook.batchSeconds.lowerBound...DonationBook.batchSeconds.upperBound + 4 * DonationBook.apart
        #expect(zip(batches, batches.dropFirst()).allSatisfy { gap.contains($1.at - $0.at) })
        let sent = world.sentDays
        #expect(sent == Array((sent.first ?? 0)...(sent.last ?? 0)) && sent.count > 45, "\(sent)")
        #expect(world.book.consent != nil && world.book.tokenCount(at: now) == 0)
        let shown = batches.map(\.withEvidence)
        switch unkindness {
        case .knowsItNot:
            #expect(shown.allSatisfy { $0 <= 1 } && shown.reduce(0, +) >= shown.count - 2)
            #expect(world.book.stopped == .deviceRefused)
        case .hasGivenIt: #expect(world.book.stopped == nil)
        // Once the key is not in the document any more it asks again.
        case .signsWithAnother: #expect(shown.allSatisfy { [0, 2].contains($0) } && world.book.stopped == .otherKey)
        }
        // Once it is known, it gets tokens by itself.
        guard unkindness == .knowsItNot else { return }
        try world.live(from: now, until: now + 20 * 86_400)
        #expect(world.stored.count >= 5 && world.book.stopped == nil)
    }

    /// Whatever an issuer says to cover, the device goes on, and nothing of the wearer's is there afterwards.
    @Test func refusalsOfCoverStopNothing() throws {
        for (number, refusal) in DonationBook.IssuerRefusal.allCases.enumerated() {
            var world = World(seed: 700 + UInt64(number))
            var (now, asked) = (start, 0)
            while now < start + 30 * 86_400 {
                switch try world.step(now) {
                case .wait(let until): now = try #require(until)
                case .coverRequest(let day, _):
                    asked += 1
                    // An answer of another length is none, and one of somebody else's day neither.
                    let short = try world.book.take([1], day: day + 1, world.terms(now), at: now, using: &world.random)
                    #expect(!short)
                    let isNoted = world.book.noteRefusal(
                        refusal, day: day, try world.terms(now), at: now, using: &world.random)
                    #expect(isNoted)
                case let step: try world.cover(step, now)
                }
            }
            #expect(asked >= 3 && world.book.isCoverOnly, "\(refusal): \(asked)")
        }
        var world = World(seed: 710)
        var now = start
        while true {
            guard case .coverRequest(let day, _) = try world.step(now) else {
                now += 3_600
                continue
            }
            for length in [0, 255, 257] {
                let isToken = try world.book.take(
                    [UInt8](repeating: 1, count: length), day: day, world.terms(now), at: now, using: &world.random)
                #expect(!isToken)
            }
            #expect(world.book.stopped == nil && world.book.strikes == nil)
            return
        }
    }

    /// Whose donations ended at once would be known by that: an issuer that refuses one device learns nothing.
    @Test func tokensThatAreThereAreUsedAfterARefusal() throws {
        var world = try agreed(14)
        try world.live(from: start, until: start + 14 * 86_400)
        let count = world.stored.count
        let tokens = world.book.tokenCount(at: start + 14 * 86_400)
        #expect(tokens >= 3)
        world.book.stoppedBy = .init(why: .deviceRefused, version: 1, key: nil)
        try world.live(from: start + 14 * 86_400, until: start + 17 * 86_400)
        #expect(world.stored.count >= count + 2)
    }

    /// Whoever dies on an answer does not ask again and again.
    @Test func whoSaysNothingOfAStepGetsItAgainMuchLater() throws {
        var world = try agreed(15)
        let (day, request, now) = try firstRequest(&world)
        guard case .wait(let until?) = try world.step(now) else {
            Issue.record("at once")
            return
        }
        #expect(DonationBook.retrySeconds.contains(until - now))
        // What was not handed out has no answer.
        #expect(try world.book.handedOut(day, world.terms(now)) == nil)
        #expect(try !world.book.take(world.sign(day, request), day: day, world.terms(now), at: now, using: &world.random))
        #expect(try world.step(until) == .request(day: day, request))
    }

    /// Two donations with one encounter could be told to be of one device: whatever becomes of the first.
    @Test func anEncounterIsInOneDonationOnly() throws {
        var world = try agreed(16)
        let scan = DonatedWindow.Scan(typical: 51, least: 44, seconds: 300)
        func window(_ day: Int64, _ minutes: Int) -> DonatedWindow {
            DonatedWindow(
                day: day, report: .confirmedTest, isHighlyInfectious: false, confidence: 3,
                scans: [scan, .init(typical: 60, least: 50, seconds: 60 * minutes)])
        }
        var sent: [[UInt8]: Int] = [:]
        var now = start
        var donations = 0
        while now < start + 28 * 86_400 {
            let today = UTCDay(containing: now).number
            world.facts.windows = (0..<14).map { window(today - $0, Int(today - $0) % 5) }
            world.facts.isIncreased = today.isMultiple(of: 2)
            switch try world.step(now) {
            case .wait(let until): now = try #require(until)
            case .request(let day, let request):
                _ = try world.book.take(world.sign(day, request), day: day, world.terms(now), at: now, using: &world.random)
            case .compose(let day):
                try world.compose(day, now)
                let donation = try #require(PPADataDevice(decoding: world.body ?? []))
                for window in donation.newExposureWindows {
                    sent[window.encoded, default: 0] += 1
                    #expect(window.exposureWindow.map { $0.date >= start + DonationBook.pause && $0.date < now } == true)
                }
                let risk = try #require(donation.exposureRiskMetadataSet.first)
                #expect(!risk.riskLevelChangedComparedToPreviousSubmission && risk.mostRecentDateAtRiskLevel == -1)
                #expect(donation.clientMetadata?.configTag == [])
                donations += 1
            case .send(let day, _):
                // Taken, refused, or never heard of again.
                let outcomes: [DonationBook.Outcome?] = [.taken, .refused, nil]
                world.book.note(outcomes[donations % 3], day: day, at: now, using: &world.random)
            case let step: try world.cover(step, now)
            }
        }
        #expect(donations > 10 && sent.count > 10 && sent.values.allSatisfy { $0 == 1 })
    }

    /// Many encounters at once would tell that a donation is the first one.
    @Test func theFirstDonationTellsOfTheLastDaysOnly() throws {
        var world = try agreed(25)
        let day = World.first + 9
        func window(_ day: Int64) -> DonatedWindow {
            DonatedWindow(
                day: day, report: .confirmedTest, isHighlyInfectious: false, confidence: 3,
                scans: [.init(typical: 50, least: 40, seconds: 60 * Int(day % 5))])
        }
        let facts = DonationFacts(isIncreased: false, windows: (day - 7..<day).map(window))
        var counts: [Int] = []
        for number in 0..<2 {
            let token = Base64.string([0, 2] + [UInt8](repeating: UInt8(number), count: 352))
            world.book.tickets = [.init(day: day + Int64(number), key: "", challenge: "", token: token)]
            let content = world.book.freeze(
                day + Int64(number), facts, try world.terms(start), at: (day + Int64(number)) * 86_400 + 5,
                using: &world.random)
            counts.append(PPADataDevice(decoding: content ?? [])?.newExposureWindows.count ?? -1)
        }
        #expect(counts == [2, 0])
    }

    /// Who sees requests must not learn when a device is switched on.
    @Test func whatWasDueWhileItWasOffIsPutOff() throws {
        var offsets: Set<Int64> = []
        for seed: UInt64 in 0..<12 {
            var world = World(seed: 600 + seed)
            _ = try world.step(start)
            let on = start + 8 * 86_400
            world.book.wake(at: on, using: &world.random)
            let next = try #require(world.book.nextBatch)
            #expect((0..<DonationBook.wakeSeconds).contains(next - on))
            offsets.insert(next - on)
            world.book.wake(at: next - 1, using: &world.random)
            #expect(world.book.nextBatch == next)
        }
        #expect(offsets.count > 10)
    }

    /// The same truth is told in the same way for as long as the consent lasts.
    @Test func theAnswerAboutTheRiskIsDrawnOnceForEachTruth() throws {
        var told: [Bool: Set<Bool>] = [:]
        for seed in 0..<6 {
            var world = try agreed(UInt64(200 + seed))
            var ofThis: [Bool: Set<Bool>] = [:]
            for index in 0..<40 {
                world.facts.isIncreased = index % 3 == 0
                let day = World.first + Int64(index)
                let token = Base64.string([0, 2] + [UInt8](repeating: 0, count: 352))
                world.book.tickets = [.init(day: day, key: "", challenge: "", token: token)]
                let terms = try #require(
                    DonationTerms(
                        version: 1, issuerName: "issuer.example", issuerAddress: "https://issuer.example",
                        origin: "donation.example", serverAddress: "https://donation.example", epsilon: 0.1, keys: []))
                let content = world.book.freeze(day, world.facts, terms, at: start, using: &world.random)
                let risk = PPADataDevice(decoding: content ?? [])?.exposureRiskMetadataSet.first?.riskLevel
                ofThis[world.facts.isIncreased, default: []].insert(risk == .high)
            }
            #expect(ofThis.values.allSatisfy { $0.count == 1 })
            for (truth, answers) in ofThis { told[truth, default: []].formUnion(answers) }
        }
        // And not every device tells the truth.
        #expect(told[true]?.count == 2 || told[false]?.count == 2)
    }

    /// A wearer is shown how certain the answer is that is sent: the one of today's document, or a less certain one that was drawn before.
    @Test func anAnswerIsNeverMoreCertainThanItWas() throws {
        func terms(_ epsilon: Double) throws -> DonationTerms {
            try #require(
                DonationTerms(
                    version: 1, issuerName: "issuer.example", issuerAddress: "https://issuer.example",
                    origin: "donation.example", serverAddress: "https://donation.example", epsilon: epsilon, keys: []))
        }
        var world = try agreed(830)
        var random = SeededGenerator(seed: 831)
        var day = World.first
        func answer(_ epsilon: Double, isIncreased: Bool) throws -> Bool {
            day += 1
            world.book.tickets = [
                .init(day: day, key: "", token: Base64.string([0, 2] + [UInt8](repeating: 0, count: 352)))
            ]
            let shown = try world.book.epsilon(isIncreased: isIncreased, terms(epsilon))
            let content = try world.book.freeze(
                day, DonationFacts(isIncreased: isIncreased, windows: []), terms(epsilon), at: start, using: &random)
            // What was shown is what was done.
            #expect(shown == (isIncreased ? world.book.increasedEpsilon : world.book.lowEpsilon))
            return PPADataDevice(decoding: content ?? [])?.exposureRiskMetadataSet.first?.riskLevel == .high
        }
        #expect(try world.book.epsilon(isIncreased: true, terms(3)) == 3)
        let first = try answer(2, isIncreased: true)
        #expect(try world.book.epsilon(isIncreased: true, terms(8)) == 2)
        #expect(try world.book.epsilon(isIncreased: false, terms(8)) == 8)
        for epsilon in [8.0, 2, 5] { #expect(try answer(epsilon, isIncreased: true) == first) }
        _ = try answer(8, isIncreased: false)
        #expect(world.book.lowEpsilon == 8 && world.book.increasedEpsilon == 2)
        // A book of an earlier release does not say which it was.
        world.book.increasedEpsilon = nil
        #expect(try world.book.epsilon(isIncreased: true, terms(3)) == 3)
        // Without a consent, or after one, it is that of the document.
        world.book.withdraw()
        #expect(try world.book.increasedEpsilon == nil && world.book.epsilon(isIncreased: true, terms(7)) == 7)
    }

    /// An answer that is made less certain is as often true as one that was drawn so at once.
    @Test func blurringGivesTheProbabilityOfTheSmallerEpsilon() throws {
        var random = SeededGenerator(seed: 77)
        let (before, after) = (
            try #require(RandomisedResponse(categories: 2, epsilon: 3)),
            try #require(RandomisedResponse(categories: 2, epsilon: 1))
        )
        let count = 40_000
        for truth in 0...1 {
            var right = 0
            for _ in 0..<count {
                let answer = before.answer(for: truth, using: &random)
                if after.blurred(answer, from: 3, using: &random) == truth { right += 1 }
            }
            // Five standard errors.
            let error = (after.keepProbability * after.otherProbability / Double(count)).squareRoot()
            #expect(abs(Double(right) / Double(count) - after.keepProbability) < 5 * error)
        }
        for answer in 0...1 {
            #expect(before.blurred(answer, from: 3, using: &random) == answer)
            #expect(before.blurred(answer, from: 1, using: &random) == answer)
            #expect(before.blurred(answer, from: 31, using: &random) == answer)
        }
    }

    /// A clock that runs ahead for a while and is set right: nothing is asked twice, nothing is given twice, and it goes on.
    @Test func aClockThatWasAheadCostsDaysAndNotMore() throws {
        for leap: Int64 in [1, 3, 40, 400] {
            var world = try agreed(17)
            try world.live(from: start, until: start + 16 * 86_400)
            let right = start + 16 * 86_400
            let marks = world.book.marks
            world.document = right
            for minutes: Int64 in 0..<20 {
                _ = try world.act(right + leap * 86_400 + minutes * 60) { _ in false }
            }
            #expect(world.book.marks == marks)
            world.document = nil
            try world.live(from: right, until: right + 25 * 86_400)
            #expect(world.requests.allSatisfy { $0.value.count == 1 }, "\(leap)")
            #expect(Set(world.stored.map(\.day)).count == world.stored.count)
            #expect(world.stored.filter { $0.day > right / 86_400 + 12 }.count >= 10, "\(leap): \(world.stored.map(\.day))")
        }
    }

    /// Tokens and requests are for the servers that the document had when they were asked for.
    @Test func otherServersGetNothingOfTheFormerOnes() throws {
        var world = try agreed(18)
        try world.live(from: start, until: start + 16 * 86_400)
        let now = start + 16 * 86_400
        #expect(world.book.tokenCount(at: now) > 0)
        let old = try world.terms(now)
        let moved = try #require(
            DonationTerms(
                version: 99_999, issuerName: old.issuerName, issuerAddress: old.issuerAddress, origin: "other.example",
                serverAddress: "https://other.example", keys: old.keys))
        // The wearer agreed to the former ones.
        #expect(world.book.isForOthers(than: moved))
        for hours: Int64 in 0..<24 {
            let moment = now + hours * 3_600
            switch try world.book.step(moved, at: moment, using: &world.random) {
            case .wait: break
            case let step: try world.cover(step, moment)
            }
        }
        // Agreeing again begins anew, without a token of before.
        world.book.agree(text: 1, moved, at: now + 86_400)
        #expect(
            world.book.tickets.allSatisfy(\.isCover) && world.book.frozenDay == nil && !world.book.isForOthers(than: moved))
        #expect(world.book.consent?.since == now + 86_400)
        let same = world.book
        world.book.agree(text: 2, moved, at: now + 2 * 86_400)
        #expect(world.book == same)
    }

    /// Who finds the book later learns the times of no donation that is over.
    @Test func secondsOfDaysThatAreOverCannotBeComputed() throws {
        var world = try agreed(19)
        try world.live(from: start, until: start + 16 * 86_400)
        let today = (start + 16 * 86_400) / 86_400
        let known = try world.book.second(of: today + 1)
        let early = world.book
        try world.live(from: start + 16 * 86_400, until: start + 17 * 86_400 + 3_600)
        #expect(world.book.clockDay == today + 1)
        #expect(try world.book.second(of: today + 1) == known && early.second(of: today + 1) == known)
        #expect(throws: PrivacyPassError.self) { try world.book.second(of: today) }
        #expect(world.book.clock != early.clock)
    }

    /// Who gets a token shortly before its day would be known by the donation that follows.
    @Test func noTokenIsAskedForOnItsDayOrTheDayBefore() throws {
        var world = try agreed(10)
        var now = start
        while now < start + 20 * 86_400 {
            switch try world.step(now) {
            case .request(let day, _), .coverRequest(let day, _):
                #expect(day > UTCDay(containing: now).number + 1)
                world.book.noteRefusal(.notYet, day: day, try world.terms(now), at: now, using: &world.random)
            case .wait(let until): now = try #require(until)
            default: Issue.record("a donation without a token")
            }
        }
    }

    @Test func keysThatArePublishedLateAreAskedForSoon() throws {
        var world = try agreed(11)
        world.published = 3
        try world.live(from: start, until: start + 30 * 86_400)
        #expect(world.requests.values.allSatisfy { $0.count == 1 })
        #expect(world.stored.count >= 12)
    }

    /// A server that is away for a day: the same donation with the same token, and none is made up for.
    @Test func aDonationThatCannotBeSentIsTriedAgainUntilItLapses() throws {
        var world = try agreed(12)
        try world.live(from: start, until: start + 15 * 86_400)
        var now = start + 15 * 86_400
        var sent: [Int64: Set<[UInt8]>] = [:]
        while now < start + 20 * 86_400 {
            switch try world.step(now) {
            case .wait(let until): now = try #require(until)
            case .request(let day, let request):
                _ = try world.book.take(world.sign(day, request), day: day, world.terms(now), at: now, using: &world.random)
            case .compose(let day): try world.compose(day, now)
            case .send(let day, let token):
                sent[day, default: []].insert(token.bytes)
                world.book.note(nil, day: day, at: now, using: &world.random)
            case let step: try world.cover(step, now)
            }
        }
        #expect(sent.count >= 3 && sent.values.allSatisfy { $0.count == 1 })
        #expect(world.book.history.contains { $0.outcome == .lapsed })
        // None of an earlier day is left for later.
        #expect(world.book.frozenDay.map { $0 >= UTCDay(containing: now).number - 1 } ?? true)
    }

    @Test func aDamagedBookIsNone() throws {
        var world = try agreed(13)
        try world.live(from: start, until: start + 15 * 86_400)
        let bytes = try world.book.bytes()
        #expect(DonationBook(bytes: bytes) == world.book)
        for count in stride(from: 0, to: bytes.count, by: 97) {
            #expect(DonationBook(bytes: Array(bytes[..<count])) == nil)
        }
        #expect("\(world.book)" == "consent")
    }
}
