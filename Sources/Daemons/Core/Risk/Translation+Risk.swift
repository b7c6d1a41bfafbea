// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import Interfaces
import RiskConfiguration

// Judgements in the words of org.vigil.risk1.

extension Risk1.Level {
    init(_ level: RiskLevel) {
        switch level {
        case .low: self = .low
        case .increased: self = .increased
        }
    }
}

extension Risk1.Model {
    init(_ name: RiskModelName) {
        switch name {
        case .dailySummaries: self = .dailySummaries
        case .cwaFirst: self = .cwaFirst
        case .cwaSecond: self = .cwaSecond
        case .nhsFirst: self = .nhsFirst
        case .nhsSecond: self = .nhsSecond
        case .swissCovid: self = .swissCovid
        }
    }
}

extension Risk1.Unit {
    init(_ unit: RiskUnit) {
        switch unit {
        case .weightedMinutes: self = .weightedMinutes
        case .weightedSeconds: self = .weightedSeconds
        case .points: self = .points
        }
    }
}

extension Risk1.Verdict {
    init(_ verdict: RiskVerdict) {
        self.init(
            score: verdict.score, increasedFrom: verdict.increasedFrom.flatMap { $0.isFinite ? $0 : nil },
            level: verdict.level.map { Risk1.Level($0) })
    }
}

extension Risk1.Day {
    init(_ day: RiskDay) {
        self.init(
            day: Int(day.day), verdict: Risk1.Verdict(day.verdict),
            encounters: day.encounters.map { Risk1.Encounters(low: $0[.low] ?? 0, increased: $0[.increased] ?? 0) })
    }
}

extension Risk1.Contribution {
    init(_ contribution: RiskContribution, day: UInt32) {
        self.init(
            day: Int(day),
            bands: contribution.bands.prefix(16).map {
                Risk1.Band(from: $0.from, below: $0.below, seconds: $0.seconds / 60 * 60, weight: $0.weight)
            },
            reportType: contribution.reportType.map { Risk1.ReportType($0) },
            infectiousness: contribution.infectiousness.map { Risk1.Infectiousness($0) },
            transmissionRiskLevel: contribution.transmissionRiskLevel, factor: contribution.factor,
            estimatedDistance: contribution.estimatedDistance, score: contribution.score,
            level: contribution.level.map { Risk1.Level($0) },
            outcome: Risk1.Outcome(rawValue: contribution.outcome.rawValue) ?? .notCounted,
            calibrationConfidence: contribution.confidence.map { Exposure1.CalibrationConfidence($0) })
    }
}

extension Risk1.ReportType {
    /// Types that give no exposure do not get this far.
    init(_ type: ReportType) {
        switch type {
        case .confirmedTest: self = .confirmedTest
        case .clinicalDiagnosis: self = .confirmedClinicalDiagnosis
        case .selfReport: self = .selfReport
        case .unknown, .recursive, .revoked: self = .unknown
        }
    }
}

extension Risk1.Infectiousness {
    init(_ infectiousness: Infectiousness) {
        switch infectiousness {
        case .none: self = .none
        case .standard: self = .standard
        case .high: self = .high
        }
    }
}

extension Risk1.Rules {
    init(_ judgement: RiskState.Judgement) {
        self.init(
            model: Risk1.Model(judgement.assessment.model), unit: Risk1.Unit(judgement.assessment.unit),
            fallback: judgement.finding.sentence, version: judgement.version)
    }
}

extension Risk1.TakenBack {
    /// `nil` where nothing was.
    static func list(_ kept: [RiskRecord.TakenBack]?) -> [Risk1.TakenBack]? {
        kept?.map { Risk1.TakenBack(day: Int($0.day), learned: $0.time) }
    }
}
