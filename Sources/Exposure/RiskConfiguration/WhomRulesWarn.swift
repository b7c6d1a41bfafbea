// SPDX-License-Identifier: Apache-2.0

package import ExposureRisk
import GAEN
import Matching

/// Whether rules can warn anybody at all. Each number of theirs can be in range, and the board still say *low* to everybody.
extension RiskConfiguration {
    /// The problems of models that could never warn anybody, with their paths in ``document``. Rules of a service
    /// that does not run have none.
    ///
    /// Models that add up windows are tested with the most serious possible day with one person: a whole day
    /// nearby, in 42 windows of 35 minutes or in 144 of 10 minutes. Rules that only several infected people on one
    /// day could reach are therefore refused too. Of the other models at least one weight must count.
    package var problemsOfSilence: [RiskProblem] {
        guard service == .running else { return [] }
        let kinds = kindsOfPeople
        return models.enumerated().compactMap { index, model in
            guard !model.canWarn(of: kinds) else { return nil }
            return RiskProblem(
                "models[\(index)].\(model.name.rawValue)",
                "nobody would ever be warned of one infected person: by these weights and limits a whole day beside them is low"
            )
        }
    }

    /// What a published key can be under the mapping.
    private var kindsOfPeople: [PersonKind] {
        let named = zip(DiagnosisKeyMapping.days, mapping.infectiousness).filter { mapping.names(day: $0.0) }.map(\.1)
        let found = Set(named + [mapping.infectiousnessWhenOnsetMissing])
        let types: [ReportType] = [.confirmedTest, .clinicalDiagnosis, .selfReport, .recursive]
        return found.sorted { $0.rawValue > $1.rawValue }.flatMap { degree in
            types.map { PersonKind(infectiousness: degree, reportType: $0) }
        }
    }
}

private struct PersonKind {
    let infectiousness: Infectiousness
    let reportType: ReportType

    /// A day beside somebody, in windows of `minutes` each.
    func day(attenuation: Int, minutes: Int) -> [ExposureWindow] {
        let scans = stride(from: 0, to: minutes, by: 5).map { begun in
            ScanInstance(
                typicalAttenuation: attenuation, minimumAttenuation: attenuation,
                secondsSinceLastScan: min(5, minutes - begun) * 60)
        }
        return stride(from: 0, to: 86_400, by: minutes * 60).map { second in
            ExposureWindow(
                day: 0, firstSighting: UInt32(second), reportType: reportType, infectiousness: infectiousness,
                calibrationConfidence: .high, scanInstances: scans)
        }
    }
}

extension RiskModelParameters {
    fileprivate func canWarn(of kinds: [PersonKind]) -> Bool {
        switch self {
        case .dailySummaries(let parameters):
            // One attenuation for each weight.
            let thresholds = parameters.summaries.attenuationThresholds
            return warns(kinds, at: thresholds + [min((thresholds.last ?? 0) + 1, 255)])
        case .cwaSecond(let parameters):
            // The nearest and the furthest that each weight holds for.
            let ends = parameters.minutesAtAttenuationWeights.filter { $0.weight > 0 }.flatMap { weight in
                let held = (0...127).filter { weight.attenuationRange.contains(Double($0)) }
                return [held.first, held.last].compactMap(\.self)
            }
            return warns(kinds, at: Set(ends).sorted())
        case .swissCovid(let parameters):
            return warns(kinds, at: [max(parameters.lowerThreshold - 1, 0), parameters.lowerThreshold])
        case .nhsSecond(let parameters):
            let weights = parameters.infectiousnessWeights
            return kinds.contains { kind in
                weights.indices.contains(Int(kind.infectiousness.rawValue))
                    && weights[Int(kind.infectiousness.rawValue)] > 0
            }
        case .nhsFirst(let parameters):
            return parameters.exposures.canScore && parameters.durationBucketWeights.contains { $0 > 0 }
        case .cwaFirst(let parameters):
            return parameters.exposures.canScore
                && (parameters.weights.contains { $0 > 0 } || parameters.offset > 0)
        }
    }

    private func warns(_ kinds: [PersonKind], at attenuations: [Int]) -> Bool {
        let model = model
        // A window takes in half an hour, and its first scan stands for five minutes before. A rule may leave long windows out, and another
        // one short ones.
        return [35, 10].contains { minutes in
            attenuations.contains { attenuation in
                kinds.contains { kind in
                    let evidence = RiskEvidence(windows: kind.day(attenuation: attenuation, minutes: minutes))
                    return model.assess(evidence, today: 0).level == .increased
                }
            }
        }
    }
}

extension ExposureConfigurationV1 {
    /// Whether any exposure has a score that counts. A level of 0 counts as score 1.
    fileprivate var canScore: Bool {
        let highest = [attenuationScores, daysScores, durationScores].reduce(max(1, transmissionRiskScores.max() ?? 1)) {
            $0 * ($1.max() ?? 0)
        }
        return highest > 0 && highest >= minimumRiskScore
    }
}
