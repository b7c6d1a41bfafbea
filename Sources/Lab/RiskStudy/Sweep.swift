// SPDX-License-Identifier: Apache-2.0

public import ExposureRisk
import JSON
public import RiskConfiguration

/// The increased cases while one or two parameters of a configuration vary.
public struct Sweep: Sendable {
    /// Most combinations of two parameters: larger sweeps are refused with `invalidRange`. Our own bound.
    public static let mostPoints = 10_000

    /// One combination of values, and what came of it.
    public struct Point: Sendable {
        /// The value of each varied parameter, in the order of the variations.
        public let values: [Double]
        /// The result of the model with these values; `nil` when the configuration cannot be used with them; ``problem``
        /// says why.
        public let result: Result?
        /// The first reason why the configuration cannot be used with these values, and how many more there are; `nil` when it can.
        public let problem: String?
    }

    /// The result of the model on the dataset with one combination of values.
    public struct Result: Hashable, Sendable {
        /// The number of cases that the model judged at this point, 0 up to all of them.
        public let judged: Int
        /// The number of the judged cases that are increased, 0 or more.
        public let increased: Int
        /// The judged cases for which the dataset says what is expected, counted by whether the model says it.
        public let agreement: Agreement
    }

    /// The name of the model that judged.
    public let model: RiskModelName
    /// The number of cases that the dataset has, 0 or more.
    public let cases: Int
    /// The variations: one parameter or two.
    public let variations: [Variation]
    /// The values that the configuration itself has, in the order of the variations.
    public let present: [Double]
    /// Every combination, in an order in which the first variation changes slowest.
    public let points: [Point]

    /// Judges `dataset` at every combination of one or two `variations`, with attenuations as they are; blocks. Judges by the model of the name
    /// `model`; if `nil`, by that in which the first variation lies, or else by the configuration's first. Throws `invalidPath`, `invalidRange`,
    /// `noSuchModel`, and `invalidConfiguration` if it cannot be written as a document; a combination that cannot be used is a ``Point`` like
    /// others. `today` counts days from the study's day 0; `nil` as in ``Evaluation``. `progress` gets the combinations done and all of them.
    public init(
        _ dataset: StudyDataset, configuration: RiskConfiguration, variations: [Variation], model name: String? = nil,
        today: Int? = nil, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(StudyError) {
        guard let first = variations.first, variations.count <= 2 else {
            throw StudyError(.invalidRange, "One or two parameters can be varied at once; give --vary once or twice.")
        }
        guard Set(variations.map(\.place)).count == variations.count else {
            throw StudyError(.invalidRange, "Both --vary name \(first.path). Vary two different parameters.")
        }
        let total = variations.reduce(1) { $0 * $1.values.count }
        guard total <= Self.mostPoints else {
            throw StudyError(
                .invalidRange, "These are \(total) combinations; \(Self.mostPoints) is the most. Take larger steps.")
        }
        let document: JSON
        do { document = try JSON(parsing: configuration.document) } catch {
            throw StudyError(.invalidConfiguration, "The configuration cannot be written as a document: \(error).")
        }
        var present: [Double] = []
        for variation in variations { present.append(try variation.place.number(in: document)) }
        let inPath = first.place.modelIndex.flatMap {
            configuration.models.indices.contains($0) ? configuration.models[$0].name.rawValue : nil
        }
        guard let judge = try configuration.studied(name ?? inPath).first else {
            throw StudyError(.noSuchModel, "The configuration has no model.")
        }
        var points: [Point] = []
        for one in first.values {
            for other in variations.count > 1 ? variations[1].values.map(Optional.some) : [nil] {
                let values = [one] + (other.map { [$0] } ?? [])
                var changed = document
                for (variation, value) in zip(variations, values) {
                    changed = variation.place.setting(value, in: changed)
                }
                points.append(Self.point(dataset, changed, judge.name, values, today))
                progress(points.count, total)
            }
        }
        self.model = judge.name
        self.cases = dataset.cases.count
        self.variations = variations
        self.present = present
        self.points = points
    }

    private static func point(
        _ dataset: StudyDataset, _ document: JSON, _ model: RiskModelName, _ values: [Double], _ today: Int?
    ) -> Point {
        do throws(RiskConfigurationError) {
            let configuration = try RiskConfiguration(parsing: document.bytes)
            let evaluation = Evaluation(
                dataset, models: configuration.models.filter { $0.name == model }, mapping: configuration.mapping,
                today: today,
                calibration: .none)
            let result = evaluation.models.first.map {
                Result(judged: $0.judged, increased: $0.increased, agreement: $0.agreement)
            }
            return Point(values: values, result: result, problem: nil)
        } catch {
            let problem = error.problems.first?.description ?? error.description
            let more = error.problems.count > 1 ? " (and \(error.problems.count - 1) more)" : ""
            return Point(values: values, result: nil, problem: problem + more)
        }
    }

    /// Whether the dataset says what is expected of any case that was judged at any point.
    public var hasTruth: Bool { points.contains { $0.result.map { $0.agreement.cases > 0 } ?? false } }
}
