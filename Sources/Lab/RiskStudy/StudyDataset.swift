// SPDX-License-Identifier: Apache-2.0

public import ExposureRisk
public import GAEN
public import Matching

/// Encounters to judge and to exchange between groups, without anything that tells who, on which date or at what time of day
/// (docs/risk-study.md).
public struct StudyDataset: Hashable, Sendable {
    /// The value of `format` in a document; another one is refused.
    public static let format = "vigil-windows-1"
    /// Bytes of the largest file that is read, 32 MiB: ours, so that reading ends. Larger ones can be split.
    public static let maximumByteCount = 32 << 20
    /// Days that may be given: a year either way of the study's day 0. A count of days since 1970, which would be a date,
    /// is none of them. Our own bound.
    public static let days: ClosedRange<Int> = -366...366

    /// The dataset's kind and origin, one line of 1 to 1,000 characters; `nil` if it does not say.
    public var about: String?
    /// The licence under which others may use it, 1 to 200 characters; `nil` if it does not say.
    public var licence: String?
    /// The cases, each with a name of its own; empty without any.
    public var cases: [StudyCase]

    /// Creates the value for readers of datasets and for tests. Nothing is checked here: readers check names and ranges.
    /// See the properties for `nil`.
    public init(about: String? = nil, licence: String? = nil, cases: [StudyCase]) {
        self.about = about
        self.licence = licence
        self.cases = cases
    }
}

/// A case, the windows that are judged together: all that one wearer's board found, or a part of it.
public struct StudyCase: Hashable, Sendable {
    /// The case's name, 1 to 120 characters; unique in a dataset, and nobody's own.
    public var name: String
    /// The truth about the encounter beside what was heard; `nil` if nothing is known.
    public var truth: StudyTruth?
    /// The exposure windows of the encounter; may be none.
    public var windows: [StudyWindow]
    /// First-generation exposures; `nil` when the dataset gives none: then they are made from the windows.
    public var exposures: [StudyExposure]?

    /// Creates the value for readers of datasets and for tests. Nothing is checked here. See the properties for `nil`.
    public init(
        name: String, truth: StudyTruth? = nil, windows: [StudyWindow] = [], exposures: [StudyExposure]? = nil
    ) {
        self.name = name
        self.truth = truth
        self.windows = windows
        self.exposures = exposures
    }
}

/// The truth about a case, as known by other means than radio.
public struct StudyTruth: Hashable, Sendable {
    /// The distance of the two, in metres, 0 to 1,000; `nil` if that is not known.
    public var metres: Double?
    /// The minutes for which they were that near, 0 to 100,000; `nil` if that is not known.
    public var minutes: Double?
    /// Their placement, for people, such as `back to back in a tram`, 1 to 300 characters; `nil` if that is not known.
    public var geometry: String?
    /// The level that a model should give; `nil` if the dataset does not say.
    public var expected: RiskLevel?

    /// Creates the value for readers of datasets and for tests. Nothing is checked here. See the properties for units and
    /// `nil`.
    public init(metres: Double? = nil, minutes: Double? = nil, geometry: String? = nil, expected: RiskLevel? = nil) {
        self.metres = metres
        self.minutes = minutes
        self.geometry = geometry
        self.expected = expected
    }
}

/// An exposure window whose day counts from the study's day 0.
public struct StudyWindow: Hashable, Sendable {
    /// The day, from the study's day 0; in ``StudyDataset/days``.
    public var day: Int
    /// The evidence of the infection. `unknown` is read by the configuration's mapping.
    public var reportType: ReportType
    /// The infectiousness of the person, in place of the mapping's; `nil` leaves it to the mapping, by `daysSinceOnset` or
    /// a missing onset.
    public var infectiousness: Infectiousness?
    /// Days since the onset of symptoms, -14 to 14; `nil` if that is not known.
    public var daysSinceOnset: Int32?
    /// The transmission risk level, 1 to 8; `nil` if none was published. Only models of the first generation look at it.
    public var transmissionRiskLevel: UInt8?
    /// The confidence in the other device's signal strength.
    public var calibrationConfidence: CalibrationConfidence
    /// The scans of the window in time order; empty without any.
    public var scanInstances: [ScanInstance]

    /// Creates the value for readers of datasets and for tests. Nothing is checked here. See the properties for units and
    /// `nil`.
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

    /// Seconds of all its scans together, 0 or more.
    public var seconds: Int { scanInstances.reduce(0) { $0 + $1.secondsSinceLastScan } }
}

/// A first-generation exposure, before anybody's thresholds and scores were applied to it.
public struct StudyExposure: Hashable, Sendable {
    /// A time for which a person was heard at one attenuation.
    public struct Period: Hashable, Sendable {
        /// The attenuation of the period, in dB, 0 to 255.
        public var attenuation: Int
        /// The number of seconds at this attenuation, 0 to 86,400.
        public var seconds: Int

        /// Creates the value for readers of datasets and for tests. Nothing is checked here. See the properties for units.
        public init(attenuation: Int, seconds: Int) {
            self.attenuation = attenuation
            self.seconds = seconds
        }
    }

    /// The day, from the study's day 0; in ``StudyDataset/days``.
    public var day: Int
    /// The transmission risk level, 0 to 8; 0 is unknown.
    public var transmissionRiskLevel: UInt8
    /// The confidence in the other device's signal strength.
    public var calibrationConfidence: CalibrationConfidence
    /// The time spent at each attenuation; may be none.
    public var periods: [Period]

    /// Creates the value for readers of datasets and for tests. Nothing is checked here. See the properties for units.
    public init(
        day: Int, transmissionRiskLevel: UInt8, calibrationConfidence: CalibrationConfidence, periods: [Period]
    ) {
        self.day = day
        self.transmissionRiskLevel = transmissionRiskLevel
        self.calibrationConfidence = calibrationConfidence
        self.periods = periods
    }
}
