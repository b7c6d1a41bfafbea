// SPDX-License-Identifier: Apache-2.0

/// Corona-Warn-App's `RiskCalculationParameters`, with the same names (spec cwa-protocols 7.1).
public struct CWASecondParameters: Hashable, Sendable {
    /// A range of dB, minutes or levels, depending on where it is used. Both bounds are inclusive unless marked as
    /// exclusive; a bound that is missing in protobuf is 0.
    public struct Range: Hashable, Sendable {
        /// The lower bound; 0 to 10⁹ in parameters without ``CWASecondParameters/problems``, and at most 1,000,000
        /// in a document.
        public var min: Double
        /// Whether ``min`` itself is outside the range.
        public var minExclusive: Bool
        /// The upper bound; in parameters without problems 0 to 10⁹, and above ``min`` or equal to it with both
        /// inclusive; at most 1,000,000 in a document.
        public var max: Double
        /// Whether ``max`` itself is outside the range.
        public var maxExclusive: Bool

        /// Creates a range with these bounds, which are not checked; the defaults are those of protobuf and make a
        /// range that contains only 0.
        public init(min: Double = 0, minExclusive: Bool = false, max: Double = 0, maxExclusive: Bool = false) {
            self.min = min
            self.minExclusive = minExclusive
            self.max = max
            self.maxExclusive = maxExclusive
        }

        /// Whether `value`, in the unit of the bounds, is in the range; `false` for NaN.
        public func contains(_ value: Double) -> Bool {
            (minExclusive ? value > min : value >= min) && (maxExclusive ? value < max : value <= max)
        }
    }

    /// A filter that leaves out windows by their minutes at some attenuation (Corona-Warn-App:
    /// `MinutesAtAttenuationFilter`).
    public struct MinutesFilter: Hashable, Sendable {
        /// The range of attenuation whose minutes are counted, compared with the minimum attenuation of each scan in
        /// dB.
        public var attenuationRange: Range
        /// The range of minutes, not rounded, in which a window is left out.
        public var dropIfMinutesInRange: Range

        /// Creates a filter of an attenuation in dB and of minutes, which are not checked; see ``problems`` of the
        /// parameters.
        public init(attenuationRange: Range, dropIfMinutesInRange: Range) {
            self.attenuationRange = attenuationRange
            self.dropIfMinutesInRange = dropIfMinutesInRange
        }
    }

    /// The weight of a minute at some attenuation (Corona-Warn-App: `MinutesAtAttenuationWeight`).
    public struct Weight: Hashable, Sendable {
        /// The range of attenuation whose minutes have this weight, compared with the minimum attenuation of a scan
        /// in dB.
        public var attenuationRange: Range
        /// The factor for a minute in the range, 0 to 100; with 0 the minute does not count.
        public var weight: Double

        /// Creates a weight, without unit, for minutes at an attenuation in dB; nothing is checked.
        public init(attenuationRange: Range, weight: Double) {
            self.attenuationRange = attenuationRange
            self.weight = weight
        }
    }

    /// The level that belongs to a range of weighted minutes (Corona-Warn-App: `NormalizedTimeToRiskLevelMapping`).
    public struct LevelMapping: Hashable, Sendable {
        /// The range of weighted minutes that have this level.
        public var normalizedTimeRange: Range
        /// The level of the range; `nil` for the unspecified level, which means no level.
        public var riskLevel: RiskLevel?

        /// Creates a mapping from weighted minutes to a level, `nil` for none; nothing is checked.
        public init(normalizedTimeRange: Range, riskLevel: RiskLevel?) {
            self.normalizedTimeRange = normalizedTimeRange
            self.riskLevel = riskLevel
        }
    }

    /// The rule that makes a transmission risk level, 1 to 8, from report type and infectiousness, as the sum of two
    /// offsets. The defaults are cwa-server's (`transmission-risk-encoding.yaml`; spec cwa-protocols 7.2).
    public struct LevelEncoding: Hashable, Sendable {
        /// The offset for standard infectiousness, without unit; 0 to 8. The default is cwa-server's
        /// (`transmission-risk-encoding.yaml`).
        public var infectiousnessOffsetStandard = 1
        /// The offset for high infectiousness, without unit; 0 to 8. The default is cwa-server's
        /// (`transmission-risk-encoding.yaml`).
        public var infectiousnessOffsetHigh = 2
        /// The offset for report type recursive, without unit; 0 to 8. The default is cwa-server's
        /// (`transmission-risk-encoding.yaml`).
        public var reportTypeOffsetRecursive = 0
        /// The offset for a self-report, without unit; 0 to 8. The default is cwa-server's
        /// (`transmission-risk-encoding.yaml`).
        public var reportTypeOffsetSelfReport = 2
        /// The offset for a clinical diagnosis, without unit; 0 to 8. The default is cwa-server's
        /// (`transmission-risk-encoding.yaml`).
        public var reportTypeOffsetConfirmedClinicalDiagnosis = 4
        /// The offset for a confirmed test, without unit; 0 to 8. The default is cwa-server's
        /// (`transmission-risk-encoding.yaml`).
        public var reportTypeOffsetConfirmedTest = 6

        /// Creates the encoding with which cwa-server publishes keys; the properties have the values.
        public init() {}
    }

    /// The filters of which any one leaves a window out, at most 16 in a document; empty leaves none out.
    public var minutesAtAttenuationFilters: [MinutesFilter] = []
    /// The ranges of transmission risk levels whose windows are left out, at most 16 in a document; empty leaves
    /// none out.
    public var trlFilters: [Range] = []
    /// The weights of minutes by the attenuation of a scan, 1 to 16 in a document. The first range that contains
    /// the attenuation counts; minutes in no range do not count. Ranges that overlap are a problem, and so is an
    /// empty list.
    public var minutesAtAttenuationWeights: [Weight] = []
    /// The mapping from the weighted minutes of one window to its level, at most 16 ranges in a document; the first
    /// range that contains them counts. A window in no range, or in one without a level, does not count. When
    /// empty, no window counts. In parameters without problems the ranges neither overlap nor leave a gap, the
    /// levels rise with the time, one range has the level increased, and the highest ends at 1,440 minutes (a day)
    /// or later.
    public var normalizedTimePerEWToRiskLevelMapping: [LevelMapping] = []
    /// The mapping from the weighted minutes of all windows of a UTC day to the day's level, at most 16 ranges in a
    /// document; the first range that contains them counts. A day in no range, or in one without a level, has no
    /// level. The same as for ``normalizedTimePerEWToRiskLevelMapping`` is a problem.
    public var normalizedTimePerDayToRiskLevelMapping: [LevelMapping] = []
    /// The rule that recovers a transmission risk level from the report type and infectiousness in which it was
    /// published; the default is cwa-server's. In parameters without problems the eight sums of two offsets are 1
    /// to 8 and differ.
    public var trlEncoding = LevelEncoding()
    /// The factor that turns a transmission risk level into its value, 0 to 100 (0.2 in 2020). It is used when
    /// ``transmissionRiskValueMapping`` is empty, and must then be above 0; 0 until set.
    public var transmissionRiskLevelMultiplier: Double = 0
    /// The value, 0 to 100, of each transmission risk level, 1 to 8; levels that are missing have the value 0; if
    /// it is not empty, one value must be above 0. When it is empty, ``transmissionRiskLevelMultiplier`` is used.
    public var transmissionRiskValueMapping: [Int: Double] = [:]
    /// The number of UTC days before today beyond which windows are left out, 0 to 365; 0 leaves none out.
    public var maxEncounterAgeInDays = 0

    /// Creates parameters without weights and mappings, which ``problems`` reports until they are set.
    public init() {}
}
