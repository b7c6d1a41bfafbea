// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import PrivacyPass

extension DonationBook {
    func donation(_ terms: DonationTerms, at now: Int64) throws(PrivacyPassError) -> Step {
        if let sending, now >= sending.notBefore, let token = Self.token(sending.token) {
            return .send(day: sending.day, token)
        }
        let today = UTCDay(containing: now).number
        let times = try (today...today + 1).map { day throws(PrivacyPassError) in (day, try second(of: day)) }
        var next = [nextBatch, sending?.notBefore].compactMap { $0 }
        for (day, second) in times where sending?.day != day && !history.contains(where: { $0.day == day }) {
            guard tickets.contains(where: { $0.day == day && $0.token != nil }) else { continue }
            if now >= second, now < second + Self.lateness { return .compose(day: day) }
            if now < second { next.append(second) }
        }
        return .wait(until: max(now + 1, next.min() ?? now + UTCDay.seconds))
    }

    /// The second of a day at which its donation is sent, Unix seconds: uniformly drawn from a secret, and known from midnight on.
    func second(of day: Int64) throws(PrivacyPassError) -> Int64 {
        guard let key = clock.flatMap({ Base64.bytes($0) }) else { throw PrivacyPassError(.unusableSecret, "no clock") }
        let message = Array("vigil-donation-second-1".utf8) + withUnsafeBytes(of: day.bigEndian) { Array($0) }
        do throws(CryptographyError) {
            let code = try HMACSHA256.code(for: message, key: SecretBytes(copying: key))
            let number = code.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return UTCDay(number: day).start + Int64(number % UInt64(UTCDay.seconds))
        } catch { throw PrivacyPassError(.operationFailed) }
    }

    // MARK: Donations

    /// The encounters that are still to be donated: of days after the consent that are over, not donated before. None without a consent. `now` is in Unix
    /// seconds.
    public func undonated(_ windows: [DonatedWindow], at now: Int64) -> [DonatedWindow] {
        guard let consent else { return [] }
        let first = UTCDay(containing: consent.since).number
        let today = UTCDay(containing: now).number
        let known = Set(marks)
        return windows.filter { $0.day > first && $0.day < today && !known.contains(Mark(day: $0.day, mark: $0.mark)) }
    }

    /// The encounters that a donation tells of, in an order of chance; none with the probability that `terms` say.
    private func windows(
        of facts: DonationFacts, _ terms: DonationTerms, at now: Int64, using random: inout some RandomNumberGenerator
    ) -> [DonatedWindow] {
        guard Double.random(in: 0..<1, using: &random) < terms.windowProbability else { return [] }
        let room = max(0, Self.maximumMarks - marks.count)
        return Array(undonated(facts.windows, at: now).shuffled(using: &random).prefix(room))
    }

    /// Composes the donation of a day and freezes it. Returns its content without padding, which is to be written in the same transaction as the book;
    /// `nil` if that day has no token.
    public mutating func freeze(
        _ day: Int64, _ facts: DonationFacts, _ terms: DonationTerms, configuration: [UInt8], at now: Int64,
        using random: inout some RandomNumberGenerator
    ) -> [UInt8]? {
        guard let token = tickets.first(where: { $0.day == day })?.token else { return nil }
        // Drawn once for each state: many draws of one truth would tell it.
        if answer?.truth != facts.isIncreased {
            let rule = RandomisedResponse(categories: 2, epsilon: terms.epsilon)
            let told = rule?.answer(for: facts.isIncreased ? 1 : 0, using: &random) == 1
            answer = Answer(truth: facts.isIncreased, told: told)
        }
        let told = answer?.told ?? false
        let windows = windows(of: facts, terms, at: now, using: &random)
        let content = facts.content(
            told: told, toldBefore: toldBefore, windows: windows, configuration: configuration)
        if let sending { end(sending.day, .lapsed) }
        sending = Sending(day: day, token: token, windows: content.windowCount, notBefore: now)
        frozenMarks = windows.prefix(content.windowCount).map { Mark(day: $0.day, mark: $0.mark) }
        toldBefore = told
        tickets.removeAll { $0.day == day }
        return content.bytes
    }

    /// Notes what became of the donation of a day that was sent; `nil` if it could not be: it is tried again later. Has no effect if another
    /// one, or none, is under way: one whose consent was withdrawn meanwhile is forgotten. `now` is in Unix seconds.
    public mutating func note(
        _ outcome: Outcome?, day: Int64, at now: Int64, using random: inout some RandomNumberGenerator
    ) {
        guard sending?.day == day else { return }
        guard let outcome else {
            sending?.notBefore = now + .random(in: Self.retrySeconds, using: &random)
            return
        }
        end(day, outcome)
    }

    mutating func end(_ day: Int64, _ outcome: Outcome) {
        if outcome == .taken { marks += frozenMarks }
        frozenMarks = []
        history.append(Past(day: day, outcome: outcome, windows: sending?.windows ?? 0))
        history = Array(history.suffix(Self.maximumHistory))
        sending = nil
    }

    /// The day whose donation is frozen; `nil` if there is none.
    public var frozenDay: Int64? { sending?.day }

    /// The number of tokens for days to come.
    public var tokenCount: Int { tickets.count { $0.token != nil } }

    /// When the next donation is sent, Unix seconds; `nil` if there is no token for today or later. `now` is in Unix seconds.
    public func nextDonation(at now: Int64) -> Int64? {
        tickets.filter { $0.token != nil }.compactMap { try? second(of: $0.day) }.filter { $0 > now }.min()
    }
}
