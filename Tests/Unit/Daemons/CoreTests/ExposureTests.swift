// SPDX-License-Identifier: Apache-2.0

import Core
import GAEN
import Interfaces
import KeyIntake
import Ledger
import Matching
import Radio
import Simulation
import TestKit
import Testing
import TimeTrust
import VirtualAir

@Suite struct ExposureTests {
    private let caller = ExposureServiceBench.caller()

    private func bench(_ matches: Match?...) throws -> ExposureServiceBench {
        let bench = try ExposureServiceBench()
        let found = matches.compactMap { $0 }
        try bench.ledger.write { try $0.merge(found) }
        return bench
    }

    @Test func windowsAreDerivedUnderTheMappingThatHolds() throws {
        let bench = try bench(try ExposureServiceBench.match(1, onset: 0), try ExposureServiceBench.match(2, onset: 9))
        #expect(try bench.service.windows(at: bench.now).map(\.infectiousness) == [.standard, .standard])
        // Day 9 after the onset becomes harmless, day 0 the worst.
        var days = [Exposure1.Infectiousness](repeating: .none, count: 29)
        days[14] = .high
        let mapping = Exposure1.DiagnosisKeysDataMapping(
            daysSinceOnsetToInfectiousness: days, infectiousnessWhenDaysSinceOnsetMissing: .standard,
            reportTypeWhenMissing: .confirmedTest)
        #expect(try bench.service.setMapping(mapping, by: caller, at: bench.now))
        #expect(try bench.service.windows(at: bench.now).map(\.infectiousness) == [.high])
        #expect(try bench.service.mapping(at: bench.now).mapping == mapping)
    }

    @Test func theMappingChangesOnceInSevenDays() throws {
        let bench = try bench()
        func mapping(_ type: Exposure1.ReportType) -> Exposure1.DiagnosisKeysDataMapping {
            .init(
                daysSinceOnsetToInfectiousness: Array(repeating: .high, count: 29),
                infectiousnessWhenDaysSinceOnsetMissing: .standard, reportTypeWhenMissing: type)
        }
        #expect(try bench.service.setMapping(mapping(.selfReport), by: caller, at: bench.now))
        // What holds already costs nothing.
        #expect(try bench.service.setMapping(mapping(.selfReport), by: caller, at: bench.now))
        let refusal = #expect(throws: Refusal.self) {
            try bench.service.setMapping(mapping(.confirmedTest), by: caller, at: bench.now)
        }
        #expect(refusal?.parameters.nextPermitted == ExposureServiceBench.noon + 7 * 86_400)
        // A clock that was a year ahead binds for seven days from now, not for a year.
        bench.set(ExposureServiceBench.noon - 60)
        let again = #expect(throws: Refusal.self) {
            try bench.service.setMapping(mapping(.confirmedTest), by: caller, at: bench.now)
        }
        #expect(again?.parameters.nextPermitted == ExposureServiceBench.noon - 60 + 7 * 86_400)
        bench.set(ExposureServiceBench.noon - 60 + 7 * 86_400)
        #expect(try bench.service.setMapping(mapping(.confirmedTest), by: caller, at: bench.now))
        #expect(try bench.service.mapping(at: bench.now).mapping.reportTypeWhenMissing == .confirmedTest)
    }

    @Test func anIncompleteMappingIsRefused() throws {
        let bench = try bench()
        let mapping = Exposure1.DiagnosisKeysDataMapping(
            daysSinceOnsetToInfectiousness: [.high], infectiousnessWhenDaysSinceOnsetMissing: .standard,
            reportTypeWhenMissing: .confirmedTest)
        #expect(try !bench.service.setMapping(mapping, by: caller, at: bench.now))
    }

    @Test func aRevocationTakesTheWindowsBack() throws {
        let bench = try bench(try ExposureServiceBench.match(1, type: .clinicalDiagnosis))
        #expect(try bench.service.windows(at: bench.now).map(\.reportType) == [.confirmedClinicalDiagnosis])
        let confirmed = try #require(try ExposureServiceBench.match(1, type: .confirmedTest))
        try bench.ledger.write { try $0.merge([confirmed]) }
        #expect(try bench.service.windows(at: bench.now).map(\.reportType) == [.confirmedTest])
        let other = try bench.ledger.matches()
        #expect(other.count == 1)
        // What a test confirmed cannot be taken back any more; anything less can.
        let bench2 = try self.bench(
            try ExposureServiceBench.match(1, type: .selfReport), try ExposureServiceBench.match(1, type: .revoked))
        #expect(try bench2.service.windows(at: bench2.now).isEmpty)
    }

    @Test func oldWindowsAreNotToldEvenWhereNothingMayBeDeleted() throws {
        let bench = try bench(try ExposureServiceBench.match(1))
        #expect(try bench.service.windows(at: bench.now).count == 1)
        bench.set(ExposureServiceBench.noon + 14 * 86_400)
        #expect(try bench.service.windows(at: bench.now).isEmpty)
        let eights = [1, 2, 3, 4, 5, 6, 7, 8]
        let configuration = Exposure1.ExposureConfiguration(
            minimumRiskScore: 1, attenuationScores: eights, daysSinceLastExposureScores: eights, durationScores: eights,
            transmissionRiskScores: eights)
        #expect(try bench.service.summary(configuration, at: bench.now)?.matchedKeyCount == 0)
        #expect(try bench.service.information(configuration, at: bench.now)?.isEmpty == true)
        #expect(try bench.service.status(for: caller, at: bench.now).matchCount == 0)
        #expect(try bench.ledger.matchCount() == 1)
    }

    @Test func summariesOfBothGenerations() throws {
        let bench = try bench(try ExposureServiceBench.match(1))
        let days = try #require(
            try bench.service.dailySummaries(
                .init(
                    attenuationThresholds: [55, 70, 80], attenuationWeights: [2, 1, 0.5, 0],
                    reportTypeWeights: .init(confirmedTest: 1, confirmedClinicalDiagnosis: 1, selfReport: 1),
                    standardInfectiousnessWeight: 1, highInfectiousnessWeight: 2), at: bench.now))
        // Four scans of five minutes at 50 dB, immediate.
        #expect(days.map(\.total.weightedDurationSum) == [2 * 4 * 300])
        let eights = [1, 2, 3, 4, 5, 6, 7, 8]
        let configuration = Exposure1.ExposureConfiguration(
            minimumRiskScore: 1, attenuationScores: eights, daysSinceLastExposureScores: eights, durationScores: eights,
            transmissionRiskScores: eights)
        let summary = try #require(try bench.service.summary(configuration, at: bench.now))
        #expect(summary.matchedKeyCount == 1)
        #expect(summary.daysSinceLastExposure == 1)
        #expect(try bench.service.information(configuration, at: bench.now)?.count == 1)
        var wrong = configuration
        wrong.attenuationScores = [9]
        #expect(try bench.service.summary(wrong, at: bench.now) == nil)
        // 1 to 4096, as the interface's text says.
        for (minimum, isTaken) in [(0, false), (1, true), (4_096, true), (4_097, false), (.max, false), (.min, false)] {
            var other = configuration
            other.minimumRiskScore = minimum
            #expect(try (bench.service.summary(other, at: bench.now) != nil) == isTaken, "\(minimum)")
        }
    }

    // MARK: Limits

    private func attempts(
        _ bench: ExposureServiceBench, _ reading: Caller.Reading, spool: Spool, most: Int = 300
    ) throws -> Int {
        let caller = ExposureServiceBench.caller(reading, spool: spool)
        for count in 0..<most {
            do { _ = try bench.service.provide(["a.zip"], by: caller, at: bench.now) } catch let refusal {
                #expect(refusal.name == "LimitReached")
                #expect(refusal.parameters.nextPermitted == ExposureServiceBench.noon / 86_400 * 86_400 + 86_400)
                return count
            }
            // There is no such file, so the job ends at once; the attempt counts all the same.
            while try bench.service.status(for: caller, at: bench.now).matching { bench.service.advanceJob(at: bench.now) }
        }
        return most
    }

    @Test(arguments: [(Caller.Reading.windows, 6), (.summaries, 20), (.nothing, 200)])
    func whoMayReadMayTryLessOften(reading: Caller.Reading, permitted: Int) throws {
        let folder = try TemporaryFolder()
        let bench = try bench()
        try bench.service.enable(by: caller, at: bench.now)
        let spool = try Spool(path: folder.path)
        #expect(try attempts(bench, reading, spool: spool) == permitted)
        let limit = try bench.service.status(for: ExposureServiceBench.caller(reading), at: bench.now).limit
        #expect(limit.used == permitted)
        #expect(limit.nextPermitted != nil)
        // The next UTC day is another one; the day that comes back is the same.
        bench.set(ExposureServiceBench.noon + 43_200)
        #expect(try bench.service.status(for: ExposureServiceBench.caller(reading), at: bench.now).limit.used == 0)
        bench.set(ExposureServiceBench.noon + 60)
        #expect(try bench.service.status(for: ExposureServiceBench.caller(reading), at: bench.now).limit.used == permitted)
    }

    @Test func aDisabledDeviceTakesNoFiles() throws {
        let bench = try bench()
        let refusal = #expect(throws: Refusal.self) { try bench.service.provide(["a"], by: caller, at: bench.now) }
        #expect(refusal?.name == "NotEnabled")
    }

    @Test func fourCallsMayWait() throws {
        let folder = try TemporaryFolder()
        let bench = try bench()
        try bench.service.enable(by: caller, at: bench.now)
        let caller = ExposureServiceBench.caller(.nothing, spool: try Spool(path: folder.path))
        for _ in 0..<4 { _ = try bench.service.provide(["a"], by: caller, at: bench.now) }
        let refusal = #expect(throws: Refusal.self) { try bench.service.provide(["a"], by: caller, at: bench.now) }
        #expect(refusal?.name == "Busy")
    }

    // MARK: Events and evidence

    @Test func everyChangeIsTold() throws {
        let bench = try bench()
        var events: [Exposure1.Event] = []
        bench.service.announcer.listen { if case .event(let event) = $0 { events.append(event) } }
        bench.service.advance(to: bench.now)
        try bench.service.enable(by: caller, at: bench.now)
        bench.service.advance(to: bench.now)
        _ = try bench.service.setTime((ExposureServiceBench.noon + 5) * 1_000, by: caller, at: bench.now)
        let ticket = try bench.service.giveConsent(.releaseKeys, by: caller, at: bench.now).ticket
        _ = try bench.service.takeKeys(ticket: ticket, by: caller, at: bench.now)
        try bench.service.setRole(.place, by: caller, at: bench.now)
        try bench.service.disable(by: caller, at: bench.now)
        #expect(events == [.enabled, .stateChanged, .timeChanged, .consentGiven, .keysReleased, .roleChanged, .disabled])
    }

    @Test func evidenceIsKeptByTheHourAndAtTheEnd() throws {
        let bench = try Bench(clock: Bench.right)
        let service = try bench.service()
        for _ in 0..<150 {
            bench.run(for: .seconds(60))
            service.advance(to: bench.now)
        }
        service.stop(at: bench.now)
        let hours = try service.evidence(since: nil, at: bench.now)
        #expect(hours.map(\.start) == [0, 1, 2].map { Bench.epoch + $0 * 3_600 })
        // Of 150 minutes, all but moments: an identifier every 10 to 20 minutes, a scan every 211 to 300 s.
        #expect((8_900...9_000).contains(hours.map(\.secondsOnAir).reduce(0, +)))
        #expect((8...15).contains(hours.map(\.rotationCount).reduce(0, +)))
        #expect((30...43).contains(hours.map(\.scanCount).reduce(0, +)))
        #expect(hours.map(\.quietScanCount) == hours.map(\.scanCount))
        #expect(try service.evidence(since: Bench.epoch + 1, at: bench.now).count == 2)
        // Whatever a caller gives.
        for since in [Int64.max, Int64.max - 1, Int64.max - 3_600] {
            #expect(try service.evidence(since: since, at: bench.now).isEmpty)
        }
        for since: Int64 in [.min, -1, 0] { #expect(try service.evidence(since: since, at: bench.now) == hours) }
    }

    @Test func aMomentsSilenceIsNoTroubleAndAControllerThatIsGoneIs() throws {
        let bench = try Bench(clock: Bench.right)
        let service = try bench.service()
        var events: [Exposure1.Event] = []
        bench.run(for: .seconds(5))
        service.advance(to: bench.now)
        service.announcer.listen { if case .event(let event) = $0 { events.append(event) } }
        bench.air.apply(Fault(.vanish, for: .seconds(60)), to: bench.port.node)
        bench.run(for: .milliseconds(500))
        service.advance(to: bench.now)
        #expect(events.isEmpty)
        bench.run(for: .seconds(2))
        service.advance(to: bench.now)
        #expect(events == [.stateChanged])
    }
}
