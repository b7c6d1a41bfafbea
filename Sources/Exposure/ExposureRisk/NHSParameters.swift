// SPDX-License-Identifier: Apache-2.0

public import Matching

/// NHS COVID-19's second model (spec checkin-and-nhs B.1, B.2), names as in its `riskScore` and `v2RiskCalculation` blocks.
public struct NHSSecondParameters: Hashable, Sendable {
    public enum ObservationType: String, Sendable {
        case log, gen
    }

    /// Seconds of one step.
    public var sampleResolution: Double = 1
    /// Metres per second that people are expected to move.
    public var expectedDistance: Double = 0.1
    /// Metres below which nearer is no worse.
    public var minimumDistance: Double = 1
    public var weightCoefficient: Double = 0.1270547531082051
    public var intercept: Double = 4.2309333657856945
    public var covariance: Double = 0.4947614361027773
    /// For ``ObservationType/gen`` only.
    public var wavelength: Double = 0.125
    public var pathLossFactor: Double = 20
    public var referenceDeviceLoss: Double = 0
    public var observationType = ObservationType.log
    /// Metres.
    public var initialMean: Double = 2
    public var initialCovariance: Double = 10
    public var alpha: Double = 1
    public var beta: Double = 0
    public var kappa: Double = 0
    /// By the number of the infectiousness.
    public var infectiousnessWeights: [Double] = [0, 0.4, 1]
    public var riskThreshold: Double = 120
    /// Days before today beyond which a window warns nobody (`contactCase`).
    public var contactCaseDays = 11

    public init() {}
}

/// NHS COVID-19's first model (spec checkin-and-nhs B.3).
public struct NHSFirstParameters: Hashable, Sendable {
    public var exposures: ExposureConfigurationV1
    /// For below, between and above the two thresholds of ``exposures``.
    public var durationBucketWeights: [Double] = [1, 0.5, 0]
    public var riskThreshold: Double = 20
    /// Of the bell over the level's distance from 7.
    public var sigma: Double = 2.75

    public init(exposures: ExposureConfigurationV1) { self.exposures = exposures }
}

/// Corona-Warn-App's first model (spec cwa-protocols 7.3).
public struct CWAFirstParameters: Hashable, Sendable {
    public struct RiskClass: Hashable, Sendable {
        public var level: RiskLevel
        public var min: Double
        /// Part of the class for ``RiskLevel/increased`` only.
        public var max: Double

        public init(level: RiskLevel, min: Double, max: Double) {
            self.level = level
            self.min = min
            self.max = max
        }
    }

    public var exposures: ExposureConfigurationV1
    /// For below, between and above the two thresholds of ``exposures``.
    public var weights: [Double] = [1, 0.5, 0]
    public var offset: Double = 0
    public var divisor: Double = 50
    /// Minutes each of the three durations counts at most.
    public var capMinutes: Double = 30
    public var classes: [RiskClass] = []

    public init(exposures: ExposureConfigurationV1) { self.exposures = exposures }
}

/// A limit on daily summaries; the frameworks leave it to apps.
public struct DailySummariesParameters: Hashable, Sendable {
    public enum Measure: String, Sendable {
        /// Highest score of a window, all scores, all seconds weighted by attenuation only.
        case maximum, sum, weightedDuration
    }

    public var summaries: DailySummariesConfiguration
    public var measure = Measure.sum
    /// Seconds, weighted.
    public var increasedFrom: Double = 2_700
    /// The gravest first. Where there are any, they decide in place of ``measure`` and ``increasedFrom``.
    public var classes: [ExposureClass] = []

    public init(summaries: DailySummariesConfiguration) { self.summaries = summaries }
}
