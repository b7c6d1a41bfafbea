// SPDX-License-Identifier: Apache-2.0

/// Corona-Warn-App's `RiskCalculationParameters` (spec cwa-protocols 7.1), names as there.
public struct CWASecondParameters: Hashable, Sendable {
    /// A range of dB, minutes or levels, as its user says. Inclusive unless marked; a missing bound is 0 when read from
    /// protobuf.
    public struct Range: Hashable, Sendable {
        /// The lower bound; 0 to 10⁹ without ``CWASecondParameters/problems``.
        public var min: Double
        /// Whether the value ``min`` itself is outside of the range.
        public var minExclusive: Bool
        /// The upper bound; 0 to 10⁹ without problems, and not below ``min``.
        public var max: Double
        /// Whether the value ``max`` itself is outside of the range.
        public var maxExclusive: Bool

        /// A range with the bounds given, unchecked; the defaults are those of protobuf and hold 0 only.
        public init(min: Double = 0, minExclusive: Bool = false, max: Double = 0, maxExclusive: Bool = false) {
            self.min = min
            self.minExclusive = minExclusive
            self.max = max
            self.maxExclusive = maxExclusive
        }

        /// Whether `value`, in the unit of the bounds, is within them; false for NaN.
        public func contains(_ value: Double) -> Bool {
            (minExclusive ? value > min : value >= min) && (maxExclusive ? value < max : value <= max)
        }
    }

    /// A rule that leaves windows out for their minutes (Corona-Warn-App: `MinutesAtAttenuationFilter`).
    public struct MinutesFilter: Hashable, Sendable {
        /// The range in which minutes are counted, by the minimum attenuation of each scan of the window in dB.
        public var attenuationRange: Range
        /// Minutes in that range of attenuation, not rounded, with which a window is left out.
        public var dropIfMinutesInRange: Range

        /// A filter of an attenuation in dB and of minutes, unchecked; ``problems`` of the parameters say what is wrong.
        public init(attenuationRange: Range, dropIfMinutesInRange: Range) {
            self.attenuationRange = attenuationRange
            self.dropIfMinutesInRange = dropIfMinutesInRange
        }
    }

    /// The weight of a minute at some attenuation (Corona-Warn-App: `MinutesAtAttenuationWeight`).
    public struct Weight: Hashable, Sendable {
        /// Attenuations whose minutes have this weight: a scan's minimum attenuation in dB.
        public var attenuationRange: Range
        /// The factor for a minute in the range; 0 to 100, 0 counts nothing.
        public var weight: Double

        /// A weight, without unit, for minutes at an attenuation in dB; unchecked.
        public init(attenuationRange: Range, weight: Double) {
            self.attenuationRange = attenuationRange
            self.weight = weight
        }
    }

    /// The level of a number of weighted minutes (Corona-Warn-App: `NormalizedTimeToRiskLevelMapping`).
    public struct LevelMapping: Hashable, Sendable {
        /// The range of weighted minutes that have this level.
        public var normalizedTimeRange: Range
        /// The level of such times; `nil` for the unspecified level, which is none.
        public var riskLevel: RiskLevel?

        /// A mapping of weighted minutes to the level, `nil` for none; unchecked.
        public init(normalizedTimeRange: Range, riskLevel: RiskLevel?) {
            self.normalizedTimeRange = normalizedTimeRange
            self.riskLevel = riskLevel
        }
    }

    /// The making of a transmission risk level out of report type and infectiousness: the sum of two offsets, 1 to 8.
    /// The defaults are cwa-server's (`transmission-risk-encoding.yaml`; spec cwa-protocols 7.2).
    public struct LevelEncoding: Hashable, Sendable {
        /// Added to the level for standard infectiousness, without unit; 0 to 8. The default is cwa-server's
        /// (`transmission-risk-encoding.yaml`).
        public var infectiousnessOffsetStandard = 1
        /// Added to the level for high infectiousness, without unit; 0 to 8. The default is cwa-server's
        /// (`transmission-risk-encoding.yaml`).
        public var infectiousnessOffsetHigh = 2
        /// Added to the level for report type recursive, without unit; 0 to 8. The default is cwa-server's
        /// (`transmission-risk-encoding.yaml`).
        public var reportTypeOffsetRecursive = 0
        /// Added to the level for a self-report, without unit; 0 to 8. The default is cwa-server's
        /// (`transmission-risk-encoding.yaml`).
        public var reportTypeOffsetSelfReport = 2
        /// Added to the level for a clinical diagnosis, without unit; 0 to 8. The default is cwa-server's
        /// (`transmission-risk-encoding.yaml`).
        public var reportTypeOffsetConfirmedClinicalDiagnosis = 4
        /// Added to the level for a confirmed test, without unit; 0 to 8. The default is cwa-server's
        /// (`transmission-risk-encoding.yaml`).
        public var reportTypeOffsetConfirmedTest = 6

        /// The encoding that cwa-server publishes with; see the members' values.
        public init() {}
    }

    /// A window that any of these matches is left out; empty leaves none out.
    public var minutesAtAttenuationFilters: [MinutesFilter] = []
    /// Ranges of transmission risk levels whose windows are left out; empty without any.
    public var trlFilters: [Range] = []
    /// Weights of minutes by a scan's attenuation: the first range that holds it counts; minutes in none count nothing.
    /// Empty is a problem.
    public var minutesAtAttenuationWeights: [Weight] = []
    /// The mapping of weighted minutes of one window to its level, by the first range that holds them; a window in no
    /// range, or in one without a level, does not count. Empty without any.
    public var normalizedTimePerEWToRiskLevelMapping: [LevelMapping] = []
    /// The mapping of weighted minutes of all windows of a UTC day to the day's level, by the first range that holds them;
    /// a day in no range, or in one without a level, has none.
    public var normalizedTimePerDayToRiskLevelMapping: [LevelMapping] = []
    /// The report type and infectiousness that a transmission risk level was published as; the default is cwa-server's.
    public var trlEncoding = LevelEncoding()
    /// The factor that turns a transmission risk level into its value; 0 to 100 (0.2 in 2020). Used where
    /// ``transmissionRiskValueMapping`` is empty, and then above 0; 0 until set.
    public var transmissionRiskLevelMultiplier: Double = 0
    /// Transmission risk level (1 to 8) to value (0 to 100); levels that are not in it are worth 0. Empty leaves it to
    /// ``transmissionRiskLevelMultiplier``.
    public var transmissionRiskValueMapping: [Int: Double] = [:]
    /// Days before today beyond which windows are left out, from the start of the UTC day, 0 to 365; 0 leaves none out.
    public var maxEncounterAgeInDays = 0

    /// Parameters without weights and mappings: ``problems`` says so until they are set.
    public init() {}
}
