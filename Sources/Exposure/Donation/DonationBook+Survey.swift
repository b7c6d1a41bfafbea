// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography

/// The password of a survey: made when a token is asked for, shown to the wearer once the donation server has its digest, erased when it is of no use any more.
extension DonationBook {
    /// A password and what is known of it.
    struct Password: Sendable, Hashable, Codable {
        /// In Base64; absent once it opens nothing.
        var secret: String?
        /// The day (UTC) on which its digest was first sent, in days since 1970: it can be at the server since then. Absent before.
        var sent: Int64?
        /// What became of the digest; absent until that is known.
        var outcome: Outcome?

        init(using random: inout some RandomNumberGenerator) {
            secret = Base64.string(SurveySecret(using: &random).bytes)
        }

        var known: SurveySecret? { secret.flatMap { Base64.bytes($0) }.flatMap { SurveySecret(bytes: $0) } }

        mutating func begin(on day: Int64) { sent = sent ?? day }

        mutating func end(_ outcome: Outcome) {
            self.outcome = outcome
            if outcome != .taken { erase() }
        }

        /// A day that has not come was said by a clock that was ahead.
        mutating func correct(today: Int64) { sent = sent.map { min($0, today) } }

        mutating func erase() { secret = nil }
    }

    /// How far a survey is.
    public enum SurveyState: Sendable, Equatable {
        /// Nothing was sent yet.
        case waits
        /// The digest was sent, and it is not known whether it arrived.
        case sent
        /// The server has the digest: the password opens the survey until the end of `lastDay` (UTC), in days since 1970.
        case accepted(SurveySecret, lastDay: Int64)
        /// The server did not take the digest.
        case refused
        /// The password's days are over.
        case expired
    }

    /// How far the survey is at `now`, Unix seconds, or as far as is known without the time; `nil` without a consent to it.
    public func surveyState(at now: Int64?) -> SurveyState? {
        guard let survey else { return nil }
        guard let password = survey.password else { return .waits }
        switch password.outcome {
        case nil, .lapsed: return password.sent == nil ? .waits : .sent
        case .refused: return .refused
        case .taken:
            guard let known = password.known, let lastDay = survey.lastSurveyDay,
                now.map({ UTCDay(containing: $0).number <= lastDay }) ?? true
            else { return .expired }
            return .accepted(known, lastDay: lastDay)
        }
    }

    /// Gives up a password of which no whole day is left when the server has taken its digest, because the first try was long ago: nobody could use it, and a later month makes another one. `today` is
    /// in days since 1970.
    mutating func giveUpLatePassword(today: Int64) {
        if let last = survey?.lastSurveyDay, last <= today { survey?.password = nil }
    }

    /// Whether a token may be asked for: a consent is for one password. While a digest is on its way with the token of a month that is over, there is no other one.
    var mayPlanSurvey: Bool { survey?.password?.outcome == nil && sending?.errand != .survey }
}

extension DonationBook.Errand {
    /// The last day (UTC) on which the password of a survey opens it; `nil` if its digest was not taken. Counted from the first day on which it was sent, because the server counts from
    /// the day on which it arrived, and the answer may have been lost.
    var lastSurveyDay: Int64? {
        guard let password, password.outcome == .taken, let sent = password.sent, let kept = consent.responsible?.keptDays
        else { return nil }
        return sent + kept - 1
    }
}
