// SPDX-License-Identifier: Apache-2.0

public import GAEN

/// The parameters of the first-generation score (Google: `ExposureConfiguration`): four lists of eight scores from 0
/// to 8, a minimum and two thresholds.
public struct ExposureConfigurationV1: Hashable, Sendable {
    /// The score below which an exposure counts as 0; 0 to 4096.
    public let minimumRiskScore: Int
    /// Eight scores, 0 to 8, for attenuations above 73, 63, 51, 33, 27, 15 and 10 dB and for all others, in this
    /// order.
    public let attenuationScores: [Int]
    /// Eight scores, 0 to 8, for at least 14, 12, 10, 8, 6, 4 and 2 whole days since the start of the key and for
    /// fewer, in this order.
    public let daysScores: [Int]
    /// Eight scores, 0 to 8, for durations of at most 0, 5, 10, 15, 20, 25 and 30 whole minutes and for longer ones,
    /// in this order.
    public let durationScores: [Int]
    /// Eight scores, 0 to 8, for the transmission risk levels 1 to 8. Any other level, such as 0 (not stated), scores
    /// 1.
    public let transmissionRiskScores: [Int]
    /// Two attenuations in dB, 0 to 255, that divide the time of an exposure: below `low`, from `low` to below
    /// `high`, and from `high` on. `low` is not above `high`.
    public let durationThresholds: (low: Int, high: Int)

    /// The value of ``durationThresholds`` when nothing is configured, in dB (Google: `ExposureConfiguration`).
    public static let standardDurationThresholds = (low: 50, high: 74)

    /// Creates parameters. Returns `nil` unless every list has eight scores of 0 to 8, the minimum is 0 to 4096, and
    /// the thresholds are 0 to 255 with `low` not above `high`.
    public init?(
        minimumRiskScore: Int, attenuationScores: [Int], daysScores: [Int], durationScores: [Int],
        transmissionRiskScores: [Int], durationThresholds: (low: Int, high: Int) = standardDurationThresholds
    ) {
        let lists = [attenuationScores, daysScores, durationScores, transmissionRiskScores]
        guard lists.allSatisfy({ $0.count == 8 && $0.allSatisfy((0...8).contains) }),
            (0...255).contains(durationThresholds.low), durationThresholds.low <= durationThresholds.high,
            durationThresholds.high <= 255, (0...4_096).contains(minimumRiskScore)
        else { return nil }
        self.minimumRiskScore = minimumRiskScore
        self.attenuationScores = attenuationScores
        self.daysScores = daysScores
        self.durationScores = durationScores
        self.transmissionRiskScores = transmissionRiskScores
        self.durationThresholds = durationThresholds
    }

    /// Whether all numbers of both are equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.minimumRiskScore == right.minimumRiskScore && left.attenuationScores == right.attenuationScores
            && left.daysScores == right.daysScores && left.durationScores == right.durationScores
            && left.transmissionRiskScores == right.transmissionRiskScores
            && left.durationThresholds == right.durationThresholds
    }

    /// Hashes the numbers that `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(minimumRiskScore)
        for list in [attenuationScores, daysScores, durationScores, transmissionRiskScores] { hasher.combine(list) }
        hasher.combine(durationThresholds.low)
        hasher.combine(durationThresholds.high)
    }
}

/// An uninterrupted time near the owner of a key, by the first-generation rules (Google: `ExposureInformation`).
public struct ExposureV1: Hashable, Sendable {
    /// The first interval of the key; its UTC day is the date of the exposure.
    public let keyStart: ENIN
    /// The duration in seconds, a multiple of 300 and at least 300 in an exposure made from a match
    /// (``ExposureArithmeticV1/bucketedDuration(span:)``). Google's public API shows at most 1,800.
    public let duration: Int
    /// The time-weighted mean attenuation in dB, rounded half up; 0 to 255 in an exposure made from a match.
    public let attenuation: Int
    /// Three times in seconds, 0 or more: with attenuation below the low threshold, from it to below the high one,
    /// and from the high one on. Not rounded.
    public let attenuationDurations: [Int]
    /// The transmission risk level as published with the key: 0 to 8; 0 means not stated.
    public let transmissionRiskLevel: UInt8
    /// The score of the exposure, 0 to 4096; 0 below the configured minimum.
    public let riskScore: Int

    /// Creates an exposure from these parts, which are not checked; durations are in seconds, `attenuation` in dB.
    public init(
        keyStart: ENIN, duration: Int, attenuation: Int, attenuationDurations: [Int], transmissionRiskLevel: UInt8,
        riskScore: Int
    ) {
        self.keyStart = keyStart
        self.duration = duration
        self.attenuation = attenuation
        self.attenuationDurations = attenuationDurations
        self.transmissionRiskLevel = transmissionRiskLevel
        self.riskScore = riskScore
    }
}

/// A summary of all exposures (Google: `ExposureSummary`).
public struct ExposureSummaryV1: Hashable, Sendable {
    /// The number of keys that give an exposure under the mapping, 0 or more.
    public let matchedKeyCount: Int
    /// The number of whole days from the start of the latest key with an exposure to `now`, rounded towards 0;
    /// negative if the key starts a day or more after `now`, `nil` without exposures.
    public let daysSinceLastExposure: Int?
    /// The highest score of an exposure, 0 to 4096; 0 without exposures.
    public let maximumRiskScore: Int
    /// The sum of the scores of all exposures, without unit; 0 or more, without an upper limit.
    public let riskScoreSum: Int
    /// Three times in seconds over all exposures, 0 or more: with attenuation below the low threshold, from it to
    /// below the high one, and from the high one on.
    public let attenuationDurations: [Int]

    /// Creates the summary of `matches`, one per key, at `now`, in Unix seconds. Without exposures the numbers are
    /// 0, and ``daysSinceLastExposure`` is `nil`. Cannot fail.
    public init(_ matches: [Match], configuration: ExposureConfigurationV1, mapping: DiagnosisKeyMapping, now: Int64) {
        let matched = matches.filter { $0.givesExposure(under: mapping) }
        let exposures = matched.flatMap { $0.exposuresV1(configuration: configuration, mapping: mapping, now: now) }
        matchedKeyCount = matched.count
        daysSinceLastExposure = exposures.map { ExposureArithmeticV1.days(since: $0.keyStart, now: now) }.min()
        maximumRiskScore = exposures.map(\.riskScore).max() ?? 0
        riskScoreSum = exposures.map(\.riskScore).reduce(0, +)
        attenuationDurations = (0..<3).map { bin in exposures.reduce(0) { $0 + $1.attenuationDurations[bin] } }
    }
}

/// The arithmetic of the first generation, kept separate so that it can be tested separately (`KeyExposureEvaluator`,
/// `RiskScoreCalculator`).
public enum ExposureArithmeticV1 {
    /// The number of seconds that a single scan stands for, half before and half after it; also the unit to which
    /// durations are rounded (`KeyExposureEvaluator`).
    public static let scanIntervalSeconds = 300
    /// The longest time without a sighting that does not end an exposure, in seconds, inclusive
    /// (`KeyExposureEvaluator`).
    public static let maximumGapSeconds = 600

    /// A stretch of time at one attenuation.
    package struct Period {
        /// The length of the period in seconds.
        package let seconds: Int
        /// The attenuation in dB, 0 to 255 in a period made from a match.
        package let attenuation: Int

        /// Creates a period from these parts, which are not checked.
        package init(seconds: Int, attenuation: Int) {
            self.seconds = seconds
            self.attenuation = attenuation
        }
    }

    /// From scan to scan, each at the attenuation of its beginning, with half a scan interval before the first and after the
    /// last. Of scans at the same second the first counts. `points` must be in time order.
    static func periods(_ points: [(time: Int, attenuation: Int)], scanInterval: Int) -> [Period] {
        guard let first = points.first, let last = points.last else { return [] }
        let margin = scanInterval / 2
        let framed =
            [(time: first.time - margin, attenuation: first.attenuation)] + points
            + [(time: last.time + margin, attenuation: last.attenuation)]
        var periods: [Period] = []
        var previous = framed[0]
        for point in framed where point.time != previous.time {
            periods.append(Period(seconds: point.time - previous.time, attenuation: previous.attenuation))
            previous = point
        }
        return periods
    }

    /// Returns the time-weighted mean attenuation in dB, rounded half up; 0 when there are no points, or when they
    /// span no time. `points` must be in time order, in seconds and dB, which is not checked; of points at the same
    /// second only the first counts. `scanInterval` is in seconds; half of it, rounded down, is added before the
    /// first and after the last point.
    public static func weightedAttenuation(
        _ points: [(time: Int, attenuation: Int)], scanInterval: Int = scanIntervalSeconds
    ) -> Int {
        weightedAttenuation(periods(points, scanInterval: scanInterval))
    }

    /// Returns the time-weighted mean attenuation in dB, rounded half up; 0 when the periods have no length.
    package static func weightedAttenuation(_ periods: [Period]) -> Int {
        let seconds = periods.reduce(0) { $0 + $1.seconds }
        guard seconds > 0 else { return 0 }
        let sum = periods.reduce(0) { $0 + $1.seconds * $1.attenuation }
        return (2 * sum + seconds) / (2 * seconds)
    }

    /// Returns the duration in seconds: `span`, the seconds from the first to the last sighting (0 or more, not
    /// checked), plus one scan interval, rounded to whole five minutes; exactly half of five minutes is rounded down.
    public static func bucketedDuration(span: Int) -> Int {
        let estimate = span + scanIntervalSeconds
        let remainder = estimate % scanIntervalSeconds
        return remainder <= scanIntervalSeconds / 2 ? estimate - remainder : estimate - remainder + scanIntervalSeconds
    }

    /// Whole days from the start of a key to `now`, Unix seconds.
    static func days(since start: ENIN, now: Int64) -> Int { Int((now - start.unixSeconds) / 86_400) }

    /// Returns the score of an exposure, 0 to 4096; 0 when it is below the configured minimum. `attenuation` is in
    /// dB, `days` is the number of whole days since the start of the key, and `duration` is in seconds, of which
    /// whole minutes count. A level outside 1 to 8 scores 1. Cannot fail.
    public static func riskScore(
        attenuation: Int, days: Int, duration: Int, transmissionRiskLevel: UInt8, configuration: ExposureConfigurationV1
    ) -> Int {
        let attenuationBucket = [73, 63, 51, 33, 27, 15, 10].firstIndex { attenuation > $0 } ?? 7
        let daysBucket = [14, 12, 10, 8, 6, 4, 2].firstIndex { days >= $0 } ?? 7
        let durationBucket = [0, 5, 10, 15, 20, 25, 30].firstIndex { duration / 60 <= $0 } ?? 7
        let transmission =
            (1...8).contains(transmissionRiskLevel)
            ? configuration.transmissionRiskScores[Int(transmissionRiskLevel) - 1] : 1
        let score =
            configuration.attenuationScores[attenuationBucket] * configuration.daysScores[daysBucket]
            * configuration.durationScores[durationBucket] * transmission
        return score >= configuration.minimumRiskScore ? score : 0
    }
}

extension Match {
    /// Returns the exposures of this match under the first-generation rules, in time order; empty when the match
    /// gives no exposure, or when in no scan the loudest sighting is believable. `mapping` decides whether the
    /// match counts, `configuration` has scores and thresholds, and `now`, in Unix seconds, gives the age of the
    /// key. Cannot fail.
    public func exposuresV1(
        configuration: ExposureConfigurationV1, mapping: DiagnosisKeyMapping, now: Int64
    ) -> [ExposureV1] {
        guard let key = standing(under: mapping)?.key else { return [] }
        return stretchesV1().map { stretch in
            let periods = stretch.periods
            let duration = ExposureArithmeticV1.bucketedDuration(span: stretch.span)
            let attenuation = ExposureArithmeticV1.weightedAttenuation(periods)
            let (low, high) = configuration.durationThresholds
            func seconds(_ isIn: (Int) -> Bool) -> Int {
                periods.filter { isIn($0.attenuation) }.reduce(0) { $0 + $1.seconds }
            }
            return ExposureV1(
                keyStart: key.rollingStart, duration: duration, attenuation: attenuation,
                attenuationDurations: [
                    seconds { $0 < low }, seconds { $0 >= low && $0 < high }, seconds { $0 >= high },
                ],
                transmissionRiskLevel: key.transmissionRiskLevel,
                riskScore: ExposureArithmeticV1.riskScore(
                    attenuation: attenuation, days: ExposureArithmeticV1.days(since: key.rollingStart, now: now),
                    duration: duration, transmissionRiskLevel: key.transmissionRiskLevel, configuration: configuration))
        }
    }

    /// Returns the uninterrupted times near the owner of this key, before thresholds and scores are applied, in time
    /// order: the seconds from the first to the last sighting, and the time at each attenuation, with half a scan
    /// interval added at both ends. Of each scan the loudest sighting counts, and only if its transmit power is
    /// believable.
    package func stretchesV1() -> [(span: Int, periods: [ExposureArithmeticV1.Period])] {
        var stretches: [[MatchedSighting]] = []
        for sighting in strongestOfEachScan() where sighting.isBelievable {
            if let last = stretches.last?.last, Int(sighting.time - last.time) <= ExposureArithmeticV1.maximumGapSeconds {
                stretches[stretches.count - 1].append(sighting)
            } else {
                stretches.append([sighting])
            }
        }
        return stretches.map { stretch in
            (
                span: Int((stretch.last?.time ?? 0) - (stretch.first?.time ?? 0)),
                periods: ExposureArithmeticV1.periods(
                    stretch.map { (Int($0.time), $0.attenuation) }, scanInterval: ExposureArithmeticV1.scanIntervalSeconds)
            )
        }
    }

    /// Of each identifier and scan the loudest sighting (the first of equals), believable or not, in time order.
    private func strongestOfEachScan() -> [MatchedSighting] {
        var kept: [MatchedSighting] = []
        // Identifiers of one key have different intervals; the sort is stable by time within each.
        let byIdentifier = Dictionary(grouping: sightings, by: \.interval)
        for interval in byIdentifier.keys.sorted() {
            var lastTime: UInt32?
            for sighting in byIdentifier[interval] ?? [] {
                if let lastTime, sighting.time - lastTime <= MatchingRules.sameScanSeconds {
                    if sighting.rssi > kept[kept.count - 1].rssi { kept[kept.count - 1] = sighting }
                } else {
                    kept.append(sighting)
                }
                lastTime = sighting.time
            }
        }
        return kept.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }
}
