// SPDX-License-Identifier: Apache-2.0

public import GAEN
public import Matching

/// The weights and thresholds of the daily summaries (Google: `DailySummariesConfig`).
public struct DailySummariesConfiguration: Hashable, Sendable {
    /// Three attenuations in dB, 0 to 255, in ascending order, where neighbours may be equal: a scan is immediate
    /// up to the first, near up to the second and medium up to the third, each inclusive.
    public let attenuationThresholds: [Int]
    /// Four weights, 0 to 2.5, for immediate, near, medium and other scans, in this order.
    public let attenuationWeights: [Double]
    /// Six weights, 0 to 2.5, indexed by the raw value of ``ReportType``.
    public let reportTypeWeights: [Double]
    /// Three weights, 0 to 2.5, indexed by the raw value of ``Infectiousness``.
    public let infectiousnessWeights: [Double]
    /// The minimum score of a window in weighted seconds, 0 or more, and at most 10⁹ in a document; windows that
    /// score less are left out.
    public let minimumWindowScore: Double
    /// The number of days before today beyond which windows are left out, 0 or more, and at most 100 in a document;
    /// 0 leaves none out.
    public let daysSinceExposureThreshold: Int

    /// Creates a configuration; returns `nil` unless all counts and ranges are as the properties say.
    public init?(
        attenuationThresholds: [Int], attenuationWeights: [Double], reportTypeWeights: [Double],
        infectiousnessWeights: [Double], minimumWindowScore: Double = 0, daysSinceExposureThreshold: Int = 0
    ) {
        guard attenuationThresholds.count == 3, attenuationThresholds.allSatisfy((0...255).contains),
            attenuationThresholds == attenuationThresholds.sorted(), attenuationWeights.count == 4,
            reportTypeWeights.count == 6, infectiousnessWeights.count == 3,
            // NaN is in no range.
            (attenuationWeights + reportTypeWeights + infectiousnessWeights).allSatisfy((0...2.5).contains),
            minimumWindowScore.isFinite, minimumWindowScore >= 0, daysSinceExposureThreshold >= 0
        else { return nil }
        self.attenuationThresholds = attenuationThresholds
        self.attenuationWeights = attenuationWeights
        self.reportTypeWeights = reportTypeWeights
        self.infectiousnessWeights = infectiousnessWeights
        self.minimumWindowScore = minimumWindowScore
        self.daysSinceExposureThreshold = daysSinceExposureThreshold
    }

    /// Which of the four attenuation weights holds for a scan.
    func bucket(of scan: ScanInstance) -> Int {
        attenuationThresholds.firstIndex { scan.typicalAttenuation <= $0 } ?? 3
    }

    /// Seconds, weighted by attenuation only. Whole seconds are added for each weight first, as `DailySummaryUtils` does.
    func weightedSeconds(of window: ExposureWindow) -> Double {
        var seconds = [0, 0, 0, 0]
        for scan in window.scanInstances { seconds[bucket(of: scan)] += scan.countedSeconds }
        return zip(seconds, attenuationWeights).reduce(0) { $0 + Double($1.0) * $1.1 }
    }

    /// For report type and infectiousness.
    func factor(of window: ExposureWindow) -> Double {
        reportTypeWeights[Int(window.reportType.rawValue)] * infectiousnessWeights[Int(window.infectiousness.rawValue)]
    }

    func score(of window: ExposureWindow) -> Double {
        weightedSeconds(of: window) * reportTypeWeights[Int(window.reportType.rawValue)]
            * infectiousnessWeights[Int(window.infectiousness.rawValue)]
    }

    /// Windows of revoked and unknown report types, and of days on which the authority calls nobody infectious, count
    /// nowhere: phones do not even hand them to an app (spec gaen-core 6).
    func isCounted(_ window: ExposureWindow) -> Bool {
        window.reportType != .unknown && window.reportType != .revoked && window.infectiousness != .none
    }

    func isTooOld(_ day: UInt32, today: UInt32) -> Bool {
        daysSinceExposureThreshold != 0 && day.isOlder(than: daysSinceExposureThreshold, today: today)
    }
}

/// The scores of one day, or of one report type on that day, in weighted seconds.
public struct ExposureScores: Hashable, Sendable {
    /// The highest score of one window, in weighted seconds, 0 or more; 0 without windows.
    public var maximum: Double = 0
    /// The sum of the scores of all windows that count, in weighted seconds, 0 or more; 0 without any window.
    public var sum: Double = 0
    /// The seconds of all windows that count, weighted by attenuation only; 0 or more, 0 without any window.
    public var weightedDurationSum: Double = 0

    /// Creates the scores of a day without windows, which are all 0.
    public init() {}

    mutating func add(_ score: Double, weightedDuration: Double) {
        maximum = max(maximum, score)
        sum += score
        weightedDurationSum += weightedDuration
    }
}

/// The scores of one day (Google: `DailySummary`).
public struct DailySummary: Hashable, Sendable {
    /// The UTC day, in days since 1970.
    public let day: UInt32
    /// The scores by report type, without types of which no window counted; may be empty.
    public let byReportType: [ReportType: ExposureScores]

    /// The scores of the whole day: the highest of the maxima, and the sums over all report types.
    public var total: ExposureScores {
        ReportType.allCases.reduce(into: ExposureScores()) { total, type in
            guard let scores = byReportType[type] else { return }
            total.maximum = max(total.maximum, scores.maximum)
            total.sum += scores.sum
            total.weightedDurationSum += scores.weightedDurationSum
        }
    }

    /// Returns the summaries of `windows`, which may be in any order, oldest day first. `today` is in days since
    /// 1970, UTC.
    ///
    /// Windows of revoked and unknown report types, of infectiousness none, and those older than the configuration
    /// allows, do not count. A day whose other windows all score below the minimum is included with scores of 0 (`DailySummaryUtils`).
    public static func summaries(
        of windows: [ExposureWindow], configuration: DailySummariesConfiguration, today: UInt32
    ) -> [DailySummary] {
        // Sums of doubles depend on their order; this one depends on the windows only.
        let counted = windows.filter {
            configuration.isCounted($0) && !configuration.isTooOld($0.day, today: today)
        }.sorted(by: ExposureWindow.precedes)
        return Dictionary(grouping: counted, by: \.day).sorted { $0.key < $1.key }.map { day, windows in
            var scores: [ReportType: ExposureScores] = [:]
            for window in windows {
                let score = configuration.score(of: window)
                guard score.settled >= configuration.minimumWindowScore else { continue }
                scores[window.reportType, default: ExposureScores()].add(
                    score, weightedDuration: configuration.weightedSeconds(of: window))
            }
            return DailySummary(day: day, byReportType: scores)
        }
    }
}
