// SPDX-License-Identifier: Apache-2.0

import Interfaces
import KeyExport
import LabKit
import Ledger
import Logging
import Radio
import Testing
import TimeTrust
import Trust

@testable import Core

/// Warnings, and the counts behind them, without the rest of the exposure service.
@Suite struct WarningServiceTests {
    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private let bench: ExposureServiceBench
    private let ledger: Ledger
    private let roles: RoleState
    private let announcer = Announcer()
    private let evidence: EvidenceAccount
    private let warnings: WarningService

    init() throws {
        bench = try ExposureServiceBench()
        ledger = try Ledger(path: nil, keys: MemoryLedgerKeys())
        roles = RoleState(ledger, profile: .person)
        evidence = EvidenceAccount(ledger, of: bench.beacon, log: Self.log)
        let standard = AuthoritySource(standard: try TrustStore(keys: []), policy: .namedKeys)
        warnings = WarningService(
            RiskState.load(ledger, [standard]).0, beacon: bench.beacon, ledger: ledger, roles: roles,
            freshness: FreshnessAccount(ledger), evidence: evidence,
            audit: AuditWriter(ledger, clock: { _ in ExposureServiceBench.noon }, log: Self.log), announcer: announcer,
            log: Self.log)
    }

    @Test func withoutRulesNothingIsJudgedAndNobodyIsCalledLow() throws {
        bench.beacon.enable(at: bench.now)
        warnings.advance(at: bench.now)
        let risk = try warnings.risk(at: bench.now)
        #expect(risk.state == .unknown && risk.rules == nil && !risk.news)
        #expect(warnings.rules(at: bench.now).version == 0)
    }

    @Test func whatWasSeenIsNoNewsAnyMoreAndStaysSo() throws {
        var told: [Announcer.News] = []
        announcer.listen { told.append($0) }
        warnings.state.record.news = true
        #expect(warnings.hasNews)
        try warnings.acknowledge()
        try warnings.acknowledge()
        #expect(!warnings.hasNews && told == [.risk], "told once")
        let kept = try #require(try ledger.setting(RiskRecord.setting).flatMap(RiskRecord.init))
        #expect(!kept.news)
    }

    @Test func aPlaceHasNoRisk() throws {
        warnings.state.record.news = true
        try ledger.write { try roles.store(.place, $0) }
        #expect(throws: Refusal.self) { try warnings.risk(at: bench.now) }
        #expect(throws: Refusal.self) { try warnings.acknowledge() }
        #expect(!warnings.hasNews)
    }

    @Test func theHourUnderWayIsShownAndKeptWhenItIsOver() throws {
        let noon = ExposureServiceBench.noon
        #expect(!evidence.record(at: bench.now, isLast: false))
        bench.beacon.tally.troubles += 2
        #expect(try evidence.hours(since: noon, at: bench.now).map(\.troubles) == [2])
        #expect(try ledger.evidence(from: 0, to: .max).isEmpty)
        bench.pass(.seconds(3_700))
        #expect(evidence.record(at: bench.now, isLast: false))
        #expect(try ledger.evidence(from: 0, to: .max).map(\.troubles) == [2])
        bench.beacon.tally.troubles += 1
        #expect(evidence.record(at: bench.now, isLast: true), "the end keeps what there is")
        #expect(try evidence.hours(since: noon, at: bench.now).map(\.troubles) == [2, 1])
        #expect(try evidence.hours(since: noon + 1, at: bench.now).map(\.troubles) == [1], "hours that begin later")
    }
}
