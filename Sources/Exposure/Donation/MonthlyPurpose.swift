// SPDX-License-Identifier: Apache-2.0

public import CivilTime
public import PrivacyPass

/// What a wearer can agree to besides donations of exposure data, each by itself, and which is sent once a month at most. Each has token keys of its own, so no
/// server can join what was sent for one purpose with what was sent for another.
public enum MonthlyPurpose: String, Sendable, Codable, CaseIterable {
    /// A list of the device's troubles (``TroubleReport``).
    case log
    /// The digest of a password with which the wearer answers a survey (``SurveyReport``).
    case survey

    /// The path at the donation server.
    public var path: String {
        switch self {
        case .log: "/version/v1/device/els"
        case .survey: "/version/v1/device/otp"
        }
    }
}

extension DonationEpoch {
    /// The first and the last day on which a token of the month of `day` is good: the month, and the day after it for those who were offline.
    public static func days(ofMonth day: UTCDay) -> ClosedRange<Int64> {
        firstDay(ofMonth: day).number...lastDay(ofMonth: day).number + 1
    }

    /// The first day of the month of `day`.
    public static func firstDay(ofMonth day: UTCDay) -> UTCDay { UTCDay(number: day.number - Int64(day.date.day) + 1) }

    /// The last day of the month of `day`.
    public static func lastDay(ofMonth day: UTCDay) -> UTCDay {
        // 31 days after the first of a month lies the next one, early in it.
        let next = UTCDay(number: firstDay(ofMonth: day).number + 31)
        return UTCDay(number: firstDay(ofMonth: next).number - 1)
    }
}

extension DonationTerms {
    /// The keys of a purpose: ``Key/day`` is the first of the month. Empty if the authority does not ask for it.
    public func keys(for purpose: MonthlyPurpose) -> [Key] { monthlyKeys[purpose] ?? [] }

    /// The key of a purpose for the month of `day`; `nil` if the document has none.
    public func key(for purpose: MonthlyPurpose, monthOf day: UTCDay) -> TokenKey? {
        let first = DonationEpoch.firstDay(ofMonth: day)
        return keys(for: purpose).first { $0.day == first }?.key
    }

    /// The challenge that tokens of the month of `day` are for. Cannot fail: the names were checked.
    public func challenge(ofMonth day: UTCDay) throws(PrivacyPassError) -> TokenChallenge {
        try DonationEpoch.month(of: day).challenge(issuerName: issuerName, origin: origin)
    }
}
