// SPDX-License-Identifier: Apache-2.0

import Donation

/// Where a wearer's donations, error logs or surveys are at one moment. Several can hold at once, one for each purpose. The raw values are words of reports.
package enum DonationState: String, CaseIterable, Sendable {
    /// Nobody has agreed to anything yet.
    case noConsent = "no consent"
    /// The day after a consent, in which nothing happens.
    case paused
    /// There is a consent and no token yet, or no more.
    case waiting = "no token yet"
    /// A request is with the issuer, or its answer on the way.
    case asked = "asked, not answered"
    /// There are tokens.
    case ready = "token ready"
    /// A donation is on the disk, and not on its way.
    case frozen
    /// A donation is with the server, or its answer on the way.
    case sent = "sent, not answered"
    /// The last donation was taken, and there is none for another day yet.
    case taken
    /// The wearer takes the consent to donations back, or has, and there is none to logs.
    case withdrawn
    /// A new document is being taken, or the one that holds names other servers than a consent.
    case termsChanged = "terms changed"
    /// There is a consent to error logs and none to donations, and nothing is noted.
    case logsAlone = "logs alone"
    /// A trouble is noted, for the wearer to read; there is no consent to donations.
    case logNoted = "trouble noted"
    /// A request for the month's token is with the issuer, or its answer on the way.
    case logAsked = "month asked"
    /// The wearer lets a log go, or has; it is not sent.
    case logReleased = "log let go"
    /// A log is with the server, or its answer on the way.
    case logSent = "log sent"
    /// The last log was taken today or yesterday.
    case logTaken = "log taken"
    /// The wearer takes the consent to logs back.
    case logWithdrawn = "logs withdrawn"

    /// The wearer has agreed to a survey, and there is no token yet.
    case surveyAgreed = "survey agreed"
    /// A request for the token of a survey's month is with the issuer, or its answer on the way.
    case surveyAsked = "survey asked"
    /// There is a token, and the digest was never sent.
    case digestReady = "digest ready"
    /// A digest is with the server, or its answer on the way.
    case digestSent = "digest sent"
    /// A digest was sent, and nobody has answered.
    case digestOpen = "digest unanswered"
    /// The password opens the survey.
    case passwordGood = "password good"
    /// A password is being redeemed.
    case redeeming
    /// The password's days are over, or the server did not take its digest.
    case passwordOver = "password over"
    /// A password was given up, because its digest was taken too late, and another month makes another one.
    case passwordLate = "password given up"
    /// The wearer takes the consent to a survey back.
    case surveyWithdrawn = "survey withdrawn"
    /// The document has another survey than the one that was agreed to, or none.
    case surveyChanged = "survey changed"

    /// Whether it is one of error logs.
    var isOfLogs: Bool {
        switch self {
        case .logsAlone, .logNoted, .logAsked, .logReleased, .logSent, .logTaken, .logWithdrawn: true
        default: false
        }
    }

    /// Whether it is one of surveys.
    var isOfSurveys: Bool {
        switch self {
        case .surveyAgreed, .surveyAsked, .digestReady, .digestSent, .digestOpen, .passwordGood, .redeeming,
            .passwordOver, .passwordLate, .surveyWithdrawn, .surveyChanged:
            true
        default: false
        }
    }

    /// The states that `book` has at `now`, Unix seconds, as far as a board knows them: one for each purpose that has a consent.
    static func all(_ book: DonationBook, isFrozen: Bool, at now: Int64) -> [DonationState] {
        let all: [DonationState?] = [
            ofDonations(book, isFrozen, now), book[.log].flatMap { ofLogs($0, isAlone: book.consent == nil, now) },
            ofSurvey(book, now),
        ]
        let known = all.compactMap(\.self)
        return known.isEmpty ? [.noConsent] : known
    }

    private static func ofDonations(_ book: DonationBook, _ isFrozen: Bool, _ now: Int64) -> DonationState? {
        guard !isFrozen else { return .frozen }
        guard let consent = book.consent else { return nil }
        if now < consent.since + DonationBook.pause { return .paused }
        if let last = book.history.last, last.outcome == .taken, last.day >= now / 86_400 { return .taken }
        return book.tokenCount(at: now) > 0 ? .ready : .waiting
    }

    private static func ofLogs(_ log: DonationBook.Errand, isAlone: Bool, _ now: Int64) -> DonationState? {
        if log.isReleased { return .logReleased }
        if let last = log.history.last, last.outcome == .taken, last.day >= now / 86_400 - 1 { return .logTaken }
        guard isAlone else { return nil }
        return log.seen.isEmpty ? .logsAlone : .logNoted
    }

    private static func ofSurvey(_ book: DonationBook, _ now: Int64) -> DonationState? {
        switch book.surveyState(at: now) {
        case nil: nil
        case .waits?:
            if book[.survey]?.hasToken == true {
                .digestReady
            } else {
                book[.survey]?.history.isEmpty == false ? .passwordLate : .surveyAgreed
            }
        case .sent?: .digestOpen
        case .accepted?: .passwordGood
        case .refused?, .expired?: .passwordOver
        }
    }
}
