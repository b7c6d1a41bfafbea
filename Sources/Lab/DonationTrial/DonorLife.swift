// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Donation

/// How a person has a board: when they agree, when it is off, its firmware, whom they meet. Drawn once; times are in Unix seconds.
struct DonorLife {
    /// An encounter, and when the board knows of it.
    private struct Encounter {
        let known: Double
        let window: DonatedWindow
    }

    /// When the wearer agrees; `nil` if never.
    let consent: Double?
    /// When the wearer agrees to the survey; `nil` if never.
    let survey: Double?
    /// When the board is set up; with the flaw `atOnce`, which knows no cover, when its wearer agrees.
    let begins: Double
    /// By how much the board's clock is ahead.
    let clockOffset: Double
    /// How long the plugin takes to start, give or take: it depends on the board.
    let startSeconds: Double
    /// What evidence says of the hardware.
    let hardware: String
    private let off: [Range<Double>]
    private let update: Double
    private let increased: Range<Double>?
    private let encounters: [Encounter]

    init(_ settings: DonationTrialSettings, start: Double, using random: inout SeededNumbers) {
        let (day, days) = (86_400.0, Double(settings.days))
        let window = Double(min(max(1, settings.consentDays), settings.days)) * day
        consent =
            random.chance(settings.consenting) ? start + .random(in: 0..<window, using: &random) : nil
        begins =
            settings.flaw == .atOnce
            ? consent ?? .infinity : start + .random(in: 0..<min(2, Double(settings.days)) * day, using: &random)
        clockOffset = .random(in: -1...1, using: &random)
        startSeconds = .random(in: 0.35...0.6, using: &random)
        hardware = random.chance(0.7) ? "raspberry-pi-zero-2w" : "radxa-zero"
        off = Self.off(settings.days, start, using: &random)
        // In the middle, over three days; some never.
        update =
            random.chance(0.05) ? .infinity : start + days * day / 2 + .random(in: 0..<3 * day, using: &random)
        if random.chance(0.15) {
            let first = start + .random(in: 0..<days * day, using: &random)
            increased = first..<first + .random(in: 7 * day...14 * day, using: &random)
        } else {
            increased = nil
        }
        encounters = settings.hasEncounters ? Self.encounters(settings.days, start, using: &random) : []
        survey =
            settings.hasSurvey && random.chance(settings.surveying) ? start + .random(in: 0..<window, using: &random) : nil
    }

    // MARK: Power

    /// A fifth sleep without it; some leave it in a drawer for days.
    private static func off(_ days: Int, _ start: Double, using random: inout SeededNumbers) -> [Range<Double>] {
        var ranges: [Range<Double>] = []
        if random.chance(0.2) {
            let bedtime = Double.random(in: 20...23, using: &random) * 3_600
            for day in -1..<days {
                let from = start + Double(day) * 86_400 + bedtime + .random(in: -1_800...1_800, using: &random)
                ranges.append(from..<from + .random(in: 6 * 3_600...9 * 3_600, using: &random))
            }
        }
        if random.chance(0.15) {
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                let from = start + .random(in: 0..<Double(days) * 86_400, using: &random)
                ranges.append(from..<from + .random(in: 86_400...4 * 86_400, using: &random))
            }
        }
        return ranges
    }

    /// When the board is switched on again, if it is off at `time`; `nil` if it is on.
    func isOffUntil(_ time: Double) -> Double? {
        var end: Double?
        while let range = off.first(where: { $0.contains(end ?? time) }) { end = range.upperBound }
        return end
    }

    // MARK: What there is to tell

    /// The firmware's version: two in a trial.
    func version(at time: Double) -> (major: UInt32, minor: UInt32) { (1, time < update ? 4 : 5) }

    /// What the board has to donate.
    func facts(at time: Double) -> DonationFacts {
        let today = UTCDay(containing: Int64(time)).number
        return DonationFacts(
            isIncreased: increased?.contains(time) ?? false,
            windows: encounters.filter { $0.known <= time && $0.window.day > today - 14 }.map(\.window))
    }

    /// None to four a day, of a few minutes to half an hour and more; each is known when the other's keys are published, up to three days later.
    private static func encounters(_ days: Int, _ start: Double, using random: inout SeededNumbers) -> [Encounter] {
        let shares: [Double] = [0.55, 0.25, 0.12, 0.05, 0.03]
        var all: [Encounter] = []
        for day in 0..<days {
            var draw = Double.random(in: 0..<1, using: &random)
            var count = 0
            while count < 4, draw >= shares[count] {
                draw -= shares[count]
                count += 1
            }
            let morning = start + Double(day) * 86_400
            for _ in 0..<count {
                let known = morning + 86_400 + .random(in: 0..<3 * 86_400, using: &random)
                all.append(
                    Encounter(known: known, window: window(UTCDay(containing: Int64(morning)).number, using: &random)))
            }
        }
        return all
    }

    /// A walk of signal strengths around that of a distance.
    private static func window(_ day: Int64, using random: inout SeededNumbers) -> DonatedWindow {
        let far = Double.random(in: 45...85, using: &random)
        let scans = (0..<Int.random(in: 1...9, using: &random)).map { _ in
            let typical = Int(far + .random(in: -8...8, using: &random))
            return DonatedWindow.Scan(
                typical: typical, least: typical - .random(in: 0...9, using: &random),
                seconds: .random(in: 120...330, using: &random))
        }
        let report: DonatedWindow.Report = random.chance(0.85) ? .confirmedTest : .selfReport
        return DonatedWindow(
            day: day, report: report, isHighlyInfectious: random.chance(0.4),
            confidence: .random(in: 1...3, using: &random), scans: scans)
    }
}
