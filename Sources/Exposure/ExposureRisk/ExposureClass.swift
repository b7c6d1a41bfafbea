// SPDX-License-Identifier: Apache-2.0

package import GAEN

/// One of the up to four classes of exposure that health authorities set for Google's and Apple's own app (EN Express; spec rules-and-nhs 8;
/// `DailySummaryRiskCalculator`). Any of its limits suffices.
public struct ExposureClass: Hashable, Sendable {
    /// Weighted seconds of a day from which on the class is reached; 0 is off. Sums of one report type, then of all; then the highest score
    /// of a window, and seconds weighted by attenuation only.
    public var confirmedTestPerDaySum: Double = 0
    public var clinicalDiagnosisPerDaySum: Double = 0
    public var selfReportPerDaySum: Double = 0
    public var recursivePerDaySum: Double = 0
    public var perDaySum: Double = 0
    public var perDayMaximum: Double = 0
    public var weightedDuration: Double = 0

    public init() {}

    /// All of them, with the names they have in documents.
    package static let limits: [(name: String, path: any WritableKeyPath<ExposureClass, Double> & Sendable)] = [
        ("confirmedTestPerDaySumERVThreshold", \.confirmedTestPerDaySum),
        ("clinicalDiagnosisPerDaySumERVThreshold", \.clinicalDiagnosisPerDaySum),
        ("selfReportPerDaySumERVThreshold", \.selfReportPerDaySum),
        ("recursivePerDaySumERVThreshold", \.recursivePerDaySum), ("perDaySumERVThreshold", \.perDaySum),
        ("perDayMaxERVThreshold", \.perDayMaximum), ("weightedDurationAtAttenuationThreshold", \.weightedDuration),
    ]

    /// What can be reached: each limit that is not off, and what the day has of it.
    package func measured(_ total: ExposureScores, sums: [ReportType: Double]) -> [(score: Double, limit: Double)] {
        func sum(_ type: ReportType) -> Double { sums[type] ?? 0 }
        let all: [(score: Double, limit: Double)] = [
            (score: sum(.confirmedTest), limit: confirmedTestPerDaySum),
            (score: sum(.clinicalDiagnosis), limit: clinicalDiagnosisPerDaySum),
            (score: sum(.selfReport), limit: selfReportPerDaySum), (score: sum(.recursive), limit: recursivePerDaySum),
            (score: total.sum, limit: perDaySum), (score: total.maximum, limit: perDayMaximum),
            (score: total.weightedDurationSum, limit: weightedDuration),
        ]
        return all.filter { $0.limit != 0 }
    }

    func isReached(_ total: ExposureScores, sums: [ReportType: Double]) -> Bool {
        measured(total, sums: sums).contains { $0.score >= $0.limit }
    }
}

/// What a day is held against by classes.
package struct ClassifiedDay: Sendable {
    /// Days since 1970, UTC.
    package let day: UInt32
    package let total: ExposureScores
    package let sums: [ReportType: Double]

    package init(day: UInt32, total: ExposureScores, sums: [ReportType: Double]) {
        self.day = day
        self.total = total
        self.sums = sums
    }

    init(_ summary: DailySummary) {
        self.init(day: summary.day, total: summary.total, sums: summary.byReportType.mapValues(\.sum))
    }

    /// The first class that any day reaches (from 0), and the newest day that reaches it; `nil` when none does.
    package static func classification(
        of days: [ClassifiedDay], by classes: [ExposureClass]
    ) -> (index: Int, day: UInt32)? {
        for (index, exposureClass) in classes.enumerated() {
            let reached = days.filter { exposureClass.isReached($0.total, sums: $0.sums) }
            if let newest = reached.map(\.day).max() { return (index, newest) }
        }
        return nil
    }

    /// Of all limits the one that is nearest to being reached, or furthest beyond.
    func verdict(_ classes: [ExposureClass]) -> RiskVerdict? {
        let measured = classes.flatMap { $0.measured(total, sums: sums) }
        return measured.max { $0.score / $0.limit < $1.score / $1.limit }.map {
            RiskVerdict(score: $0.score, limit: $0.limit)
        }
    }
}
