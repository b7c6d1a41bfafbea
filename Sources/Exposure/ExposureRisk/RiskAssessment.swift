// SPDX-License-Identifier: Apache-2.0

public import GAEN

/// The answer about their risk that an authority gives to people.
public enum RiskLevel: UInt8, Sendable, CaseIterable, Comparable {
    /// The risk is below the authority's limit: it asks for ordinary care only.
    case low = 1
    /// The risk reaches the authority's limit: the wearer is warned.
    case increased = 2

    /// Orders levels: low is below increased.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The unit of the numbers of an assessment.
public enum RiskUnit: String, Sendable {
    /// Minutes, weighted by distance and by how infectious the person was.
    case weightedMinutes
    /// Seconds, weighted by distance and by how infectious the person was.
    case weightedSeconds
    /// A number of the authority's own.
    case points
}

/// A model's answer with everything needed to explain it. It does not reveal who was met or at what minute.
public struct RiskAssessment: Hashable, Sendable {
    /// The name of the model that judged.
    public var model: RiskModelName
    /// The unit of every score in the assessment.
    public var unit: RiskUnit
    /// The level of all days together; `nil` when the model assigns none to the evidence, or could not compute it.
    public var level: RiskLevel?
    /// The days with evidence, oldest first; empty if there are none.
    public var days: [RiskDay]
    /// The day from which the authority's advice counts, in days since 1970, UTC; `nil` unless the level is
    /// increased.
    public var mostRelevantDay: UInt32?
    /// The verdict of all days together, which only ``RiskModelName/cwaFirst`` gives; `nil` for the other models,
    /// which judge single days.
    public var combined: RiskVerdict?

    /// Creates an assessment from these parts, which are not checked; `days` must be sorted, oldest first.
    /// `mostRelevantDay` is in days since 1970, UTC. `level`, `mostRelevantDay` and `combined` are `nil` when there
    /// is none.
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

    /// Sets ``RiskContribution/reportType`` of every contribution to `nil`, for sources whose report types are codes
    /// for something else.
    public mutating func forgetReportTypes() {
        for day in days.indices {
            for part in days[day].contributions.indices { days[day].contributions[part].reportType = nil }
        }
    }
}

/// A score, the limit it is compared with, and the resulting level.
public struct RiskVerdict: Hashable, Sendable {
    /// The score in the unit of the assessment; always finite, 0 when the model could not compute one.
    public var score: Double
    /// The score from which the level is increased, in the unit of the assessment; inclusive, except that a range of
    /// Corona-Warn-App may begin just above it. `nil` when no score can reach it, or it is not a number.
    public var increasedFrom: Double?
    /// The level of the score; `nil` when the score is in no class or could not be computed, or when there was no
    /// evidence to judge.
    public var level: RiskLevel?

    /// Creates a verdict from these parts, which are not checked; both numbers are in the unit of the assessment.
    public init(score: Double, increasedFrom: Double?, level: RiskLevel?) {
        self.score = score
        self.increasedFrom = increasedFrom
        self.level = level
    }
}

/// The result for one UTC day: its verdict and the contributions to it.
public struct RiskDay: Hashable, Sendable {
    /// The UTC day, in days since 1970.
    public var day: UInt32
    /// The day's score, limit and level; the level is `nil` if the model gives the day none.
    public var verdict: RiskVerdict
    /// The lower bound of the number of people met (Corona-Warn-App), by level of the encounter: windows of one
    /// level with the same transmission risk level and confidence count as one person, with 0 for a level without
    /// any; `nil` for other models than ``RiskModelName/cwaSecond``, and for days without a level.
    public var encounters: [RiskLevel: Int]?
    /// The exposure windows or first-generation exposures of the day, including those that do not count; the highest
    /// score first.
    public var contributions: [RiskContribution]

    /// Creates a day from these parts, which are not checked; `day` is in days since 1970, UTC. `encounters` is `nil`
    /// for models that do not count people.
    public init(
        day: UInt32, verdict: RiskVerdict, encounters: [RiskLevel: Int]? = nil, contributions: [RiskContribution]
    ) {
        self.day = day
        self.verdict = verdict
        self.encounters = encounters
        self.contributions = contributions
    }
}

/// One exposure window, or one first-generation exposure, as a part of its day.
public struct RiskContribution: Hashable, Sendable {
    /// The time of a contribution within one range of attenuation.
    public struct Band: Hashable, Sendable {
        /// The attenuation in dB at which the band begins, inclusive; `nil` for no limit.
        public var from: Double?
        /// The attenuation in dB at which the band ends, exclusive; `nil` for no limit.
        public var below: Double?
        /// The unweighted number of seconds in the band, 0 or more.
        public var seconds: Int
        /// The model's factor for time in this band, without unit; not negative if the parameters have no problems.
        public var weight: Double

        /// Creates a band from these parts, which are not checked: it reaches from `from` to before `below`, both in
        /// dB, `nil` for no limit. `seconds` is unweighted.
        public init(from: Double?, below: Double?, seconds: Int, weight: Double) {
            self.from = from
            self.below = below
            self.seconds = seconds
            self.weight = weight
        }
    }

    /// Whether a contribution counts and, if not, the reason.
    public enum Outcome: String, Sendable {
        /// It counts towards the day.
        case counted
        /// Left out because it has too few minutes near enough (Corona-Warn-App).
        case tooShort
        /// Left out because of its transmission risk level (Corona-Warn-App).
        case levelFiltered
        /// Left out because the model assigns no level or no weight to its report type or infectiousness.
        case notCounted
        /// Left out because it is older than the days that the model considers.
        case tooOld
        /// Left out because its score is below the smallest one that counts; for Corona-Warn-App also because the
        /// score is in no range of levels or could not be computed.
        case belowMinimum
        /// Left out because it has no seconds (only the second model of NHS COVID-19).
        case empty
    }

    /// The seconds by attenuation, in the order in which the model considers the bands; empty when the model has none
    /// to show.
    public var bands: [Band]
    /// The report type of the key; `nil` for first-generation exposures, for SwissCovid's model, and when the
    /// source's report types are codes for something else.
    public var reportType: ReportType?
    /// The person's infectiousness on that day; `nil` for first-generation exposures.
    public var infectiousness: Infectiousness?
    /// The transmission risk level: 0 to 8 for first-generation exposures, 1 to 8 for ``RiskModelName/cwaSecond`` under
    /// parameters without problems. `nil` for other models, and for windows whose report type and infectiousness give
    /// no level.
    public var transmissionRiskLevel: Int?
    /// The factor applied to the weighted time, from the person's infectiousness, report type or transmission risk
    /// level; 1 for SwissCovid's model. Without unit, and not negative if the parameters have no problems; NaN when
    /// it could not be computed.
    public var factor: Double
    /// The median of the estimated distance over the window, in metres (second model of NHS COVID-19); `nil` for
    /// other models, and for windows without seconds.
    public var estimatedDistance: Double?
    /// The score of this contribution in the unit of the assessment; finite, 0 when none could be computed.
    public var score: Double
    /// The level of this contribution alone; `nil` when the model judges only days, when the contribution was left
    /// out before its level was computed, or when it has none.
    public var level: RiskLevel?
    /// Whether the contribution counted towards the day and, if not, the reason.
    public var outcome: Outcome
    /// The confidence with which the sender knows its transmit power, by its own statement; `nil` for
    /// first-generation exposures.
    public var confidence: CalibrationConfidence?

    /// Creates a contribution from these parts, which are not checked; `estimatedDistance` is in metres, `score` in
    /// the unit of the assessment.
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
