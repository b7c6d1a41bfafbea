// SPDX-License-Identifier: Apache-2.0

public import GAEN
import Glibc
public import Matching
public import RiskConfiguration
import RiskStudy

/// What is taken for known of every person who warned.
public struct Circumstances: Sendable, Hashable {
    /// How infectious they were; standard if not stated otherwise.
    public var infectiousness = Infectiousness.standard
    /// Their transmission risk level, 1 to 8, for rules that read levels; 6 if not stated otherwise.
    public var transmissionRiskLevel: UInt8 = 6

    /// Creates the circumstances that tables have unless they say otherwise.
    public init() {}
}

/// A rule that judges what a phone heard of another one.
public enum Rule: Sendable, Hashable {
    /// A risk model with its parameters.
    case model(RiskModelParameters)
    /// The rule that averages a window before it judges.
    case averaged(AveragedRule)
    /// Everybody is warned.
    case everybody

    /// The scores and alarms of `pairs`, in their order. Keys are confirmed by a test, and the encounter was today.
    /// Scores of different rules cannot be compared.
    public func judge(_ pairs: [MetPair], _ circumstances: Circumstances = .init()) -> [(score: Double, isAlarm: Bool)] {
        switch self {
        case .everybody: return pairs.map { _ in (0, true) }
        case .averaged(let rule): return pairs.map { rule.judge($0.windows) }
        case .model(let parameters):
            let dataset = StudyDataset(
                cases: pairs.map { pair in
                    StudyCase(
                        name: "\(pair.scene.rawValue) \(pair.receiver) \(pair.sender)",
                        windows: pair.windows.map {
                            StudyWindow(
                                day: 0, reportType: .confirmedTest, infectiousness: circumstances.infectiousness,
                                transmissionRiskLevel: circumstances.transmissionRiskLevel, calibrationConfidence: .high,
                                scanInstances: $0.scanInstances)
                        })
                })
            let evaluation = Evaluation(
                dataset, models: [parameters], mapping: .standard, today: 0, calibration: .none)
            return evaluation.models[0].cases.map { ($0.score, $0.isIncreased) }
        }
    }
}

/// A rule of this project, for comparison only: the mean of a window's typical attenuations is judged, softly, and not each
/// scan by itself (docs/fitting-rules.md has its form and why).
public struct AveragedRule: Sendable, Hashable {
    /// The mean attenuation in dB at which a minute counts half.
    public var middle: Double
    /// The softness of the edge in dB, above 0.
    public var width: Double
    /// The weighted minutes of a day from which it warns, above 0.
    public var trigger: Double

    /// Creates a rule of finite numbers; `nil` unless `width` and `trigger` are above 0.
    public init?(middle: Double = 59, width: Double = 4, trigger: Double = 15) {
        guard middle.isFinite, width.isFinite, width > 0, trigger.isFinite, trigger > 0 else { return nil }
        (self.middle, self.width, self.trigger) = (middle, width, trigger)
    }

    /// The weighted minutes of windows of one day, and whether that is an alarm. Scans of 0 seconds do not count.
    public func judge(_ windows: [ExposureWindow]) -> (score: Double, isAlarm: Bool) {
        let minutes = windows.reduce(0.0) { sum, window in
            var (seconds, weighted) = (0.0, 0.0)
            for scan in window.scanInstances where scan.secondsSinceLastScan > 0 {
                seconds += Double(scan.secondsSinceLastScan)
                weighted += Double(scan.secondsSinceLastScan) * Double(scan.typicalAttenuation)
            }
            guard seconds > 0 else { return sum }
            return sum + seconds / 60 / (1 + exp((weighted / seconds - middle) / width))
        }
        return (minutes, minutes >= trigger)
    }
}
