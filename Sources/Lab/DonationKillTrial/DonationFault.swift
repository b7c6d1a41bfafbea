// SPDX-License-Identifier: Apache-2.0

/// A fault that a board is made to have on purpose: the judge must find it.
package enum DonationFault: String, CaseIterable, Sendable {
    /// What requests are derived from is on the disk only once their answer is.
    case seedAfterRequest
    /// A donation is on the disk only once somebody has said what came of it.
    case frozenAfterSending
    /// A withdrawal leaves the store its old key.
    case oldKey
    /// The day that was asked for last does not outlive a withdrawal.
    case askedForgotten
    /// The request for a month's token is derived from another seed after a cut.
    case monthSeedAfterRequest
    /// A log is not sent again as it was, but composed anew for the same token.
    case logComposedAnew
    /// After a digest was sent and nobody has answered, another password takes the place of the one that it is of.
    case passwordAnew
    /// Every month's token carries the digest of one password.
    case samePassword
    /// The days of a password are counted from the last time that its digest was sent.
    case daysFromLastTry

    /// A word of the judge's verdict.
    package var word: String {
        switch self {
        case .seedAfterRequest, .askedForgotten: "blinded messages for the key of one day"
        case .monthSeedAfterRequest: "blinded messages for the key of one month"
        case .frozenAfterSending: "contents"
        case .logComposedAnew: "two contents of a log's token"
        case .oldKey: "opened"
        case .passwordAnew: "two digests of a survey's token"
        case .samePassword: "a digest with two tokens"
        case .daysFromLastTry: "longer than it is good"
        }
    }

    /// Whether it is one of surveys.
    var isOfSurveys: Bool { [.passwordAnew, .samePassword, .daysFromLastTry].contains(self) }
}
