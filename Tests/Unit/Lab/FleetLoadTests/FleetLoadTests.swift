// SPDX-License-Identifier: Apache-2.0

import FleetLoad
import JSON
import SyncPlan
import Testing

/// Smaller fleets; `vigil-lab fleet-load` runs the million.
@Suite struct FleetLoadTests {
    // 333 runs per minute: five standard deviations are 27 %.
    private let clients = 20_000

    @Test func aDayIsFlat() throws {
        let trial = try #require(FleetLoadTrial("day", clients: clients, seed: 3, window: 600))
        #expect(trial.holds, "\(trial.multiple)")
        // Each board once per hour, less the few whose run crosses the hour.
        #expect(trial.report.meanMinute > trial.report.usualPerMinute * 0.98)
        #expect(trial.report.meanMinute <= trial.report.usualPerMinute * 1.01)
        let hours = stride(from: 0, to: 1_440, by: 60).map { trial.report.perMinute[$0..<($0 + 60)].reduce(0, +) }
        #expect(hours.allSatisfy { abs(Double($0) - Double(clients)) < Double(clients) * 0.02 })
    }

    @Test(arguments: [120, 600, 1_800] as [Int64])
    func aWakeMessageIsSpreadOverItsWindow(_ window: Int64) throws {
        let trial = try #require(FleetLoadTrial("wake", clients: clients, seed: 4, window: window))
        #expect(trial.holds, "\(trial.multiple)")
        let report = trial.report
        // Everybody came: within the window, the delivery and a second.
        let woken = report.perSecond[3_660..<(3_660 + Int(window) + 11)].reduce(0) { $0 + Int($1) }
        #expect(woken >= clients)
        // And asks no more than usual afterwards.
        let after = report.perMinute[(61 + Int(window) / 60 + 2)..<120]
        #expect(after.allSatisfy { Double($0) < report.usualPerMinute * 1.3 })
    }

    @Test func wakeMessagesEveryHourDoNotDoubleTheLoad() throws {
        let trial = try #require(FleetLoadTrial("hourly-wakes", clients: clients, seed: 5, window: 600))
        #expect(trial.holds, "\(trial.multiple)")
        #expect(trial.report.meanMinute < trial.report.usualPerMinute * 1.2)
    }

    @Test func afterABlackoutEveryMinuteIsAnOrdinaryOne() throws {
        let trial = try #require(FleetLoadTrial("cold-start", clients: clients, seed: 6, window: 600))
        #expect(trial.holds, "\(trial.multiple)")
        let report = trial.report
        // Off from 00:20 to 02:20.
        #expect(report.perMinute[20..<140].allSatisfy { $0 == 0 })
        #expect(report.perMinute[140..<200].reduce(0, +) >= clients)
        #expect(
            report.perMinute[140...].allSatisfy { abs(Double($0) - report.usualPerMinute) < report.usualPerMinute * 0.3 })
    }

    /// The rule of `SyncSchedule.succeeded` that makes it so: without it the first 20 minutes of the next hour got 1.67 times the usual.
    @Test(arguments: [0, 600, 1_200, 2_400, 3_540] as [Int64])
    func itDoesNotMatterWhenInTheHourThePowerComesBack(_ phase: Int64) {
        var plan = FleetLoadPlan.day(clients: clients, seed: 7)
        plan.duration = 6 * 3_600
        plan.events = [.blackout(from: 60, to: 2 * 3_600 + phase, share: 1, keepsState: false)]
        let report = FleetLoadReport(running: plan)
        let from = Int(120 + phase / 60) + 1
        let tens = stride(from: from, to: 350, by: 10).map { report.perMinute[$0..<($0 + 10)].reduce(0, +) }
        // Ten minutes: 3,333 expected, six standard deviations are a tenth.
        #expect(tens.allSatisfy { abs(Double($0) / 10 - report.usualPerMinute) < report.usualPerMinute * 0.1 }, "\(tens)")
    }

    @Test func theOtherSituationsKeepTheirBounds() throws {
        for name in ["short-blackout", "outage"] {
            let trial = try #require(FleetLoadTrial(name, clients: clients, seed: 8, window: 600))
            #expect(trial.holds, "\(name): \(trial.multiple)")
        }
    }

    /// The worst of a short blackout, and why its bound is 2.
    @Test func whoMissedATurnComesOnTopOfTheOthers() {
        var plan = FleetLoadPlan.day(clients: clients, seed: 11)
        plan.duration = 6 * 3_600
        plan.events = [.blackout(from: 2 * 3_600, to: 2 * 3_600 + 3_000, share: 1, keepsState: true)]
        let report = FleetLoadReport(running: plan)
        let dense = Double(report.perMinute[170..<180].reduce(0, +)) / 10 / report.usualPerMinute
        #expect((1.7...1.95).contains(dense), "\(dense)")
        let rest = report.perMinute[180...].map { Double($0) / report.usualPerMinute }
        #expect(rest.allSatisfy { $0 < 1.4 }, "\(rest.max() ?? 0)")
    }

    @Test func theSameSeedGivesTheSameFleet() {
        let first = FleetLoadReport(running: .wake(window: 300, clients: 2_000, seed: 9))
        let second = FleetLoadReport(running: .wake(window: 300, clients: 2_000, seed: 9))
        #expect(first.perSecond == second.perSecond)
        #expect(first.perSecond != FleetLoadReport(running: .wake(window: 300, clients: 2_000, seed: 10)).perSecond)
        #expect(first.json(name: "wake")["perMinute"]?.array?.count == 180)
    }

    @Test func chartsAreWellFormedAndSmall() {
        var chart = SVGChart(title: "a < b & c", values: [Int](repeating: 5, count: 1_440))
        chart.addLine(at: 7, "limit")
        let svg = chart.svg
        #expect(svg.hasPrefix("<svg") && svg.hasSuffix("</svg>\n") && svg.utf8.count < 8_000)
        #expect(svg.contains("a &lt; b &amp; c") && svg.contains("21:00"))
        #expect(SVGChart(title: "", values: []).svg.hasSuffix("</svg>\n"))
    }
}
