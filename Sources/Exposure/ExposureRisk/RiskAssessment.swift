// SPDX-License-Identifier: Apache-2.0

public import GAEN

/// The answer that an authority gives people about their risk.
public enum RiskLevel: UInt8, Sendable, CaseIterable, Comparable {
    /// The authority asks for ordinary care only: some encounter, but below its limit.
    case low = 1
    /// The authority's limit is reached: the wearer is warned.
    case increased = 2

    /// Orders levels: low is below increased.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The unit of the numbers of an assessment.
public enum RiskUnit: String, Sendable {
    /// Minutes, weighted by nearness and by how infectious the person was.
    case weightedMinutes
    /// Seconds, weighted by nearness and by how infectious the person was.
    case weightedSeconds
    /// A number of the authority's own.
    case points
}

/// A model's answer, with all that is needed to explain it; nothing in it tells who was met, or at what minute.
public struct RiskAssessment: Hashable, Sendable {
    /// The name of the model that judged.
    public var model: RiskModelName
    /// The unit of every score in it.
    public var unit: RiskUnit
    /// The level of all days together; `nil` when the model gives none to what there is, or could not compute it.
    public var level: RiskLevel?
    /// The days with evidence, oldest first; empty without any.
    public var days: [RiskDay]
    /// The day that the authority's advice counts from, in days since 1970, UTC; `nil` unless the level is increased.
    public var mostRelevantDay: UInt32?
    /// The verdict of all days together; `nil` for models that judge single days only, all but
    /// ``RiskModelName/cwaFirst``.
    public var combined: RiskVerdict?

    /// An assessment of these parts, unchecked; `days` must be sorted, oldest first. `mostRelevantDay` is in days since
    /// 1970, UTC. `nil` for `level`, `mostRelevantDay` and `combined` where there is none.
    public init(
        model: RiskModelName, unit: RiskUnit, level: RiskLevel?, days: [RiskDay], mostRelevantDay: UInt32? = nil,
        combined: RiskVerdict? = nil
    ) {
        self.model = model
        self.unit = unit
        self.level = level
        self.days = days
        self.mostRelevantDay = mostRelevantDay
        self.combined = combined
    }

    /// Leaves out what kind of report each part rests on (``RiskContribution/reportType`` becomes `nil`), for sources
    /// that write something else there.
    public mutating func forgetReportTypes() {
        for day in days.indices {
            for part in days[day].contributions.indices { days[day].contributions[part].reportType = nil }
        }
    }
}

/// A number, what it is held against, and what follows.
public struct RiskVerdict: Hashable, Sendable {
    /// The number that was judged, in the unit of the assessment; always finite, 0 where the model could not compute one.
    public var score: Double
    /// The score from which the level is increased, in the unit of the assessment: inclusive, but for Corona-Warn-App's
    /// ranges, which may begin just above it. `nil` when nothing can reach it, or it is no number.
    public var increasedFrom: Double?
    /// The level of the score; `nil` when it is in no class, could not be computed, or there was no evidence to look
    /// at.
    public var level: RiskLevel?

    /// A verdict of these parts, unchecked; both numbers are in the unit of the assessment.
    public init(score: Double, increasedFrom: Double?, level: RiskLevel?) {
        self.score = score
        self.increasedFrom = increasedFrom
        self.level = level
    }
}

/// The result of one UTC day: its verdict, and the contributions to it.
public struct RiskDay: Hashable, Sendable {
    /// The UTC day, in days since 1970.
    public var day: UInt32
    /// The day's score, limit and level; the level is `nil` if the model gives the day none.
    public var verdict: RiskVerdict
    /// Corona-Warn-App's lower bound of the number of people, by level of the encounter, 0 for a level without any;
    /// `nil` for other models than ``RiskModelName/cwaSecond``, and on days without a level.
    public var encounters: [RiskLevel: Int]?
    /// The windows or exposures that the day is made of, those that do not count too; the highest score first.
    public var contributions: [RiskContribution]

    /// A day of these parts, unchecked; `day` is in days since 1970, UTC. `encounters` is `nil` for models that count no
    /// people.
    public init(
        day: UInt32, verdict: RiskVerdict, encounters: [RiskLevel: Int]? = nil, contributions: [RiskContribution]
    ) {
        self.day = day
        self.verdict = verdict
        self.encounters = encounters
        self.contributions = contributions
    }
}

/// One window, or one exposure of the first generation, as a part of its day.
public struct RiskContribution: Hashable, Sendable {
    /// Seconds of a contribution that were spent at some attenuation.
    public struct Band: Hashable, Sendable {
        /// Attenuation in dB at which the band begins, inclusive; `nil` for no limit.
        public var from: Double?
        /// Attenuation in dB at which the band ends, exclusive; `nil` for no limit.
        public var below: Double?
        /// Seconds in the band, not weighted; never negative.
        public var seconds: Int
        /// The factor for time in this band: a number of the model without unit, never negative without problems of the
        /// parameters.
        public var weight: Double

        /// A band of these parts, unchecked: from `from` on and below `below`, both in dB, `nil` for no limit. `seconds`
        /// are unweighted.
        public init(from: Double?, below: Double?, seconds: Int, weight: Double) {
            self.from = from
            self.below = below
            self.seconds = seconds
            self.weight = weight
        }
    }

    /// The outcome of a contribution: it counts, or there is a reason why not.
    public enum Outcome: String, Sendable {
        /// It counts towards the day.
        case counted
        /// Left out for its minutes at some attenuation: too few near enough (CWA).
        case tooShort
        /// A transmission risk level that is left out (CWA).
        case levelFiltered
        /// A report type or infectiousness that the model gives no level or no weight to.
        case notCounted
        /// Longer ago than the model looks.
        case tooOld
        /// Below the smallest score that counts; for CWA also a score that is in no range of levels, or could not be
        /// computed.
        case belowMinimum
        /// Nothing was measured: there are no seconds (the second model of NHS COVID-19 only).
        case empty
    }

    /// Seconds by attenuation, in the order in which the model looks at it; empty where the model has none to show.
    public var bands: [Band]
    /// The type of report that it rests on; `nil` for first-generation exposures, for SwissCovid's model, and where the
    /// source's report types mean something else.
    public var reportType: ReportType?
    /// The person's infectiousness on that day; `nil` for first-generation exposures.
    public var infectiousness: Infectiousness?
    /// The transmission risk level: 0 to 8 for first-generation exposures, 1 to 8 for ``RiskModelName/cwaSecond`` under
    /// parameters without problems. `nil` for other models, and for windows whose report type and infectiousness give
    /// no level.
    public var transmissionRiskLevel: Int?
    /// The factor for the weighted time, from the person's infectiousness, report type or transmission risk level; 1
    /// for SwissCovid's model. No unit, never negative without problems of the parameters; NaN where it could not be
    /// computed.
    public var factor: Double
    /// NHS second model: the median of the estimated distance over the window, metres; `nil` elsewhere, and for windows
    /// without seconds.
    public var estimatedDistance: Double?
    /// The score of this part, in the unit of the assessment; finite, 0 where none could be computed.
    public var score: Double
    /// The level of this part by itself; `nil` where the model judges days only, where the part was left out before its
    /// level was looked at, or no level could be given.
    public var level: RiskLevel?
    /// The outcome of the part: it counted towards the day, or there is a reason why not.
    public var outcome: Outcome
    /// The sender's knowledge of its own signal strength; `nil` for first-generation exposures.
    public var confidence: CalibrationConfidence?

    /// A contribution of these parts, unchecked; `estimatedDistance` is in metres, `score` in the unit of the assessment.
    public init(
        bands: [Band], reportType: ReportType? = nil, infectiousness: Infectiousness? = nil,
        transmissionRiskLevel: Int? = nil, factor: Double, estimatedDistance: Double? = nil, score: Double,
        level: RiskLevel? = nil, outcome: Outcome, confidence: CalibrationConfidence? = nil
    ) {
        self.bands = bands
        self.reportType = reportType
        self.infectiousness = infectiousness
        self.transmissionRiskLevel = transmissionRiskLevel
        self.factor = factor
        self.estimatedDistance = estimatedDistance
        self.score = score
        self.level = level
        self.outcome = outcome
        self.confidence = confidence
    }
}
