// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import PrivacyPass
import RandomValues
import TestKit
import Testing

@testable import Donation

/// A device that donates, or sends what it sends once a month, with an issuer that signs and a server that takes, by their rules.
struct MonthlyWorld {
    /// 2026-11-23.
    static let first: Int64 = 20_780
    static let keys = PublishedKeys.all
    static let day: Int64 = 86_400
    /// When tests begin, in Unix seconds.
    static let start = UTCDay(number: first).start + 40_000
    /// Who is responsible for a survey: passwords of seven days.
    static let people = DonationTerms.Responsible(
        issuer: "City", server: "Institute", recipients: "University", keptDays: 7)

    static func survey(
        _ link: String = "https://survey.example/start", about: String = "How was your warning?",
        invited: DonationTerms.Survey.Invited = .everybody
    ) -> DonationTerms.Survey? {
        DonationTerms.Survey(link: link, about: ["en": about], invited: invited)
    }

    var random: SeededGenerator
    var book = DonationBook()
    /// What is on the disk: a power cut goes back to it.
    var disk = [UInt8]()
    /// The blinded messages by the day or the month that they are for.
    var requests: [String: Set<[UInt8]>] = [:]
    /// What the server has: logs, and digests with the day on which each came; and contents by token.
    var logs: [(day: Int64, troubles: [DeviceTrouble])] = []
    var digests: [[UInt8]: Int64] = [:]
    var spent: [[UInt8]: [UInt8]] = [:]
    var donated: [Int64] = []
    /// What whoever sees the network sees: the day of each request and of each sending.
    var asked: [Int64] = [], sent: [Int64] = []
    /// The purpose that the document asks for; `nil` for donations alone.
    var purpose: MonthlyPurpose?
    /// What its survey is about.
    var about = "How was your warning?"

    init(seed: UInt64, _ purpose: MonthlyPurpose) {
        random = SeededGenerator(seed: seed)
        self.purpose = purpose
    }

    /// A world whose wearer has agreed to the purpose on the tenth day and, if wanted, to donations.
    static func agreed(
        _ purpose: MonthlyPurpose, seed: UInt64, donates: Bool = false
    ) throws -> (world: MonthlyWorld, now: Int64) {
        var world = MonthlyWorld(seed: seed, purpose)
        let agreed = start + 9 * day
        try world.live(from: start, until: agreed)
        world.book.agree(purpose, text: 1, try world.terms(agreed), at: agreed)
        if donates { world.book.agree(text: 1, try world.terms(agreed), at: agreed) }
        try world.keep()
        return (world, agreed)
    }

    /// Two of the fifteen keys are for months.
    static func dayKey(_ day: Int64) -> (issuer: IssuerKey, key: TokenKey) {
        keys[Int((day - first) % Int64(keys.count - 2))]
    }
    static func monthKey(_ day: Int64) -> (issuer: IssuerKey, key: TokenKey) {
        keys[keys.count - 2 + UTCDay(number: day).date.month % 2]
    }

    func terms(_ now: Int64) throws -> DonationTerms {
        let today = UTCDay(containing: now)
        let ahead = UTCDay(number: today.number + 10)
        let months = Set([today, ahead].map { DonationEpoch.firstDay(ofMonth: $0) })
            .map { DonationTerms.Key(day: $0, key: Self.monthKey($0.number).key) }
        let isSurvey = purpose == .survey
        return try #require(
            DonationTerms(
                version: today.number, issuerName: "issuer.example", issuerAddress: "https://issuer.example",
                origin: "donation.example", serverAddress: "https://donation.example",
                keys: (today.number...ahead.number).map { .init(day: UTCDay(number: $0), key: Self.dayKey($0).key) },
                monthlyKeys: purpose.map { [$0: months] } ?? [:],
                responsible: isSurvey ? Self.people.map { [.survey: $0] } ?? [:] : [:],
                survey: isSurvey ? Self.survey(about: about) : nil))
    }

    mutating func keep() throws { disk = try book.bytes() }
    mutating func powerCut() throws { book = try #require(DonationBook(bytes: disk)) }

    /// The issuer's answer, by the key that the request names.
    mutating func sign(_ day: Int64, _ request: TokenRequest) throws -> [UInt8] {
        let month = Self.monthKey(day)
        let isMonth = request.truncatedKeyID == month.key.truncatedID
        requests[isMonth ? DonationEpoch.month(of: UTCDay(number: day)).text : "\(day)", default: []].insert(
            request.encoded)
        return try (isMonth ? month : Self.dayKey(day)).issuer.sign(request.blindedMessage)
    }

    /// Takes what is sent for a monthly purpose, as the server does it.
    mutating func take(
        _ purpose: MonthlyPurpose, _ day: Int64, _ token: Token, _ content: [UInt8], _ now: Int64
    ) throws {
        let today = UTCDay(containing: now).number
        try token.verify(
            by: Self.monthKey(day).key,
            challengeDigest: terms(day * Self.day).challenge(ofMonth: UTCDay(number: day)).digest)
        #expect(DonationEpoch.days(ofMonth: UTCDay(number: day)).contains(today))
        let body = try #require(DonationPadding.padded(content))
        if let earlier = spent[token.nonce] {
            #expect(earlier == content)
            return
        }
        spent[token.nonce] = content
        switch purpose {
        case .log: logs.append((day, try #require(TroubleReport.troubles(ofBody: body))))
        case .survey:
            let digest = try #require(SurveyReport.digest(ofBody: body))
            #expect(digests[digest] == nil)
            digests[digest] = today
        }
    }

    /// Does what is to be done at `now`; returns the time of the next step. `cut` says whether the power fails at this place, `outcome` what becomes of what is sent for the monthly
    /// purpose.
    mutating func act(
        _ now: Int64, outcome: DonationBook.Outcome? = .taken, cut: (inout SeededGenerator) -> Bool = { _ in false }
    ) throws -> Int64? {
        let step = try book.step(terms(now), at: now, using: &random)
        try keep()
        switch step {
        case .wait(let until): return until
        case .coverRequest(let day, _), .request(let day, _):
            var answer = DonationCover.answer(using: &random)
            if case .request(_, let request) = step { answer = try sign(day, request) }
            if cut(&random) {
                try powerCut()
                return now
            }
            let isTaken = try book.take(answer, day: day, terms(now), at: now, using: &random)
            #expect(isTaken)
            if cut(&random) {
                try powerCut()
                return now
            }
            asked.append(day)
            try keep()
        case .compose(let day):
            _ = book.freeze(
                day, DonationFacts(isIncreased: false, windows: []), try terms(now), at: now, using: &random)
            if cut(&random) {
                try powerCut()
                return now
            }
            try keep()
        case .send(let day, _), .sendCover(let day), .sendErrand(_, let day, _, _):
            var what: DonationBook.Outcome? = .taken
            if case .sendErrand(let purpose, _, let token, let content) = step {
                #expect(purpose == self.purpose)
                if outcome != .refused { try take(purpose, day, token, content, now) }
                what = outcome
            }
            if case .send = step { donated.append(day) }
            if cut(&random) {
                try powerCut()
                return now
            }
            sent.append(day)
            book.note(what, day: day, at: now, using: &random)
            try keep()
        }
        return now
    }

    /// Lives on until a time.
    mutating func live(
        from start: Int64, until end: Int64, outcome: DonationBook.Outcome? = .taken,
        cut: (inout SeededGenerator) -> Bool = { _ in false }
    ) throws {
        var now = start
        while now < end {
            guard let next = try act(now, outcome: outcome, cut: cut) else { return }
            now = next
        }
    }

    /// Lives on until the book is so, and returns when that is.
    mutating func live(from start: Int64, until isSo: (DonationBook) -> Bool) throws -> Int64 {
        var now = start
        while !isSo(book) { now = try #require(try act(now)) }
        return now
    }

    mutating func note(_ troubles: Set<DeviceTrouble>, _ now: Int64) throws {
        if book.note(troubles, at: now) { try keep() }
    }
}
