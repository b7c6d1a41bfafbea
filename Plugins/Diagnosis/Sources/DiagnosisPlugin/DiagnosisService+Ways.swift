// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import DiagnosisPlan
import GAEN
import Glibc
import Interfaces

/// What differs by the way an authority is told, on this side of the registry.
extension DiagnosisService {
    /// What somebody typed, scanned or pasted, for Google's or the NHS's servers.
    func foreignKey(_ text: String) throws(DiagnosisPlanError) -> RegistrationKey {
        guard case .ens(let authority) = way else { return RegistrationKey(try NHSCode(typed: text)) }
        let code = try ENSCode(text)
        if let region = code.region, let own = authority.region, region != own { throw DiagnosisPlanError(.otherRegion) }
        return RegistrationKey(code)
    }

    /// Returns the ages in days, 0 for `today` (in days since 1970), of the days whose meetings are warned by what is said about symptoms.
    func warnedAges(_ symptoms: SymptomStatement, today: Int64) -> [Int] {
        switch way {
        case .cwa:
            return symptoms.publishedAges(minimumLevel: settings.minimumLevel ?? SymptomStatement.standardMinimumLevel)
        case .ens:
            let rules = ENSKeyRules()
            let onset = symptoms.onsetDay(today: today) ?? today - rules.defaultOnsetDays
            return (0..<SubmissionPayload.maximumKeys).filter { abs(today - Int64($0) - onset) <= rules.maximumOnsetDays }
        case .nhs:
            // The test's day is not known before a test is named: today at the latest. So is the day on which its result was seen.
            let day = CivilDate(day: today)
            let onset = NHSResult.assumedOnset(
                end: day, isPositive: true, selfAssessment: symptoms.selfAssessment(today: day),
                onset: symptoms.onsetDay(today: today).map { CivilDate(day: $0) })
            let range = KeySubmissionRange(today: day, acknowledged: day, onset: onset ?? day)
            return (0..<SubmissionPayload.maximumKeys).filter { range.contains(today - Int64($0)) }
        }
    }

    /// Fixes keys and secret, which a certificate is asked for. The server's own date of onset goes before what the wearer says.
    func prepareENS(
        _ number: Int, _ agreement: WarningStage.Agreement, _ own: [DiagnosisKey], _ hours: Range<Int64>?
    ) throws {
        let now = Int64(time(nil))
        let test = store.registry.test(number)
        let onset = test?.onsetDay ?? agreement.symptoms.onsetDay(today: UTCDay(containing: now).number)
        let keys = FrozenKeys.publishable(own, onset: onset, at: now)
        guard !keys.isEmpty else {
            return try store.change { $0.loseKeys(number, because: own.isEmpty ? .noKeys : .nothingTaken) }
        }
        var random = SystemRandomNumberGenerator()
        let frozen = FrozenKeys(
            keys, secret: SecretBytes(count: 16, from: &random),
            onset: onset.map { FrozenKeys.interval(ofOnset: $0, at: now) })
        let request = ExchangeRequest.requestName(using: &random)
        try store.change { $0.prepare(number, frozen, request: request, hours: hours) }
    }

    /// Makes the submission with the token that came with the result.
    func prepareNHS(
        _ number: Int, _ agreement: WarningStage.Agreement, _ own: [DiagnosisKey], _ hours: Range<Int64>?
    ) throws {
        let now = Int64(time(nil))
        guard let test = store.registry.test(number), let token = test.givenToken else { return }
        let today = UTCDay(containing: now).date
        let said = agreement.symptoms.onsetDay(today: today.dayNumber).map { CivilDate(day: $0) }
        let end = test.testDay.map { CivilDate(day: $0) } ?? today
        let onset =
            NHSResult.assumedOnset(
                end: end, isPositive: true, selfAssessment: agreement.symptoms.selfAssessment(today: today), onset: said)
            ?? end
        // Whoever has seen the result stays away from others: the days from then on are not sent (checkin-and-nhs B.3).
        let seen = test.seenDay.map { CivilDate(day: min($0, today.dayNumber)) } ?? today
        let range = KeySubmissionRange(today: today, acknowledged: seen, onset: onset)
        let keys = NHSSubmission.keys(own, in: range, onset: onset)
        guard !keys.isEmpty else { return try store.change { $0.loseKeys(number, because: .noKeys) } }
        let body = try NHSSubmission(token: token, keys: keys, kit: test.kit).encoded(at: now)
        var random = SystemRandomNumberGenerator()
        let request = ExchangeRequest.requestName(using: &random)
        try store.change { $0.prepareReady(number, body, request: request, hours: hours) }
    }
}

extension SymptomStatement {
    /// The day of onset (since 1970), where one is said.
    func onsetDay(today: Int64) -> Int64? {
        guard case .since(let daysAgo) = self else { return nil }
        return today - Int64(min(max(daysAgo, 0), Self.earliestOnset))
    }

    /// The day of the self-assessment by which the NHS's apps assume an onset that nobody remembers: today, where there were
    /// symptoms without a date.
    func selfAssessment(today: CivilDate) -> CivilDate? {
        switch self {
        case .lastSevenDays, .oneToTwoWeeksAgo, .moreThanTwoWeeksAgo, .unknownSince: today
        case .since, .noSymptoms, .noStatement: nil
        }
    }
}
