// SPDX-License-Identifier: Apache-2.0

public import ExposureRisk
public import GAEN
public import Matching

extension RiskModelParameters {
    /// Whether the model can judge a key by the values in the match's first statement. Models that judge windows need
    /// an onset that the mapping can interpret; the others need a transmission risk level of 1 to 8, or 0 to 8 for
    /// NHS COVID-19's.
    public func reads(_ match: Match, mapping: DiagnosisKeyMapping) -> Bool {
        looksAtWindows
            ? mapping.reads(daysSinceOnset: match.key.daysSinceOnset)
            : readableLevels.contains(match.key.transmissionRiskLevel)
    }

    /// The Corona-Warn-App's levels begin with 1, and 0 is none. NHS COVID-19's begin with 0, which days have that are seven or more from the
    /// onset: it is an answer, and a mild one (specification rules-and-nhs 4 and 9, checkin-and-nhs B.3).
    private var readableLevels: ClosedRange<UInt8> { name == .nhsFirst ? 0...8 : 1...8 }

    fileprivate var need: String { looksAtWindows ? "days since onset that the rules name" : "a transmission risk level" }
}

/// The choice of the model that judges each of the keys that were heard.
///
/// Each key is judged by the first model that can read it. The scores of two models are never added, because 9
/// weighted minutes of one and 9 points of another are different things. A key that the first model cannot read is
/// not left out: the next model judges it separately, and its *increased* counts
/// (docs/decisions/0027-what-cannot-be-judged.md).
public struct RiskSelection: Hashable, Sendable {
    /// A model and the matches that it judges.
    public struct Share: Hashable, Sendable {
        /// The model that judges this share, with its parameters.
        public let model: RiskModelParameters
        /// The matches that the model judges; each match is in exactly one share. Empty only when there is nothing to
        /// judge.
        public let matches: [Match]
    }

    /// The models with the matches that each judges, in the authority's order; at least one. The first share has
    /// matches unless there is nothing to judge.
    public let shares: [Share]
    /// The names of the models before the first share, which can read none of the keys; empty also when there are no
    /// keys.
    public let passedOver: [RiskModelName]
    /// The number of keys that count: not revoked, and of a report type that phones consider; 0 or more.
    public let keys: Int
    /// The number of these keys that no model can read, 0 or more.
    public let unjudged: Int

    /// Returns sentences in English that explain why this model judges; `nil` when the first choice judges
    /// everything, or there is nothing to judge. `shown` is the model whose scores are shown.
    public func sentence(showing shown: RiskModelName) -> String? {
        var sentences: [String] = []
        if !passedOver.isEmpty, let first = shares.first {
            let names = passedOver.map(\.rawValue).joined(separator: " and ")
            sentences.append(
                "\(first.model.name.rawValue) judges instead of \(names), because none of the \(keys) people heard was published with what \(passedOver.count == 1 ? "that needs" : "those need")."
            )
        }
        for (before, share) in zip(shares, shares.dropFirst()) {
            sentences.append(
                "\(share.matches.count) of the \(keys) people heard were published without \(before.model.need); \(share.model.name.rawValue) judges them by themselves."
            )
        }
        if shares.count > 1 { sentences.append("The numbers are those of \(shown.rawValue).") }
        if unjudged > 0 {
            sentences.append(
                "\(unjudged) of the \(keys) people heard were published with nothing that these rules can judge.")
        }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }
}

/// The risk of a person under an authority's rules, from all matches with published keys.
public struct RiskFinding: Hashable, Sendable {
    /// The selection of the model for each key.
    public let selection: RiskSelection
    /// The assessment of the model that decides: the first whose level is increased, otherwise the first of all.
    public let assessment: RiskAssessment
    /// The level of all shares together; `nil` (unknown) when none is increased and something could not be judged,
    /// which is never shown as low.
    public let level: RiskLevel?

    /// The number of keys that no model can read, or that belong to a share with days but without a level; 0 or more.
    public let unjudged: Int
    /// The sentences in English that explain why this model judges; `nil` when the first choice judges everything,
    /// or there is nothing to judge.
    public var sentence: String? { selection.sentence(showing: assessment.model) }
    /// Whether the model of this name has a share in ``selection``; the first model has one also when there is
    /// nothing to judge.
    public func judged(by name: RiskModelName) -> Bool { selection.shares.contains { $0.model.name == name } }
}

extension RiskConfiguration {
    /// Returns the division of `matches` among the models; when there is nothing to judge, the first model has an
    /// empty share. `nil` only for a configuration without models.
    public func choose(for matches: [Match]) -> RiskSelection? {
        guard let first = models.first else { return nil }
        var rest = matches.compactMap { $0.standing(under: mapping) }
        let keys = rest.count
        var shares: [RiskSelection.Share] = []
        var passedOver: [RiskModelName] = []
        for model in models where !rest.isEmpty {
            let readable = rest.filter { model.reads($0, mapping: mapping) }
            if readable.isEmpty {
                if shares.isEmpty { passedOver.append(model.name) }
                continue
            }
            shares.append(RiskSelection.Share(model: model, matches: readable))
            rest.removeAll { model.reads($0, mapping: mapping) }
        }
        if shares.isEmpty {
            shares = [RiskSelection.Share(model: first, matches: [])]
            passedOver = []
        }
        return RiskSelection(shares: shares, passedOver: passedOver, keys: keys, unjudged: rest.count)
    }

    /// Judges the matches with a sighting on the day `oldest` or later, as of the day `today` (both in days since
    /// 1970, UTC) and of `now` (Unix seconds). Of these matches, exposure windows of earlier days are left out, but
    /// first-generation exposures are not. Returns `nil` only for a configuration without models.
    public func judge(_ matches: [Match], today: UInt32, oldest: UInt32 = 0, now: Int64) -> RiskFinding? {
        guard let selection = choose(for: matches.filter { $0.sightings.contains { $0.time / 86_400 >= oldest } }) else {
            return nil
        }
        let assessments = selection.shares.map { share in
            let model = share.model.model
            var assessment = model.assess(evidence(share.matches, for: model, oldest: oldest, now: now), today: today)
            // A code must not be shown as what it is not: "reported a positive test".
            if reportTypes == .codes { assessment.forgetReportTypes() }
            return assessment
        }
        guard let first = assessments.first else { return nil }
        let withoutLevel = zip(selection.shares, assessments).filter { $1.level == nil && !$1.days.isEmpty }
        let unjudged = selection.unjudged + withoutLevel.reduce(0) { $0 + $1.0.matches.count }
        let increased = assessments.first { $0.level == .increased }
        return RiskFinding(
            selection: selection, assessment: increased ?? first,
            level: increased != nil ? .increased : unjudged == 0 ? .low : nil, unjudged: unjudged)
    }

    private func evidence(_ matches: [Match], for model: any RiskModel, oldest: UInt32, now: Int64) -> RiskEvidence {
        switch model.input {
        case .windows:
            RiskEvidence(windows: matches.flatMap { $0.exposureWindows(under: mapping) }.filter { $0.day >= oldest })
        case .exposuresV1(let parameters):
            RiskEvidence(
                exposures: matches.flatMap { $0.exposuresV1(configuration: parameters, mapping: mapping, now: now) })
        }
    }
}
