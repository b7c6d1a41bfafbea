// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import Donation
import DonationService
import PrivacyPass

/// Surveys: what the authority asks, what the wearer does, and what the judge looks at.
extension DonationStory {
    // MARK: Wearer and authority

    /// What is done about surveys once a day.
    func surveyTurn() throws {
        if isTroubled, fault == nil {
            // A survey ends or is followed by another one; one that has ended comes back, or another one does.
            if survey.number == 0 {
                if chance(0.5) { try ask(about: chance(0.5) ? survey.count : survey.count + 1) }
            } else if chance(0.015) {
                try ask(about: chance(0.5) ? 0 : survey.count + 1)
            }
        }
        guard survey.hasConsent else {
            if offer != nil, chance(fault == nil ? 0.3 : 1) { try agreeSurvey() }
            return
        }
        if isSurveyForOthers {
            try tryOthers()
            if chance(0.4) { try offer == nil ? withdrawSurvey() : agreeSurvey() }
            return
        }
        if chance(0.9) { try readSurvey() }
        guard present.contains(.passwordOver) else { return }
        try tryOthers()
        if chance(0.3) { try withdrawSurvey() }
    }

    /// The authority has another survey, or none: 0.
    private func ask(about number: Int64) throws {
        (survey.number, survey.count) = (number, max(number, survey.count))
        try publish()
    }

    func agreeSurvey() throws {
        guard let offer else { return }
        let had = survey.consent
        while try order("agree-survey", as: .agreeSurvey) == nil {}
        if survey.consent != offer { try surveyGiven() }
        let wishes: [DonationState] = [
            .surveyAgreed, .surveyAsked, .digestReady, .digestSent, .digestOpen, .passwordGood, .passwordLate,
        ]
        if had != offer { survey.wish = chance(0.2) && fault == nil ? wishes.randomElement(using: &random) : nil }
        try compare(try look(), nil)
    }

    /// The consent is there.
    func surveyGiven() throws {
        guard let offer else { throw found("a consent to a survey is there that nobody asks for") }
        survey.given(to: offer)
    }

    func withdrawSurvey() throws {
        guard survey.hasConsent else { return }
        let before = try look()
        try compare(before, nil)
        try DonationFiles.copy(trial.board, to: trial.before)
        while try order("withdraw-survey", as: .withdrawSurvey) == nil {}
        if survey.hasConsent { survey.takenBack() }
        survey.wish = nil
        let after = try look()
        try compare(after, nil)
        // So are donations and error logs.
        var rest = after.book
        rest?.withdraw()
        rest?.withdraw(.log)
        guard rest?.isCoverOnly == true else { throw found("something is left after a withdrawal from a survey") }
        // Not in clear, which is looked for in all files, and not behind the key that the store has now.
        guard !before.password.contains(where: { word in after.opened.contains { DonationFiles.contain($0, word) } }) else {
            throw found("a password is left after a withdrawal")
        }
        try searchBefore(after)
    }

    // MARK: The password

    /// The wearer looks at the page, and perhaps takes the password to the survey.
    private func readSurvey() throws {
        guard let page = try order("survey"), page.count == 4 else { return }
        guard let consent = survey.consent else { return }
        guard page[1] == "accepted" else {
            guard page[3] == "-" else { throw found("a password is shown that is not good") }
            return
        }
        guard let password = SurveySecret(typed: page[3]), let lastDay = Int64(page[2]) else {
            throw found("what is shown is no password")
        }
        let digest = password.digest
        secrets.insert(Array(page[3].utf8))
        guard survey.taken.contains(digest), let sent = survey.sent[digest] else {
            throw found("a password is shown whose digest no server has taken")
        }
        guard sent.offer == consent else { throw found("a password of another survey is shown") }
        guard today <= lastDay, lastDay <= sent.days.lowerBound + consent.days - 1 else {
            throw found("a password is shown for longer than it is good")
        }
        survey.shown[digest] = .init(text: page[3], offer: consent, lastDay: lastDay)
        let isLast = today == lastDay
        guard chance(isLast ? 0.9 : 0.6) else { return }
        // Twice; once more for each time that the server died of it: then its database has said which answer is the right one.
        var answers = 0
        while answers < 2 {
            guard let answer = try redeem(digest) else { continue }
            answers += 1
            let isRight = answer == (survey.redeemed.contains(digest) ? "redeemed" : "valid")
            guard isRight else { throw found("a password that is shown as good is \(answer)") }
            if answer == "valid" { survey.redeemed.insert(digest) }
        }
    }

    /// A password of a survey that is over, or whose days are over, opens nothing. The server may count its days from a later try than the board does.
    private func tryOthers() throws {
        for (digest, shown) in survey.shown.sorted(by: { $0.value.text < $1.value.text }).suffix(2) where chance(0.5) {
            guard let sent = survey.sent[digest]?.days else { continue }
            let isOver = shown.offer != offer || today > sent.upperBound + shown.offer.days - 1
            guard isOver, let answer = try redeem(digest) else { continue }
            // 404: it is deleted.
            let right: Set<String> = survey.redeemed.contains(digest) ? ["redeemed", "404"] : ["expired", "404"]
            guard right.contains(answer) else { throw found("a password that is over is \(answer)") }
        }
    }

    /// What the donation server says to whoever runs the survey; `nil` if it died of it: then its database says whether the password was redeemed.
    private func redeem(_ digest: [UInt8]) throws -> String? {
        guard let shown = survey.shown[digest] else { return nil }
        carrying = .redeeming
        survey.open = digest
        defer { (carrying, survey.open) = (nil, nil) }
        guard let answer = try askServer("redeem", "\(time)", shown.text) else { return nil }
        return answer.last
    }

    // MARK: The digest

    /// Carries a digest as a donation is carried; the answer may stay away for days.
    func sendDigest(_ day: Int64, _ body: String, _ field: String) throws -> Bool {
        guard let digest = SurveyReport.digest(ofBody: Base64.bytes(body) ?? []),
            let token = PrivateTokenScheme.token(
                inAuthorization: String(decoding: Base64.bytes(field) ?? [], as: UTF8.self)),
            let month = survey.monthKeys[token.keyID]
        else { throw found("what left the board is no digest") }
        guard let consent = survey.consent, !isSurveyForOthers else {
            throw found("a digest is sent without a consent")
        }
        survey.digests[token.nonce, default: []].insert(digest)
        survey.tokens[digest, default: []].insert(token.nonce)
        survey.nonces[month, default: []].insert(token.nonce)
        let first = survey.sent[digest]?.days.lowerBound ?? today
        survey.sent[digest] = (first...max(first, today), consent)
        secrets.formUnion([token.bytes, token.nonce, Array(Base64.string(token.bytes).utf8)])
        guard survey.digests[token.nonce]?.count == 1 else { throw found("two digests of a survey's token left the board") }
        guard survey.tokens[digest]?.count == 1 else { throw found("a digest with two tokens left the board") }
        guard survey.nonces[month]?.count == 1 else { throw found("digests with two tokens of one month left the board") }
        carrying = .digestSent
        defer { carrying = nil }
        if survey.wish == .digestSent {
            try withdrawSurvey()
            // It is cover now.
            _ = try order("end", "\(day)", "taken")
            return false
        }
        // Until some password was given up, it is to be.
        let isRare = verdict.cuts[.passwordLate] == nil
        if isTroubled, !survey.wasAway, chance(fault == nil ? isRare ? 0.4 : 0.1 : 1) {
            survey.wasAway = true
            survey.awayUntil = time + .random(in: Self.day...Self.day * (consent.days + 2), using: &random)
        }
        let isAway = time < survey.awayUntil
        // Lost on the way there, and on the way back.
        let isLost = isTroubled && chance(isAway ? 0.5 : 0.15)
        let answer = isLost ? nil : try askServer("give", "\(time)", body, field, MonthlyPurpose.survey.rawValue)
        if answer?[0] == "taken" { survey.taken.insert(digest) }
        guard let answer, !isAway, !(isTroubled && chance(0.15)) else {
            _ = try order("end", "\(day)", "unknown")
            return false
        }
        guard answer[0] == "taken" || answer.last == "401" else {
            throw found("the server says \(answer.dropFirst().joined(separator: " ")) to a digest")
        }
        _ = try order("end", "\(day)", answer[0] == "taken" ? "taken" : "refused")
        return false
    }

    // MARK: The judge

    func compareSurvey(_ book: DonationBook) throws {
        let kept = book[.survey]
        guard (kept != nil) == survey.hasConsent else {
            throw found(
                survey.hasConsent ? "a consent to a survey is lost" : "a consent to a survey is there that nobody gave")
        }
        guard let consent = kept?.consent, let made = survey.consent else { return }
        guard consent.server == made.origin, consent.surveyName == made.survey?.name,
            consent.responsible == made.responsible
        else {
            throw found("the consent is for another survey")
        }
    }

    /// The server has each digest that it said it has until its days are over, none that did not leave the board, and has redeemed what it said, once.
    func compareServerDigests() throws {
        var stored: [[UInt8]: (last: Int64, isRedeemed: Bool)] = [:]
        try DonationStore(path: "\(trial.server)/server.db").forEachDigest { stored[$0] = ($1, $2) }
        for (digest, row) in stored {
            guard let sent = survey.sent[digest] else { throw found("a digest is stored that never left the board") }
            let first = sent.days.lowerBound + sent.offer.days - 1
            guard (first...first + sent.days.upperBound - sent.days.lowerBound).contains(row.last) else {
                throw found("a digest is kept for other days than those that were told")
            }
            if row.isRedeemed, digest == survey.open { survey.redeemed.insert(digest) }
            guard row.isRedeemed == survey.redeemed.contains(digest) else {
                throw found(row.isRedeemed ? "a password was redeemed by nobody" : "a password can be redeemed twice")
            }
        }
        for digest in survey.taken {
            guard let sent = survey.sent[digest], sent.days.lowerBound + sent.offer.days - 1 >= today else { continue }
            guard stored[digest] != nil else { throw found("a digest that was taken is not stored") }
        }
    }
}

extension SurveyStory.Offer {
    var survey: DonationTerms.Survey? {
        DonationTerms.Survey(
            link: "https://survey.example/\(number)", about: ["en": "How was warning \(number)?"], invited: .everybody)
    }

    var responsible: DonationTerms.Responsible? {
        DonationTerms.Responsible(issuer: "City", server: "Institute", recipients: "University", keptDays: days)
    }
}
