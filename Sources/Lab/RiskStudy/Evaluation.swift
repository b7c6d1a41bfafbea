// SPDX-License-Identifier: Apache-2.0

public import ExposureRisk
public import GAEN
public import RiskConfiguration

/// The verdict of one model on one case, and how it depends on the error of the calibration.
public struct CaseResult: Hashable, Sendable {
    /// Whether a verdict is the same for every shift within the error of the calibration.
    public enum Robustness: String, Sendable {
        /// The verdict is the same for every shift.
        case sure
        /// The verdict differs for some shift.
        case eitherWay = "either way"
    }

    /// The source of a model's input.
    public enum Source: String, Sendable {
        /// The dataset has what the model needs.
        case given
        /// First-generation exposures were approximated from windows.
        case approximated
        /// The dataset lacks what the model needs, so nothing was judged.
        case missing
    }

    /// The source of the model's input; see ``Source``.
    public let source: Source
    /// The score of the highest day, or of all days together, in the model's unit; 0 if nothing was judged.
    public let score: Double
    /// The lowest score within the error of the calibration, in the model's unit; 0 if nothing was judged.
    public let lowest: Double
    /// The highest score within the error of the calibration, in the model's unit; 0 if nothing was judged.
    public let highest: Double
    /// The least score that is increased; `nil` if the model has no limit for this case, or nothing was judged.
    public let limit: Double?
    /// The level that the model gives; `nil` if it gives none, or nothing was judged.
    public let level: RiskLevel?
    /// The robustness of the verdict; `sure` if nothing was judged.
    public let robustness: Robustness
    /// The day from which advice counts, or that of the score, counted from the study's day 0; `nil` if there is none, or
    /// nothing was judged.
    public let day: Int?

    /// Whether the model's level is `increased`; `false` without a level.
    public var isIncreased: Bool { level == .increased }
    /// Whether the dataset has what the model needs, so that the case was judged.
    public var isJudged: Bool { source != .missing }
}

/// The verdicts of one model on all cases of a dataset.
public struct ModelResult: Hashable, Sendable {
    /// The name of the model that judged.
    public let model: RiskModelName
    /// The unit of the model's scores; `points` for a dataset without cases.
    public let unit: RiskUnit
    /// The model's verdict on each case: as many as the dataset has, in their order.
    public let cases: [CaseResult]
    /// The counts of the judged cases for which the dataset states the expected level.
    public let agreement: Agreement

    /// The number of cases that the model judged, 0 up to all of them.
    public var judged: Int { cases.count { $0.isJudged } }
    /// The number of judged cases that are increased, 0 or more.
    public var increased: Int { cases.count { $0.isJudged && $0.isIncreased } }
    /// The number of judged cases whose verdict depends on the error of the calibration, 0 or more.
    public var eitherWay: Int { cases.count { $0.isJudged && $0.robustness == .eitherWay } }
}

/// A dataset judged by the models of a configuration.
public struct Evaluation: Sendable {
    /// The dataset that was judged.
    public let dataset: StudyDataset
    /// The error of the calibration that was tried in both directions.
    public let calibration: CalibrationError
    /// One result for each model, in the order in which they were given.
    public let models: [ModelResult]

    /// The days that may be today, counted from the study's day 0: up to ten years later, when everything is too old for
    /// every model. Our own bound.
    public static let todays: ClosedRange<Int> = -366...3_650

    /// Judges every case by each of `models`; blocks. `today` counts from the study's day 0 and is limited to ``todays``;
    /// with `nil` it is the day of each case's latest window or exposure, or 0 without any. `mapping` says how published
    /// keys are read. `progress` is called with the number of finished judgements and of all judgements.
    public init(
        _ dataset: StudyDataset, models: [RiskModelParameters], mapping: DiagnosisKeyMapping, today: Int? = nil,
        calibration: CalibrationError = .standard, progress: (Int, Int) -> Void = { _, _ in }
    ) {
        self.dataset = dataset
        self.calibration = calibration
        let evidence = dataset.cases.map { CaseEvidence($0, mapping: mapping) }
        let total = models.count * dataset.cases.count
        var done = 0
        var results: [ModelResult] = []
        let days = Self.todays
        for parameters in models {
            let model = parameters.model
            var agreement = Agreement()
            var unit = RiskUnit.points
            var cases: [CaseResult] = []
            for (one, evidence) in zip(dataset.cases, evidence) {
                let result = Self.judge(
                    evidence, by: parameters, model, today: days.clamped(today ?? one.latestDay), calibration, unit: &unit)
                cases.append(result)
                if let expected = one.truth?.expected, result.isJudged {
                    agreement.add(isIncreased: result.isIncreased, expected: expected)
                }
                done += 1
                progress(done, total)
            }
            results.append(ModelResult(model: parameters.name, unit: unit, cases: cases, agreement: agreement))
        }
        self.models = results
    }

    private static func judge(
        _ evidence: CaseEvidence, by parameters: RiskModelParameters, _ model: any RiskModel, today: Int,
        _ calibration: CalibrationError, unit: inout RiskUnit
    ) -> CaseResult {
        func assessment(_ share: Double) -> RiskAssessment {
            model.assess(
                evidence.evidence(for: model, today: today, error: calibration, share: share),
                today: CaseEvidence.day(today))
        }
        let source = evidence.source(for: parameters)
        let nominal = assessment(0)
        unit = nominal.unit
        guard source != .missing else {
            return CaseResult(
                source: source, score: 0, lowest: 0, highest: 0, limit: nil, level: nil, robustness: .sure, day: nil)
        }
        let headline = nominal.headline
        var (lowest, highest, isSure) = (headline.score, headline.score, true)
        // Not the ends alone: models need not rise with nearness (docs/risk.md, "What is promised").
        for share in calibration.shares(for: evidence.confidences) where share != 0 {
            let other = assessment(share)
            lowest = min(lowest, other.headline.score)
            highest = max(highest, other.headline.score)
            if (other.level == .increased) != (nominal.level == .increased) { isSure = false }
        }
        return CaseResult(
            source: source, score: headline.score, lowest: lowest, highest: highest, limit: headline.limit,
            level: nominal.level, robustness: isSure ? .sure : .eitherWay,
            day: (nominal.mostRelevantDay ?? headline.day).map { Int($0) - CaseEvidence.dayZero })
    }
}

extension StudyCase {
    /// The day of the latest window or exposure; 0 without any.
    var latestDay: Int { (windows.map(\.day) + (exposures ?? []).map(\.day)).max() ?? 0 }

    /// The seconds of all windows together, or of the exposures if there are no windows; 0 or more.
    public var seconds: Int {
        windows.isEmpty
            ? (exposures ?? []).reduce(0) { $0 + $1.periods.reduce(0) { $0 + $1.seconds } }
            : windows.reduce(0) { $0 + $1.seconds }
    }
}

extension RiskAssessment {
    /// The one number to show: of all days together where the model judges them so, or of the highest day, the latest of equals.
    fileprivate var headline: (score: Double, limit: Double?, day: UInt32?) {
        let top = days.max { ($0.verdict.score, $0.day) < ($1.verdict.score, $1.day) }
        if let combined { return (combined.score, combined.increasedFrom, top?.day) }
        return (top?.verdict.score ?? 0, top?.verdict.increasedFrom, top?.day)
    }
}

extension ClosedRange<Int> {
    fileprivate func clamped(_ value: Int) -> Int { Swift.min(Swift.max(value, lowerBound), upperBound) }
}
