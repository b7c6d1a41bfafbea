// SPDX-License-Identifier: Apache-2.0

extension Risk1 {
    public enum ReportType: String, Codable, Sendable, CaseIterable {
        case unknown, confirmedTest, confirmedClinicalDiagnosis, selfReport
    }

    public enum Infectiousness: String, Codable, Sendable, CaseIterable { case none, standard, high }

    public enum Outcome: String, Codable, Sendable, CaseIterable {
        case counted, tooShort, levelFiltered, notCounted, tooOld, belowMinimum, empty
    }

    public struct Band: Codable, Sendable, Equatable {
        public var from: Double?
        public var below: Double?
        public var seconds: Int
        public var weight: Double

        public init(from: Double?, below: Double?, seconds: Int, weight: Double) {
            self.from = from
            self.below = below
            self.seconds = seconds
            self.weight = weight
        }
    }

    public struct Contribution: Codable, Sendable, Equatable {
        public var day: Int
        public var bands: [Band]
        public var reportType: ReportType?
        public var infectiousness: Infectiousness?
        public var transmissionRiskLevel: Int?
        public var factor: Double
        public var estimatedDistance: Double?
        public var score: Double
        public var level: Level?
        public var outcome: Outcome
        public var calibrationConfidence: Exposure1.CalibrationConfidence?

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

    public struct ContributionsReply: Codable, Sendable {
        public var contributions: [Contribution]

        public init(contributions: [Contribution]) { self.contributions = contributions }
    }
}
