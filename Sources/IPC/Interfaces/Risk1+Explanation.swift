// SPDX-License-Identifier: Apache-2.0

extension Risk1 {
    /// The evidence of an infection, as far as the device was told.
    public enum ReportType: String, Codable, Sendable, CaseIterable {
        /// `confirmedTest`: by a test; `confirmedClinicalDiagnosis`: by a clinician; `selfReport`: as people said of
        /// themselves; `unknown`: every other type of the key file.
        case unknown, confirmedTest, confirmedClinicalDiagnosis, selfReport
    }

    /// The infectiousness of a person on a day, by the authority's mapping.
    public enum Infectiousness: String, Codable, Sendable, CaseIterable { case none, standard, high }

    /// The reason why an encounter counts, or does not.
    public enum Outcome: String, Codable, Sendable, CaseIterable {
        /// `counted`: it counts; `tooShort`: too few minutes near enough; `levelFiltered`: its transmission risk level is
        /// left out; `notCounted`: the model gives nothing to its report type or infectiousness; `tooOld`: longer ago than
        /// the model looks; `belowMinimum`: below the smallest score that counts; `empty`: nothing was measured.
        case counted, tooShort, levelFiltered, notCounted, tooOld, belowMinimum, empty
    }

    /// The time for which a person was heard in a band of attenuation, and its weight.
    public struct Band: Codable, Sendable, Equatable {
        /// The lower limit of attenuation, dB, included; `nil` for no limit.
        public var from: Double?
        /// The upper limit of attenuation, dB, not included; `nil` for no limit.
        public var below: Double?
        /// The time in it, in seconds: a multiple of 60, rounded down; 0 or more.
        public var seconds: Int
        /// The factor for each second of the band; no unit, 0 or more.
        public var weight: Double

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(from: Double?, below: Double?, seconds: Int, weight: Double) {
            self.from = from
            self.below = below
            self.seconds = seconds
            self.weight = weight
        }
    }

    /// One encounter of up to half an hour, or one exposure of the first generation, and what it adds to its day. Nothing tells who was
    /// met, where, or at what minute.
    public struct Contribution: Codable, Sendable, Equatable {
        /// The UTC day, in days since 1970.
        public var day: Int
        /// Time by nearness, as the model looks at it; at most 16 bands, none where the model has none to show.
        public var bands: [Band]
        /// The evidence of the infection; `nil` if the model does not use it, or if the source's report types mean
        /// something else.
        public var reportType: ReportType?
        /// The infectiousness of the person on that day; `nil` if the model does not use it.
        public var infectiousness: Infectiousness?
        /// The transmission risk level, 0 to 8; `nil` where the model does not ask.
        public var transmissionRiskLevel: Int?
        /// The factor for the weighted time, from the person's infectiousness, report type or transmission risk level; no
        /// unit, 0 or more.
        public var factor: Double
        /// Estimated distance in metres, 0 or more; `nil` where the model does not estimate one.
        public var estimatedDistance: Double?
        /// The number it comes to, 0 or more, in the unit of ``Rules/unit``.
        public var score: Double
        /// The level of this encounter by itself; `nil` where the model has none.
        public var level: Level?
        /// The reason why it counts, or does not.
        public var outcome: Outcome
        /// The confidence in the other device's signal strength; `nil` in the first generation.
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

    /// Reply of `Explain`: the parts of each day's verdict.
    public struct ContributionsReply: Codable, Sendable {
        /// One page of parts, day by day, the weightiest first: as many as fit into 48 KiB of JSON.
        public var contributions: [Contribution]

        /// Creates the reply of the core to `Explain`. No value is checked.
        public init(contributions: [Contribution]) { self.contributions = contributions }
    }
}
