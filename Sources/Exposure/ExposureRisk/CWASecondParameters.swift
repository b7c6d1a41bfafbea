// SPDX-License-Identifier: Apache-2.0

/// Corona-Warn-App's `RiskCalculationParameters` (spec cwa-protocols 7.1), names as there.
public struct CWASecondParameters: Hashable, Sendable {
    /// Inclusive unless marked; a missing bound is 0 when read from protobuf.
    public struct Range: Hashable, Sendable {
        public var min: Double
        public var minExclusive: Bool
        public var max: Double
        public var maxExclusive: Bool

        public init(min: Double = 0, minExclusive: Bool = false, max: Double = 0, maxExclusive: Bool = false) {
            self.min = min
            self.minExclusive = minExclusive
            self.max = max
            self.maxExclusive = maxExclusive
        }

        /// False for NaN.
        public func contains(_ value: Double) -> Bool {
            (minExclusive ? value > min : value >= min) && (maxExclusive ? value < max : value <= max)
        }
    }

    public struct MinutesFilter: Hashable, Sendable {
        public var attenuationRange: Range
        public var dropIfMinutesInRange: Range

        public init(attenuationRange: Range, dropIfMinutesInRange: Range) {
            self.attenuationRange = attenuationRange
            self.dropIfMinutesInRange = dropIfMinutesInRange
        }
    }

    public struct Weight: Hashable, Sendable {
        public var attenuationRange: Range
        public var weight: Double

        public init(attenuationRange: Range, weight: Double) {
            self.attenuationRange = attenuationRange
            self.weight = weight
        }
    }

    public struct LevelMapping: Hashable, Sendable {
        public var normalizedTimeRange: Range
        /// `nil` for the unspecified level, which is none.
        public var riskLevel: RiskLevel?

        public init(normalizedTimeRange: Range, riskLevel: RiskLevel?) {
            self.normalizedTimeRange = normalizedTimeRange
            self.riskLevel = riskLevel
        }
    }

    public struct LevelEncoding: Hashable, Sendable {
        public var infectiousnessOffsetStandard = 1
        public var infectiousnessOffsetHigh = 2
        public var reportTypeOffsetRecursive = 0
        public var reportTypeOffsetSelfReport = 2
        public var reportTypeOffsetConfirmedClinicalDiagnosis = 4
        public var reportTypeOffsetConfirmedTest = 6

        public init() {}
    }

    public var minutesAtAttenuationFilters: [MinutesFilter] = []
    /// Levels that are left out.
    public var trlFilters: [Range] = []
    public var minutesAtAttenuationWeights: [Weight] = []
    public var normalizedTimePerEWToRiskLevelMapping: [LevelMapping] = []
    public var normalizedTimePerDayToRiskLevelMapping: [LevelMapping] = []
    public var trlEncoding = LevelEncoding()
    /// Used where ``transmissionRiskValueMapping`` is empty (2020).
    public var transmissionRiskLevelMultiplier: Double = 0
    /// Level to value; levels that are not in it are worth 0.
    public var transmissionRiskValueMapping: [Int: Double] = [:]
    /// Days before today beyond which windows are left out, from the start of the UTC day; 0 leaves none out.
    public var maxEncounterAgeInDays = 0

    public init() {}
}
