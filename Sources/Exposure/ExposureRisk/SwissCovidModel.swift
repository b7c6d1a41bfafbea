// SPDX-License-Identifier: Apache-2.0

import GAEN
package import Matching

/// The parameters of SwissCovid's rule, named as in its configuration (DP-3T's `GAENSDKConfig`; spec rules-and-nhs
/// 7).
public struct SwissCovidParameters: Hashable, Sendable {
    /// The typical attenuation in dB below which time counts as near, exclusive; 0 to 255, below ``higherThreshold``.
    /// The default is SwissCovid's published value.
    public var lowerThreshold = 55
    /// The typical attenuation in dB below which time that is not near counts as medium; time from here on does not
    /// count. 0 to 255, above ``lowerThreshold``. The default is SwissCovid's published value.
    public var higherThreshold = 63
    /// The weight of a near minute; 0 to 100. At least one of the two factors is above 0. The default is SwissCovid's
    /// published value.
    public var factorLow: Double = 1
    /// The weight of a medium minute; 0 to 100. The default is SwissCovid's published value.
    public var factorHigh: Double = 0.5
    /// The weighted minutes of a day from which the risk is increased, inclusive; above 0, up to 1,440. The default
    /// is SwissCovid's published value.
    public var triggerThreshold: Double = 15
    /// The number of days before today beyond which windows are left out, 1 to 365. Android included the tenth day
    /// and iOS did not; Vigil includes it, so that it warns in both cases.
    public var daysToConsider = 10

    /// Creates parameters with SwissCovid's published values, which have no problems.
    public init() {}
}

extension SwissCovidParameters: RiskParameters {
    /// All problems: numbers out of range, thresholds that do not ascend, both factors 0. Empty if there are none.
    public var problems: [RiskProblem] {
        var list = ProblemList()
        list.require(lowerThreshold, in: 0...255, "lowerThreshold")
        list.require(higherThreshold, in: 0...255, "higherThreshold")
        list.require(
            lowerThreshold < higherThreshold, "higherThreshold",
            "is \(higherThreshold); a number above lowerThreshold (\(lowerThreshold)) is needed")
        list.require(factorLow, in: 0...100, "factorLow")
        list.require(factorHigh, in: 0...100, "factorHigh")
        list.require(
            !(factorLow == 0 && factorHigh == 0), "factorLow",
            "is 0, and so is factorHigh: nobody would ever be warned")
        list.require(positive: triggerThreshold, upTo: 1_440, "triggerThreshold")
        list.require(daysToConsider, in: 1...365, "daysToConsider")
        return list.all
    }
}

/// The model of SwissCovid: the seconds of a day by typical attenuation, over all windows. Near and medium seconds
/// are each rounded up to whole minutes, weighted and added. Infectiousness and report type have no weight, because
/// SwissCovid's keys state neither, but windows of infectiousness none are left out.
public struct SwissCovidModel: RiskModel {
    /// The parameters that the model judges by; with ``SwissCovidParameters/problems`` it gives no level where a number
    /// cannot be computed.
    public let parameters: SwissCovidParameters

    /// Creates a model with `parameters`, which are not checked here; see ``RiskParameters/problems``.
    public init(_ parameters: SwissCovidParameters) { self.parameters = parameters }

    /// The model's name, always ``RiskModelName/swissCovid``.
    public var name: RiskModelName { .swissCovid }
    /// The input it needs: exposure windows.
    public var input: RiskInput { .windows }

    /// Judges ``RiskEvidence/windows`` by their age on `today`, in days since 1970, UTC
    /// (``SwissCovidParameters/daysToConsider``); first-generation exposures are ignored.
    ///
    /// Scores are weighted minutes. The level is increased if that of any day is; otherwise it is `nil` if a
    /// parameter is NaN, and else low, also without any windows.
    public func assess(_ evidence: RiskEvidence, today: UInt32) -> RiskAssessment {
        var seconds: [UInt32: [Int]] = [:]
        let entries = evidence.windows.sorted(by: ExposureWindow.precedes).map { window in
            let contribution = contribution(of: window, today: today)
            if contribution.outcome == .counted {
                seconds[window.day] = zip(seconds[window.day] ?? [0, 0, 0], contribution.bands).map {
                    Self.sum($0, $1.seconds)
                }
            }
            return (day: window.day, contribution: contribution)
        }
        let days = DayBook(entries).days.map { day, contributions in
            var verdict = RiskVerdict(
                score: weightedMinutes(seconds[day] ?? [0, 0, 0]), limit: parameters.triggerThreshold)
            // Evidence that was not looked at has no level.
            if seconds[day] == nil { verdict.level = nil }
            return RiskDay(day: day, verdict: verdict, contributions: contributions)
        }
        let warning = days.last { $0.verdict.level == .increased }
        let areNumbers = ![parameters.factorLow, parameters.factorHigh, parameters.triggerThreshold].contains(
            where: \.isNaN)
        return RiskAssessment(
            model: name, unit: .weightedMinutes, level: warning != nil ? .increased : areNumbers ? .low : nil, days: days,
            mostRelevantDay: warning?.day)
    }

    /// Returns the weighted minutes of one day. `seconds` are those below, between and above the thresholds, 0 or
    /// more; the first two are each rounded up to whole minutes and multiplied by their factors, and the third does
    /// not count.
    package func weightedMinutes(_ seconds: [Int]) -> Double {
        let minutes = seconds.prefix(2).map { Double($0 / 60 + ($0 % 60 > 0 ? 1 : 0)) }
        return zip(minutes, [parameters.factorLow, parameters.factorHigh]).reduce(0) { $0 + $1.0 * $1.1 }.settled
    }

    /// Returns the seconds of a window below, between and above the thresholds, by typical attenuation; 0 or more
    /// each.
    package func seconds(of window: ExposureWindow) -> [Int] {
        window.scanInstances.reduce(into: [0, 0, 0]) { result, scan in
            let place =
                scan.typicalAttenuation < parameters.lowerThreshold
                ? 0 : scan.typicalAttenuation < parameters.higherThreshold ? 1 : 2
            result[place] = Self.sum(result[place], scan.countedSeconds)
        }
    }

    private static func sum(_ left: Int, _ right: Int) -> Int {
        let (sum, isTooLarge) = left.addingReportingOverflow(right)
        return isTooLarge ? .max : sum
    }

    private func contribution(of window: ExposureWindow, today: UInt32) -> RiskContribution {
        let seconds = seconds(of: window)
        let bounds: [(from: Int?, below: Int?, weight: Double)] = [
            (nil, parameters.lowerThreshold, parameters.factorLow),
            (parameters.lowerThreshold, parameters.higherThreshold, parameters.factorHigh),
            (parameters.higherThreshold, nil, 0),
        ]
        let bands = zip(bounds, seconds).map {
            RiskContribution.Band(
                from: $0.from.map(Double.init), below: $0.below.map(Double.init), seconds: $1, weight: $0.weight)
        }
        let score = bands.reduce(0) { $0 + Double($1.seconds) * $1.weight } / 60
        let outcome: RiskContribution.Outcome =
            if window.day.isOlder(than: parameters.daysToConsider, today: today) {
                .tooOld
            } else if window.infectiousness == .none {
                // Phones make no window of it.
                .notCounted
            } else {
                .counted
            }
        return RiskContribution(
            bands: bands, infectiousness: window.infectiousness, factor: 1, score: score.isFinite ? score : 0,
            outcome: outcome, confidence: window.calibrationConfidence)
    }
}
