// SPDX-License-Identifier: Apache-2.0

public import GAEN
public import PresenceTracing

/// The payload that warns others: `SubmissionPayload` of the Corona-Warn-App's submission service (specification
/// cwa-protocols 5).
public struct SubmissionPayload: Sendable, Hashable {
    /// The kind of test or warning that is the ground of a submission. Raw values are those of protobuf's `SubmissionType`.
    public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        /// A PCR test whose result came from the authority's servers, or a teleTAN.
        case pcrTest = 0
        /// A rapid test whose result came from the authority's servers.
        case rapidTest = 1
        /// A warning that a venue's host sends for its visitors, on behalf of a health authority.
        case hostWarning = 2
        /// A self-test that the person did and reported themselves.
        case ownSelfTest = 3
        /// A registered rapid test, reported by the person themselves.
        case ownRegisteredRapidTest = 4
        /// A rapid test that was not registered, reported by the person themselves.
        case ownUnregisteredRapidTest = 5
        /// A registered PCR test, reported by the person themselves.
        case ownRegisteredPCRTest = 6
        /// A PCR test that was not registered, reported by the person themselves.
        case ownUnregisteredPCRTest = 7
        /// A rapid PCR test, reported by the person themselves.
        case ownRapidPCRTest = 8
        /// Another ground, reported by the person themselves.
        case ownOther = 9
    }

    /// The keys, 1 to ``maximumKeys``; ``check()`` checks them. Empty in fakes. Secret until they are published.
    public var keys: [DiagnosisKey]
    /// The countries that the keys are meant for, two capital letters each, at most ``maximumCountries``; ``check()``
    /// checks them. Phones name all supported countries.
    public var visitedCountries: [String]
    /// The country of the authority, two capital letters; `DE` if not set. Empty in fakes, which ``check()``
    /// accepts.
    public var origin: String
    /// Whether health authorities of other countries may publish the keys.
    public var consentToFederation: Bool
    /// The kind of test or warning that is the ground of the submission.
    public var kind: Kind
    /// The reports of the check-ins that others are warned about; empty if there are none.
    public var reports: [ProtectedReport]

    /// The most keys of one submission: 14; servers refuse more (cwa-server `ValidSubmissionPayload`).
    public static let maximumKeys = 14
    /// The most bytes of a message that a server reads: 100,000 (cwa-protocols 5, status 400).
    public static let maximumBytes = 100_000
    /// The days since onset that servers accept (cwa-server `ValidSubmissionPayload`), -15 to 4,000; large numbers stand
    /// for statements without a date, see ``SymptomStatement/daysSinceOnset``.
    public static let onsetRange: ClosedRange<Int32> = -15...4_000
    /// The most reports of check-ins: 32, our choice, for which there is room beside 14 keys and 31 countries
    /// (``SubmissionShape/standard``).
    public static let maximumReports = 32
    /// The most countries of a submission: 64, our choice, because the European Union has 27 and a few more lie around it.
    public static let maximumCountries = 64

    /// Creates a payload of these values, unchecked; ``check()`` finds what a server would refuse.
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

    /// The content of a fake submission, which is empty. Servers only read its header, and discard the body.
    public static let fake = SubmissionPayload(keys: [], origin: "")

    /// The lowest level that servers publish (`minimum-trl-value-allowed` of cwa-server's distribution).
    private static let lowestPublishedLevel: UInt8 = 3

    /// Prepares the device's own keys for a submission on `day` (in days since 1970): each gets the level and the days
    /// since onset that the statement gives for its age, and begins at midnight (UTC). Keys from after that day or older
    /// than 14 days are left out. The newest key is first.
    ///
    /// A day has several keys if keys were released on it, or the clock was set back. If there are more than 14 keys in
    /// all, those that warn most are kept: a key whose level is high enough to be published before one whose level is too
    /// low, then a key that was used longer.
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

    /// Checks keys and countries as a server does (cwa-server `ValidSubmissionPayload`); reports are not checked.
    /// Only the server can refuse keys from the future, because there is no clock here.
    /// - Throws: The error for the first rule that is broken: ``DiagnosisPlanError/Code/noKeys`` if there is no
    ///   key; ``DiagnosisPlanError/Code/tooManyKeys`` if there are more than ``maximumKeys``;
    ///   ``DiagnosisPlanError/Code/malformedKey`` if a key does not begin at midnight (UTC), has neither a level
    ///   nor days since onset, has days outside ``onsetRange``, or is there twice;
    ///   ``DiagnosisPlanError/Code/malformedCountry`` if a country, or an ``origin`` that is not empty, is not two
    ///   capital letters, or there are more than ``maximumCountries``.
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

    /// Returns whether the text has the form of a country's code, two capital letters; whether such a country exists (ISO
    /// 3166-1) is not checked.
    public static func isCountry(_ text: String) -> Bool {
        text.utf8.count == 2 && text.utf8.allSatisfy { (65...90).contains($0) }
    }
}
