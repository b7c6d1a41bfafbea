// SPDX-License-Identifier: Apache-2.0

public import AppConfig
public import ExposureRisk

/// The rules by which visits are judged (`PresenceTracingRiskCalculationParameters`). Names as there.
public struct PresenceRiskParameters: Sendable, Hashable {
    /// A range of weighted minutes and the level it stands for, as for encounters.
    public typealias LevelMapping = CWASecondParameters.LevelMapping

    /// The weight of a minute, without unit, for each level of transmission risk (1 to 8). With a level that is missing
    /// here, a visit is of increased or unknown risk, never low.
    public var transmissionRiskValueMapping: [Int: Double]
    /// Levels for the weighted minutes of one visit on one day. The first range that has them counts. Not empty if a configuration was read.
    public var perCheckIn: [LevelMapping]
    /// Levels for the weighted minutes of all visits of one day. The first range that has them counts. Not empty if a configuration was read.
    public var perDay: [LevelMapping]
    /// Days after which a visit is not looked at any more. A configuration without the number has 0: then only visits that ended today are.
    public var maximumAgeInDays: Int

    /// Parameters of these parts, unchecked; `maximumAgeInDays` is in days, the keys of the mapping are levels 1 to 8.
    public init(
        transmissionRiskValueMapping: [Int: Double], perCheckIn: [LevelMapping], perDay: [LevelMapping],
        maximumAgeInDays: Int
    ) {
        self.transmissionRiskValueMapping = transmissionRiskValueMapping
        self.perCheckIn = perCheckIn
        self.perDay = perDay
        self.maximumAgeInDays = maximumAgeInDays
    }

    /// The values last published (cwa-server `presence-tracing-parameters.yaml`).
    public static let published = PresenceRiskParameters(
        transmissionRiskValueMapping: [1: 0, 2: 0, 3: 0.6, 4: 0.8, 5: 1, 6: 1.2, 7: 1.4, 8: 1.6],
        perCheckIn: publishedLevels, perDay: publishedLevels, maximumAgeInDays: 10)

    private static let publishedLevels = [
        LevelMapping(
            normalizedTimeRange: .init(min: 0, minExclusive: true, max: 10, maxExclusive: true), riskLevel: .low),
        LevelMapping(normalizedTimeRange: .init(min: 10, max: 999_999), riskLevel: .increased),
    ]
}

/// The rules by which own visits become published check-ins (`PresenceTracingSubmissionParameters`).
public struct CheckInDerivation: Sendable, Hashable {
    /// The time that is added to the length of a visit for the air that stays: `slope` times its length, and `intercept`
    /// minutes.
    public struct Decay: Sendable, Hashable {
        /// Whole minutes of the visits that the addition is for.
        public var minutesRange: CWASecondParameters.Range
        /// The factor for the length of the visit, without unit; any number.
        public var slope: Double
        /// Minutes that are added besides; any number.
        public var intercept: Double

        /// An addition of these parts, unchecked; `intercept` is in minutes.
        public init(minutesRange: CWASecondParameters.Range, slope: Double, intercept: Double) {
            self.minutesRange = minutesRange
            self.slope = slope
            self.intercept = intercept
        }
    }

    /// Whole minutes of visits that are not published; a visit in any of the ranges is left out. Empty if every visit is published.
    public var durationFilters: [CWASecondParameters.Range]
    /// Additions for the air; the first whose range has the visit counts, and without one nothing is added. Empty without
    /// any.
    public var decays: [Decay]

    /// A derivation of these parts, unchecked. `durationFilters` are in whole minutes of a visit; of `decays` the first whose range has the
    /// visit counts.
    public init(durationFilters: [CWASecondParameters.Range], decays: [Decay]) {
        self.durationFilters = durationFilters
        self.decays = decays
    }

    /// The values last published (cwa-server `presence-tracing-parameters.yaml`).
    public static let published = CheckInDerivation(
        durationFilters: [.init(min: 0, max: 10, maxExclusive: true)],
        decays: [
            Decay(minutesRange: .init(min: 0, max: 30), slope: 1, intercept: 0),
            Decay(minutesRange: .init(min: 30, minExclusive: true, max: 999_999), slope: 0, intercept: 30),
        ])
}

/// The part of an authority's configuration that is about check-ins (`PresenceTracingParameters`).
public struct PresenceTracingParameters: Sendable, Hashable {
    /// The rules by which visits of the wearer are judged.
    public var risk: PresenceRiskParameters
    /// The rules by which visits of the wearer become published check-ins.
    public var derivation: CheckInDerivation
    /// Versions of codes that are not taken any more; empty when the authority names none. What is beyond 32 bits became the nearest number.
    public var revokedVersions: Set<UInt32>
    /// The links that are codes, perhaps none. Expressions that this software does not know are left out: ``unknownDescriptors``.
    public var descriptors: [VenueCode.Descriptor]
    /// The number of descriptors that were left out because this software does not know their expression; 0 or more.
    public var unknownDescriptors: Int

    /// Reads `presenceTracingParameters` of a configuration. `nil` when it is absent, when it has no `riskCalculationParameters`, or when these
    /// have no levels to judge a day or a visit by: then nothing can be said of a visit, and the published rules must not stand in for an
    /// authority's own. Numbers that are absent are 0; none is checked.
    public init?(_ configuration: ConfigValue) {
        guard let message = configuration["presenceTracingParameters"], let risk = message["riskCalculationParameters"]
        else {
            return nil
        }
        let perDay = Self.levels(risk["normalizedTimePerDayToRiskLevelMapping"])
        let perCheckIn = Self.levels(risk["normalizedTimePerCheckInToRiskLevelMapping"])
        guard !perDay.isEmpty, !perCheckIn.isEmpty else { return nil }
        let values = (risk["transmissionRiskValueMapping"]?.list ?? []).map {
            (Int(clamping: $0["transmissionRiskLevel"]?.integer ?? 0), $0["transmissionRiskValue"]?.number ?? 0)
        }
        self.risk = PresenceRiskParameters(
            // The apps take the first of a level.
            transmissionRiskValueMapping: Dictionary(values, uniquingKeysWith: { first, _ in first }),
            perCheckIn: perCheckIn, perDay: perDay,
            maximumAgeInDays: Int(clamping: risk["maxCheckInAgeInDays"]?.integer ?? 0))
        let submission = message["submissionParameters"]
        derivation = CheckInDerivation(
            durationFilters: (submission?["durationFilters"]?.list ?? []).map { Self.range($0["dropIfMinutesInRange"]) },
            decays: (submission?["aerosoleDecayLinearFunctions"]?.list ?? []).map {
                .init(
                    minutesRange: Self.range($0["minutesRange"]), slope: $0["slope"]?.number ?? 0,
                    intercept: $0["intercept"]?.number ?? 0)
            })
        revokedVersions = Set(
            (message["revokedTraceLocationVersions"]?.list ?? []).compactMap { $0.integer.map { UInt32(clamping: $0) } })
        let all = message["qrCodeDescriptors"]?.list ?? []
        let known = all.compactMap { descriptor in
            VenueCode.Descriptor(
                regexPattern: descriptor["regexPattern"]?.string ?? "",
                // Choices that carry their default, which is BASE32, are absent.
                encoding: descriptor["payloadEncoding"]?.string == "BASE64" ? .base64 : .base32)
        }
        descriptors = known
        unknownDescriptors = all.count - known.count
    }

    private static func levels(_ list: ConfigValue?) -> [PresenceRiskParameters.LevelMapping] {
        (list?.list ?? []).map { entry in
            let level: RiskLevel? =
                switch entry["riskLevel"]?.string {
                case "LOW": .low
                case "HIGH": .increased
                default: nil
                }
            return .init(normalizedTimeRange: range(entry["normalizedTimeRange"]), riskLevel: level)
        }
    }

    private static func range(_ value: ConfigValue?) -> CWASecondParameters.Range {
        func flag(_ name: String) -> Bool { if case .bool(true)? = value?[name] { true } else { false } }
        return .init(
            min: value?["min"]?.number ?? 0, minExclusive: flag("minExclusive"), max: value?["max"]?.number ?? 0,
            maxExclusive: flag("maxExclusive"))
    }
}
