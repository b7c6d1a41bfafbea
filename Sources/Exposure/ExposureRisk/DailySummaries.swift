// SPDX-License-Identifier: Apache-2.0

public import GAEN
public import Matching

/// Weights of the daily summaries (Google: `DailySummariesConfig`).
public struct DailySummariesConfiguration: Hashable, Sendable {
    /// Three attenuations in dB, 0 to 255, none below the one before: immediate up to the first, near up to the second,
    /// medium up to the third, each inclusive.
    public let attenuationThresholds: [Int]
    /// Four weights, 0 to 2.5, for immediate, near, medium and other.
    public let attenuationWeights: [Double]
    /// Six weights, 0 to 2.5, by the raw value of ``ReportType``.
    public let reportTypeWeights: [Double]
    /// Three weights, 0 to 2.5, by the raw value of ``Infectiousness``.
    public let infectiousnessWeights: [Double]
    /// Weighted seconds, 0 or more; windows that score less are left out.
    public let minimumWindowScore: Double
    /// Days before today beyond which windows are left out; not negative, 0 leaves none out.
    public let daysSinceExposureThreshold: Int

    /// A configuration of these numbers; `nil` unless counts and ranges are as stated above.
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

    /// Seconds, weighted by attenuation only.
    func weightedSeconds(of window: ExposureWindow) -> Double {
        window.scanInstances.reduce(0) {
            $0 + Double($1.countedSeconds) * attenuationWeights[bucket(of: $1)]
        }
    }

    /// For report type and infectiousness.
    func factor(of window: ExposureWindow) -> Double {
        reportTypeWeights[Int(window.reportType.rawValue)] * infectiousnessWeights[Int(window.infectiousness.rawValue)]
    }

    func score(of window: ExposureWindow) -> Double {
        weightedSeconds(of: window) * reportTypeWeights[Int(window.reportType.rawValue)]
            * infectiousnessWeights[Int(window.infectiousness.rawValue)]
    }

    /// Windows of revoked and unknown report types count nowhere.
    func isCounted(_ type: ReportType) -> Bool { type != .unknown && type != .revoked }

    func isTooOld(_ day: UInt32, today: UInt32) -> Bool {
        daysSinceExposureThreshold != 0 && day.isOlder(than: daysSinceExposureThreshold, today: today)
    }
}

/// Scores of one day, or of one report type on that day. Seconds, weighted.
public struct ExposureScores: Hashable, Sendable {
    /// The highest score of one window, in weighted seconds, 0 or more; 0 without any window.
    public var maximum: Double = 0
    /// The sum of the scores of all windows that count, in weighted seconds, 0 or more; 0 without any window.
    public var sum: Double = 0
    /// Seconds of the windows that count, weighted by attenuation only; 0 without any.
    public var weightedDurationSum: Double = 0

    /// Scores of a day without windows: all zeros.
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
    /// Scores by report type; types of which no window counted are not in it, so it may be empty.
    public let byReportType: [ReportType: ExposureScores]

    /// The day as a whole: the highest maximum, the sums of the sums.
    public var total: ExposureScores {
        ReportType.allCases.reduce(into: ExposureScores()) { total, type in
            guard let scores = byReportType[type] else { return }
            total.maximum = max(total.maximum, scores.maximum)
            total.sum += scores.sum
            total.weightedDurationSum += scores.weightedDurationSum
        }
    }

    /// Summaries of `windows`, which may be in any order, oldest day first. `today` is in days since 1970, UTC.
    ///
    /// Windows of revoked and unknown report types, and those older than the configuration's days, count nowhere; a day
    /// whose other windows all score below the minimum is there with zeros (`DailySummaryUtils`).
    public static func summaries(
        of windows: [ExposureWindow], configuration: DailySummariesConfiguration, today: UInt32
    ) -> [DailySummary] {
        // Sums of doubles depend on their order; this one depends on the windows only.
        let counted = windows.filter {
            configuration.isCounted($0.reportType) && !configuration.isTooOld($0.day, today: today)
        }.sorted(by: ExposureWindow.precedes)
        return Dictionary(grouping: counted, by: \.day).sorted { $0.key < $1.key }.map { day, windows in
            var scores: [ReportType: ExposureScores] = [:]
            for window in windows {
                let score = configuration.score(of: window)
                guard score >= configuration.minimumWindowScore else { continue }
                scores[window.reportType, default: ExposureScores()].add(
                    score, weightedDuration: configuration.weightedSeconds(of: window))
            }
            return DailySummary(day: day, byReportType: scores)
        }
    }
}
