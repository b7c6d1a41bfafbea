// SPDX-License-Identifier: Apache-2.0

public import GAEN
public import PresenceTracing

/// The payload that warns others: `SubmissionPayload` of the Corona-Warn-App's submission service (specification
/// cwa-protocols 5).
public struct SubmissionPayload: Sendable, Hashable {
    /// The kind of test or warning that a submission rests on; raw values are those of protobuf's `SubmissionType`.
    public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        /// A laboratory's PCR test whose result the authority's servers have given, or a teleTAN.
        case pcrTest = 0
        /// A rapid test whose result the authority's servers have given.
        case rapidTest = 1
        /// A warning that a venue's host sends for its visitors, on behalf of a health authority.
        case hostWarning = 2
        /// A self-test of the person's own, which the person has reported.
        case ownSelfTest = 3
        /// A registered rapid test, on the person's own word.
        case ownRegisteredRapidTest = 4
        /// A rapid test that was not registered, on the person's own word.
        case ownUnregisteredRapidTest = 5
        /// A registered PCR test, on the person's own word.
        case ownRegisteredPCRTest = 6
        /// A PCR test that was not registered, on the person's own word.
        case ownUnregisteredPCRTest = 7
        /// A rapid PCR test, on the person's own word.
        case ownRapidPCRTest = 8
        /// Another reason, on the person's own word.
        case ownOther = 9
    }

    /// The keys, 1 to ``maximumKeys``, which ``check()`` checks; none in fakes. Secret until they are published.
    public var keys: [DiagnosisKey]
    /// The countries that the keys are meant for, two capital letters each; phones name all that are supported. At most ``maximumCountries``.
    public var visitedCountries: [String]
    /// The country of the authority, two capital letters; empty in fakes, and ``check()`` takes that too.
    public var origin: String
    /// Whether health authorities of other countries may publish the keys.
    public var consentToFederation: Bool
    /// The kind of test or warning that the submission rests on.
    public var kind: Kind
    /// The check-ins that others are warned about; empty for none.
    public var reports: [ProtectedReport]

    /// The most keys of one submission (cwa-server `ValidSubmissionPayload`); more are refused.
    public static let maximumKeys = 14
    /// The longest message that a server reads, in bytes: 100 KB (cwa-protocols 5, status 400).
    public static let maximumBytes = 100_000
    /// The days since onset that servers take (cwa-server `ValidSubmissionPayload`); large ones are statements, see
    /// ``SymptomStatement/daysSinceOnset``.
    public static let onsetRange: ClosedRange<Int32> = -15...4_000
    /// The most countries of a submission, a choice of ours: there are 27 in the European Union and a few more around it.
    public static let maximumCountries = 64

    /// A payload with these values, as they are; ``check()`` finds what a server would refuse.
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

    /// The lowest level that servers publish (`minimum-trl-value-allowed` of cwa-server's distribution).
    private static let lowestPublishedLevel: UInt8 = 3

    /// Own keys as they are submitted on `day` (days since 1970): with the statement's level and days since onset by age, newest first,
    /// none from after that day or older than 14 days, all keys of each day, each from midnight on (``fromMidnight(_:)``).
    ///
    /// A day has several keys when keys were released on it, or its clock was set back. Where they are more than 14 in all, those stay that
    /// warn most: a key that is published before one whose level is too low, one that was in use longer before one that was in use for less.
    public static func keys(_ keys: [DiagnosisKey], stating statement: SymptomStatement, day: UInt32) -> [DiagnosisKey] {
        let levels = statement.levels
        let onsets = statement.daysSinceOnset
        let stated = keys.filter {
            $0.rollingStart.day <= day && Int(day - $0.rollingStart.day) < SymptomStatement.ages
        }.map { key in
            var key = key
            key.transmissionRiskLevel = levels[Int(day - key.rollingStart.day)]
            key.daysSinceOnset = onsets[Int(day - key.rollingStart.day)]
            return key
        }
        func worth(_ key: DiagnosisKey) -> (Int, UInt32, UInt32) {
            (key.transmissionRiskLevel >= lowestPublishedLevel ? 1 : 0, key.rollingPeriod, key.rollingStart.number)
        }
        return stated.sorted { worth($0) > worth($1) }.prefix(maximumKeys)
            .sorted { $0.rollingStart > $1.rollingStart }.map(fromMidnight)
    }

    /// A key as servers want it, beginning at midnight. One that began later is said to have begun there: its identifiers depend on the time
    /// and on nothing else, so the same ones are found, and when it ends stays as it is.
    static func fromMidnight(_ key: DiagnosisKey) -> DiagnosisKey {
        var whole = key
        whole.rollingStart = key.rollingStart.startOfDay
        whole.rollingPeriod = min(
            key.rollingPeriod + (key.rollingStart.number - whole.rollingStart.number), ENIN.perDay)
        return whole
    }

    /// Checks keys and countries as a server does (cwa-server `ValidSubmissionPayload`); reports are not looked at. That keys are not from the
    /// future is the server's to say: there is no clock here.
    /// - Throws: The first rule that is broken: ``DiagnosisPlanError/Code/noKeys``, ``DiagnosisPlanError/Code/tooManyKeys``,
    ///   ``DiagnosisPlanError/Code/malformedKey`` (also for a key that is there twice), or ``DiagnosisPlanError/Code/malformedCountry`` (also for
    ///   more than ``maximumCountries``).
    public func check() throws(DiagnosisPlanError) {
        guard !keys.isEmpty else { throw DiagnosisPlanError(.noKeys) }
        guard keys.count <= Self.maximumKeys else { throw DiagnosisPlanError(.tooManyKeys, "there are \(keys.count)") }
        for (index, key) in keys.enumerated() { try Self.check(key, "key \(index + 1)") }
        // Two keys of one day are two keys; servers refuse none for what it shares with another.
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

    /// Whether it is written like a country's code, two capital letters; not whether there is such a country (ISO 3166-1).
    public static func isCountry(_ text: String) -> Bool {
        text.utf8.count == 2 && text.utf8.allSatisfy { (65...90).contains($0) }
    }
}
