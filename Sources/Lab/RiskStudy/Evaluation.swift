// SPDX-License-Identifier: Apache-2.0

public import ExposureRisk
public import GAEN
public import RiskConfiguration

/// The verdict of one model on one case, and its verdicts with a calibration that is off.
public struct CaseResult: Hashable, Sendable {
    /// The robustness of a verdict: the same for every shift within the error of the calibration, or not.
    public enum Robustness: String, Sendable {
        /// The same wherever in the interval.
        case sure
        /// Another somewhere in the interval.
        case eitherWay = "either way"
    }

    /// The source of the model's input. `given`: the dataset has it; `approximated`: first-generation exposures were made
    /// from windows; `missing`: nothing was judged.
    public enum Source: String, Sendable {
        /// The dataset has what the model needs.
        case given
        /// First-generation exposures were made from windows.
        case approximated
        /// Nothing was judged: what the model needs is missing.
        case missing
    }

    /// The source of the model's input; see ``Source``.
    public let source: Source
    /// The highest day's score, or that of all days together, in the model's unit; 0 where nothing was judged.
    public let score: Double
    /// Lowest score within the error of the calibration, in the model's unit; 0 where nothing was judged.
    public let lowest: Double
    /// Highest score within the error of the calibration, in the model's unit; 0 where nothing was judged.
    public let highest: Double
    /// The score from which on it is increased; `nil` when the model has no limit for what there is, or nothing was judged.
    public let limit: Double?
    /// The level by the model; `nil` when it gives none, or nothing was judged.
    public let level: RiskLevel?
    /// The robustness of the verdict within the error of the calibration; `sure` where nothing was judged.
    public let robustness: Robustness
    /// The day that advice counts from, or that of the score, in days from the study's day 0; `nil` without one, or where nothing was judged.
    public let day: Int?

    /// Whether the model says `increased`; no level counts as not.
    public var isIncreased: Bool { level == .increased }
    /// Whether the model had what it needs, so that the case was judged.
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
    /// The judged cases for which the dataset says what is expected, counted by whether the model says it.
    public let agreement: Agreement

    /// The number of cases that the model judged, 0 up to all of them.
    public var judged: Int { cases.count { $0.isJudged } }
    /// The number of the judged cases that are increased, 0 or more.
    public var increased: Int { cases.count { $0.isJudged && $0.isIncreased } }
    /// The number of judged cases whose verdict depends on the error of the calibration, 0 or more.
    public var eitherWay: Int { cases.count { $0.isJudged && $0.robustness == .eitherWay } }
}

/// A dataset judged by the models of a configuration.
public struct Evaluation: Sendable {
    /// The dataset that was judged.
    public let dataset: StudyDataset
    /// The error that was tried either way.
    public let calibration: CalibrationError
    /// One result for each model, in the order in which they were given.
    public let models: [ModelResult]

    /// The days from the study's day 0 that can be today: up to ten years, as then everything is too old for every model; our own bound.
    public static let todays: ClosedRange<Int> = -366...3_650

    /// Judges every case by each of `models`; blocks. `today` counts from the study's day 0; `nil` takes the day of each case's latest window or
    /// exposure, 0 without any. Days outside of ``todays`` count as the nearest in it. `mapping` says how published keys are read. `progress` is
    /// told how many judgements are done, and of how many.
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

    /// Seconds of all windows together, or of the exposures where there are no windows; 0 or more.
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
