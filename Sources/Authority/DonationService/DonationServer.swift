// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
package import Donation
import PrivacyPass

/// A server that takes the donations of boards, each for one token (specification donation 6.5). It knows keys from the signed terms only, and
/// nothing of devices. Used by one thread.
///
/// Bodies of Corona-Warn-App's apps (`PPADataRequestIOS`, `PPADataRequestAndroid`) are not taken: their proofs need Apple's and Google's servers.
package final class DonationServer {
    /// The answer to a donation. The raw values are sent.
    package enum Refusal: String, Sendable, CaseIterable {
        case tokenRequired = "TOKEN_REQUIRED"
        case tokenMalformed = "TOKEN_MALFORMED"
        case tokenInvalid = "TOKEN_INVALID"
        case tokenNotYetValid = "TOKEN_NOT_YET_VALID"
        case tokenExpired = "TOKEN_EXPIRED"
        case contentNotValid = "METRICS_DATA_NOT_VALID"
        case tokenRedeemed = "TOKEN_REDEEMED"
        case noTerms = "NO_TERMS"
        case storeFailed = "TRY_LATER"

        /// The status of HTTP.
        package var status: UInt32 {
            switch self {
            case .tokenMalformed, .contentNotValid: 400
            case .tokenRequired, .tokenInvalid, .tokenNotYetValid, .tokenExpired: 401
            case .tokenRedeemed: 403
            case .noTerms, .storeFailed: 503
            }
        }

        var event: DonationEvent? {
            switch self {
            case .tokenRequired: .tokenRequired
            case .tokenMalformed: .tokenMalformed
            case .tokenInvalid: .tokenInvalid
            case .tokenNotYetValid: .tokenNotYetValid
            case .tokenExpired: .tokenExpired
            case .contentNotValid: .contentNotValid
            case .tokenRedeemed: .tokenRedeemed
            case .noTerms, .storeFailed: nil
            }
        }
    }

    /// The answer: taken, or why not, and the value of `WWW-Authenticate` of a 401.
    package struct Answer: Sendable, Hashable {
        /// The reason; `nil` if the donation is stored.
        package let refusal: Refusal?
        /// The challenge of today, for clients that do not compute it themselves.
        package let challenge: String?
    }

    private let store: DonationStore
    private let terms: () -> DonationTerms?
    private var counter = EventCounter<DonationEvent>()
    private var cleanedDay: UTCDay?

    /// Creates a server. `terms` gives the region's terms as they are now; with `nil` every donation is refused.
    package init(store: DonationStore, terms: @escaping () -> DonationTerms?) {
        self.store = store
        self.terms = terms
    }

    deinit { try? flush() }

    /// The answer to a donation. `authorization` is the header field; `now` is in Unix seconds. A store that fails gives `storeFailed`; the
    /// board repeats the same donation then.
    ///
    /// - Parameter purpose: What was sent; `nil` for a donation.
    package func answer(
        body: [UInt8], authorization: String?, purpose: MonthlyPurpose? = nil, now: Int64
    ) -> Answer {
        let today = UTCDay(containing: now)
        guard let terms = terms() else { return Answer(refusal: .noTerms, challenge: nil) }
        var refusal: Refusal?
        do throws(DonationServiceError) {
            if cleanedDay != today {
                try store.clean(today: today, terms: terms)
                cleanedDay = today
            }
            refusal = try decide(body, authorization, purpose, terms, today, now)
        } catch { refusal = .storeFailed }
        if let event = refusal?.event { count(event, now) }
        guard let refusal else { return Answer(refusal: nil, challenge: nil) }
        return Answer(refusal: refusal, challenge: refusal.status == 401 ? Self.challenge(terms, purpose, today) : nil)
    }

    private static func challenge(_ terms: DonationTerms, _ purpose: MonthlyPurpose?, _ today: UTCDay) -> String? {
        guard let challenge = try? purpose == nil ? terms.challenge(of: today) : terms.challenge(ofMonth: today) else {
            return nil
        }
        return PrivateTokenScheme.wwwAuthenticate(
            challenge, tokenKey: purpose.map { terms.key(for: $0, monthOf: today) } ?? terms.key(of: today))
    }

    private func decide(
        _ body: [UInt8], _ authorization: String?, _ purpose: MonthlyPurpose?, _ terms: DonationTerms, _ today: UTCDay,
        _ now: Int64
    ) throws(DonationServiceError) -> Refusal? {
        guard let authorization, !authorization.isEmpty else { return .tokenRequired }
        if DonationCover.isAuthorization(authorization) {
            try store.tryWriting(byteCount: body.count, today: today)
            count(.cover, now)
            return nil
        }
        guard let token = PrivateTokenScheme.token(inAuthorization: authorization) else { return .tokenMalformed }
        // A token of another purpose is by none of these keys.
        let keys = purpose.map { terms.keys(for: $0) } ?? terms.keys
        guard let entry = keys.first(where: { $0.key.id == token.keyID }) else { return .tokenInvalid }
        let days = purpose == nil ? RedemptionRule.days(ofKey: entry.day) : DonationEpoch.days(ofMonth: entry.day)
        if today.number < days.lowerBound { return .tokenNotYetValid }
        if today.number > days.upperBound { return .tokenExpired }
        // The key's day, not today: the day after is for boards that were offline.
        guard let challenge = try? purpose == nil ? terms.challenge(of: entry.day) : terms.challenge(ofMonth: entry.day),
            (try? token.verify(by: entry.key, challengeDigest: challenge.digest)) != nil
        else { return .tokenInvalid }
        guard let content = Self.content(of: body, purpose, today) else { return .contentNotValid }
        let answer = try store.take(
            content: content, digest: SHA256.digest(of: body), key: token.keyID, nonce: token.nonce, days: days,
            today: today, purpose: purpose, survey: DonationStore.SurveyOffer(terms))
        switch answer {
        case .stored: count(purpose?.stored ?? .stored, now)
        case .storedBefore: count(.storedBefore, now)
        case .contentNotValid: return .contentNotValid
        case .tokenNotYetValid: return .tokenNotYetValid
        case .tokenExpired: return .tokenExpired
        case .tokenRedeemed: return .tokenRedeemed
        }
        return nil
    }

    private static func content(of body: [UInt8], _ purpose: MonthlyPurpose?, _ today: UTCDay) -> [UInt8]? {
        switch purpose {
        case nil: DonationBody.content(of: body, on: today)
        // One form for each log, byte for byte: a donation is none, and nothing stands beside the troubles.
        case .log:
            TroubleReport.troubles(ofBody: body).map { TroubleReport.content($0) }
                .flatMap { DonationPadding.padded($0) == body ? $0 : nil }
        case .survey:
            SurveyReport.digest(ofBody: body).map { SurveyReport.content($0) }
                .flatMap { DonationPadding.padded($0) == body ? $0 : nil }
        }
    }

    /// Writes down what was counted. Throws what the store throws; the counts stay then.
    package func flush() throws(DonationServiceError) {
        try counter.flush { (events, day) throws(DonationServiceError) in try store.count(events, on: day) }
    }

    private func count(_ event: DonationEvent, _ now: Int64) {
        counter.count(event, at: now) { (events, day) throws(DonationServiceError) in try store.count(events, on: day) }
    }
}

extension MonthlyPurpose {
    /// What is counted when something of this purpose is stored.
    fileprivate var stored: DonationEvent {
        switch self {
        case .log: .logStored
        case .survey: .surveyStored
        }
    }
}
