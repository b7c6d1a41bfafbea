// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import DeviceEvidence
import Donation
import PrivacyPass

/// What a board's core does for donations. Times are in Unix seconds, by the board's clock.
protocol TrialDesk {
    /// Notes the consent of the wearer.
    mutating func agree(_ terms: DonationTerms, at now: Int64, using random: inout SeededNumbers)
    /// Notes that the wearer agrees to the survey.
    mutating func agreeToSurvey(_ terms: DonationTerms, at now: Int64)
    /// The board was switched on.
    mutating func wake(at now: Int64, using random: inout SeededNumbers)
    /// What is to be done.
    mutating func work(
        _ terms: DonationTerms, _ facts: DonationFacts, at now: Int64, using random: inout SeededNumbers
    ) throws -> TrialWork
    /// What was handed out for this day.
    func handedOut(_ day: Int64, _ terms: DonationTerms) throws -> DonationBook.HandedOut?
    /// Takes what the issuer has answered to it: a signature, or why there is none.
    mutating func take(
        _ answer: Result<[UInt8], TrialRefusal>, day: Int64, _ terms: DonationTerms, at now: Int64,
        using random: inout SeededNumbers) throws
    /// Notes what became of a donation; `nil` if it is to be tried again.
    mutating func note(_ outcome: DonationBook.Outcome?, day: Int64, at now: Int64, using random: inout SeededNumbers)
}

/// One thing to be done.
enum TrialWork {
    case wait(until: Int64?)
    case request(day: Int64, body: [UInt8])
    case donate(day: Int64, body: [UInt8], authorization: String, MonthlyPurpose?)
}

/// Why the issuer gave no token, as an error.
struct TrialRefusal: Error {
    let why: DonationBook.IssuerRefusal
}

/// The product's book, with the calls of it that the core's `DonationDesk` makes, in their order. What that writes to the disk is in memory here: a board
/// that loses its power goes on with it.
struct BookDesk: TrialDesk {
    private var book = DonationBook()
    /// What is frozen, without padding.
    private var content: [UInt8]?

    mutating func agree(_ terms: DonationTerms, at now: Int64, using random: inout SeededNumbers) {
        book.agree(text: 1, terms, at: now)
    }

    mutating func agreeToSurvey(_ terms: DonationTerms, at now: Int64) { book.agree(.survey, text: 1, terms, at: now) }

    mutating func wake(at now: Int64, using random: inout SeededNumbers) { book.wake(at: now, using: &random) }

    mutating func work(
        _ terms: DonationTerms, _ facts: DonationFacts, at now: Int64, using random: inout SeededNumbers
    ) throws -> TrialWork {
        _ = book.forget(before: UTCDay(containing: now).number)
        for _ in 0..<3 {
            let step = try book.step(terms, at: now, using: &random)
            if book.frozenDay == nil { content = nil }
            switch step {
            case .wait(let until): return .wait(until: until)
            case .request(let day, let request): return .request(day: day, body: request.encoded)
            case .coverRequest(let day, let request): return .request(day: day, body: request)
            case .sendCover(let day):
                return .donate(
                    day: day, body: DonationCover.body, authorization: DonationCover.authorization(using: &random), nil)
            case .compose(let day):
                content = book.freeze(day, facts, terms, at: now, using: &random)
                if content == nil { return .wait(until: nil) }
            case .send(let day, let token):
                guard let body = content.flatMap({ DonationPadding.padded($0) }) else {
                    book.note(.lapsed, day: day, at: now, using: &random)
                    continue
                }
                return .donate(day: day, body: body, authorization: PrivateTokenScheme.authorization(token), nil)
            case .sendErrand(let purpose, let day, let token, let content):
                guard let body = DonationPadding.padded(content) else { return .wait(until: nil) }
                return .donate(
                    day: day, body: body, authorization: PrivateTokenScheme.authorization(token), purpose)
            }
        }
        return .wait(until: now + 60)
    }

    func handedOut(_ day: Int64, _ terms: DonationTerms) throws -> DonationBook.HandedOut? {
        try book.handedOut(day, terms)
    }

    mutating func take(
        _ answer: Result<[UInt8], TrialRefusal>, day: Int64, _ terms: DonationTerms, at now: Int64,
        using random: inout SeededNumbers
    ) throws {
        switch answer {
        case .success(let bytes): _ = try book.take(bytes, day: day, terms, at: now, using: &random)
        case .failure(let refusal): book.noteRefusal(refusal.why, day: day, terms, at: now, using: &random)
        }
    }

    mutating func note(_ outcome: DonationBook.Outcome?, day: Int64, at now: Int64, using random: inout SeededNumbers) {
        book.note(outcome, day: day, at: now, using: &random)
    }
}

/// The flaw `atOnce`: asks for the token of today at the second of the donation, and donates within the minute. On purpose no part of the product.
struct HastyDesk: TrialDesk {
    private var next: Int64?
    private var pending: (day: Int64, token: PendingToken)?
    private var ready: (day: Int64, token: Token, content: [UInt8], at: Int64)?

    mutating func agree(_ terms: DonationTerms, at now: Int64, using random: inout SeededNumbers) {
        next = now + DonationBook.pause + .random(in: 0..<3 * UTCDay.seconds, using: &random)
    }

    mutating func agreeToSurvey(_ terms: DonationTerms, at now: Int64) {}
    mutating func wake(at now: Int64, using random: inout SeededNumbers) {}

    mutating func work(
        _ terms: DonationTerms, _ facts: DonationFacts, at now: Int64, using random: inout SeededNumbers
    ) throws -> TrialWork {
        guard let next else { return .wait(until: nil) }
        let today = UTCDay(containing: now)
        if let ready {
            guard now >= ready.at else { return .wait(until: ready.at) }
            if ready.day == today.number, let body = DonationPadding.padded(ready.content) {
                return .donate(
                    day: ready.day, body: body, authorization: PrivateTokenScheme.authorization(ready.token), nil)
            }
            tomorrow(today, using: &random)
            return .wait(until: self.next)
        }
        guard now >= next else { return .wait(until: next) }
        guard now < next + DonationBook.lateness, let key = terms.key(of: today) else {
            tomorrow(today, using: &random)
            return .wait(until: self.next)
        }
        let request = try TokenSeed(SecretBytes(copying: random.bytes(TokenSeed.byteCount))).pendingToken(
            key: key, challengeDigest: terms.challenge(of: today).digest, index: 0)
        pending = (today.number, request)
        // Composed now, so that nothing of it is drawn later.
        self.next = next + DonationBook.lateness
        content = facts.content(told: facts.isIncreased, windows: facts.windows.filter { $0.day == today.number - 1 }).bytes
        return .request(day: today.number, body: request.request.encoded)
    }

    private var content: [UInt8] = []

    func handedOut(_ day: Int64, _ terms: DonationTerms) throws -> DonationBook.HandedOut? {
        pending?.day == day ? pending.map { .request($0.token.request) } : nil
    }

    mutating func take(
        _ answer: Result<[UInt8], TrialRefusal>, day: Int64, _ terms: DonationTerms, at now: Int64,
        using random: inout SeededNumbers
    ) throws {
        if let pending, case .success(let bytes) = answer, let token = try? pending.token.finished(by: bytes) {
            ready = (day, token, content, now + .random(in: 5...30, using: &random))
        } else {
            tomorrow(UTCDay(containing: now), using: &random)
        }
        pending = nil
    }

    mutating func note(_ outcome: DonationBook.Outcome?, day: Int64, at now: Int64, using random: inout SeededNumbers) {
        tomorrow(UTCDay(containing: now), using: &random)
    }

    private mutating func tomorrow(_ today: UTCDay, using random: inout SeededNumbers) {
        (pending, ready) = (nil, nil)
        next = UTCDay(number: today.number + 1).start + .random(in: 0..<UTCDay.seconds, using: &random)
    }
}
