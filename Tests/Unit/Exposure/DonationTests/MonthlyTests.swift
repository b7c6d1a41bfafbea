// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import JSON
import PrivacyPass
import RandomValues
import TestKit
import Testing

@testable import Donation

/// Error logs of a device over weeks, beside donations and without them, with an issuer that signs and a server that takes.
@Suite struct MonthlyTests {
    private typealias World = MonthlyWorld

    private let start = World.start
    private static let day = World.day

    private func agreed(_ seed: UInt64, donates: Bool = false) throws -> (World, now: Int64) {
        try World.agreed(.log, seed: seed, donates: donates)
    }

    @Test func nothingIsNotedWithoutAConsentNorInItsFirstDay() throws {
        var world = World(seed: 1, .log)
        let result1 = world.book.note([.lostScans], at: start)
        #expect(!result1)
        let terms = try world.terms(start)
        world.book.agree(.log, text: 1, terms, at: start)
        let result2 = world.book.note([.lostScans], at: start + DonationBook.pause - 1)
        #expect(!result2)
        #expect(world.book[.log]?.seen.isEmpty == true && world.book.consent == nil)
        let result3 = world.book.note([.lostScans], at: start + DonationBook.pause)
        #expect(result3)
        // The same again is nothing new, on the next day it is.
        let result4 = world.book.note([.lostScans], at: start + DonationBook.pause + 60)
        #expect(!result4)
        let result5 = world.book.note([.lostScans, .noController], at: start + 2 * DonationBook.pause)
        #expect(result5)
        #expect(world.book[.log]?.seen.map(\.trouble) == [.noController, .lostScans])
        // Two weeks later they are forgotten.
        let result6 = world.book.forget(before: start / 86_400 + 17)
        #expect(result6)
        #expect(world.book[.log]?.seen.isEmpty == true)
    }

    /// Nothing leaves that was not let go; then exactly that leaves, once, and what comes later is for the next log.
    @Test(arguments: [(2, false), (3, true)] as [(UInt64, Bool)])
    func aLogLeavesOnceAndAsItWasRead(seed: UInt64, donates: Bool) throws {
        var (world, now) = try agreed(seed, donates: donates)
        try world.live(from: now, until: now + 2 * Self.day)
        try world.note([.lostScans, .diskNearlyFull], now + 2 * Self.day)
        try world.live(from: now + 2 * Self.day, until: now + 18 * Self.day)
        now += 18 * Self.day
        #expect(world.logs.isEmpty && world.book[.log]?.hasToken == true)
        // Not what is not there, nor a part of it, nor nothing.
        for other: Set<DeviceTrouble> in [[], [.lostScans], [.lostScans, .diskNearlyFull, .noController]] {
            let isReleased = world.book.release(other, at: now)
            #expect(!isReleased)
        }
        try world.note([.lostScans, .diskNearlyFull], now)
        let result7 = world.book.release([.lostScans, .diskNearlyFull], at: now)
        #expect(result7)
        let isReleasedAgain = world.book.release([.lostScans, .diskNearlyFull], at: now)
        #expect(!isReleasedAgain)
        try world.keep()
        try world.note([.noController], now + Self.day)
        try world.live(from: now + Self.day, until: now + 40 * Self.day)
        #expect(world.logs.map(\.troubles) == [[.lostScans, .diskNearlyFull]])
        #expect(world.book[.log]?.history.map(\.outcome) == [.taken] && world.book[.log]?.isReleased == false)
        #expect(world.book[.log]?.seen.map(\.trouble) == [.noController])
        #expect(world.requests.values.allSatisfy { $0.count == 1 })
        #expect(world.requests.keys.filter { $0.contains("-") }.count >= 2)
        #expect(world.donated.isEmpty != donates)
        #expect(world.donated.count == Set(world.donated).count)
    }

    /// A log of this world that is let go and on its way; the time, the token and the content.
    private func onItsWay(
        _ seed: UInt64, donates: Bool
    ) throws -> (world: World, now: Int64, day: Int64, token: Token, content: [UInt8]) {
        var (world, now) = try agreed(seed, donates: donates)
        now += 2 * Self.day
        try world.note([.radioDeaf], now)
        while world.book[.log]?.hasToken == false { now = try #require(try world.act(now)) }
        let isReleased = world.book.release([.radioDeaf], at: now)
        #expect(isReleased)
        while true {
            var look = world.book
            let step = try look.step(world.terms(now), at: now, using: &world.random)
            if case .sendErrand(_, let day, let token, let content) = step {
                world.book = look
                try world.keep()
                return (world, now, day, token, content)
            }
            now = try #require(try world.act(now))
        }
    }

    /// The server has seen it, so it is not sent again by itself; its lines stay, and the wearer may let them go once more.
    @Test(arguments: [(80, false), (81, true)] as [(UInt64, Bool)])
    func aLogThatWasRefusedStaysForTheWearer(seed: UInt64, donates: Bool) throws {
        var (world, now, day, token, _) = try onItsWay(seed, donates: donates)
        world.book.note(.refused, day: day, at: now, using: &world.random)
        let errand = try #require(world.book[.log])
        #expect(errand.history.map(\.outcome) == [.refused] && !errand.isReleased && !errand.hasToken)
        #expect(errand.seen.map(\.trouble) == [.radioDeaf])
        try world.live(from: now, until: now + 40 * Self.day)
        now += 40 * Self.day
        #expect(world.logs.isEmpty && world.book[.log]?.hasToken == true)
        let isReleasedAgain = world.book.release([.radioDeaf], at: now)
        #expect(isReleasedAgain)
        try world.live(from: now, until: now + 40 * Self.day)
        #expect(world.logs.map(\.troubles) == [[.radioDeaf]] && world.spent[token.nonce] == nil)
        #expect(world.book[.log]?.history.map(\.outcome) == [.refused, .taken])
        #expect(world.book[.log]?.seen.isEmpty == true)
    }

    /// Nobody answers for days: the same bytes take the place of something else in the month; after its end those of a new token do.
    @Test(arguments: [(90, false, 3), (91, true, 3), (92, false, 40), (93, true, 40)] as [(UInt64, Bool, Int64)])
    func aLogThatNobodyAnsweredIsSentAgain(seed: UInt64, donates: Bool, days: Int64) throws {
        let (world, now, _, token, content) = try onItsWay(seed, donates: donates)
        var other = world
        try other.live(from: now + days * Self.day, until: now + (days + 40) * Self.day)
        #expect(other.logs.map(\.troubles) == [[.radioDeaf]])
        #expect(other.spent[token.nonce] == (days < 30 ? content : nil) && other.spent.count == 1)
        #expect(other.book[.log]?.history.map(\.outcome) == [.taken] && other.book[.log]?.isReleased == false)
        #expect(other.requests.values.allSatisfy { $0.count == 1 })
    }

    /// One schedule for all: who sees the network sees neither the consent, nor the token, nor the log.
    @Test(arguments: [(10, false), (11, true), (12, false), (13, true)] as [(UInt64, Bool)])
    func whoSeesTheNetworkSeesNoLog(seed: UInt64, donates: Bool) throws {
        var (world, now) = try agreed(seed, donates: donates)
        for _ in 0..<60 {
            try world.live(from: now, until: now + Self.day)
            now += Self.day
            try world.note([.lostScans], now)
            if world.book.release([.lostScans], at: now) { try world.keep() }
        }
        #expect((2...4).contains(world.logs.count), "\(world.logs.count)")
        #expect(world.asked == Array((world.asked.first ?? 0)...(world.asked.last ?? 0)))
        #expect(world.sent == Array((world.sent.first ?? 0)...(world.sent.last ?? 0)))
        // One for each month.
        #expect(Set(world.logs.map { UTCDay(number: $0.day).date.month }).count == world.logs.count)
    }

    /// The power fails in half of all places; now and then the device is off for days.
    @Test(arguments: 20..<24) func powerCutsGiveNeitherASecondRequestNorASecondLog(seed: UInt64) throws {
        var (world, now) = try agreed(seed, donates: seed.isMultiple(of: 2))
        let end = now + 90 * Self.day
        var cuts = 0
        while now < end {
            try world.note([.ladderClimbed], now)
            if world.book.release([.ladderClimbed], at: now) { try world.keep() }
            let next = try #require(
                try world.act(now) { random in
                    let isCut = Bool.random(using: &random)
                    cuts += isCut ? 1 : 0
                    return isCut
                })
            now = next
            if Int.random(in: 0..<60, using: &world.random) == 0 {
                now += .random(in: 0..<2 * Self.day, using: &world.random)
            }
        }
        #expect(cuts > 20)
        #expect(world.requests.values.allSatisfy { $0.count == 1 })
        #expect(world.logs.count == world.spent.count && !world.logs.isEmpty)
        #expect(Set(world.logs.map { UTCDay(number: $0.day).date.month }).count == world.logs.count)
    }

    /// Nothing of one purpose is left after its withdrawal, and nothing of the other is touched.
    @Test func aWithdrawalErasesOnePurposeOnly() throws {
        for under in 0..<3 {
            var (world, now) = try agreed(30 + UInt64(under), donates: true)
            now += 2 * Self.day
            try world.note([.auditBroken], now)
            // Asked for, there, or under way.
            while true {
                let errand = try #require(world.book[.log])
                if under == 0, errand.seed != nil { break }
                if under >= 1, errand.hasToken { break }
                now = try #require(try world.act(now))
            }
            if under == 2 {
                let result8 = world.book.release([.auditBroken], at: now)
                #expect(result8)
                while true {
                    let step = try world.book.step(world.terms(now), at: now, using: &world.random)
                    if case .sendErrand = step { break }
                    if case .wait(let until) = step {
                        now = try #require(until)
                    } else {
                        now = try #require(try world.act(now))
                    }
                }
            }
            let secrets = [world.book[.log]?.seed, world.book[.log]?.ticket?.token, world.book.sending?.content].compactMap
            { $0 }
            #expect(!secrets.isEmpty)
            var other = world.book
            world.book.withdraw(.log)
            let text = String(decoding: try world.book.bytes(), as: UTF8.self)
            #expect(
                secrets.allSatisfy { !text.contains($0) } && !text.contains("audit-broken") && !text.contains("\"log\":{"))
            #expect(world.book.consent == other.consent && world.book.seed == other.seed && world.book.marks == other.marks)
            #expect(world.book.tickets.map(\.token) == other.tickets.map(\.token))
            #expect(world.book.tickets.allSatisfy { $0.errand == nil } && world.book.sending?.errand == nil)
            // The month is not asked for again.
            let asked = world.book.askedMonth(.log)
            #expect(asked == other.askedMonth(.log) && (under == 0 || asked != nil))
            // And the other way round.
            let log = other.log
            other.withdraw()
            #expect(other.consent == nil && other.log == log && !other.isCoverOnly)
            other.withdraw(.log)
            #expect(other.isCoverOnly)
            world.book = other
            try world.keep()
            let logs = world.logs.count
            try world.live(from: now, until: now + 20 * Self.day)
            #expect(world.logs.count == logs && world.book.isCoverOnly)
        }
    }

    /// Two blinded messages for one key would be two devices to the issuer. Without the mark that outlives a withdrawal there are two.
    @Test(arguments: [(100, false), (101, true)] as [(UInt64, Bool)])
    func aNewConsentInTheSameMonthAsksForNoSecondToken(seed: UInt64, forgets: Bool) throws {
        var (world, now) = try agreed(seed)
        while world.book[.log]?.hasToken == false { now = try #require(try world.act(now)) }
        let month = DonationEpoch.month(of: UTCDay(containing: now)).text
        #expect(world.requests[month]?.count == 1)
        world.book.withdraw(.log)
        if forgets { world.book.askedMonths = nil }
        world.book.agree(.log, text: 1, try world.terms(now), at: now)
        try world.keep()
        let end = DonationEpoch.lastDay(ofMonth: UTCDay(containing: now)).start
        try world.live(from: now, until: end) { Bool.random(using: &$0) }
        #expect(world.requests[month]?.count == (forgets ? 2 : 1))
    }

    /// Whatever an issuer answers, donations go on, and so does the schedule.
    @Test func refusalsOfTheIssuer() throws {
        for (number, refusal) in DonationBook.IssuerRefusal.allCases.enumerated() {
            var (world, now) = try agreed(40 + UInt64(number))
            var refused = 0
            let end = now + 40 * Self.day
            while now < end {
                var look = world.book
                if case .request(let day, _) = try look.step(world.terms(now), at: now, using: &world.random) {
                    world.book = look
                    let isNoted = world.book.noteRefusal(
                        refusal, day: day, try world.terms(now), at: now, using: &world.random)
                    #expect(isNoted)
                    refused += 1
                } else {
                    now = try #require(try world.act(now))
                }
            }
            #expect(refused >= 1 && world.book[.log]?.hasToken == false, "\(refusal)")
            #expect(world.book.stopped == nil && world.book[.log]?.consent != nil)
            if refusal == .deviceRefused { #expect(world.book[.log]?.stopped == .deviceRefused) }
        }
    }

    /// A device that the issuer does not know yet shows its evidence once in a batch, whatever its wearer has agreed to; later it gets the token for the same request.
    @Test(arguments: [false, true]) func anUnknownDeviceAsksOnceInABatch(donates: Bool) throws {
        var (world, now) = try agreed(55, donates: donates)
        var moments: [Int64] = []
        while moments.count < 2 {
            var look = world.book
            if case .request(let day, _) = try look.step(world.terms(now), at: now, using: &world.random) {
                world.book = look
                let isNoted = world.book.noteRefusal(
                    .deviceRefused, day: day, try world.terms(now), at: now, using: &world.random)
                #expect(isNoted)
                world.asked.append(day)
                moments.append(now)
                try world.keep()
            } else {
                now = try #require(try world.act(now))
            }
            #expect(now < start + 40 * Self.day)
        }
        #expect(moments[1] - moments[0] >= DonationBook.batchSeconds.lowerBound)
        #expect(world.book[.log]?.stopped == .deviceRefused && (world.book.stopped == .deviceRefused) == donates)
        try world.live(from: now, until: now + 20 * Self.day)
        #expect(world.book[.log]?.stopped == nil && world.book.stopped == nil && !world.requests.isEmpty)
        #expect(world.requests.keys.contains { $0.contains("-") } && world.requests.values.allSatisfy { $0.count == 1 })
        #expect(world.asked == Array((world.asked.first ?? 0)...(world.asked.last ?? 0)))
        #expect(Set(world.sent).count == world.sent.count)
        #expect(Set(world.sent) == Set((world.sent.first ?? 0)...(world.sent.last ?? 0)))
    }

    /// An issuer that serves nobody for days: the request moves to another day of the same batch, and stays the same request.
    @Test(arguments: 70..<76) func aRequestWhoseDayIsOverMovesToAnother(seed: UInt64) throws {
        var (world, now) = try agreed(seed)
        var refused = 0
        while world.book[.log]?.hasToken == false {
            var look = world.book
            let step = try look.step(world.terms(now), at: now, using: &world.random)
            var asked: Int64?
            if case .request(let day, _) = step { asked = day }
            if case .coverRequest(let day, _) = step { asked = day }
            if let asked, refused < 3 {
                world.book = look
                let isNoted = world.book.noteRefusal(
                    .notYet, day: asked, try world.terms(now), at: now, using: &world.random)
                #expect(isNoted)
                refused += 1
            } else {
                now = try #require(try world.act(now))
            }
            #expect(now < start + 40 * Self.day)
        }
        #expect(refused == 3 && now < start + 22 * Self.day, "\((now - start) / Self.day) days")
        #expect(world.requests.values.allSatisfy { $0.count == 1 })
    }

    @Test func twoAnswersByAnotherKeyEndTheMonth() throws {
        var (world, now) = try agreed(50)
        var strikes = 0
        while world.book[.log]?.stopped == nil {
            var look = world.book
            if case .request(let day, let request) = try look.step(world.terms(now), at: now, using: &world.random) {
                world.book = look
                var answer = try World.monthKey(day).issuer.sign(request.blindedMessage)
                answer[100] ^= 1
                #expect(try !world.book.take([1], day: day + 1, world.terms(now), at: now, using: &world.random))
                #expect(try !world.book.take(answer, day: day, world.terms(now), at: now, using: &world.random))
                strikes += 1
            } else {
                now = try #require(try world.act(now))
            }
            #expect(now < start + 40 * Self.day)
        }
        #expect(strikes == 2 && world.book[.log]?.stopped == .otherKey && world.book.stopped == nil)
        // The next month has another key.
        try world.live(from: now, until: now + 40 * Self.day)
        #expect(world.requests.keys.contains { $0.contains("-") } && world.book[.log]?.stopped == nil)
    }

    /// Other servers get nothing of what was for the former ones, until the wearer agrees to them.
    @Test func otherServersGetNothing() throws {
        var (world, now) = try agreed(60)
        now += 2 * Self.day
        try world.note([.lostScans], now)
        try world.live(from: now, until: now + 18 * Self.day)
        now += 18 * Self.day
        let isReleased = world.book.release([.lostScans], at: now)
        #expect(world.book[.log]?.hasToken == true && isReleased)
        let old = try world.terms(now)
        let moved = try #require(
            DonationTerms(
                version: 99_999, issuerName: old.issuerName, issuerAddress: old.issuerAddress, origin: "other.example",
                serverAddress: "https://other.example", keys: old.keys, monthlyKeys: old.monthlyKeys))
        #expect(world.book.isForOthers(.log, than: moved))
        for hours: Int64 in 0..<48 {
            switch try world.book.step(moved, at: now + hours * 3_600, using: &world.random) {
            case .request, .send, .sendErrand, .compose: Issue.record("something real")
            default: break
            }
        }
        world.book.agree(.log, text: 1, moved, at: now + 3 * Self.day)
        #expect(world.book[.log]?.hasToken == false && world.book[.log]?.seen.isEmpty == true)
        #expect(!world.book.isForOthers(.log, than: moved))
    }

    // MARK: Messages and terms

    @Test func aLogHasOneSizeAndNothingButItsTroubles() throws {
        for troubles: [DeviceTrouble] in [[.noController], [.diskNearlyFull, .lostScans], DeviceTrouble.allCases] {
            let body = try #require(DonationPadding.padded(TroubleReport.content(troubles)))
            #expect(body.count == 16_384 && TroubleReport.troubles(ofBody: body) == troubles.sorted())
        }
        func padded(_ kinds: [Int32]) -> [UInt8] {
            var message = ErrorLogDevice()
            message.troubles = kinds.map { TroubleLine(kind: $0) }
            return DonationPadding.padded(message.encoded) ?? []
        }
        for kinds: [Int32] in [[], [0], [12], [1, 1], [-1], Array(repeating: 1, count: 400)] {
            #expect(TroubleReport.troubles(ofBody: padded(kinds)) == nil, "\(kinds)")
        }
        #expect(TroubleReport.troubles(ofBody: Array(padded([1]).dropLast())) == nil)
        #expect(TroubleReport.troubles(ofBody: padded([1]) + [0]) == nil)
        var random = SeededGenerator(seed: 9)
        for _ in 0..<200 {
            var body = padded([1, 5])
            body[body.count - 1 - Int.random(in: 0..<10, using: &random)] = .random(in: 0...255, using: &random)
            _ = TroubleReport.troubles(ofBody: body)
        }
    }

    @Test func termsWithLogs() throws {
        let world = World(seed: 1, .log)
        let terms = try world.terms(start)
        #expect(DonationTerms(decoding: terms.encoded) == terms && !terms.keys(for: .log).isEmpty)
        #expect(terms.key(for: .log, monthOf: UTCDay(number: World.first)) == World.monthKey(World.first).key)
        let json = try JSON(parsing: terms.encoded)
        for part: JSON in [
            "x", [:], ["keys": "x"], ["keys": [["month": "2026-13", "key": "x"]]], ["keys": [["day": "2026-11-01"]]],
            ["keys": .array(Array(repeating: json["log"]?["keys"]?.array?[0] ?? .null, count: 2))],
        ] {
            var object = json.object ?? [:]
            object["log"] = part
            #expect(DonationTerms(decoding: JSON.object(object).bytes) == nil, "\(part)")
        }
        // Without the part there are no logs; a key in the middle of a month, or one that a day has, is none.
        var object = json.object ?? [:]
        object["log"] = nil
        #expect(DonationTerms(decoding: JSON.object(object).bytes)?.keys(for: .log) == [])
        func made(_ key: DonationTerms.Key) -> DonationTerms? {
            DonationTerms(
                version: 1, issuerName: terms.issuerName, issuerAddress: terms.issuerAddress, origin: terms.origin,
                serverAddress: terms.serverAddress, keys: terms.keys, monthlyKeys: [.log: [key]])
        }
        #expect(made(.init(day: UTCDay(number: World.first), key: World.monthKey(World.first).key)) == nil)
        #expect(
            made(.init(day: DonationEpoch.firstDay(ofMonth: UTCDay(number: World.first)), key: terms.keys[0].key)) == nil)
        #expect(
            made(
                .init(
                    day: DonationEpoch.firstDay(ofMonth: UTCDay(number: World.first)), key: World.monthKey(World.first).key)
            ) != nil)
    }

    @Test func monthsHaveTheirDays() throws {
        for (text, first, last) in [
            ("2026-11-23", "2026-11-01", "2026-11-30"), ("2024-02-29", "2024-02-01", "2024-02-29"),
            ("2026-02-01", "2026-02-01", "2026-02-28"), ("2026-12-31", "2026-12-01", "2026-12-31"),
        ] {
            let day = UTCDay(number: try #require(CivilDate(isoText: text)).dayNumber)
            #expect(DonationEpoch.firstDay(ofMonth: day).date.isoText == first)
            #expect(DonationEpoch.lastDay(ofMonth: day).date.isoText == last)
        }
    }
}
