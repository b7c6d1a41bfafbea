// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
public import PrivacyPass

extension DonationBook {
    mutating func request(
        _ terms: DonationTerms, at now: Int64, using random: inout some RandomNumberGenerator
    ) throws(PrivacyPassError) -> Step? {
        guard now >= nextBatch ?? 0 else { return nil }
        // Whoever sees both servers' lines would join a request and a donation.
        if let apart = try untilApart(at: now) {
            nextBatch = apart + .random(in: 0..<Self.apart, using: &random)
            return nil
        }
        let hasBegun = consent.map { now >= $0.since + Self.pause } ?? false
        let isReal = hasBegun && !isForOthers(than: terms) && mayAsk(terms)
        if !tickets.contains(where: \.isWanted) { try want(terms, isReal: isReal, at: now, using: &random) }
        try planErrands(terms, at: now, using: &random)
        let first = UTCDay(containing: now).number + Self.daysAhead.lowerBound
        for ticket in tickets where ticket.isWanted && ticket.day >= first {
            guard let key = terms.key(of: UTCDay(number: ticket.day)) else { continue }
            let step: Step
            if let purpose = ticket.errand, let pending = try pending(purpose, terms),
                let month = self[purpose]?.ticket?.month
            {
                remember(askedMonth: month, purpose)
                step = .request(day: ticket.day, pending.request)
            } else if ticket.isCover {
                step = .coverRequest(day: ticket.day, DonationCover.request(key, using: &random))
            } else {
                if isReal, let pending = try pending(ticket.day, terms) {
                    step = .request(day: ticket.day, pending.request)
                } else {
                    // A key or a challenge that is not in the terms any more is asked for in vain. A day without a request would be seen.
                    change(ticket.day) { $0 = .cover(ticket.day, isWanted: true) }
                    step = .coverRequest(day: ticket.day, DonationCover.request(key, using: &random))
                }
            }
            asked = ticket.day
            lastRequest = now
            // What waits for its next try waits longer.
            if let sending {
                self.sending?.notBefore = max(sending.notBefore, now + .random(in: Self.retrySeconds, using: &random))
            }
            // Should nobody say what came of it.
            nextBatch = now + .random(in: Self.retrySeconds, using: &random)
            return step
        }
        endBatch(at: now, using: &random)
        return nil
    }

    private mutating func mayAsk(_ terms: DonationTerms) -> Bool {
        guard let stop = stoppedBy else { return true }
        guard terms.version != stop.version else { return false }
        // Another version with the same key is no other word of the issuer's.
        if let key = stop.key, terms.keys.contains(where: { Base64.string($0.key.id) == key }) { return false }
        (stoppedBy, strikes) = (nil, nil)
        return true
    }

    /// When nothing is sent to the other server for a while; `nil` if that is so now.
    private func untilApart(at now: Int64) throws(PrivacyPassError) -> Int64? {
        if let lastDonation, now < lastDonation + Self.apart { return lastDonation + Self.apart }
        guard let next = next(of: tickets, at: now - Self.lateness), next < now + Self.apart else { return nil }
        return next + Self.lateness + Self.apart
    }

    /// Notes for which days tokens are asked for.
    private mutating func want(
        _ terms: DonationTerms, isReal: Bool, at now: Int64, using random: inout some RandomNumberGenerator
    ) throws(PrivacyPassError) {
        let today = UTCDay(containing: now).number
        let first = max(today + Self.daysAhead.lowerBound, (askedUntil ?? 0) + 1)
        for day in first..<max(first, today + Self.daysAhead.upperBound + 1) {
            guard let key = terms.key(of: UTCDay(number: day)), tickets.count < Self.maximumTickets else { continue }
            askedUntil = day
            guard isReal else {
                tickets.append(.cover(day, isWanted: true))
                continue
            }
            let challenge = try terms.challenge(of: UTCDay(number: day))
            tickets.append(
                Ticket(day: day, key: Base64.string(key.id), challenge: Base64.string(challenge.digest)))
            if seed == nil { seed = Self.secret(&random) }
        }
    }

    mutating func endBatch(at now: Int64, using random: inout some RandomNumberGenerator) {
        tickets.removeAll(where: \.isWanted)
        seed = nil
        // Keys that were not published yet are asked for tomorrow.
        let isWhole = (askedUntil ?? 0) >= UTCDay(containing: now).number + Self.daysAhead.upperBound - 1
        nextBatch = now + .random(in: isWhole ? Self.batchSeconds : Self.dayAndMore, using: &random)
    }

    /// The request for the token of a day that is asked for, the same each time; `nil` if no token of that day is asked for, or `terms` have another key or
    /// other servers for it.
    ///
    /// Throws `operationFailed` if Mbed TLS fails.
    func pending(_ day: Int64, _ terms: DonationTerms) throws(PrivacyPassError) -> PendingToken? {
        guard let ticket = tickets.first(where: { $0.day == day && $0.isWanted && !$0.isCover }),
            let key = terms.key(of: UTCDay(number: day)), Base64.string(key.id) == ticket.key,
            let bytes = seed.flatMap({ Base64.bytes($0) })
        else { return nil }
        let challenge = try terms.challenge(of: UTCDay(number: day))
        guard Base64.string(challenge.digest) == ticket.challenge else { return nil }
        return try TokenSeed(SecretBytes(copying: bytes)).pendingToken(
            key: key, challengeDigest: challenge.digest, index: 0)
    }

    /// What was handed out for a day and is not answered.
    public enum HandedOut: Sendable, Hashable {
        /// A request for a token.
        case request(TokenRequest)
        /// Cover in the place of one.
        case cover
    }

    /// What was handed out and is not answered; `nil` if there is nothing of that day.
    ///
    /// Throws `operationFailed` if Mbed TLS fails.
    public func handedOut(_ day: Int64, _ terms: DonationTerms) throws(PrivacyPassError) -> HandedOut? {
        guard asked == day, let ticket = tickets.first(where: { $0.day == day && $0.isWanted }) else { return nil }
        if let pending = try pending(ticket.errand, terms) { return .request(pending.request) }
        return ticket.isCover ? .cover : try pending(day, terms).map { .request($0.request) }
    }

    // MARK: Answers of the issuer

    /// What an issuer has said instead of a token.
    public enum IssuerRefusal: Sendable, Hashable, CaseIterable {
        /// This day's token is not to be had: it was given, or its key is gone.
        case notThisDay
        /// No device gets one now; tomorrow perhaps.
        case notYet
        /// This device gets none: the issuer does not know it, does not believe its evidence, or has blocked it.
        case deviceRefused
        /// It could not be reached, or something went wrong there.
        case unreachable
    }

    /// Takes an issuer's answer to the request that was handed out, from anywhere. Returns whether it gave a token; any answer to cover that is as long does.
    /// An answer of another length than a
    /// signature's counts as none. One that is not a signature by the key of `terms` leaves the day to cover, because a second try would be seen; the second one in a row stops all
    /// requests (``Stop/otherKey``).
    ///
    /// Throws `operationFailed` if Mbed TLS fails.
    public mutating func take(
        _ answer: [UInt8], day: Int64, _ terms: DonationTerms, at now: Int64, using random: inout some RandomNumberGenerator
    ) throws(PrivacyPassError) -> Bool {
        guard asked == day, let ticket = tickets.first(where: { $0.day == day && $0.isWanted }) else { return false }
        let pending = try ticket.isCover ? pending(ticket.errand, terms) : pending(day, terms)
        guard ticket.isCover || pending != nil else { return false }
        guard answer.count == TokenRequest.responseByteCount else {
            noteRefusal(.unreachable, day: day, terms, at: now, using: &random)
            return false
        }
        guard let pending else {
            change(day) { $0 = .cover(day, isWanted: false) }
            goOn(at: now)
            return true
        }
        do throws(PrivacyPassError) {
            let token = try pending.finished(by: answer)
            if let purpose = ticket.errand {
                keep(token, for: purpose)
                change(day) { $0 = .cover(day, isWanted: false) }
                goOn(at: now)
                return true
            }
            change(day) { ($0.token, $0.key, $0.challenge) = (Base64.string(token.bytes), "", nil) }
        } catch {
            guard error.code == .badResponse else { throw error }
            if let purpose = ticket.errand {
                strike(purpose)
            } else {
                strikes = (strikes ?? 0) + 1
                if strikes ?? 0 >= 2 {
                    stoppedBy = Stopped(why: .otherKey, version: terms.version, key: Base64.string(pending.key.id))
                }
            }
            change(day) { $0 = .cover(day, isWanted: false) }
            goOn(at: now)
            return false
        }
        strikes = nil
        goOn(at: now)
        return true
    }

    /// On with the next request.
    private mutating func goOn(at now: Int64) {
        asked = nil
        nextBatch = now
        if !tickets.contains(where: \.isWanted) { seed = nil }
    }

    /// Notes that the issuer gave no token for the request that was handed out. Unless nobody gets one now, or it was not reached, cover takes the place of the token, and the batch goes on:
    /// who sees the network does not learn who was refused. `now` is in Unix seconds. Returns whether there was one of that day.
    @discardableResult
    public mutating func noteRefusal(
        _ refusal: IssuerRefusal, day: Int64, _ terms: DonationTerms, at now: Int64,
        using random: inout some RandomNumberGenerator
    ) -> Bool {
        guard asked == day, let ticket = tickets.first(where: { $0.day == day && $0.isWanted }) else { return false }
        asked = nil
        let isErrand = ticket.errand.map { self[$0]?.ticket?.token == nil && self[$0]?.ticket != nil } ?? false
        switch refusal {
        case .notThisDay:
            // Of the month there is nothing to be had.
            if isErrand, let purpose = ticket.errand { giveUp(purpose, nil) }
            change(day) { $0 = .cover(day, isWanted: false) }
            goOn(at: now)
        case .notYet: nextBatch = now + .random(in: Self.dayAndMore, using: &random)
        case .deviceRefused:
            if isErrand || !ticket.isCover { leaveBatchToCover(terms) }
            change(day) { $0 = .cover(day, isWanted: false) }
            goOn(at: now)
        case .unreachable: nextBatch = now + .random(in: Self.retrySeconds, using: &random)
        }
        return true
    }

    /// The issuer gives this device nothing by this version of the terms: the rest of the batch is cover, as on a device without a consent, so that nobody sees on the network who
    /// was refused. The next batch asks again if there is another version by then.
    private mutating func leaveBatchToCover(_ terms: DonationTerms) {
        if tickets.contains(where: { $0.isWanted && !$0.isCover }) {
            stoppedBy = Stopped(why: .deviceRefused, version: terms.version, key: nil)
        }
        for purpose in MonthlyPurpose.allCases { self[purpose]?.noteDeviceRefused(version: terms.version) }
        for ticket in tickets where ticket.isWanted { change(ticket.day) { $0 = .cover(ticket.day, isWanted: true) } }
    }

    mutating func change(_ day: Int64, _ change: (inout Ticket) -> Void) {
        guard let index = tickets.firstIndex(where: { $0.day == day }) else { return }
        change(&tickets[index])
    }

    static func secret(_ random: inout some RandomNumberGenerator) -> String {
        Base64.string((0..<TokenSeed.byteCount).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
}
