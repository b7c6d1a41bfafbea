// SPDX-License-Identifier: Apache-2.0

public import ExposureRisk
public import GAEN
public import Matching

/// Encounters to judge and to exchange between groups, without anything that tells who, on which date or at what time of day
/// (docs/risk-study.md).
public struct StudyDataset: Hashable, Sendable {
    /// The value of `format`.
    public static let format = "vigil-windows-1"
    /// Largest file that is read.
    public static let maximumByteCount = 32 << 20
    /// Days that can be said: a year either way of the study's day 0. A count of days since 1970, which would be a date, is none of them.
    public static let days: ClosedRange<Int> = -366...366

    /// What it is and where it comes from, one line.
    public var about: String?
    /// Under what licence others may use it.
    public var licence: String?
    /// Each with a name of its own.
    public var cases: [StudyCase]

    public init(about: String? = nil, licence: String? = nil, cases: [StudyCase]) {
        self.about = about
        self.licence = licence
        self.cases = cases
    }
}

/// What is judged together: all that one wearer's board found, or a part of it.
public struct StudyCase: Hashable, Sendable {
    /// Characters; unique in a dataset.
    public var name: String
    public var truth: StudyTruth?
    public var windows: [StudyWindow]
    /// First-generation exposures; `nil` when the dataset gives none.
    public var exposures: [StudyExposure]?

    public init(
        name: String, truth: StudyTruth? = nil, windows: [StudyWindow] = [], exposures: [StudyExposure]? = nil
    ) {
        self.name = name
        self.truth = truth
        self.windows = windows
        self.exposures = exposures
    }
}

/// What is known of a case by other means than radio.
public struct StudyTruth: Hashable, Sendable {
    /// How near, and for how many minutes within that.
    public var metres: Double?
    public var minutes: Double?
    /// The same for people, such as `back to back in a tram`.
    public var geometry: String?
    /// What a model should say.
    public var expected: RiskLevel?

    public init(metres: Double? = nil, minutes: Double? = nil, geometry: String? = nil, expected: RiskLevel? = nil) {
        self.metres = metres
        self.minutes = minutes
        self.geometry = geometry
        self.expected = expected
    }
}

/// An exposure window whose day counts from the study's day 0.
public struct StudyWindow: Hashable, Sendable {
    /// In ``StudyDataset/days``.
    public var day: Int
    /// `unknown` is read by the configuration's mapping.
    public var reportType: ReportType
    /// Whatever the mapping says; when `nil`, the mapping says it of `daysSinceOnset`, or of a missing onset.
    public var infectiousness: Infectiousness?
    /// -14 to 14.
    public var daysSinceOnset: Int32?
    /// 1 to 8; only models of the first generation look at it.
    public var transmissionRiskLevel: UInt8?
    public var calibrationConfidence: CalibrationConfidence
    public var scanInstances: [ScanInstance]

    public init(
        day: Int, reportType: ReportType, infectiousness: Infectiousness? = nil, daysSinceOnset: Int32? = nil,
        transmissionRiskLevel: UInt8? = nil, calibrationConfidence: CalibrationConfidence, scanInstances: [ScanInstance]
    ) {
        self.day = day
        self.reportType = reportType
        self.infectiousness = infectiousness
        self.daysSinceOnset = daysSinceOnset
        self.transmissionRiskLevel = transmissionRiskLevel
        self.calibrationConfidence = calibrationConfidence
        self.scanInstances = scanInstances
    }

    /// Seconds of all scans.
    public var seconds: Int { scanInstances.reduce(0) { $0 + $1.secondsSinceLastScan } }
}

/// A first-generation exposure, before anybody's thresholds and scores were applied to it.
public struct StudyExposure: Hashable, Sendable {
    /// Time at one attenuation.
    public struct Period: Hashable, Sendable {
        /// dB.
        public var attenuation: Int
        public var seconds: Int

        public init(attenuation: Int, seconds: Int) {
            self.attenuation = attenuation
            self.seconds = seconds
        }
    }

    /// In ``StudyDataset/days``.
    public var day: Int
    /// 0 to 8; 0 is unknown.
    public var transmissionRiskLevel: UInt8
    public var calibrationConfidence: CalibrationConfidence
    public var periods: [Period]

    public init(
        day: Int, transmissionRiskLevel: UInt8, calibrationConfidence: CalibrationConfidence, periods: [Period]
    ) {
        self.day = day
        self.transmissionRiskLevel = transmissionRiskLevel
        self.calibrationConfidence = calibrationConfidence
        self.periods = periods
    }
}
