// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Core
import Cryptography
import ExposureRisk
import GAEN
import Interfaces
import KeyExport
import KeyIntake
import Ledger
import Logging
import Matching
import Radio
import RiskConfiguration
import Testing
import TimeTrust
import Trust

/// What the person is told, by rules that an authority signed.
@Suite struct RiskTests {
    private let caller = ExposureServiceBench.caller()
    private let signer: P256.SigningKey
    private let trust: TrustStore
    private let name = KeyName(id: "1", version: "v1")

    init() throws {
        signer = try P256.SigningKey.generate()
        trust = try TrustStore(keys: [TrustedKey(name: name, role: .config, key: signer.verificationKey)])
    }

    // MARK: The scene

    /// A board that takes part, with an encounter of 15 minutes yesterday, and keys compared an hour ago.
    private func bench(_ matches: Match?..., role: BoardProfile = .token) throws -> ExposureServiceBench {
        let bench = try ExposureServiceBench(profile: role, trust: trust)
        let found = matches.compactMap { $0 }
        try bench.ledger.write {
            _ = try $0.merge(found)
            try $0.set("lastMatched", Array("\(ExposureServiceBench.noon - 3_600)".utf8))
        }
        try bench.service.enable(by: caller, at: bench.now)
        return bench
    }

    private func rules(
        version: Int64 = 1, increasedFrom: Double = 600, service: RiskService = .running
    ) throws -> RiskConfiguration {
        let summaries = try #require(
            DailySummariesConfiguration(
                attenuationThresholds: [55, 63, 73], attenuationWeights: [1, 1, 0.5, 0],
                reportTypeWeights: [0, 1, 1, 1, 0, 0], infectiousnessWeights: [0, 1, 2]))
        var parameters = DailySummariesParameters(summaries: summaries)
        parameters.increasedFrom = increasedFrom
        return RiskConfiguration(
            version: version, models: [.dailySummaries(parameters)], mapping: .standard, service: service)
    }

    private func approvals(_ document: [UInt8], by key: P256.SigningKey? = nil) throws -> String {
        let encoder = ExportEncoder(
            startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [ExportEncoder.signatureInfo(for: name)])
        return Base64.string(try encoder.exportSig(for: document, keys: [key ?? signer]))
    }

    @discardableResult
    private func take(
        _ rules: RiskConfiguration, _ service: ExposureService, at now: BootInstant
    ) throws
        -> Risk1.TakeConfigurationReply
    {
        try service.warnings.takeRules(
            Base64.string(rules.document), approvals: try approvals(rules.document), by: caller, at: now)
    }

    // MARK: States

    @Test func withoutRulesNothingIsJudged() throws {
        let bench = try bench(try ExposureServiceBench.match(1))
        bench.pass(.seconds(1))
        let risk = try bench.service.warnings.risk(at: bench.now)
        #expect(risk.state == .unknown && risk.rules == nil && risk.days.isEmpty && !risk.news)
        #expect(bench.service.warnings.rules(at: bench.now).configuration == nil)
    }

    @Test func anEncounterIsAnnouncedOnce() throws {
        let bench = try bench(try ExposureServiceBench.match(1))
        var calls = 0
        bench.service.announcer.listen { if $0 == .risk { calls += 1 } }
        #expect(try take(try rules(), bench.service, at: bench.now).changed)
        bench.pass(.seconds(1))
        let risk = try bench.service.warnings.risk(at: bench.now)
        #expect(risk.state == .increased && risk.news && risk.rules?.version == 1 && risk.rules?.model == .dailySummaries)
        #expect(risk.days.count == 1 && risk.mostRelevantDay == Int(ExposureServiceBench.noon / 86_400) - 1)
        #expect(risk.days.first?.verdict.level == .increased && (risk.days.first?.verdict.score ?? 0) >= 600)
        #expect(calls == 1)
        try bench.service.warnings.acknowledge()
        #expect(try !bench.service.warnings.risk(at: bench.now).news && calls == 2)
        for _ in 0..<5 { bench.pass(.seconds(3_600)) }
        #expect(try bench.service.warnings.risk(at: bench.now).state == .increased)
        #expect(try !bench.service.warnings.risk(at: bench.now).news && calls == 2)
    }

    /// The same ledger under a core that starts anew.
    @Test func whatWasToldSurvivesARestart() throws {
        let bench = try bench(try ExposureServiceBench.match(1))
        try take(try rules(), bench.service, at: bench.now)
        bench.pass(.seconds(1))
        try bench.service.warnings.acknowledge()
        let next = ExposureService(
            bench.beacon, vault: bench.vault, ledger: bench.ledger, trust: trust, policy: .namedKeys,
            program: .failure(IntakeFailure(.programMissing)), log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        next.advance(to: bench.now)
        let risk = try next.warnings.risk(at: bench.now)
        #expect(risk.state == .increased && !risk.news && risk.rules?.version == 1)
    }

    @Test func otherRulesFlipAVerdictAndSaySoOnce() throws {
        let bench = try bench(try ExposureServiceBench.match(1))
        try take(try rules(), bench.service, at: bench.now)
        bench.pass(.seconds(1))
        try bench.service.warnings.acknowledge()
        var calls = 0
        bench.service.announcer.listen { if $0 == .risk { calls += 1 } }
        #expect(try take(try rules(version: 2, increasedFrom: 100_000), bench.service, at: bench.now).changed)
        bench.pass(.seconds(1))
        let risk = try bench.service.warnings.risk(at: bench.now)
        #expect(risk.state == .low && risk.news && risk.days.count == 1 && calls == 1)
        // And back: it is a warning again.
        try bench.service.warnings.acknowledge()
        try take(try rules(version: 3), bench.service, at: bench.now)
        bench.pass(.seconds(1))
        #expect(try bench.service.warnings.risk(at: bench.now).state == .increased)
        #expect(bench.service.warnings.hasNews)
    }

    /// Onset 0 under rules that know the codes 1 and 2: not low, but unknown with its own word, and it is news, once.
    @Test func whatTheRulesCannotJudgeIsUnknownAndNews() throws {
        let bench = try bench(
            try ExposureServiceBench.match(1, onset: 0), try ExposureServiceBench.match(2, onset: 1, minutes: 5))
        var calls = 0
        bench.service.announcer.listen { if $0 == .risk { calls += 1 } }
        var codes = try rules(increasedFrom: 10_000)
        codes.mapping = try #require(DiagnosisKeyMapping(days: [1: .standard, 2: .high], whenOnsetMissing: .none))
        try take(codes, bench.service, at: bench.now)
        bench.pass(.seconds(1))
        let risk = try bench.service.warnings.risk(at: bench.now)
        #expect(risk.state == .unknown && risk.unjudged == 1 && risk.news && calls == 1)
        #expect(risk.sentence.contains("one warning does not say what the health authority's rules need"))
        #expect(risk.rules?.fallback?.contains("1 of the 2 people heard were published with nothing") == true)
        // What could be judged is there to be looked at.
        #expect(risk.days.count == 1 && risk.days.first?.verdict.level == .low)
        try bench.service.warnings.acknowledge()
        bench.pass(.seconds(86_400 / 2))
        #expect(try !bench.service.warnings.risk(at: bench.now).news && calls == 2)
        // What can be judged says increased: that is told, and what cannot be judged beside it.
        codes = try rules(version: 2, increasedFrom: 60)
        codes.mapping = try #require(DiagnosisKeyMapping(days: [1: .standard, 2: .high], whenOnsetMissing: .none))
        try take(codes, bench.service, at: bench.now)
        bench.pass(.seconds(1))
        let increased = try bench.service.warnings.risk(at: bench.now)
        #expect(increased.state == .increased && increased.unjudged == 1 && increased.news)
        // A mapping that names the day as not infectious is a judgement.
        var named = try rules(version: 3, increasedFrom: 10_000)
        named.mapping = try #require(DiagnosisKeyMapping(days: [0: .none, 1: .standard], whenOnsetMissing: .none))
        try take(named, bench.service, at: bench.now)
        bench.pass(.seconds(1))
        let low = try bench.service.warnings.risk(at: bench.now)
        #expect(low.state == .low && low.unjudged == nil)
    }

    @Test func aRevokedKeyTakesTheWarningBack() throws {
        let met = try #require(try ExposureServiceBench.match(1, type: .selfReport))
        let bench = try bench(met)
        try take(try rules(), bench.service, at: bench.now)
        bench.pass(.seconds(1))
        try bench.service.warnings.acknowledge()
        let revoked = try #require(try ExposureServiceBench.match(1, type: .revoked))
        try bench.ledger.write { _ = try $0.merge([revoked]) }
        // As after files were matched: something has happened.
        _ = try bench.service.setTime(ExposureServiceBench.noon * 1_000, by: caller, at: bench.now)
        bench.pass(.seconds(1))
        let risk = try bench.service.warnings.risk(at: bench.now)
        #expect(risk.state == .low && risk.news && risk.days.isEmpty)
    }

    @Test func oldKeysSayNothingAboutToday() throws {
        let bench = try bench(try ExposureServiceBench.match(1))
        try take(try rules(), bench.service, at: bench.now)
        bench.pass(.seconds(1))
        try bench.service.warnings.acknowledge()
        for _ in 0..<50 { bench.pass(.seconds(3_600)) }
        let risk = try bench.service.warnings.risk(at: bench.now)
        #expect(risk.state == .outdated && risk.news && risk.days.count == 1)
    }

    @Test func neverComparedIsNotLow() throws {
        let bench = try ExposureServiceBench(trust: trust)
        try take(try rules(), bench.service, at: bench.now)
        bench.pass(.seconds(1))
        #expect(try bench.service.warnings.risk(at: bench.now).state == .inactive)
        try bench.service.enable(by: caller, at: bench.now)
        bench.pass(.seconds(1))
        #expect(try bench.service.warnings.risk(at: bench.now).state == .unknown)
    }

    @Test func aPlaceHasNoRisk() throws {
        let bench = try bench(try ExposureServiceBench.match(1), role: .kiosk)
        try take(try rules(), bench.service, at: bench.now)
        bench.pass(.seconds(1))
        #expect(#expect(throws: Refusal.self) { try bench.service.warnings.risk(at: bench.now) }?.name == "WrongRole")
        #expect(#expect(throws: Refusal.self) { try bench.service.warnings.acknowledge() }?.name == "WrongRole")
        #expect(
            #expect(throws: Refusal.self) { try bench.service.warnings.contributions(day: nil, at: bench.now) }?.name
                == "WrongRole")
        #expect(!bench.service.warnings.hasNews)
    }

    // MARK: Rules

    @Test func rulesThatAreNotTheAuthoritysChangeNothing() throws {
        let bench = try bench()
        try take(try rules(version: 5), bench.service, at: bench.now)
        func refusal(_ document: [UInt8], _ approvals: String) -> String? {
            #expect(throws: Refusal.self) {
                try bench.service.warnings.takeRules(
                    Base64.string(document), approvals: approvals, by: caller, at: bench.now)
            }?.parameters.rule
        }
        let next = try rules(version: 6).document
        let stranger = try P256.SigningKey.generate()
        #expect(refusal(next, try approvals(next, by: stranger)) == "notSigned")
        #expect(refusal(next + [32], try approvals(next)) == "notSigned")
        let older = try rules(version: 4).document
        #expect(refusal(older, try approvals(older)) == "older")
        let other = try rules(version: 5, increasedFrom: 7).document
        #expect(refusal(other, try approvals(other)) == "contradiction")
        let wrong = Array(#"{"vigilRisk":1,"version":7,"models":[]}"#.utf8)
        #expect(refusal(wrong, try approvals(wrong)) == "invalid")
        let large = [UInt8](repeating: 32, count: 30_000)
        #expect(refusal(large, try approvals(large)) == "tooLarge")
        #expect(
            #expect(throws: Refusal.self) {
                try bench.service.warnings.takeRules("*", approvals: "", by: caller, at: bench.now)
            }?.parameters.rule == "notBase64")
        #expect(
            bench.service.warnings.rules(at: bench.now).configuration
                == String(decoding: try rules(version: 5).document, as: UTF8.self))
        #expect(try !take(try rules(version: 5), bench.service, at: bench.now).changed)
    }

    // MARK: The service

    /// The Corona-Warn-App's first model calls nothing low before a day of listening.
    @Test func theFirstGenerationWaitsForADayOfListening() throws {
        let scores = try #require(
            ExposureConfigurationV1(
                minimumRiskScore: 11, attenuationScores: [0, 2, 2, 2, 2, 2, 2, 2], daysScores: [5, 5, 5, 5, 5, 5, 5, 5],
                durationScores: [0, 0, 0, 1, 1, 1, 1, 1], transmissionRiskScores: [0, 0, 3, 4, 5, 6, 7, 8],
                durationThresholds: (55, 63)))
        var parameters = CWAFirstParameters(exposures: scores)
        parameters.classes = [.init(level: .low, min: 0, max: 15), .init(level: .increased, min: 15, max: 9_999)]
        func rules(_ version: Int64) -> RiskConfiguration {
            RiskConfiguration(version: version, models: [.cwaFirst(parameters)], mapping: .standard)
        }
        let bench = try bench()
        try take(rules(1), bench.service, at: bench.now)
        bench.pass(.seconds(1))
        let early = try bench.service.warnings.risk(at: bench.now)
        #expect(early.state == .unknown && early.sentence.contains("0 hours") && !early.news)
        try bench.ledger.write {
            for ago in 1...24 {
                var hour = EvidenceHour(hour: UInt32(ExposureServiceBench.noon / 3_600) - UInt32(ago))
                hour.scans = 10
                try $0.record(hour)
            }
        }
        try take(rules(2), bench.service, at: bench.now)
        bench.pass(.seconds(1))
        #expect(try bench.service.warnings.risk(at: bench.now).state == .low)
    }

    @Test func aPauseSaysSoAndJudgesNothing() throws {
        let bench = try bench(try ExposureServiceBench.match(1))
        try take(try rules(service: .paused(words: nil)), bench.service, at: bench.now)
        bench.pass(.seconds(1))
        let risk = try bench.service.warnings.risk(at: bench.now)
        #expect(risk.state == .paused && risk.news && risk.days.isEmpty && risk.rules == nil)
        #expect(bench.beacon.isEnabled)
        try take(try rules(version: 2), bench.service, at: bench.now)
        bench.pass(.seconds(1))
        #expect(try bench.service.warnings.risk(at: bench.now).state == .increased)
    }

    @Test func theEndOfServiceIsSilenceAtOnceAndCannotBeSwitchedOnAgain() throws {
        let bench = try bench(try ExposureServiceBench.match(1))
        let day = CivilDate(day: ExposureServiceBench.noon / 86_400 + 30)
        try take(try rules(service: .ended(eraseOn: day, words: nil)), bench.service, at: bench.now)
        bench.pass(.seconds(1))
        let risk = try bench.service.warnings.risk(at: bench.now)
        #expect(risk.state == .ended && risk.news && risk.eraseFrom == day.dayNumber * 86_400)
        #expect(!bench.beacon.isEnabled && !bench.service.wasReset)
        #expect(#expect(throws: Refusal.self) { try bench.service.enable(by: caller, at: bench.now) }?.name == "NotEnabled")
    }

    // MARK: Why

    @Test func theExplanationAddsUp() throws {
        let bench = try bench(try ExposureServiceBench.match(1), try ExposureServiceBench.match(2, minutes: 5))
        try take(try rules(), bench.service, at: bench.now)
        bench.pass(.seconds(1))
        let day = try #require(try bench.service.warnings.risk(at: bench.now).days.first)
        let parts = try bench.service.warnings.contributions(day: day.day, at: bench.now)
        #expect(parts.count >= 2 && parts.allSatisfy { $0.outcome == .counted && $0.day == day.day })
        #expect(abs(parts.map(\.score).reduce(0, +) - day.verdict.score) < 1e-6)
        for part in parts {
            let weighted = part.bands.reduce(0) { $0 + Double($1.seconds) * $1.weight }
            #expect(abs(weighted * part.factor - part.score) < 1e-6)
        }
        #expect(try bench.service.warnings.contributions(day: day.day - 3, at: bench.now).isEmpty)
    }
}
