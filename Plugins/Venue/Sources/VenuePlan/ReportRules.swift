// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
public import JSON
public import PresenceTracing

/// The authority's rules for the reports of the wearer's visits: which visits are too short, how long infectious air stays,
/// and which levels of transmission risk weigh anything.
public struct ReportRules: Sendable, Hashable {
    /// The rules for the times that are published.
    public let derivation: CheckInDerivation
    /// The weight of a level of transmission risk (1 to 8), without unit. A visit whose level has none, or 0, is not
    /// published.
    public let values: [Int: Double]

    /// The most filters, and the most functions for the air, that are kept: 32 each, our choice; one and two as last
    /// published.
    public static let maximumParts = 32

    /// The rules that were last published (cwa-server `presence-tracing-parameters.yaml`).
    public static let published = ReportRules(
        derivation: .published, values: PresenceRiskParameters.published.transmissionRiskValueMapping)

    private init(derivation: CheckInDerivation, values: [Int: Double]) {
        self.derivation = derivation
        self.values = values
    }

    /// Takes the rules out of an authority's configuration; weights of levels outside 1 to 8 are left out. Returns `nil`
    /// for more than ``maximumParts`` filters or functions, and for a number that is not finite: nothing can be published
    /// by such rules.
    public init?(_ parameters: PresenceTracingParameters) {
        let derivation = parameters.derivation
        let values = parameters.risk.transmissionRiskValueMapping.filter { CheckInRecord.levels.contains(Int64($0.key)) }
        let numbers =
            derivation.durationFilters.flatMap { [$0.min, $0.max] } + values.values
            + derivation.decays.flatMap { [$0.minutesRange.min, $0.minutesRange.max, $0.slope, $0.intercept] }
        guard derivation.durationFilters.count <= Self.maximumParts, derivation.decays.count <= Self.maximumParts,
            numbers.allSatisfy(\.isFinite)
        else { return nil }
        self.init(derivation: derivation, values: values)
    }

    // MARK: On disk

    /// The rules as JSON, to be written to disk; the failable initialiser of JSON reads it.
    public var json: JSON {
        let kept = Kept(
            filters: derivation.durationFilters.map(KeptRange.init),
            decays: derivation.decays.map {
                KeptDecay(range: KeptRange($0.minutesRange), slope: $0.slope, intercept: $0.intercept)
            }, levels: values.keys.sorted(), values: values.keys.sorted().compactMap { values[$0] })
        return (try? JSON(encoding: kept)) ?? .empty
    }

    /// Reads rules that ``json`` has produced. Returns `nil` if the JSON is not such rules.
    public init?(_ json: JSON) {
        guard let kept = try? json.decode(Kept.self), kept.filters.count <= Self.maximumParts,
            kept.decays.count <= Self.maximumParts, kept.levels.count == kept.values.count,
            kept.levels.allSatisfy({ CheckInRecord.levels.contains(Int64($0)) })
        else { return nil }
        self.init(
            derivation: CheckInDerivation(
                durationFilters: kept.filters.map(\.range),
                decays: kept.decays.map {
                    .init(minutesRange: $0.range.range, slope: $0.slope, intercept: $0.intercept)
                }), values: Dictionary(zip(kept.levels, kept.values), uniquingKeysWith: { first, _ in first }))
    }

    private struct Kept: Codable {
        let filters: [KeptRange]
        let decays: [KeptDecay]
        let levels: [Int]
        let values: [Double]
    }

    private struct KeptDecay: Codable {
        let range: KeptRange
        let slope: Double
        let intercept: Double
    }

    private struct KeptRange: Codable {
        let min: Double
        let max: Double
        let isWithoutMin: Bool
        let isWithoutMax: Bool

        init(_ range: CWASecondParameters.Range) {
            (min, max) = (range.min, range.max)
            (isWithoutMin, isWithoutMax) = (range.minExclusive, range.maxExclusive)
        }

        var range: CWASecondParameters.Range {
            .init(min: min, minExclusive: isWithoutMin, max: max, maxExclusive: isWithoutMax)
        }
    }
}
