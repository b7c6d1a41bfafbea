// SPDX-License-Identifier: Apache-2.0

public import CivilTime

/// How a donation server answers a donation whose token is signed. The caller keeps what was spent, by key and nonce, with the
/// digest of its body, until the key dies; it stores a donation and its token in one transaction.
public enum RedemptionRule {
    /// The answer to a donation.
    public enum Answer: Sendable, Hashable, CaseIterable {
        /// Store it, and the token as spent.
        case stored
        /// The same donation is stored already: an answer was lost. Do not store it again.
        case storedBefore
        /// The content breaks a rule; the token is not spent.
        case contentNotValid
        /// The token's day has not begun.
        case tokenNotYetValid
        /// The token's day and the day after are over.
        case tokenExpired
        /// The token was used for another donation.
        case tokenRedeemed

        /// The status of HTTP.
        public var status: Int {
            switch self {
            case .stored, .storedBefore: 200
            case .contentNotValid: 400
            case .tokenNotYetValid, .tokenExpired: 401
            case .tokenRedeemed: 403
            }
        }

        /// The code in the answer's body, by the names of Corona-Warn-App's server where it has one; `nil` for success.
        public var errorCode: String? {
            switch self {
            case .stored, .storedBefore: nil
            case .contentNotValid: "METRICS_DATA_NOT_VALID"
            case .tokenNotYetValid: "TOKEN_NOT_YET_VALID"
            case .tokenExpired: "TOKEN_EXPIRED"
            case .tokenRedeemed: "TOKEN_REDEEMED"
            }
        }
    }

    /// The days on which a token of the key of `keyDay` is taken: that day, and the one after for those who were offline.
    public static func days(ofKey keyDay: UTCDay) -> ClosedRange<Int64> { keyDay.number...keyDay.number + 1 }

    /// The answer to a donation.
    ///
    /// - Parameters:
    ///   - keyDay: The day of the token's key.
    ///   - today: The day of the server.
    ///   - contentIsValid: Whether the content keeps the rules.
    ///   - bodyDigest: The digest of the body.
    ///   - spentFor: The digest of the body that this token was spent for; `nil` if it was not.
    public static func answer(
        keyDay: UTCDay, today: UTCDay, contentIsValid: Bool, bodyDigest: [UInt8], spentFor: [UInt8]?
    ) -> Answer {
        answer(
            days: days(ofKey: keyDay), today: today, contentIsValid: contentIsValid, bodyDigest: bodyDigest,
            spentFor: spentFor)
    }

    /// The answer to what was sent for a token that is good on these days.
    public static func answer(
        days: ClosedRange<Int64>, today: UTCDay, contentIsValid: Bool, bodyDigest: [UInt8], spentFor: [UInt8]?
    ) -> Answer {
        if today.number < days.lowerBound { return .tokenNotYetValid }
        if today.number > days.upperBound { return .tokenExpired }
        if !contentIsValid { return .contentNotValid }
        guard let spentFor else { return .stored }
        return spentFor == bodyDigest ? .storedBefore : .tokenRedeemed
    }
}
