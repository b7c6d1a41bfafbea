// SPDX-License-Identifier: Apache-2.0

public import ExposureRisk
public import GAEN
public import Matching

/// What was published with the keys that were heard, as far as models need it.
public struct RiskInputs: Hashable, Sendable {
    /// Keys that count at all: not revoked, and of a type that phones look at.
    public var keys = 0
    /// Of these, keys whose windows have an infectiousness: the onset was published, or the mapping says what a missing one means.
    public var forWindows = 0
    /// Of these, keys with a transmission risk level.
    public var forExposures = 0

    public init() {}

    /// What is there of `matches`, read by `mapping`.
    public init(_ matches: some Sequence<Match>, mapping: DiagnosisKeyMapping) {
        for match in matches where match.givesExposure(under: mapping) {
            keys += 1
            let isSaid = match.key.daysSinceOnset.map(DiagnosisKeyMapping.days.contains) ?? false
            if isSaid || mapping.infectiousnessWhenOnsetMissing != .none { forWindows += 1 }
            if (1...8).contains(match.key.transmissionRiskLevel) { forExposures += 1 }
        }
    }

    func usable(by model: RiskModelParameters) -> Int { model.looksAtWindows ? forWindows : forExposures }
}

/// Which model judges, and what has to be said about that.
public struct RiskSelection: Hashable, Sendable {
    /// Why it is this one.
    public enum Reason: String, Sendable {
        /// The authority's first choice, and its input is there, or nothing was heard.
        case preferred
        /// The input of those before it was not published with any of the keys.
        case fallback
        /// No model's input is there: the first choice judges, and what it says is worth little.
        case inputMissing
    }

    public let model: RiskModelParameters
    public let reason: Reason
    /// Models before it, which could not judge.
    public let passedOver: [RiskModelName]
    /// Keys that count, and those of them that this model cannot read.
    public let keys: Int
    public let unreadable: Int

    /// For the person who asks why; `nil` when there is nothing to say.
    public var sentence: String? {
        let need = model.looksAtWindows ? "the days since onset" : "the transmission risk level"
        switch reason {
        case .preferred where unreadable == 0: return nil
        case .preferred:
            return
                "\(unreadable) of the \(keys) people heard were published without \(need); \(model.name.rawValue) judges the others only."
        case .fallback:
            let names = passedOver.map(\.rawValue).joined(separator: " and ")
            let rest = unreadable == 0 ? "" : " \(unreadable) of the \(keys) people heard were published without \(need)."
            return
                "\(model.name.rawValue) judges instead of \(names), because none of the \(keys) people heard was published with what \(passedOver.count == 1 ? "that needs" : "those need").\(rest)"
        case .inputMissing:
            return
                "None of the \(keys) people heard was published with what any model of the health authority needs; \(model.name.rawValue) judges what there is."
        }
    }
}

extension RiskConfiguration {
    /// The first model whose input was published with at least one key; the first of all when there are no keys, or when there is none
    /// such. Models are never mixed: their numbers cannot be compared. `nil` only for a configuration without models.
    public func choose(for inputs: RiskInputs) -> RiskSelection? {
        guard let first = models.first else { return nil }
        let index = inputs.keys == 0 ? 0 : models.firstIndex { inputs.usable(by: $0) > 0 }
        let model = index.map { models[$0] } ?? first
        let reason: RiskSelection.Reason = index == nil ? .inputMissing : index == 0 ? .preferred : .fallback
        return RiskSelection(
            model: model, reason: reason, passedOver: models.prefix(index ?? 0).map(\.name), keys: inputs.keys,
            unreadable: inputs.keys - inputs.usable(by: model))
    }
}
