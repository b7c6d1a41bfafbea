// SPDX-License-Identifier: Apache-2.0

public import GAEN

/// What somebody sends to warn others: `SubmissionPayload` of the Corona-Warn-App's submission service (specification cwa-protocols 5).
public struct SubmissionPayload: Sendable, Hashable {
    /// `SubmissionType`: what the warning rests on.
    public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        case pcrTest = 0
        case rapidTest = 1
        case hostWarning = 2
        case ownSelfTest = 3
        case ownRegisteredRapidTest = 4
        case ownUnregisteredRapidTest = 5
        case ownRegisteredPCRTest = 6
        case ownUnregisteredPCRTest = 7
        case ownRapidPCRTest = 8
        case ownOther = 9
    }

    public var keys: [DiagnosisKey]
    /// Two capital letters each; phones name all countries that are supported.
    public var visitedCountries: [String]
    /// Two capital letters, or empty.
    public var origin: String
    public var consentToFederation: Bool
    public var kind: Kind
    public var reports: [ProtectedReport]

    public static let maximumKeys = 14
    /// What a server reads at most.
    public static let maximumBytes = 100_000
    /// Days since onset that servers take.
    public static let onsetRange: ClosedRange<Int32> = -15...4_000
    /// Countries of a submission; there are 27 in the federation's Union and a few more around it.
    public static let maximumCountries = 64

    public init(
        keys: [DiagnosisKey], visitedCountries: [String] = [], origin: String = "DE", consentToFederation: Bool = false,
        kind: Kind = .pcrTest, reports: [ProtectedReport] = []
    ) {
        self.keys = keys
        self.visitedCountries = visitedCountries
        self.origin = origin
        self.consentToFederation = consentToFederation
        self.kind = kind
        self.reports = reports
    }

    /// The content of fakes: none. Servers look at the header only, and throw the body away.
    public static let fake = SubmissionPayload(keys: [], origin: "")

    /// Own keys as they are submitted on `day` (days since 1970): with the statement's level and days since onset by age, newest first,
    /// none from after that day or older than 14 days, at most 14, one of each day (``wholeDays(_:)``).
    public static func keys(_ keys: [DiagnosisKey], stating statement: SymptomStatement, day: UInt32) -> [DiagnosisKey] {
        let levels = statement.levels
        let onsets = statement.daysSinceOnset
        return Array(
            wholeDays(keys).filter { $0.rollingStart.day <= day && Int(day - $0.rollingStart.day) < SymptomStatement.ages }
                .sorted { $0.rollingStart > $1.rollingStart }
                .map { key in
                    var key = key
                    key.transmissionRiskLevel = levels[Int(day - key.rollingStart.day)]
                    key.daysSinceOnset = onsets[Int(day - key.rollingStart.day)]
                    return key
                }
                .prefix(maximumKeys))
    }

    /// One key of each day, from midnight on, as servers want them. A day has several when keys were released on it and got lost: the one
    /// that was in use longest is taken. One that began later than midnight is said to have begun there: its identifiers depend on the
    /// time and on nothing else, so the same ones are found, and when it ends stays as it is.
    static func wholeDays(_ keys: [DiagnosisKey]) -> [DiagnosisKey] {
        let days = Dictionary(grouping: keys, by: \.rollingStart.day)
        return days.values.compactMap { keys -> DiagnosisKey? in
            guard let longest = keys.max(by: { $0.rollingPeriod < $1.rollingPeriod }) else { return nil }
            var key = longest
            key.rollingStart = longest.rollingStart.startOfDay
            key.rollingPeriod = min(
                longest.rollingPeriod + (longest.rollingStart.number - key.rollingStart.number), ENIN.perDay)
            return key
        }
    }

    /// Throws the first rule that a server would refuse it for (cwa-server `ValidSubmissionPayload`). That keys are not from the future is
    /// the server's to say: there is no clock here.
    public func check() throws(DiagnosisPlanError) {
        guard !keys.isEmpty else { throw DiagnosisPlanError(.noKeys) }
        guard keys.count <= Self.maximumKeys else { throw DiagnosisPlanError(.tooManyKeys, "there are \(keys.count)") }
        for (index, key) in keys.enumerated() { try Self.check(key, "key \(index + 1)") }
        let inOrder = keys.sorted { $0.rollingStart < $1.rollingStart }
        for (key, next) in zip(inOrder, inOrder.dropFirst()) where key.end > next.rollingStart {
            throw DiagnosisPlanError(.overlappingKeys)
        }
        guard Set(keys.map(\.data)).count == keys.count else {
            throw DiagnosisPlanError(.malformedKey, "one is there twice")
        }
        guard visitedCountries.count <= Self.maximumCountries, visitedCountries.allSatisfy(Self.isCountry),
            origin.isEmpty || Self.isCountry(origin)
        else { throw DiagnosisPlanError(.malformedCountry) }
    }

    private static func check(_ key: DiagnosisKey, _ place: String) throws(DiagnosisPlanError) {
        guard key.rollingStart.number.isMultiple(of: ENIN.perDay) else {
            throw DiagnosisPlanError(.malformedKey, "\(place) does not start at midnight (UTC)")
        }
        guard key.transmissionRiskLevel > 0 || key.daysSinceOnset != nil else {
            throw DiagnosisPlanError(.malformedKey, "\(place) has neither level nor days since onset")
        }
        if let days = key.daysSinceOnset, !onsetRange.contains(days) {
            throw DiagnosisPlanError(.malformedKey, "\(place) has \(days) days since onset")
        }
    }

    private static func isCountry(_ text: String) -> Bool {
        text.utf8.count == 2 && text.utf8.allSatisfy { (65...90).contains($0) }
    }
}
