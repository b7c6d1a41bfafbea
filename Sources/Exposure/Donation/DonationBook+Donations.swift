// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import PrivacyPass

extension DonationBook {
    mutating func donation(
        _ terms: DonationTerms, at now: Int64, using random: inout some RandomNumberGenerator
    ) throws(PrivacyPassError) -> Step {
        if let sending, now >= sending.notBefore {
            lastDonation = now
            // Should nobody say what came of it.
            self.sending?.notBefore = now + .random(in: Self.retrySeconds, using: &random)
            if let purpose = sending.errand {
                let month = DonationEpoch.firstDay(ofMonth: UTCDay(number: sending.day)).number
                if let text = sending.token, let token = try usable(text, purpose, month, terms),
                    let content = sending.content.flatMap({ Base64.bytes($0) })
                {
                    return .sendErrand(purpose, day: sending.day, token, content: content)
                }
            } else if let token = try usable(sending.token, sending.day, terms) {
                return .send(day: sending.day, token)
            }
            if sending.token != nil {
                let notBefore = self.sending?.notBefore ?? now
                end(sending.day, .lapsed)
                self.sending = Sending(day: sending.day, notBefore: notBefore)
            }
            return .sendCover(day: sending.day)
        }
        let today = UTCDay(containing: now).number
        var next = [nextBatch, sending?.notBefore].compactMap { $0 }
        for day in [today, today + 1] where sending?.day != day && !history.contains(where: { $0.day == day }) {
            guard let ticket = tickets.first(where: { $0.day == day }), let token = ticket.token else { continue }
            let second = try second(of: day)
            let isApart = lastRequest.map { now >= $0 + Self.apart } ?? true
            if now >= second, now < second + Self.lateness, isApart {
                if let errand = try errand(inPlaceOf: ticket, terms) {
                    begin(errand, day: day, at: now)
                    return try donation(terms, at: now, using: &random)
                }
                if try usable(token, day, terms) != nil { return .compose(day: day) }
                tickets.removeAll { $0.day == day }
                if let sending { end(sending.day, .lapsed) }
                sending = Sending(day: day, notBefore: now)
                return try donation(terms, at: now, using: &random)
            }
            if now < second { next.append(second) }
        }
        // The second of a later day is looked at when that day comes.
        if tickets.contains(where: { $0.token != nil && $0.day > today + 1 }) {
            next.append(UTCDay(number: today + 1).start)
        }
        return .wait(until: max(now + 1, next.min() ?? now + UTCDay.seconds))
    }

    /// The token, if there is one and a consent to use it. It is for the servers that the terms had when it was asked for, and for no others.
    private func usable(_ text: String?, _ day: Int64, _ terms: DonationTerms) throws(PrivacyPassError) -> Token? {
        guard consent != nil, !isForOthers(than: terms), let token = text.flatMap({ Self.token($0) }),
            try terms.challenge(of: UTCDay(number: day)).digest == token.challengeDigest
        else { return nil }
        return token
    }

    // MARK: The second of a day

    /// Moves the secret of the seconds on to `today`: that of a day that is over cannot be computed any more, so nobody who gets hold of the book finds
    /// past donations by their times.
    mutating func turnClock(
        to today: Int64, using random: inout some RandomNumberGenerator
    ) throws(PrivacyPassError) {
        guard let day = clockDay, let secret = clock, (0..<400).contains(today - day) else {
            (clock, clockDay) = (Self.secret(&random), today)
            return
        }
        clock = try Self.turned(secret, by: today - day)
        clockDay = today
    }

    private static func turned(_ secret: String, by days: Int64) throws(PrivacyPassError) -> String {
        guard var key = Base64.bytes(secret) else { throw PrivacyPassError(.unusableSecret, "no clock") }
        for _ in 0..<days { key = try code("vigil-donation-next-1", key) }
        return Base64.string(key)
    }

    private static func code(_ label: String, _ key: [UInt8]) throws(PrivacyPassError) -> [UInt8] {
        do throws(CryptographyError) {
            return try HMACSHA256.code(for: Array(label.utf8), key: SecretBytes(copying: key))
        } catch { throw PrivacyPassError(.operationFailed) }
    }

    /// The second of a day at which its donation is sent, Unix seconds: uniformly drawn. The day is that of the clock or a later one.
    func second(of day: Int64) throws(PrivacyPassError) -> Int64 {
        guard let clockDay, let clock, (0..<400).contains(day - clockDay) else {
            throw PrivacyPassError(.unusableSecret, "another day")
        }
        let key = Base64.bytes(try Self.turned(clock, by: day - clockDay)) ?? []
        let number = try Self.code("vigil-donation-second-1", key).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return UTCDay(number: day).start + Int64(number % UInt64(UTCDay.seconds))
    }

    /// When the next donation is sent, Unix seconds; `nil` if there is no token for today or later, or its time is not drawn yet. `now` is in Unix seconds.
    public func nextDonation(at now: Int64) -> Int64? { next(of: tickets.filter { !$0.isCover }, at: now) }

    /// When the next of these is sent, cover too; `nil` if that is not drawn yet.
    func next(of tickets: [Ticket], at now: Int64) -> Int64? {
        tickets.filter { ticket in ticket.token != nil && !history.contains { $0.day == ticket.day } }
            .compactMap { try? second(of: $0.day) }.filter { $0 > now }.min()
    }

    // MARK: Donations

    /// The encounters that are still to be donated: of days that began after the pause and are over, not donated before. None without a consent. `now` is in Unix
    /// seconds.
    public func undonated(_ windows: [DonatedWindow], at now: Int64) -> [DonatedWindow] {
        guard let consent else { return [] }
        let today = UTCDay(containing: now).number
        let known = Set(marks)
        return windows.filter {
            UTCDay(number: $0.day).start >= consent.since + Self.pause && $0.day < today
                && !known.contains(Mark(day: $0.day, mark: $0.mark))
        }
    }

    /// The encounters that a donation tells of, in an order of chance; none with the probability that `terms` say. Of the first donation of a consent those
    /// of earlier days are left out for good: many at once would tell that it is the first.
    private func windows(
        of facts: DonationFacts, _ terms: DonationTerms, isFirst: Bool, at now: Int64,
        using random: inout some RandomNumberGenerator
    ) -> (told: [DonatedWindow], leftOut: [DonatedWindow]) {
        let room = max(0, Self.maximumMarks - marks.count)
        let all = undonated(facts.windows, at: now).shuffled(using: &random).prefix(room)
        let recent = UTCDay(containing: now).number - Self.firstDays
        let leftOut = isFirst ? all.filter { $0.day < recent } : []
        guard Double.random(in: 0..<1, using: &random) < terms.windowProbability else { return ([], leftOut) }
        return (isFirst ? all.filter { $0.day >= recent } : Array(all), leftOut)
    }

    /// The ε of the answer that a donation of now would give by `terms`. An answer stays when ε rises, so this may be smaller than that of `terms`.
    public func epsilon(isIncreased: Bool, _ terms: DonationTerms) -> Double {
        guard consent != nil, !isForOthers(than: terms), (isIncreased ? increasedAnswer : lowAnswer) != nil else {
            return terms.epsilon
        }
        return min(terms.epsilon, (isIncreased ? increasedEpsilon : lowEpsilon) ?? DonationTerms.largestEpsilon)
    }

    /// The answer about the risk, drawn once for each truth. When ε falls, the answer is made less certain without another look at the truth: a second draw would tell more of it.
    private mutating func answer(
        isIncreased: Bool, _ terms: DonationTerms, using random: inout some RandomNumberGenerator
    ) -> Bool {
        let known = isIncreased ? increasedAnswer : lowAnswer
        let before = (isIncreased ? increasedEpsilon : lowEpsilon) ?? DonationTerms.largestEpsilon
        let epsilon = known == nil ? terms.epsilon : min(terms.epsilon, before)
        // An ε of terms is in the range of the rule.
        let rule = RandomisedResponse(categories: 2, epsilon: epsilon)
        var told = known ?? (rule?.answer(for: isIncreased ? 1 : 0, using: &random) == 1)
        if known != nil, epsilon < before, let rule {
            told = rule.blurred(told ? 1 : 0, from: before, using: &random) == 1
        }
        if isIncreased {
            (increasedAnswer, increasedEpsilon) = (told, epsilon)
        } else {
            (lowAnswer, lowEpsilon) = (told, epsilon)
        }
        return told
    }

    /// Composes the donation of a day and freezes it. Its encounters are in no other donation, whatever becomes of this one: two with the same encounters
    /// could be told to be of one device. Returns the content without padding, which is to be written in the same transaction as the book; `nil` if that day has
    /// no token.
    public mutating func freeze(
        _ day: Int64, _ facts: DonationFacts, _ terms: DonationTerms, at now: Int64,
        using random: inout some RandomNumberGenerator
    ) -> [UInt8]? {
        guard let ticket = tickets.first(where: { $0.day == day }), !ticket.isCover, let token = ticket.token else {
            return nil
        }
        let isFirst = increasedAnswer == nil && lowAnswer == nil
        let told = answer(isIncreased: facts.isIncreased, terms, using: &random)
        let (windows, leftOut) = windows(of: facts, terms, isFirst: isFirst, at: now, using: &random)
        let content = facts.content(told: told, windows: windows)
        if let sending { end(sending.day, .lapsed) }
        sending = Sending(day: day, token: token, notBefore: now)
        marks += (windows.prefix(content.windowCount) + leftOut).map { Mark(day: $0.day, mark: $0.mark) }
        tickets.removeAll { $0.day == day }
        return content.bytes
    }

    /// Notes what became of the donation of a day that was sent; `nil` if it could not be: it is tried again later. Returns whether one of that day was under
    /// way: one whose consent was withdrawn meanwhile is forgotten. `now` is in Unix seconds.
    @discardableResult
    public mutating func note(
        _ outcome: Outcome?, day: Int64, at now: Int64, using random: inout some RandomNumberGenerator
    ) -> Bool {
        guard let sending, sending.day == day else { return false }
        if let outcome {
            end(day, outcome)
            if sending.errand == .survey { giveUpLatePassword(today: UTCDay(containing: now).number) }
        }
        return true
    }

    mutating func end(_ day: Int64, _ outcome: Outcome) {
        defer { sending = nil }
        // Cover is nothing that a wearer would want to know of.
        guard let sending, let token = sending.token else { return }
        if let purpose = sending.errand { return finish(purpose, day, outcome, token: token) }
        history.append(Past(day: day, outcome: outcome))
        history = Array(history.suffix(Self.maximumHistory))
    }

    /// The day whose donation is frozen; `nil` if there is none.
    public var frozenDay: Int64? { sending.flatMap { $0.token == nil || $0.errand != nil ? nil : $0.day } }

    static func token(_ text: String) -> Token? { Base64.bytes(text).flatMap { try? Token(decoding: $0) } }
}
