// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
public import PrivacyPass

extension DonationBook {
    mutating func request(
        _ terms: DonationTerms, at now: Int64, using random: inout some RandomNumberGenerator
    ) throws(PrivacyPassError) -> Step? {
        guard now >= nextBatch ?? 0 else { return nil }
        if !tickets.contains(where: \.isWanted) { want(terms, at: now, using: &random) }
        for ticket in tickets where ticket.isWanted {
            // A key that is not in the terms any more is asked for in vain.
            guard let pending = try pending(ticket.day, terms) else { continue }
            return .request(day: ticket.day, pending.request)
        }
        endBatch(at: now, using: &random)
        return nil
    }

    /// Notes for which days tokens are asked for.
    private mutating func want(
        _ terms: DonationTerms, at now: Int64, using random: inout some RandomNumberGenerator
    ) {
        let today = UTCDay(containing: now).number
        let first = max(today, askedUntil ?? today) + 1
        for day in first..<max(first, today + Self.daysAhead + 1) {
            guard let key = terms.key(of: UTCDay(number: day)) else { continue }
            tickets.append(Ticket(day: day, key: Base64.string(key.id)))
            askedUntil = day
            if seed == nil { seed = Self.secret(&random) }
        }
    }

    mutating func endBatch(at now: Int64, using random: inout some RandomNumberGenerator) {
        tickets.removeAll(where: \.isWanted)
        seed = nil
        // Keys that were not published yet are asked for tomorrow.
        let isWhole = (askedUntil ?? 0) >= UTCDay(containing: now).number + Self.daysAhead - 1
        nextBatch = now + .random(in: isWhole ? Self.batchSeconds : Self.dayAndMore, using: &random)
    }

    /// The request for the token of a day that is asked for, the same each time; `nil` if no token of that day is asked for, or its key is not in `terms`.
    ///
    /// Throws `operationFailed` if Mbed TLS fails.
    public func pending(_ day: Int64, _ terms: DonationTerms) throws(PrivacyPassError) -> PendingToken? {
        guard let ticket = tickets.first(where: { $0.day == day && $0.token == nil }),
            let key = terms.key(of: UTCDay(number: day)), Base64.string(key.id) == ticket.key,
            let bytes = seed.flatMap({ Base64.bytes($0) })
        else { return nil }
        let challenge = try terms.challenge(of: UTCDay(number: day))
        return try TokenSeed(SecretBytes(copying: bytes)).pendingToken(
            key: key, challengeDigest: challenge.digest, index: 0)
    }

    // MARK: Answers of the issuer

    /// What an issuer has said instead of a token.
    public enum IssuerRefusal: Sendable, Hashable, CaseIterable {
        /// This day's token is not to be had: it was given, or its key is gone.
        case notThisDay
        /// No device gets one now; tomorrow perhaps.
        case notYet
        /// This device gets none.
        case deviceRefused
        /// It could not be reached, or something went wrong there.
        case unreachable
    }

    /// Takes an issuer's answer to the request of a day: a blind signature of 256 bytes, from anywhere. Returns whether it gave a token. If the answer is
    /// not a signature by the key of `terms`, nothing more is asked for until there are other terms (``Stop/otherKey``).
    ///
    /// Throws `operationFailed` if Mbed TLS fails.
    public mutating func take(_ answer: [UInt8], day: Int64, _ terms: DonationTerms) throws(PrivacyPassError) -> Bool {
        guard let pending = try pending(day, terms) else { return false }
        do throws(PrivacyPassError) {
            let token = try pending.finished(by: answer)
            change(day) { $0.token = Base64.string(token.bytes) }
        } catch {
            guard error.code == .badResponse else { throw error }
            (stopped, stoppedVersion) = (.otherKey, terms.version)
            return false
        }
        if !tickets.contains(where: \.isWanted) { seed = nil }
        return true
    }

    /// Notes that the issuer gave no token for a day; `now` is in Unix seconds.
    public mutating func noteRefusal(
        _ refusal: IssuerRefusal, day: Int64, _ terms: DonationTerms, at now: Int64,
        using random: inout some RandomNumberGenerator
    ) {
        guard tickets.contains(where: { $0.day == day && $0.token == nil }) else { return }
        switch refusal {
        case .notThisDay:
            tickets.removeAll { $0.day == day }
            if !tickets.contains(where: \.isWanted) { endBatch(at: now, using: &random) }
        case .notYet: nextBatch = now + .random(in: Self.dayAndMore, using: &random)
        case .deviceRefused: (stopped, stoppedVersion) = (.deviceRefused, terms.version)
        case .unreachable: nextBatch = now + .random(in: Self.retrySeconds, using: &random)
        }
    }
}
