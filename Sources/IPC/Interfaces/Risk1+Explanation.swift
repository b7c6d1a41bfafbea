// SPDX-License-Identifier: Apache-2.0

extension Risk1 {
    /// The evidence of an infection, as far as it was published.
    public enum ReportType: String, Codable, Sendable, CaseIterable {
        /// `confirmedTest`: a test; `confirmedClinicalDiagnosis`: a clinician's diagnosis; `selfReport`: the person's own
        /// report; `unknown`: any other type in the key file.
        case unknown, confirmedTest, confirmedClinicalDiagnosis, selfReport
    }

    /// The infectiousness of a person on a day, by the authority's mapping.
    public enum Infectiousness: String, Codable, Sendable, CaseIterable { case none, standard, high }

    /// Whether an encounter counts or, if not, why.
    public enum Outcome: String, Codable, Sendable, CaseIterable {
        /// `counted`: it counts; `tooShort`: too few minutes were near enough; `levelFiltered`: its transmission risk level
        /// is excluded; `notCounted`: its report type or infectiousness has no weight in the model; `tooOld`: it is longer
        /// ago than the model considers; `belowMinimum`: its score is below the lowest that counts; `empty`: nothing was
        /// measured.
        case counted, tooShort, levelFiltered, notCounted, tooOld, belowMinimum, empty
    }

    /// The time for which a person was received in a range of attenuation, and its weight.
    public struct Band: Codable, Sendable, Equatable {
        /// The lower limit of attenuation in dB, inclusive; `nil` for no limit.
        public var from: Double?
        /// The upper limit of attenuation in dB, exclusive; `nil` for no limit.
        public var below: Double?
        /// The time in this range, in seconds: a multiple of 60, rounded down; 0 or more.
        public var seconds: Int
        /// The factor for each second in this range; no unit, 0 or more.
        public var weight: Double

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(from: Double?, below: Double?, seconds: Int, weight: Double) {
            self.from = from
            self.below = below
            self.seconds = seconds
            self.weight = weight
        }
    }

    /// An encounter of up to half an hour, or an exposure of the first generation, with its contribution to the day's
    /// result. It does not reveal who was met, where, or at what minute.
    public struct Contribution: Codable, Sendable, Equatable {
        /// The UTC day of the encounter, in days since 1970.
        public var day: Int
        /// The time by range of attenuation, as the model uses it; at most 16, empty if the model uses none.
        public var bands: [Band]
        /// The evidence of the infection; `nil` if the model does not use it, or if the source uses the report types for
        /// something else.
        public var reportType: ReportType?
        /// The infectiousness of the person on that day; `nil` if the model does not use it.
        public var infectiousness: Infectiousness?
        /// The transmission risk level, 0 to 8; `nil` if the model does not use it.
        public var transmissionRiskLevel: Int?
        /// The factor for the weighted time, from the person's infectiousness, report type or transmission risk level; no
        /// unit, 0 or more.
        public var factor: Double
        /// The estimated distance in metres, 0 or more; `nil` if the model does not estimate one.
        public var estimatedDistance: Double?
        /// The resulting score, 0 or more, in the unit of ``Rules/unit``.
        public var score: Double
        /// The level of this encounter alone; `nil` if the model does not determine one.
        public var level: Level?
        /// Whether the encounter counts or, if not, why.
        public var outcome: Outcome
        /// The confidence in the signal strength of the other device; `nil` in the first generation.
        public var calibrationConfidence: Exposure1.CalibrationConfidence?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(
            day: Int, bands: [Band], reportType: ReportType?, infectiousness: Infectiousness?, transmissionRiskLevel: Int?,
            factor: Double, estimatedDistance: Double?, score: Double, level: Level?, outcome: Outcome,
            calibrationConfidence: Exposure1.CalibrationConfidence?
        ) {
            self.day = day
            self.bands = bands
            self.reportType = reportType
            self.infectiousness = infectiousness
            self.transmissionRiskLevel = transmissionRiskLevel
            self.factor = factor
            self.estimatedDistance = estimatedDistance
            self.score = score
            self.level = level
            self.outcome = outcome
            self.calibrationConfidence = calibrationConfidence
        }
    }

    /// Reply of `Explain`: the contributions to each day's verdict.
    public struct ContributionsReply: Codable, Sendable {
        /// One page of contributions, by day, the largest first. A page has at most 48 KiB of JSON.
        public var contributions: [Contribution]

        /// Creates the reply of the core to `Explain`. No value is checked.
        public init(contributions: [Contribution]) { self.contributions = contributions }
    }
}
