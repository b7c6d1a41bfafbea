// SPDX-License-Identifier: Apache-2.0

public import CommandFiles
public import ExposureRisk
import GAEN
public import Matching
public import RiskConfiguration
import RiskStudy
import VirtualAir

/// Somebody and somebody else in one scene: what the first one's phone would have known, and the truth by video.
public struct MetPair: Sendable {
    /// The scene.
    public let scene: ScenePositions.Name
    /// The number of the phone that listened.
    public let receiver: Int
    /// The number of the phone that was heard.
    public let sender: Int
    /// The exposure windows of what was received while both were seen; empty if nothing was.
    public let windows: [ExposureWindow]
    /// The seconds within 1.5 metres.
    public let secondsWithinOneAndAHalf: Double
    /// The seconds within 2 metres.
    public let secondsWithinTwo: Double

    /// Both were seen for at least so long, or there is no unit (spec reality, section 5), in seconds.
    static let leastSeen = 480.0
    /// Positive is a unit with so long within a distance, in seconds.
    public static let exposureSeconds = 900.0
}

extension RecordedAfternoon {
    /// All pairs of phones with a capture that were seen together for eight minutes or more, in each of `scenes`. Calls
    /// `progress` with the number of scenes that are done. Throws `InputError` if positions cannot be read.
    public func pairs(
        _ scenes: [ScenePositions.Name], _ calibration: RebuiltWindows.Calibration, progress: (Int) -> Void = { _ in }
    ) throws(InputError) -> [MetPair] {
        var pairs: [MetPair] = []
        for (index, name) in scenes.enumerated() {
            let scene = try ScenePositions(name, folder: "\(folder)/computer-vision", clockOffset: Self.clockOffset)
            for receiver in Self.phones where scene.people.contains(receiver) {
                guard let capture = captures[receiver] else { continue }
                let rebuilt = RebuiltWindows(
                    of: capture, number: receiver, identifiers: identifiers, calibration: calibration
                ) {
                    reception, sender in
                    guard let frame = scene.frame(at: reception.time) else { return false }
                    return scene.distance(receiver, sender, frame: frame) != nil
                }
                for sender in Self.phones where sender != receiver && scene.people.contains(sender) {
                    let together = scene.seconds(receiver, sender, within: [1.5, 2])
                    guard together.seen >= MetPair.leastSeen else { continue }
                    pairs.append(
                        MetPair(
                            scene: name, receiver: receiver, sender: sender,
                            windows: rebuilt.senders.first { $0.sender == sender }?.windows ?? [],
                            secondsWithinOneAndAHalf: together.near[0], secondsWithinTwo: together.near[1]))
                }
            }
            progress(index + 1)
        }
        return pairs
    }
}

/// How well one model tells pairs that were near for a quarter of an hour from others.
public struct ModelVerdicts: Sendable {
    /// An estimate with the middle 95 % of a bootstrap over unordered pairs of people.
    public struct Estimate: Sendable, Hashable {
        /// The value of all units.
        public let value: Double
        /// The 2.5th percentile of the resamples.
        public let low: Double
        /// The 97.5th percentile of the resamples.
        public let high: Double
    }

    /// The model that judged.
    public let model: RiskModelName
    /// The number of units.
    public let count: Int
    /// The units that were near for a quarter of an hour.
    public let positives: Int
    /// The units that the model calls increased.
    public let alarms: Int
    /// Those of ``alarms`` that are positive.
    public let hits: Int
    /// The chance that a positive unit scores above another one, half for equal scores; `nil` if all or none are positive.
    public let area: Estimate?

    /// The share of alarms that are right; `nil` without one.
    public var precision: Double? { alarms == 0 ? nil : Double(hits) / Double(alarms) }
    /// The share of positive units with an alarm; `nil` if none is positive.
    public var recall: Double? { positives == 0 ? nil : Double(hits) / Double(positives) }

    /// Judges all `pairs` by each of `models`, with keys of standard infectiousness, confirmed by a test, of level
    /// `transmissionRiskLevel`, on the day itself. Positive is a pair with a quarter of an hour within 2 metres, or 1.5 with
    /// `isNearer`. `resamples` of the bootstrap are drawn by `seed`.
    public static func judge(
        _ pairs: [MetPair], by models: [RiskModelParameters], isNearer: Bool = false, transmissionRiskLevel: UInt8 = 6,
        resamples: Int = 1_000, seed: UInt64 = 1
    ) -> [ModelVerdicts] {
        let dataset = StudyDataset(
            cases: pairs.map { pair in
                StudyCase(
                    name: "\(pair.scene.rawValue) \(pair.receiver) \(pair.sender)",
                    windows: pair.windows.map {
                        StudyWindow(
                            day: 0, reportType: .confirmedTest, infectiousness: .standard,
                            transmissionRiskLevel: transmissionRiskLevel, calibrationConfidence: .high,
                            scanInstances: $0.scanInstances)
                    })
            })
        let evaluation = Evaluation(
            dataset, models: models, mapping: .standard, today: 0, calibration: .none)
        let isPositive = pairs.map {
            (isNearer ? $0.secondsWithinOneAndAHalf : $0.secondsWithinTwo) >= MetPair.exposureSeconds
        }
        let groups = Dictionary(grouping: pairs.indices) { [pairs[$0].receiver, pairs[$0].sender].sorted() }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
        return evaluation.models.map { result in
            let alarms = result.cases.map(\.isIncreased)
            return ModelVerdicts(
                model: result.model, count: pairs.count, positives: isPositive.count { $0 }, alarms: alarms.count { $0 },
                hits: zip(alarms, isPositive).count { $0 && $1 },
                area: AreaUnderCurve.estimate(
                    scores: result.cases.map(\.score), isPositive: isPositive, groups: groups, resamples: resamples,
                    seed: seed))
        }
    }
}

/// The area under the receiver operating characteristic, by ranks (Mann and Whitney).
enum AreaUnderCurve {
    static func estimate(
        scores: [Double], isPositive: [Bool], groups: [[Int]], resamples: Int, seed: UInt64
    ) -> ModelVerdicts.Estimate? {
        // Ranks are of the distinct scores, so that a resample only counts.
        let distinct = Set(scores).sorted()
        let rank = Dictionary(uniqueKeysWithValues: distinct.enumerated().map { ($1, $0) })
        let ranks = scores.map { rank[$0] ?? 0 }
        func area(_ weights: [Int]) -> Double? {
            var (positive, negative) = (
                [Int](repeating: 0, count: distinct.count), [Int](repeating: 0, count: distinct.count)
            )
            for index in scores.indices {
                if isPositive[index] {
                    positive[ranks[index]] += weights[index]
                } else {
                    negative[ranks[index]] += weights[index]
                }
            }
            let (positives, negatives) = (positive.reduce(0, +), negative.reduce(0, +))
            guard positives > 0, negatives > 0 else { return nil }
            var (below, sum) = (0, 0.0)
            for (more, less) in zip(positive, negative) {
                sum += Double(more) * (Double(below) + Double(less) / 2)
                below += less
            }
            return sum / (Double(positives) * Double(negatives))
        }
        guard let value = area([Int](repeating: 1, count: scores.count)) else { return nil }
        var generator = SplitMix64(seed: seed)
        var drawn: [Double] = []
        for _ in 0..<resamples {
            var weights = [Int](repeating: 0, count: scores.count)
            for _ in groups {
                for index in groups[Int.random(in: groups.indices, using: &generator)] { weights[index] += 1 }
            }
            if let area = area(weights) { drawn.append(area) }
        }
        drawn.sort()
        func percentile(_ share: Double) -> Double {
            drawn.isEmpty ? value : drawn[min(drawn.count - 1, Int(share * Double(drawn.count)))]
        }
        return ModelVerdicts.Estimate(value: value, low: percentile(0.025), high: percentile(0.975))
    }
}
