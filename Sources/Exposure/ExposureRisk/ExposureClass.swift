// SPDX-License-Identifier: Apache-2.0

package import GAEN

/// One of the up to four classes of exposure that health authorities configure for Google's and Apple's own app (EN
/// Express; spec rules-and-nhs 8; `DailySummaryRiskCalculator`). A day belongs to the class when it reaches any one
/// of its limits.
public struct ExposureClass: Hashable, Sendable {
    /// The weighted seconds of confirmed tests on one day from which the class is reached. Like every limit here it
    /// is 0 to 1,000,000 and inclusive; 0 switches it off.
    public var confirmedTestPerDaySum: Double = 0
    /// The weighted seconds of clinical diagnoses on one day from which the class is reached; 0 to 1,000,000, 0 is
    /// off.
    public var clinicalDiagnosisPerDaySum: Double = 0
    /// The weighted seconds of self-reports on one day from which the class is reached; 0 to 1,000,000, 0 is off.
    public var selfReportPerDaySum: Double = 0
    /// The weighted seconds of report type recursive on one day from which the class is reached; 0 to 1,000,000, 0
    /// is off.
    public var recursivePerDaySum: Double = 0
    /// The weighted seconds of one day, of all report types that count, from which the class is reached; 0 to
    /// 1,000,000, 0 is off.
    public var perDaySum: Double = 0
    /// The highest score of one window of a day, in weighted seconds, from which the class is reached; 0 to
    /// 1,000,000, 0 is off.
    public var perDayMaximum: Double = 0
    /// The seconds of one day, weighted by attenuation only, from which the class is reached; 0 to 1,000,000, 0 is
    /// off.
    public var weightedDuration: Double = 0

    /// Creates a class whose limits are all off (0), so that no day reaches it.
    public init() {}

    /// All seven limits with their names in documents.
    package static let limits: [(name: String, path: any WritableKeyPath<ExposureClass, Double> & Sendable)] = [
        ("confirmedTestPerDaySumERVThreshold", \.confirmedTestPerDaySum),
        ("clinicalDiagnosisPerDaySumERVThreshold", \.clinicalDiagnosisPerDaySum),
        ("selfReportPerDaySumERVThreshold", \.selfReportPerDaySum),
        ("recursivePerDaySumERVThreshold", \.recursivePerDaySum), ("perDaySumERVThreshold", \.perDaySum),
        ("perDayMaxERVThreshold", \.perDayMaximum), ("weightedDurationAtAttenuationThreshold", \.weightedDuration),
    ]

    /// Returns the day's score, without errors of addition, with each limit that is not off, both in weighted seconds, in the order of
    /// ``limits``. `sums` are by report type; a missing one counts as 0.
    package func measured(_ total: ExposureScores, sums: [ReportType: Double]) -> [(score: Double, limit: Double)] {
        func sum(_ type: ReportType) -> Double { sums[type] ?? 0 }
        let all: [(score: Double, limit: Double)] = [
            (score: sum(.confirmedTest), limit: confirmedTestPerDaySum),
            (score: sum(.clinicalDiagnosis), limit: clinicalDiagnosisPerDaySum),
            (score: sum(.selfReport), limit: selfReportPerDaySum), (score: sum(.recursive), limit: recursivePerDaySum),
            (score: total.sum, limit: perDaySum), (score: total.maximum, limit: perDayMaximum),
            (score: total.weightedDurationSum, limit: weightedDuration),
        ]
        return all.filter { $0.limit != 0 }.map { (score: $0.score.settled, limit: $0.limit) }
    }

    func isReached(_ total: ExposureScores, sums: [ReportType: Double]) -> Bool {
        measured(total, sums: sums).contains { $0.score >= $0.limit }
    }
}

/// The scores of a day that the classes are compared with.
package struct ClassifiedDay: Sendable {
    /// The UTC day, in days since 1970.
    package let day: UInt32
    /// The scores of the whole day, in weighted seconds.
    package let total: ExposureScores
    /// The sums of the scores by report type, in weighted seconds.
    package let sums: [ReportType: Double]

    /// Creates a day from these numbers; `day` is in days since 1970, UTC.
    package init(day: UInt32, total: ExposureScores, sums: [ReportType: Double]) {
        self.day = day
        self.total = total
        self.sums = sums
    }

    init(_ summary: DailySummary) {
        self.init(day: summary.day, total: summary.total, sums: summary.byReportType.mapValues(\.sum))
    }

    /// Returns the first class that any day reaches, as its index in `classes`, and the newest day that reaches it;
    /// `nil` when no class is reached. Days may be in any order.
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
