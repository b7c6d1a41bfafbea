// SPDX-License-Identifier: Apache-2.0

package import GAEN
import Matching

/// Corona-Warn-App since 2020: weighted minutes of exposure windows, and their sum for each day (spec cwa-protocols
/// 7.1).
///
/// Where the two phone apps differed, this model does what passes all published cases: sums are not rounded, minutes
/// in filters are not cut to whole minutes, and people are counted on days that have a level.
public struct CWASecondModel: RiskModel {
    /// A person as far as the model can tell them apart.
    private struct Encounter: Hashable {
        let level: Int?
        let confidence: CalibrationConfidence?
    }

    /// The model's parameters, which are not checked. If they have ``CWASecondParameters/problems``, a score may not be
    /// a finite number; the model then gives no level instead of a low one.
    public let parameters: CWASecondParameters

    /// Creates a model with `parameters`, which are not checked here; see ``RiskParameters/problems``.
    public init(_ parameters: CWASecondParameters) { self.parameters = parameters }

    /// The model's name, always ``RiskModelName/cwaSecond``.
    public var name: RiskModelName { .cwaSecond }
    /// The input it needs: exposure windows.
    public var input: RiskInput { .windows }

    /// Judges ``RiskEvidence/windows`` by their age on `today`, in days since 1970, UTC
    /// (``CWASecondParameters/maxEncounterAgeInDays``); first-generation exposures are ignored.
    ///
    /// Scores are weighted minutes. The level is increased if that of any day is; otherwise it is `nil` if a number
    /// could not be computed, and else low, also without any windows.
    public func assess(_ evidence: RiskEvidence, today: UInt32) -> RiskAssessment {
        var beyondNumbers: Set<UInt32> = []
        let entries = evidence.windows.sorted(by: ExposureWindow.precedes).map { window in
            let (contribution, isNumber) = contribution(of: window, today: today)
            if !isNumber { beyondNumbers.insert(window.day) }
            return (day: window.day, contribution: contribution)
        }
        let increased = parameters.normalizedTimePerDayToRiskLevelMapping
            .filter { $0.riskLevel == .increased }.map(\.normalizedTimeRange.min).min()
            .flatMap { $0.isFinite ? $0 : nil }
        let days = DayBook(entries).days.map { day, contributions in
            let counted = contributions.filter { $0.outcome == .counted }
            // Smallest first: the same sum whatever the order, and the least lost of it.
            let sum = counted.reversed().reduce(0) { $0 + $1.score }
            if !sum.isFinite { beyondNumbers.insert(day) }
            var level = counted.isEmpty || !sum.isFinite ? nil : Self.level(of: sum, parameters.perDay)
            // What could not be computed could only have raised it.
            if level == .low, beyondNumbers.contains(day) { level = nil }
            return RiskDay(
                day: day,
                verdict: RiskVerdict(score: sum.isFinite ? sum : 0, increasedFrom: increased, level: level),
                encounters: level == nil ? nil : Self.encounters(counted), contributions: contributions)
        }
        let warning = days.last { $0.verdict.level == .increased }
        return RiskAssessment(
            model: name, unit: .weightedMinutes, level: warning != nil ? .increased : beyondNumbers.isEmpty ? .low : nil,
            days: days,
            mostRelevantDay: warning?.day)
    }

    private static func encounters(_ counted: [RiskContribution]) -> [RiskLevel: Int] {
        let byLevel = Dictionary(grouping: counted) { $0.level }
        return RiskLevel.allCases.reduce(into: [:]) { result, level in
            result[level] =
                Set(
                    (byLevel[level] ?? []).map {
                        Encounter(level: $0.transmissionRiskLevel, confidence: $0.confidence)
                    }
                ).count
        }
    }

    private func contribution(
        of window: ExposureWindow, today: UInt32
    ) -> (RiskContribution, isNumber: Bool) {
        let transmissionLevel = parameters.trlEncoding.level(window.reportType, window.infectiousness)
        let value = transmissionLevel.map(parameters.value(ofLevel:)) ?? 0
        let minutes =
            window.scanInstances.reduce(0) {
                $0 + Double($1.countedSeconds) * parameters.weight(attenuation: Double($1.minimumAttenuation))
            } / 60
        let score = value * minutes
        var result = RiskContribution(
            bands: bands(window), reportType: window.reportType, infectiousness: window.infectiousness,
            transmissionRiskLevel: transmissionLevel, factor: value, score: score.isFinite ? score : 0, outcome: .counted,
            confidence: window.calibrationConfidence)
        if parameters.maxEncounterAgeInDays != 0,
            window.day.isOlder(than: parameters.maxEncounterAgeInDays, today: today)
        {
            result.outcome = .tooOld
        } else if parameters.minutesAtAttenuationFilters.contains(where: { $0.drops(window) }) {
            result.outcome = .tooShort
        } else if let transmissionLevel {
            if parameters.trlFilters.contains(where: { $0.contains(Double(transmissionLevel)) }) {
                result.outcome = .levelFiltered
            } else if let level = score.isFinite ? Self.level(of: score, parameters.perWindow) : nil {
                result.level = level
            } else {
                result.outcome = .belowMinimum
                return (result, score.isFinite)
            }
        } else {
            result.outcome = .notCounted
        }
        return (result, true)
    }

    /// Tenths are not exact in binary: 0.6 + 8.4 comes out below 9, and a warning must not hang on that.
    private static func level(of time: Double, _ mapping: [CWASecondParameters.LevelMapping]) -> RiskLevel? {
        let settled = time.settled
        return mapping.first { $0.normalizedTimeRange.contains(settled) }?.riskLevel
    }

    /// Seconds in each range that has a weight, and what is in none.
    private func bands(_ window: ExposureWindow) -> [RiskContribution.Band] {
        var seconds = [Int](repeating: 0, count: parameters.minutesAtAttenuationWeights.count)
        var rest = 0
        var nearestOfRest = Int.max
        for scan in window.scanInstances {
            if let index = parameters.weightIndex(attenuation: Double(scan.minimumAttenuation)) {
                seconds[index] += scan.countedSeconds
            } else {
                rest += scan.countedSeconds
                nearestOfRest = min(nearestOfRest, scan.minimumAttenuation)
            }
        }
        var bands = zip(parameters.minutesAtAttenuationWeights, seconds).map { weight, seconds in
            RiskContribution.Band(
                from: weight.attenuationRange.from, below: weight.attenuationRange.below, seconds: seconds,
                weight: weight.weight)
        }
        if rest > 0 {
            let end = bands.compactMap(\.below).max()
            bands.append(
                RiskContribution.Band(
                    from: end.flatMap { Double(nearestOfRest) >= $0 ? $0 : nil }, below: nil, seconds: rest, weight: 0))
        }
        return bands
    }
}

extension CWASecondParameters {
    fileprivate var perWindow: [LevelMapping] { normalizedTimePerEWToRiskLevelMapping }
    fileprivate var perDay: [LevelMapping] { normalizedTimePerDayToRiskLevelMapping }

    /// The first range that an attenuation is in.
    func weightIndex(attenuation: Double) -> Int? {
        minutesAtAttenuationWeights.firstIndex { $0.attenuationRange.contains(attenuation) }
    }

    /// 0 outside of all ranges.
    func weight(attenuation: Double) -> Double {
        weightIndex(attenuation: attenuation).map { minutesAtAttenuationWeights[$0].weight } ?? 0
    }

    /// The mapping where there is one, the multiplier otherwise.
    func value(ofLevel level: Int) -> Double {
        transmissionRiskValueMapping.isEmpty
            ? Double(level) * transmissionRiskLevelMultiplier : transmissionRiskValueMapping[level] ?? 0
    }
}

extension CWASecondParameters.LevelEncoding {
    /// Returns the transmission risk level that was published as this report type and infectiousness, 1 to 8 for
    /// parameters without problems; `nil` when the infectiousness is none or the report type is unknown or revoked.
    package func level(_ type: ReportType, _ infectiousness: Infectiousness) -> Int? {
        let byInfectiousness: Int
        switch infectiousness {
        case .none: return nil
        case .standard: byInfectiousness = infectiousnessOffsetStandard
        case .high: byInfectiousness = infectiousnessOffsetHigh
        }
        switch type {
        case .confirmedTest: return byInfectiousness &+ reportTypeOffsetConfirmedTest
        case .clinicalDiagnosis: return byInfectiousness &+ reportTypeOffsetConfirmedClinicalDiagnosis
        case .selfReport: return byInfectiousness &+ reportTypeOffsetSelfReport
        case .recursive: return byInfectiousness &+ reportTypeOffsetRecursive
        // iOS added 0, Android stopped; a window that cannot be read must not decide anything.
        case .unknown, .revoked: return nil
        }
    }
}

extension CWASecondParameters.MinutesFilter {
    /// Whether the window's minutes in the range of attenuation are those of windows to leave out.
    func drops(_ window: ExposureWindow) -> Bool {
        let seconds = window.scanInstances.reduce(0) {
            attenuationRange.contains(Double($1.minimumAttenuation)) ? $0 + $1.countedSeconds : $0
        }
        return dropIfMinutesInRange.contains(Double(seconds) / 60)
    }
}

extension CWASecondParameters.Range {
    /// Of whole numbers, as attenuations are: the smallest that is in.
    fileprivate var from: Double? {
        min.isFinite ? (minExclusive ? min.rounded(.down) + 1 : min.rounded(.up)) : nil
    }
    /// The smallest above that is out.
    fileprivate var below: Double? {
        max.isFinite ? (maxExclusive ? max.rounded(.up) : max.rounded(.down) + 1) : nil
    }
}
