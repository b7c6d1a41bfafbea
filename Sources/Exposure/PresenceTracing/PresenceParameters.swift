// SPDX-License-Identifier: Apache-2.0

public import AppConfig
public import ExposureRisk

/// The rules by which visits are judged, named as in `PresenceTracingRiskCalculationParameters`.
public struct PresenceRiskParameters: Sendable, Hashable {
    /// A range of weighted minutes and its level, as for encounters.
    public typealias LevelMapping = CWASecondParameters.LevelMapping

    /// The weight of a minute, without unit, for each level of transmission risk (1 to 8). A visit with a level that
    /// is missing here has an increased or unknown risk, never a low one.
    public var transmissionRiskValueMapping: [Int: Double]
    /// The levels by the weighted minutes of one visit on one day; the first range that contains them counts. Not
    /// empty in a configuration that was read.
    public var perCheckIn: [LevelMapping]
    /// The levels by the weighted minutes of all visits of one day; the first range that contains them counts. Not
    /// empty in a configuration that was read.
    public var perDay: [LevelMapping]
    /// The number of days after which a visit is no longer considered. It is 0 when a configuration does not state
    /// it: then only visits that ended today are considered.
    public var maximumAgeInDays: Int

    /// Creates parameters from these parts, which are not checked; `maximumAgeInDays` is in days, and the keys of the
    /// mapping are levels 1 to 8.
    public init(
        transmissionRiskValueMapping: [Int: Double], perCheckIn: [LevelMapping], perDay: [LevelMapping],
        maximumAgeInDays: Int
    ) {
        self.transmissionRiskValueMapping = transmissionRiskValueMapping
        self.perCheckIn = perCheckIn
        self.perDay = perDay
        self.maximumAgeInDays = maximumAgeInDays
    }

    /// The values that were last published (cwa-server `presence-tracing-parameters.yaml`).
    public static let published = PresenceRiskParameters(
        transmissionRiskValueMapping: [1: 0, 2: 0, 3: 0.6, 4: 0.8, 5: 1, 6: 1.2, 7: 1.4, 8: 1.6],
        perCheckIn: publishedLevels, perDay: publishedLevels, maximumAgeInDays: 10)

    private static let publishedLevels = [
        LevelMapping(
            normalizedTimeRange: .init(min: 0, minExclusive: true, max: 10, maxExclusive: true), riskLevel: .low),
        LevelMapping(normalizedTimeRange: .init(min: 10, max: 999_999), riskLevel: .increased),
    ]
}

/// The rules by which the wearer's visits become published check-ins (`PresenceTracingSubmissionParameters`).
public struct CheckInDerivation: Sendable, Hashable {
    /// The time that is added to a visit because infectious air remains: `slope` times its length, plus `intercept`
    /// minutes.
    public struct Decay: Sendable, Hashable {
        /// The range of whole minutes of the visits to which the addition applies.
        public var minutesRange: CWASecondParameters.Range
        /// The factor for the length of the visit, without unit; any number.
        public var slope: Double
        /// The number of minutes that is added in any case; any number.
        public var intercept: Double

        /// Creates an addition from these parts, which are not checked; `intercept` is in minutes.
        public init(minutesRange: CWASecondParameters.Range, slope: Double, intercept: Double) {
            self.minutesRange = minutesRange
            self.slope = slope
            self.intercept = intercept
        }
    }

    /// The ranges of whole minutes in which a visit is not published; empty if every visit is published.
    public var durationFilters: [CWASecondParameters.Range]
    /// The additions for the air. The first one whose range contains the visit's minutes counts; without one nothing
    /// is added. May be empty.
    public var decays: [Decay]

    /// Creates a derivation from these parts, which are not checked. `durationFilters` are in whole minutes of a
    /// visit; the first of `decays` whose range contains the visit's minutes counts.
    public init(durationFilters: [CWASecondParameters.Range], decays: [Decay]) {
        self.durationFilters = durationFilters
        self.decays = decays
    }

    /// The values that were last published (cwa-server `presence-tracing-parameters.yaml`).
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
    /// The versions of codes that are no longer accepted; empty when the authority names none. Numbers beyond 32 bits
    /// are replaced by the nearest number.
    public var revokedVersions: Set<UInt32>
    /// The forms of links that are codes, may be empty. Expressions that this software does not know are left out and
    /// counted in ``unknownDescriptors``.
    public var descriptors: [VenueCode.Descriptor]
    /// The number of descriptors that were left out because this software does not know their expression; 0 or more.
    public var unknownDescriptors: Int

    /// Reads `presenceTracingParameters` of a configuration. Returns `nil` when it is absent, has no
    /// `riskCalculationParameters`, or has no levels for a day or for a visit: no visit can then be judged, and the
    /// published rules must not replace an authority's own. Absent numbers are 0; numbers are not checked.
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
