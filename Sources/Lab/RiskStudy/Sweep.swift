// SPDX-License-Identifier: Apache-2.0

public import ExposureRisk
import JSON
public import RiskConfiguration

/// The results of a model while one or two parameters of its configuration vary.
public struct Sweep: Sendable {
    /// The most combinations of two parameters: 10,000; more are refused with `invalidRange`. Our own bound.
    public static let mostPoints = 10_000

    /// One combination of values, with its result.
    public struct Point: Sendable {
        /// The value of each varied parameter, in the order of the variations.
        public let values: [Double]
        /// The result of the model with these values; `nil` if the configuration cannot be used with them, as ``problem``
        /// explains.
        public let result: Result?
        /// The first reason why the configuration cannot be used with these values, and the number of further ones; `nil`
        /// if it can.
        public let problem: String?
    }

    /// The result of the model on the dataset with one combination of values.
    public struct Result: Hashable, Sendable {
        /// The number of cases that the model judged at this point, 0 up to all of them.
        public let judged: Int
        /// The number of the judged cases that are increased, 0 or more.
        public let increased: Int
        /// The counts of the judged cases for which the dataset states the expected level.
        public let agreement: Agreement
    }

    /// The name of the model that judged.
    public let model: RiskModelName
    /// The number of cases that the dataset has, 0 or more.
    public let cases: Int
    /// The varied parameters, one or two, with their values.
    public let variations: [Variation]
    /// The values in the configuration itself, in the order of the variations.
    public let present: [Double]
    /// The points, one for each combination; the value of the first variation changes most slowly.
    public let points: [Point]

    /// Judges `dataset` at every combination of one or two `variations`, with attenuations as they are; blocks. The model
    /// is the one named `name`; with `nil` it is the one that the first variation lies in, or else the first of the
    /// configuration. `today` counts from the study's day 0; for `nil` see ``Evaluation``. `progress` is called with the
    /// number of finished combinations and of all combinations. A combination with which the configuration cannot be used
    /// is a ``Point`` with a problem, not an error.
    ///
    /// Throws `invalidRange` for no variation, more than two, the same parameter twice, or more than ``mostPoints``
    /// combinations; `invalidPath` if a path does not lead to a number; `noSuchModel` if the configuration has no model of
    /// that name, or none; and `invalidConfiguration` if the configuration cannot be written as a document.
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

    /// Whether at least one case that was judged at some point has an expected level.
    public var hasTruth: Bool { points.contains { $0.result.map { $0.agreement.cases > 0 } ?? false } }
}
