// SPDX-License-Identifier: Apache-2.0

public import Matching

/// The parameters of NHS COVID-19's second model (spec checkin-and-nhs B.1, B.2), named as in its `riskScore` and
/// `v2RiskCalculation` blocks. The defaults are those of its example configuration; ``problems`` checks the ranges.
public struct NHSSecondParameters: Hashable, Sendable {
    /// The formula for the signal that is expected at a distance.
    public enum ObservationType: String, Sendable {
        /// From the logarithm of the distance (`log`), or from the logarithm of a power loss (`gen`).
        case log, gen
    }

    /// The length of one step in seconds; 0.1 to 60. The default is that of the NHS's example configuration.
    public var sampleResolution: Double = 1
    /// The distance in metres that people are expected to move in one step (``sampleResolution``); above 0, up to
    /// 100. The default is that of the NHS's example configuration.
    public var expectedDistance: Double = 0.1
    /// The distance in metres below which a shorter distance does not raise the risk; above 0, up to 100. The default
    /// is that of the NHS's example configuration.
    public var minimumDistance: Double = 1
    /// The slope of the logarithm of dB over the logarithm of metres; above 0, up to 100. The default is that of the
    /// NHS's example configuration.
    public var weightCoefficient: Double = 0.1270547531082051
    /// The constant that is added to the logarithm of dB, for ``ObservationType/log`` the logarithm of dB at 1 m;
    /// -100 to 100. The default is that of the NHS's example configuration.
    public var intercept: Double = 4.2309333657856945
    /// The variance of an observation, in squared logarithms of dB; above 0, up to 1,000. The default is that of the
    /// NHS's example configuration.
    public var covariance: Double = 0.4947614361027773
    /// The wavelength of the signal in metres; above 0, up to 1,000. Used only for ``ObservationType/gen``. The
    /// default is that of the NHS's example configuration.
    public var wavelength: Double = 0.125
    /// The loss in dB per decade of distance; above 0, up to 1,000. Used only for ``ObservationType/gen``. The
    /// default is that of the NHS's example configuration.
    public var pathLossFactor: Double = 20
    /// The loss of the devices themselves in dB; -1,000 to 1,000. Used only for ``ObservationType/gen``. The default
    /// is that of the NHS's example configuration.
    public var referenceDeviceLoss: Double = 0
    /// The formula for the expected signal; the default is that of the NHS's example configuration.
    public var observationType = ObservationType.log
    /// The distance in metres that is assumed at the beginning of a window; above 0, up to 1,000. The default is that
    /// of the NHS's example configuration.
    public var initialMean: Double = 2
    /// The variance of ``initialMean`` in square metres; above 0, up to 1,000,000. The default is that of the NHS's
    /// example configuration.
    public var initialCovariance: Double = 10
    /// The spread of the filter's sigma points; above 0, up to 10. The default is that of the NHS's example
    /// configuration.
    public var alpha: Double = 1
    /// The correction of the first sigma point's weight in covariances; 0 to 10. The default is that of the NHS's
    /// example configuration.
    public var beta: Double = 0
    /// The second parameter of the sigma points' spread; above -3, up to 100. The default is that of the NHS's
    /// example configuration.
    public var kappa: Double = 0
    /// Three weights without unit, 0 to 100, for ``Infectiousness`` none, standard and high, in this order; a missing
    /// one counts as 0. The default is that of the NHS's example configuration.
    public var infectiousnessWeights: [Double] = [0, 0.4, 1]
    /// The weighted seconds of one window from which the risk is increased, inclusive; above 0, up to 1,000,000. The
    /// default is that of the iOS app's mock server, because the real value was never published.
    public var riskThreshold: Double = 120
    /// The number of days before today beyond which a window does not warn, 0 to 365 (`contactCase`). The default is
    /// that of the NHS's example configuration.
    public var contactCaseDays = 11

    /// Creates parameters with the defaults stated, which have no problems.
    public init() {}
}

/// The parameters of NHS COVID-19's first model (spec checkin-and-nhs B.3).
public struct NHSFirstParameters: Hashable, Sendable {
    /// The configuration by which exposures are scored before the model judges them; its two thresholds, in dB,
    /// divide the time of an exposure in three.
    public var exposures: ExposureConfigurationV1
    /// Three weights without unit, 0 to 100, for the seconds below the first threshold of ``exposures``, from the
    /// first to below the second, and from the second on. The default is NHS COVID-19's (spec checkin-and-nhs B.2,
    /// B.3).
    public var durationBucketWeights: [Double] = [1, 0.5, 0]
    /// The weighted seconds of one exposure from which the risk is increased, inclusive; above 0, up to 1,000,000.
    /// The default is NHS COVID-19's (spec checkin-and-nhs B.2, B.3).
    public var riskThreshold: Double = 20
    /// The width of the Gaussian curve of the level's distance from 7, in levels; above 0, up to 100. The default is
    /// NHS COVID-19's (spec checkin-and-nhs B.2, B.3).
    public var sigma: Double = 2.75

    /// Creates parameters with `exposures` and the defaults of NHS COVID-19 (spec checkin-and-nhs B.2, B.3).
    public init(exposures: ExposureConfigurationV1) { self.exposures = exposures }
}

/// The parameters of Corona-Warn-App's first model (spec cwa-protocols 7.3). The defaults are cwa-server's final
/// ones, of September 2020.
public struct CWAFirstParameters: Hashable, Sendable {
    /// A range of scores with one level (cwa-server: `risk-score-classification.yaml`).
    public struct RiskClass: Hashable, Sendable {
        /// The level of the scores in the class.
        public var level: RiskLevel
        /// The lowest score of the class, in points, inclusive; 0 to 10⁹, and at most 1,000,000 in a document.
        public var min: Double
        /// The upper bound of the class, in points; 0 to 10⁹, above ``min``, and at most 1,000,000 in a document.
        /// It is part of the class only for ``RiskLevel/increased``.
        public var max: Double

        /// Creates a class of scores from `min` to `max`, in points; nothing is checked.
        public init(level: RiskLevel, min: Double, max: Double) {
            self.level = level
            self.min = min
            self.max = max
        }
    }

    /// The configuration by which exposures are scored before the model judges them; its two thresholds, in dB,
    /// divide the time of an exposure in three, and exposures below its minimum score do not count.
    public var exposures: ExposureConfigurationV1
    /// Three weights without unit, 0 to 100, for the minutes below the first threshold of ``exposures``, from the
    /// first to below the second, and from the second on. The default is cwa-server's of September 2020.
    public var weights: [Double] = [1, 0.5, 0]
    /// The number of minutes added to the weighted ones; 0 to 10,000. The default is cwa-server's of September 2020.
    public var offset: Double = 0
    /// The divisor of the product of score and minutes; above 0, up to 1,000,000. The default is cwa-server's of September
    /// 2020.
    public var divisor: Double = 50
    /// The maximum number of minutes that each of the three durations counts; above 0, up to 1,440. The default is
    /// cwa-server's of September 2020.
    public var capMinutes: Double = 30
    /// The classes of scores, in any order, 1 to 16 in a document. In parameters without problems each level has a
    /// class, the lowest class begins at 0, classes touch and do not overlap, higher scores have the higher level,
    /// and every score that can be reached is in a class. Empty until set, which is a problem.
    public var classes: [RiskClass] = []

    /// Creates parameters with `exposures` and the defaults stated. There are no classes, which is a problem until
    /// they are set.
    public init(exposures: ExposureConfigurationV1) { self.exposures = exposures }
}

/// The parameters of a model that sets a limit on daily summaries, which the frameworks leave to apps. Limits are
/// inclusive.
public struct DailySummariesParameters: Hashable, Sendable {
    /// The score of a day that is compared with the limit.
    public enum Measure: String, Sendable {
        /// The highest score of a window (`maximum`), the sum of all scores (`sum`), or the sum of all seconds
        /// weighted by attenuation only (`weightedDuration`).
        case maximum, sum, weightedDuration
    }

    /// The weights and thresholds of the summaries.
    public var summaries: DailySummariesConfiguration
    /// The score of a day that is compared with ``increasedFrom``. Ignored when there are ``classes``.
    public var measure = Measure.sum
    /// The weighted seconds of a day from which the risk is increased; above 0, up to 1,000,000. The default is that
    /// of Google's sample (spec rules-and-nhs 8).
    public var increasedFrom: Double = 2_700
    /// The classes of days, at most four, the most serious first; at least one of their limits must be on. If there
    /// are any, they replace ``measure`` and ``increasedFrom``.
    public var classes: [ExposureClass] = []

    /// Creates parameters with `summaries` and the defaults stated, without classes.
    public init(summaries: DailySummariesConfiguration) { self.summaries = summaries }
}
