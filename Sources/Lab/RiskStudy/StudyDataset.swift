// SPDX-License-Identifier: Apache-2.0

public import ExposureRisk
public import GAEN
public import Matching

/// Encounters to judge, and to exchange between groups, without anything that tells who met, on which date or at what time
/// of day (docs/risk-study.md).
public struct StudyDataset: Hashable, Sendable {
    /// The value of `format` in a document; any other value is refused.
    public static let format = "vigil-windows-1"
    /// The most bytes of a file that is read: 32 MiB. Larger datasets can be split. Our own bound.
    public static let maximumByteCount = 32 << 20
    /// The days that may be given, counted from the study's day 0: a year in both directions. A count of days since 1970,
    /// which would be a date, is not among them. Our own bound.
    public static let days: ClosedRange<Int> = -366...366

    /// The kind and origin of the dataset, one line of 1 to 1,000 characters; `nil` if not stated.
    public var about: String?
    /// The licence under which others may use the dataset, 1 to 200 characters; `nil` if not stated.
    public var licence: String?
    /// The cases, each with a unique name; at most 20,000 in a file that is read (our own bound). May be empty.
    public var cases: [StudyCase]

    /// Creates a dataset of these parts. Nothing is checked; readers check names and ranges.
    public init(about: String? = nil, licence: String? = nil, cases: [StudyCase]) {
        self.about = about
        self.licence = licence
        self.cases = cases
    }
}

/// A case: the windows that are judged together, which are all that one wearer's board found, or a part of it.
public struct StudyCase: Hashable, Sendable {
    /// The name of the case, 1 to 120 characters; unique in a dataset, and not the name of a person.
    public var name: String
    /// The truth about the encounter, known by other means than radio; `nil` if nothing is known.
    public var truth: StudyTruth?
    /// The exposure windows of the encounter; at most 2,000 in a file that is read (our own bound). May be empty.
    public var windows: [StudyWindow]
    /// The first-generation exposures, at most 2,000 in a file that is read; with `nil` they are approximated from
    /// the windows that have a transmission risk level.
    public var exposures: [StudyExposure]?

    /// Creates a case of these parts. Nothing is checked.
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
    /// The distance between the two people in metres, 0 to 1,000; `nil` if not known.
    public var metres: Double?
    /// The minutes for which they were that near, 0 to 100,000; `nil` if not known.
    public var minutes: Double?
    /// The placement of the people in words, such as `back to back in a tram`, 1 to 300 characters; `nil` if not known.
    public var geometry: String?
    /// The level that a model should give; `nil` if not stated.
    public var expected: RiskLevel?

    /// Creates a truth of these parts. Nothing is checked; see the properties for units.
    public init(metres: Double? = nil, minutes: Double? = nil, geometry: String? = nil, expected: RiskLevel? = nil) {
        self.metres = metres
        self.minutes = minutes
        self.geometry = geometry
        self.expected = expected
    }
}

/// An exposure window whose day counts from the study's day 0.
public struct StudyWindow: Hashable, Sendable {
    /// The day, counted from the study's day 0; in ``StudyDataset/days``.
    public var day: Int
    /// The evidence of the infection. For `unknown` the configuration's mapping decides. Windows of the types
    /// `recursive` and `revoked` are not judged.
    public var reportType: ReportType
    /// The infectiousness of the person; with `nil` the configuration's mapping derives it from `daysSinceOnset` or
    /// from the missing onset. A file that states both is refused.
    public var infectiousness: Infectiousness?
    /// The days since the onset of symptoms, -14 to 14; `nil` if not known.
    public var daysSinceOnset: Int32?
    /// The transmission risk level, 1 to 8; `nil` if none was published. Only models of the first generation use it.
    public var transmissionRiskLevel: UInt8?
    /// The confidence in the calibration of the other device's signal strength.
    public var calibrationConfidence: CalibrationConfidence
    /// The scans of the window in the order of time; in a file that is read at most 200 (our own bound), each with
    /// 0 to 255 dB and 0 to 86,400 seconds. May be empty.
    public var scanInstances: [ScanInstance]

    /// Creates a window of these parts. Nothing is checked; see the properties for units.
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

    /// The seconds of all scans together, 0 or more.
    public var seconds: Int { scanInstances.reduce(0) { $0 + $1.secondsSinceLastScan } }
}

/// A first-generation exposure, before any thresholds and scores are applied to it.
public struct StudyExposure: Hashable, Sendable {
    /// A time during which a person was heard with one attenuation.
    public struct Period: Hashable, Sendable {
        /// The attenuation in dB, 0 to 255.
        public var attenuation: Int
        /// The seconds with this attenuation, 0 to 86,400.
        public var seconds: Int

        /// Creates a period of these parts. Nothing is checked.
        public init(attenuation: Int, seconds: Int) {
            self.attenuation = attenuation
            self.seconds = seconds
        }
    }

    /// The day, counted from the study's day 0; in ``StudyDataset/days``.
    public var day: Int
    /// The transmission risk level, 0 to 8; 0 means that it is not known.
    public var transmissionRiskLevel: UInt8
    /// The confidence in the calibration of the other device's signal strength.
    public var calibrationConfidence: CalibrationConfidence
    /// The times at each attenuation; at most 200 in a file that is read. May be empty.
    public var periods: [Period]

    /// Creates an exposure of these parts. Nothing is checked; see the properties for units.
    public init(
        day: Int, transmissionRiskLevel: UInt8, calibrationConfidence: CalibrationConfidence, periods: [Period]
    ) {
        self.day = day
        self.transmissionRiskLevel = transmissionRiskLevel
        self.calibrationConfidence = calibrationConfidence
        self.periods = periods
    }
}
