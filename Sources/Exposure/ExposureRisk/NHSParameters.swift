// SPDX-License-Identifier: Apache-2.0

public import Matching

/// NHS COVID-19's second model (spec checkin-and-nhs B.1, B.2), names as in its `riskScore` and `v2RiskCalculation` blocks.
/// Defaults are those of its example configuration; ``problems`` checks the ranges.
public struct NHSSecondParameters: Hashable, Sendable {
    /// The formula of the signal that is expected at a distance: by the distance's logarithm, or by the logarithm of a
    /// power loss.
    public enum ObservationType: String, Sendable {
        /// By the distance's logarithm (`log`), or by the logarithm of a power loss (`gen`).
        case log, gen
    }

    /// Seconds of one step; 0.1 to 60. The default is that of the NHS's example configuration.
    public var sampleResolution: Double = 1
    /// Metres that people are expected to move in one step (``sampleResolution``); above 0, up to 100. The default is
    /// that of the NHS's example configuration.
    public var expectedDistance: Double = 0.1
    /// Metres below which nearer is no worse; above 0, up to 100. The default is that of the NHS's example configuration.
    public var minimumDistance: Double = 1
    /// Slope of the logarithm of dB over the logarithm of metres; above 0, up to 100. The default is that of the NHS's
    /// example configuration.
    public var weightCoefficient: Double = 0.1270547531082051
    /// Logarithm of dB at 1 m; -100 to 100. The default is that of the NHS's example configuration.
    public var intercept: Double = 4.2309333657856945
    /// Variance of an observation, in squared logarithms of dB; above 0, up to 1,000. The default is that of the NHS's
    /// example configuration.
    public var covariance: Double = 0.4947614361027773
    /// Wavelength of the signal in metres; above 0, up to 1,000. For ``ObservationType/gen`` only. The default is that of
    /// the NHS's example configuration.
    public var wavelength: Double = 0.125
    /// dB per decade of distance; above 0, up to 1,000. For ``ObservationType/gen`` only. The default is that of the NHS's
    /// example configuration.
    public var pathLossFactor: Double = 20
    /// Loss of the devices themselves in dB; -1,000 to 1,000. For ``ObservationType/gen`` only. The default is that of the
    /// NHS's example configuration.
    public var referenceDeviceLoss: Double = 0
    /// The formula that gives the expected signal; the default is that of the NHS's example configuration.
    public var observationType = ObservationType.log
    /// Metres at which a window begins, before anything was heard; above 0, up to 1,000. The default is that of the NHS's
    /// example configuration.
    public var initialMean: Double = 2
    /// Square metres of variance about ``initialMean``; above 0, up to 1,000,000. The default is that of the NHS's example
    /// configuration.
    public var initialCovariance: Double = 10
    /// Spread of the filter's sigma points; above 0, up to 10. The default is that of the NHS's example configuration.
    public var alpha: Double = 1
    /// Correction of the first sigma point's weight in covariances; 0 to 10. The default is that of the NHS's example
    /// configuration.
    public var beta: Double = 0
    /// Second spread of the sigma points; above -3, up to 100. The default is that of the NHS's example configuration.
    public var kappa: Double = 0
    /// Three weights without unit, 0 to 100, by the raw value of ``Infectiousness``: none, standard, high; one that
    /// lacks counts as 0. The default is that of the NHS's example configuration.
    public var infectiousnessWeights: [Double] = [0, 0.4, 1]
    /// Weighted seconds of one window from which on the risk is increased, inclusive; above 0, up to 1,000,000. The default
    /// is that of the iOS app's mock server: the real one was never published.
    public var riskThreshold: Double = 120
    /// Days before today beyond which a window warns nobody, 0 to 365 (`contactCase`). The default is that of the NHS's
    /// example configuration.
    public var contactCaseDays = 11

    /// Parameters with the defaults stated, which have no problems.
    public init() {}
}

/// NHS COVID-19's first model (spec checkin-and-nhs B.3).
public struct NHSFirstParameters: Hashable, Sendable {
    /// The configuration by which exposures are scored before the model sees them; its two thresholds, in dB, part
    /// their time in three.
    public var exposures: ExposureConfigurationV1
    /// Three weights without unit, 0 to 100: for seconds below the first threshold of ``exposures``, from it on below
    /// the second, and from that on. The default is NHS COVID-19's (spec checkin-and-nhs B.2, B.3).
    public var durationBucketWeights: [Double] = [1, 0.5, 0]
    /// Weighted seconds of one exposure from which on the risk is increased, inclusive; above 0, up to 1,000,000. The
    /// default is NHS COVID-19's (spec checkin-and-nhs B.2, B.3).
    public var riskThreshold: Double = 20
    /// Width of the bell over the level's distance from 7, in levels; above 0, up to 100. The default is NHS COVID-19's
    /// (spec checkin-and-nhs B.2, B.3).
    public var sigma: Double = 2.75

    /// Parameters with the defaults of NHS COVID-19 (spec checkin-and-nhs B.2, B.3) beside `exposures`.
    public init(exposures: ExposureConfigurationV1) { self.exposures = exposures }
}

/// Corona-Warn-App's first model (spec cwa-protocols 7.3). Defaults are cwa-server's final ones, of September 2020.
public struct CWAFirstParameters: Hashable, Sendable {
    /// A range of scores that have one level (cwa-server: `risk-score-classification.yaml`).
    public struct RiskClass: Hashable, Sendable {
        /// The level of scores in the class.
        public var level: RiskLevel
        /// The lowest score of the class, in points, inclusive; 0 to 10⁹.
        public var min: Double
        /// The end of the class, in points; 0 to 10⁹, above ``min``. Part of the class for ``RiskLevel/increased`` only.
        public var max: Double

        /// A class of scores from `min` on, below `max`, in points; unchecked.
        public init(level: RiskLevel, min: Double, max: Double) {
            self.level = level
            self.min = min
            self.max = max
        }
    }

    /// The configuration by which exposures are scored before the model sees them: its two thresholds, in dB, part
    /// their time in three, and its smallest score is the least that counts.
    public var exposures: ExposureConfigurationV1
    /// Three weights without unit, 0 to 100: for minutes below the first threshold of ``exposures``, from it on below
    /// the second, and from that on. The default is cwa-server's of September 2020.
    public var weights: [Double] = [1, 0.5, 0]
    /// Minutes added to the weighted ones; 0 to 10,000. The default is cwa-server's of September 2020.
    public var offset: Double = 0
    /// The divisor of the product of score and minutes; above 0, up to 1,000,000. The default is cwa-server's of September
    /// 2020.
    public var divisor: Double = 50
    /// Minutes each of the three durations counts at most; above 0, up to 1,440. The default is cwa-server's of September
    /// 2020.
    public var capMinutes: Double = 30
    /// The classes of scores, in any order; together they must hold every score that can be reached, without overlap. Empty
    /// until set, which is a problem.
    public var classes: [RiskClass] = []

    /// Parameters with the defaults stated, without classes, which is a problem until some are set.
    public init(exposures: ExposureConfigurationV1) { self.exposures = exposures }
}

/// A limit on daily summaries; the frameworks leave it to apps. Limits are inclusive.
public struct DailySummariesParameters: Hashable, Sendable {
    /// The number of a day that the limit is held against.
    public enum Measure: String, Sendable {
        /// The highest score of a window (`maximum`), all scores added up (`sum`), or all seconds weighted by attenuation
        /// only (`weightedDuration`).
        case maximum, sum, weightedDuration
    }

    /// Weights and thresholds of the summaries.
    public var summaries: DailySummariesConfiguration
    /// The number of a day that ``increasedFrom`` is held against. Ignored where there are ``classes``.
    public var measure = Measure.sum
    /// Weighted seconds of a day from which on the risk is increased; above 0, up to 1,000,000. The default is that of
    /// Google's sample (spec rules-and-nhs 8).
    public var increasedFrom: Double = 2_700
    /// Classes of days, at most four, the gravest first; at least one limit of them is not off. Where there are any,
    /// they decide in place of ``measure`` and ``increasedFrom``.
    public var classes: [ExposureClass] = []

    /// Parameters with the defaults stated beside `summaries`, and without classes.
    public init(summaries: DailySummariesConfiguration) { self.summaries = summaries }
}
