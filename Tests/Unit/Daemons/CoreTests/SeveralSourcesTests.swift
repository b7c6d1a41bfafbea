// SPDX-License-Identifier: Apache-2.0

import AuthorityProfile
import CivilTime
import Core
import Cryptography
import ExposureRisk
import GAEN
import Interfaces
import KeyArchive
import KeyExport
import KeyIntake
import Ledger
import Logging
import Matching
import RiskConfiguration
import Testing
import TimeTrust
import Trust

/// Several health authorities at once: signed files, reader, matching, ledger, judgement and sentence, as the core does it.
@Suite struct SeveralSourcesTests {
    /// An authority that publishes codes in place of onsets, as the Corona-Warn-App's does; one that publishes real days; and a third.
    private final class Office {
        let name: String
        let exports: P256.SigningKey
        let rules: P256.SigningKey
        let region: String
        let document: RiskConfiguration?

        init(_ name: String, region: String, document: RiskConfiguration? = nil) throws {
            exports = try P256.SigningKey.generate()
            rules = try P256.SigningKey.generate()
            self.name = name
            self.region = region
            self.document = document
        }

        func profile(
            _ status: AuthorityProfile.Status = .running, hasRules: Bool = true, form: RuleForm = .vigil
        ) -> AuthorityProfile {
            AuthorityProfile(
                name: name, title: ["en": "Office \(name)"], status: status, region: region,
                keys: [
                    .init(id: "262", version: "v1", role: .export, key: exports.verificationKey),
                    .init(id: "262", version: "v1", role: .rules, key: rules.verificationKey),
                ],
                rules: !hasRules
                    ? nil : document.map { .init(form: .profile, document: $0) } ?? .init(form: form))
        }

        /// A signed file of keys, of the hour before `end`.
        func file(_ keys: [DiagnosisKey], end: Int64 = ExposureServiceBench.noon, region: String? = nil) throws -> [UInt8] {
            let encoder = ExportEncoder(
                startTimestamp: UInt64(end - 3_600), endTimestamp: UInt64(end), region: region ?? self.region,
                signatureInfos: [ExportEncoder.signatureInfo(for: KeyName(id: "262", version: "v1"))])
            let bin = encoder.exportBin(keys.map { ExportedKey($0) })
            return try KeyArchiveWriter.archive(exportBin: bin, exportSig: try encoder.exportSig(for: bin, keys: [exports]))
        }

        func approvals(_ document: [UInt8]) throws -> String {
            let encoder = ExportEncoder(
                startTimestamp: 0, endTimestamp: 0, region: "",
                signatureInfos: [ExportEncoder.signatureInfo(for: KeyName(id: "262", version: "v1"))])
            return Base64.string(try encoder.exportSig(for: document, keys: [rules]))
        }
    }

    private let caller = ExposureServiceBench.caller()
    private let day = UInt32(ExposureServiceBench.noon / 86_400) - 1
    private let noon = ExposureServiceBench.noon

    // MARK: The scene

    private static func rules(
        _ mapping: DiagnosisKeyMapping, version: Int64 = 1, increasedFrom: Double = 600,
        _ reportTypes: ReportTypeMeaning = .stated, service: RiskService = .running
    ) throws -> RiskConfiguration {
        let summaries = try #require(
            DailySummariesConfiguration(
                attenuationThresholds: [55, 63, 73], attenuationWeights: [1, 1, 0.5, 0],
                reportTypeWeights: [0, 1, 1, 1, 0, 0], infectiousnessWeights: [0, 0.4, 1]))
        var parameters = DailySummariesParameters(summaries: summaries)
        parameters.increasedFrom = increasedFrom
        return RiskConfiguration(
            version: version, models: [.dailySummaries(parameters)], mapping: mapping, service: service,
            reportTypes: reportTypes)
    }

    /// 1 is standard and 2 is high, and nothing else is a code.
    private static func codes() throws -> DiagnosisKeyMapping {
        try #require(DiagnosisKeyMapping(days: [1: .standard, 2: .high], whenOnsetMissing: .none))
    }

    /// Real days: infectious from two days before to eight after the onset; 1 and 2 are high, and 10 is none.
    private static func days() throws -> DiagnosisKeyMapping {
        var days: [Int32: Infectiousness] = [:]
        for number in -14...14 as ClosedRange<Int32> {
            days[number] = number < -2 || number > 8 ? Infectiousness.none : number == 1 ? .high : .standard
        }
        return try #require(DiagnosisKeyMapping(days: days, whenOnsetMissing: .none))
    }

    private func coded() throws -> Office {
        try Office("cwa", region: "EUR", document: try Self.rules(try Self.codes(), .codes))
    }
    private func real() throws -> Office { try Office("ens", region: "US", document: try Self.rules(try Self.days())) }

    private func key(
        _ number: UInt8, onset: Int32, type: ReportType = .confirmedTest, ago: UInt32 = 0
    ) throws -> DiagnosisKey {
        let data = try #require(Block([UInt8](repeating: number, count: 16)))
        return try #require(
            DiagnosisKey(
                data: data, rollingStart: ENIN((day - ago) * ENIN.perDay), transmissionRiskLevel: 3, reportType: type,
                daysSinceOnset: onset))
    }

    /// `minutes` beside each of them.
    private func heard(_ keys: [DiagnosisKey], minutes: UInt32 = 15) throws -> SightingIndex {
        var sightings: [Sighting] = []
        for key in keys {
            let own = try IdentifierKeys(SecretBytes(copying: key.data.bytes))
            for step in 0...(minutes / 5) {
                let time = key.rollingStart.day * 86_400 + 36_000 + step * 300
                let identifier = own.identifier(for: ENIN(time / 600))
                sightings.append(
                    Sighting(
                        identifier: identifier,
                        metadata: own.encrypt(.version11(transmitPower: -4, confidence: .high), with: identifier),
                        time: time, previousScan: time - 300, rssi: -54))
            }
        }
        return SightingIndex(sightings)
    }

    private func board(_ sources: [AuthoritySource], trust: TrustStore? = nil) throws -> ExposureServiceBench {
        let bench = try ExposureServiceBench(trust: trust, authorities: sources)
        try bench.service.enable(by: caller, at: bench.now)
        return bench
    }

    /// What the core's intake does with files that were fetched for `wanted`.
    private func compare(
        _ files: [[UInt8]], _ heard: SightingIndex, _ bench: ExposureServiceBench, _ sources: [AuthoritySource],
        wanted: String? = nil, service: ExposureService? = nil
    ) throws {
        let matcher = Matcher(index: heard, now: ENIN(unixSeconds: noon) ?? ENIN(0))
        let feed = MatcherFeed(matcher)
        var taken: [IntakeFile] = []
        for bytes in files {
            let export = try KeyFileReader(bytes: bytes).read(
                authorities: sources.map(\.export), wanted: wanted, time: nil
            ) { feed.add($0) }
            taken.append(
                IntakeFile(
                    name: "file", outcome: .matched, export: export, signatureListDigest: SHA256.digest(of: bytes),
                    matches: matcher.finish()))
        }
        _ = try (service ?? bench.service).commit(
            IntakeResult(files: taken, statistics: matcher.statistics, flaws: feed.flaws), by: caller, at: bench.now)
        bench.pass(.seconds(1))
    }

    private func word(_ risk: Risk1.Risk, _ name: String) throws -> Risk1.SourceWord {
        try #require(risk.sources?.first { $0.name == name })
    }

    // MARK: Conventions

    /// 20 minutes at onset "2": a code for high there, a real standard day here. Each is judged as its authority means it; by the other's
    /// mapping both would be wrong.
    @Test func contradictingConventionsAreEachJudgedByTheirOwn() throws {
        let (cwa, ens) = (try coded(), try real())
        let sources = [cwa, ens].map { AuthoritySource($0.profile()) }
        let bench = try board(sources)
        // 1,200 s: with high 1,200 of 600, with standard 480 of 600.
        let (byCode, byDay) = (try key(1, onset: 2), try key(2, onset: 2))
        let index = try heard([byCode, byDay])
        try compare([try cwa.file([byCode]), try ens.file([byDay])], index, bench, sources)
        let risk = try bench.service.warnings.risk(at: bench.now)
        #expect(risk.state == .increased && risk.news && risk.sources?.count == 2)
        #expect(try word(risk, "cwa").state == .increased && word(risk, "ens").state == .low)
        #expect(
            try word(risk, "cwa").days.map(\.verdict.score) == [1_200]
                && word(risk, "ens").days.map(\.verdict.score) == [480])
        // The numbers beside the state are those of the one that says it; nothing is added.
        #expect(risk.days.map(\.verdict.score) == [1_200] && risk.rules?.version == 1)
        #expect(
            try bench.service.warnings.contributions(day: nil, source: "ens", at: bench.now).map(\.score).reduce(0, +)
                == 480)
        #expect(try bench.service.warnings.contributions(day: nil, at: bench.now).map(\.score).reduce(0, +) == 1_200)
        #expect(risk.sentence.contains("by the rules of Office cwa your risk is increased"))

        // The same files with the mappings exchanged: the verdicts flip.
        let wrong = [
            try Office("cwa", region: "EUR", document: ens.document),
            try Office("ens", region: "US", document: cwa.document),
        ]
        let others = wrong.map { AuthoritySource($0.profile()) }
        let other = try board(others)
        try compare([try wrong[0].file([byCode]), try wrong[1].file([byDay])], index, other, others)
        let flipped = try other.service.warnings.risk(at: other.now)
        #expect(try word(flipped, "cwa").state == .low && word(flipped, "ens").state == .increased)
    }

    /// What a real day is, no code names: by the wrong mapping it could not be judged at all.
    @Test func oneMappingForBothWouldLeaveOneUnjudged() throws {
        let (cwa, ens) = (try coded(), try real())
        let sources = [cwa, ens].map { AuthoritySource($0.profile()) }
        let bench = try board(sources)
        let met = try key(1, onset: 5)
        try compare([try cwa.file([]), try ens.file([met])], try heard([met]), bench, sources)
        let risk = try bench.service.warnings.risk(at: bench.now)
        #expect(risk.state == .low && risk.unjudged == nil)
        #expect(risk.sources?.map(\.state) == [.low, .low])
        // The same key by the one that has codes only.
        try compare([try cwa.file([met])], try heard([met]), bench, sources)
        let unknown = try bench.service.warnings.risk(at: bench.now)
        #expect(unknown.state == .unknown && unknown.unjudged == 1 && unknown.news)
        #expect(
            unknown.sentence.contains("Office cwa: ")
                && unknown.sentence.contains("published by Office ens is judged as low"))
    }

    // MARK: Statements

    /// One key by both is two statements: each is judged under its own rules, and a revocation by one leaves the other's warning.
    @Test func theSameKeyByBothIsTwoOpinions() throws {
        let (cwa, ens) = (try coded(), try real())
        let sources = [cwa, ens].map { AuthoritySource($0.profile()) }
        let bench = try board(sources)
        let met = try key(1, onset: 2)
        let early = try key(1, onset: 1, type: .selfReport)
        let index = try heard([met])
        try compare([try cwa.file([met]), try ens.file([early])], index, bench, sources)
        let risk = try bench.service.warnings.risk(at: bench.now)
        #expect(risk.sources?.map(\.state) == [.increased, .increased])
        #expect(try bench.ledger.matches().map { $0.statements.map(\.source) } == [["cwa/262", "ens/262"]])
        try bench.service.warnings.acknowledge()
        var calls = 0
        bench.service.announcer.listen { if $0 == .risk { calls += 1 } }
        // Codes are believed to be taken back; the other's warning stands, and so does what the person was told.
        try compare([try cwa.file([try key(1, onset: 2, type: .revoked)])], index, bench, sources)
        let after = try bench.service.warnings.risk(at: bench.now)
        #expect(after.state == .increased && !after.news && calls == 0 && after.takenBack == nil)
        #expect(try word(after, "cwa").state == .low && word(after, "cwa").takenBack?.map(\.day) == [Int(day)])
        #expect(try word(after, "ens").state == .increased && word(after, "ens").takenBack == nil)
        // It is the other's numbers now.
        #expect(after.days.map(\.verdict.score) == [1_200])
        // The last one takes it back, too: now the person is told.
        try compare([try ens.file([try key(1, onset: 1, type: .revoked)])], index, bench, sources)
        let calm = try bench.service.warnings.risk(at: bench.now)
        #expect(calm.state == .low && calm.news && calls == 1 && calm.takenBack?.map(\.day) == [Int(day)])
        #expect(calm.sources?.allSatisfy { $0.takenBack?.count == 1 } == true)
    }

    @Test func aFileIsItsSignersWhateverItIsCalled() throws {
        let (cwa, ens) = (try coded(), try real())
        let sources = [cwa, ens].map { AuthoritySource($0.profile()) }
        let bench = try board(sources)
        let met = try key(1, onset: 2)
        let index = try heard([met])
        #expect(throws: KeyExportError(.anotherAuthority)) {
            try compare([try cwa.file([met])], index, bench, sources, wanted: "ens")
        }
        #expect(throws: KeyExportError(.wrongRegion)) {
            try compare([try cwa.file([met], region: "US")], index, bench, sources, wanted: "cwa")
        }
        #expect(try bench.ledger.matches().isEmpty)
        try compare([try cwa.file([met])], index, bench, sources, wanted: "cwa")
        #expect(try bench.ledger.matches().map { $0.statements.map(\.source) } == [["cwa/262"]])
    }

    // MARK: What is missing

    /// A source without rules: low by the other alone is low with what is not known, until somebody was met of whom it warns.
    @Test func oneSourceWithoutRules() throws {
        let ens = try real()
        let bare = try Office("bare", region: "XX")
        let sources = [ens.profile(), bare.profile(hasRules: false)].map(AuthoritySource.init)
        let bench = try board(sources)
        let met = try key(1, onset: 2)
        try compare([try ens.file([]), try bare.file([])], try heard([met]), bench, sources)
        let low = try bench.service.warnings.risk(at: bench.now)
        #expect(low.state == .low && low.unjudged == nil && low.sources?.map(\.state) == [.low, .unknown])
        #expect(low.sentence.contains("Not known for Office bare: Office bare has not told this device its rules yet"))
        // What nobody can judge is never low.
        try compare([try bare.file([met])], try heard([met]), bench, sources)
        let unknown = try bench.service.warnings.risk(at: bench.now)
        #expect(unknown.state == .unknown && unknown.unjudged == 1 && unknown.news)
        // Increased elsewhere stands over it.
        let other = try key(2, onset: 1)
        try compare([try ens.file([other])], try heard([other]), bench, sources)
        let increased = try bench.service.warnings.risk(at: bench.now)
        #expect(increased.state == .increased && increased.sentence.contains("Not known for Office bare"))
        #expect(try word(increased, "bare").unjudged == 1)
    }

    @Test func aStaleSourceIsUnknownBesideOneThatIsNot() throws {
        let (cwa, ens) = (try coded(), try real())
        let sources = [cwa, ens].map { AuthoritySource($0.profile()) }
        let bench = try board(sources)
        let index = try heard([])
        try compare([try cwa.file([]), try ens.file([])], index, bench, sources)
        #expect(try bench.service.warnings.risk(at: bench.now).sources?.map(\.state) == [.low, .low])
        for _ in 0..<50 { bench.pass(.seconds(3_600)) }
        let both = try bench.service.warnings.risk(at: bench.now)
        #expect(both.state == .outdated && both.sources?.map(\.state) == [.outdated, .outdated])
        let time = try #require(bench.beacon.present(at: bench.now).time?.seconds)
        try compare([try ens.file([], end: time)], index, bench, sources)
        let one = try bench.service.warnings.risk(at: bench.now)
        #expect(one.state == .low && one.sources?.map(\.state) == [.outdated, .low])
        #expect(one.sentence.contains("Not known for Office cwa"))
    }

    /// Its server is gone for days after it has warned: the other one's being low is no answer to that.
    @Test func aWarningHoldsWhileItsSourceIsStale() throws {
        let (cwa, ens) = (try coded(), try real())
        let sources = [cwa, ens].map { AuthoritySource($0.profile()) }
        let bench = try board(sources)
        let met = try key(1, onset: 2)
        let index = try heard([met])
        try compare([try cwa.file([met]), try ens.file([])], index, bench, sources)
        try bench.service.warnings.acknowledge()
        for _ in 0..<60 { bench.pass(.seconds(3_600)) }
        let time = try #require(bench.beacon.present(at: bench.now).time?.seconds)
        try compare([try ens.file([], end: time)], index, bench, sources)
        let risk = try bench.service.warnings.risk(at: bench.now)
        #expect(risk.state == .increased && !risk.news && risk.sources?.map(\.state) == [.increased, .low])
    }

    @Test func aSourceThatIsOffIsSaidAndLeftOut() throws {
        let (cwa, ens) = (try coded(), try real())
        let sources = [AuthoritySource(cwa.profile(.switchedOff)), AuthoritySource(ens.profile())]
        let bench = try board(sources)
        try compare([try ens.file([])], try heard([]), bench, [sources[1]])
        let risk = try bench.service.warnings.risk(at: bench.now)
        #expect(risk.state == .low && risk.sources?.map(\.state) == [.off, .low] && !risk.sentence.contains("Not known"))
        let closed = #expect(throws: Refusal.self) {
            try bench.service.warnings.takeRules("", approvals: "", source: "cwa", by: caller, at: bench.now)
        }
        #expect(closed?.parameters.rule == "switchedOff")
        // Where nobody is left, that is what the person is told.
        let last = try board([cwa.profile(.switchedOff), ens.profile(.switchedOff)].map(AuthoritySource.init))
        let none = try last.service.warnings.risk(at: last.now)
        #expect(none.state == .paused && none.sources?.map(\.state) == [.off, .off] && none.unjudged == nil)
        #expect(none.sentence.contains("has ended its service"))
    }

    /// The operator has spoilt a profile: the other one is followed, what was warned of is not lost, and the person hears that something is not known.
    @Test func aSpoiltProfileIsSaidAndSpoilsNothingElse() throws {
        let (cwa, ens) = (try coded(), try real())
        let bench = try board([cwa, ens].map { AuthoritySource($0.profile()) })
        let met = try key(1, onset: 2)
        try compare(
            [try cwa.file([met]), try ens.file([])], try heard([met]), bench,
            [cwa, ens].map { AuthoritySource($0.profile()) })
        #expect(try bench.service.warnings.risk(at: bench.now).state == .increased)
        for bytes in [
            Array(#"{"name":"cwa","status":7}"#.utf8), Array("half".utf8), [], [UInt8](repeating: 0x5B, count: 5_000),
        ] {
            let spoilt = AuthoritySource(unreadable: bytes, number: 3)
            #expect(spoilt.name == (bytes.first == UInt8(ascii: "{") ? "cwa" : "unreadable-3"))
            let next = ExposureService(
                bench.beacon, vault: bench.vault, ledger: bench.ledger, trust: bench.nobody, policy: .namedKeys,
                authorities: [spoilt, AuthoritySource(ens.profile())], program: .failure(IntakeFailure(.programMissing)),
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            next.advance(to: bench.now)
            // The self-check asks this way, and finds it.
            #expect(next.warnings.rules(at: bench.now).missing == [spoilt.name])
            let risk = try next.warnings.risk(at: bench.now)
            let isNamed = spoilt.name == "cwa"
            #expect(risk.state == .unknown && risk.sources?.map(\.name) == [spoilt.name, "ens"] + (isNamed ? [] : ["cwa"]))
            #expect(try word(risk, "ens").state == .low && word(risk, spoilt.name).state == .unknown)
        }
    }

    // MARK: Rules

    /// Two that publish their rules, and the one of the command line: each has its slot, whatever version the others are at.
    @Test func eachSourceHasItsOwnRules() throws {
        let offices = [try Office("one", region: "A"), try Office("two", region: "B")]
        let sources = offices.map { AuthoritySource($0.profile()) }
        let bench = try board(sources)
        func take(_ rules: RiskConfiguration, by office: Office, for name: String?) throws -> Int64 {
            try bench.service.warnings.takeRules(
                Base64.string(rules.document), approvals: try office.approvals(rules.document), source: name, by: caller,
                at: bench.now
            ).version
        }
        func refusal(_ rules: RiskConfiguration, by office: Office, for name: String?) -> String? {
            #expect(throws: Refusal.self) { try take(rules, by: office, for: name) }?.parameters.rule
        }
        #expect(bench.service.warnings.rules(at: bench.now).missing == ["one", "two"])
        let nine = try Self.rules(.standard, version: 9)
        #expect(try take(nine, by: offices[0], for: "one") == 9)
        #expect(
            bench.service.warnings.rules(at: bench.now).missing == ["two"]
                && bench.service.warnings.rules(at: bench.now).knownVersion == 0)
        #expect(try take(try Self.rules(.standard, version: 2), by: offices[1], for: "two") == 2)
        #expect(refusal(nine, by: offices[0], for: "two") == "anotherSource")
        #expect(refusal(try Self.rules(.standard, version: 8), by: offices[0], for: "one") == "older")
        #expect(try refusal(nine, by: Office("x", region: ""), for: "one") == "notSigned")
        #expect(refusal(nine, by: offices[0], for: "three") == "unknownSource")
        #expect(refusal(nine, by: offices[0], for: nil) == "unknownSource")
        #expect(bench.service.warnings.rules(of: "one", at: bench.now).version == 9)
        #expect(bench.service.warnings.rules(of: "two", at: bench.now).version == 2)
        // The self-check asks for none by name.
        #expect(
            bench.service.warnings.rules(at: bench.now).knownVersion == 2
                && bench.service.warnings.rules(at: bench.now).missing == nil)
    }

    /// Of sources whose forms differ, only the one that signed is named: another form is no sign of anything.
    @Test func onlyWhoSignedIsNamed() throws {
        let forms: [RuleForm] = [.cwa, .nhs, .swissCovid, .cwaIOS, .vigil]
        let offices = try forms.map { try Office("of-\($0.rawValue.lowercased())", region: "A") }
        let sources = zip(offices, forms).map { AuthoritySource($0.profile(form: $1)) }
        let bench = try board(sources)
        let rules = try Self.rules(.standard, version: 9)
        func refusal(_ approvals: String, for name: String) throws -> Refusal {
            try #require(
                #expect(throws: Refusal.self) {
                    try bench.service.warnings.takeRules(
                        Base64.string(rules.document), approvals: approvals, source: name, by: caller, at: bench.now)
                })
        }
        let nobody = try Office("nobody", region: "A")
        for office in offices {
            // Signed by the last, whose form is the file's own, and by one whose form would have needed headers.
            for signer in [offices[4], offices[0]] where signer !== office {
                let refused = try refusal(signer.approvals(rules.document), for: office.name)
                #expect(
                    refused.parameters.rule == "anotherSource"
                        && refused.parameters.reason.contains("A key of \(signer.name) signed"))
            }
            for approvals in [try nobody.approvals(rules.document), try offices[1].approvals(rules.document), "", "AAAA"]
            where office !== offices[1] {
                #expect(try refusal(approvals, for: office.name).parameters.rule != "anotherSource")
            }
        }
    }

    /// The same ledger under a core that starts anew; the stored rules of one source damaged meanwhile.
    @Test func aRestartAndADamagedSlotLeaveTheOther() throws {
        let offices = [try Office("one", region: "A"), try Office("two", region: "B")]
        let sources = offices.map { AuthoritySource($0.profile()) }
        let bench = try board(sources)
        let met = try key(1, onset: 1)
        for office in offices {
            let rules = try Self.rules(try Self.days(), version: office.name == "one" ? 4 : 5)
            _ = try bench.service.warnings.takeRules(
                Base64.string(rules.document), approvals: try office.approvals(rules.document), source: office.name,
                by: caller, at: bench.now)
        }
        try compare(try offices.map { try $0.file([met]) }, try heard([met]), bench, sources)
        #expect(try bench.service.warnings.risk(at: bench.now).sources?.map(\.state) == [.increased, .increased])
        try bench.service.warnings.acknowledge()
        func anew() -> ExposureService {
            let next = ExposureService(
                bench.beacon, vault: bench.vault, ledger: bench.ledger, trust: bench.nobody, policy: .namedKeys,
                authorities: sources, program: .failure(IntakeFailure(.programMissing)),
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            next.advance(to: bench.now)
            return next
        }
        let same = try anew().warnings.risk(at: bench.now)
        #expect(same.state == .increased && !same.news && same.sources?.map(\.rules?.version) == [4, 5])
        var bytes = try #require(try bench.ledger.setting("risk.rules.one.0"))
        bytes[bytes.count / 2] ^= 1
        try bench.ledger.write { try $0.set("risk.rules.one.0", bytes) }
        let hurt = try anew().warnings.risk(at: bench.now)
        #expect(hurt.state == .increased && hurt.sources?.map(\.state) == [.unknown, .increased])
        #expect(try word(hurt, "one").unjudged == 1 && word(hurt, "two").rules?.version == 5)
    }

    /// A ledger of before there were several: rules, warnings and what the person was told are the standard source's, and stay.
    @Test func whatWasThereBeforeIsTheStandardSources() throws {
        let signer = try P256.SigningKey.generate()
        let config = try P256.SigningKey.generate()
        let name = KeyName(id: "999", version: "v1")
        let trust = try TrustStore(keys: [
            TrustedKey(name: name, role: .export, key: signer.verificationKey),
            TrustedKey(name: name, role: .config, key: config.verificationKey),
        ])
        let bench = try board([], trust: trust)
        let rules = try Self.rules(try Self.days())
        let encoder = ExportEncoder(
            startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [ExportEncoder.signatureInfo(for: name)])
        let approvals = Base64.string(try encoder.exportSig(for: rules.document, keys: [config]))
        _ = try bench.service.warnings.takeRules(
            Base64.string(rules.document), approvals: approvals, by: caller, at: bench.now)
        let met = try #require(try ExposureServiceBench.match(1, onset: 1)).attributed(to: ["999"])
        try bench.ledger.write {
            _ = try $0.merge([met])
            try $0.set("lastMatched", Array("\(noon - 3_600)".utf8))
        }
        bench.pass(.seconds(1))
        let alone = try bench.service.warnings.risk(at: bench.now)
        #expect(alone.state == .increased && alone.sources == nil)
        try bench.service.warnings.acknowledge()
        let ens = try real()
        let next = ExposureService(
            bench.beacon, vault: bench.vault, ledger: bench.ledger, trust: trust, policy: .namedKeys,
            authorities: [AuthoritySource(ens.profile())], program: .failure(IntakeFailure(.programMissing)),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        next.advance(to: bench.now)
        let both = try next.warnings.risk(at: bench.now)
        #expect(both.state == .increased && !both.news && both.sources?.map(\.name) == ["authority", "ens"])
        #expect(both.sources?.map(\.state) == [.increased, .unknown] && both.rules?.version == 1)
        // The profile is taken away again.
        let last = ExposureService(
            bench.beacon, vault: bench.vault, ledger: bench.ledger, trust: trust, policy: .namedKeys,
            program: .failure(IntakeFailure(.programMissing)),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        last.advance(to: bench.now)
        #expect(
            try last.warnings.risk(at: bench.now).sources == nil && last.warnings.risk(at: bench.now).state == .increased)
        #expect(try !last.warnings.risk(at: bench.now).news)
    }

    /// A warning of an authority that is not followed any more is judged by nobody, and certainly not by another one's mapping.
    @Test func whatAnotherHasSaidIsNotJudgedByTheRest() throws {
        let (cwa, ens) = (try coded(), try real())
        let sources = [cwa, ens].map { AuthoritySource($0.profile()) }
        let bench = try board(sources)
        let met = try key(1, onset: 2)
        try compare([try cwa.file([met]), try ens.file([])], try heard([met]), bench, sources)
        #expect(try bench.service.warnings.risk(at: bench.now).state == .increased)
        let next = ExposureService(
            bench.beacon, vault: bench.vault, ledger: bench.ledger, trust: bench.nobody, policy: .namedKeys,
            authorities: [sources[1]], program: .failure(IntakeFailure(.programMissing)),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        next.advance(to: bench.now)
        let risk = try next.warnings.risk(at: bench.now)
        #expect(risk.state == .unknown && risk.unjudged == 1 && risk.sources?.map(\.name) == ["ens", "cwa"])
        #expect(risk.sentence.contains("which it does not follow any more"))
    }

    /// The service is over when every authority has ended it.
    @Test func oneAuthoritysEndIsNotTheDevices() throws {
        let end = RiskService.ended(eraseOn: CivilDate(day: noon / 86_400 + 30), words: "Over.")
        let ended = try Office("one", region: "A", document: try Self.rules(.standard, service: end))
        let ens = try real()
        let sources = [ended.profile(), ens.profile()].map(AuthoritySource.init)
        let bench = try board(sources)
        try compare([try ens.file([])], try heard([]), bench, sources)
        let risk = try bench.service.warnings.risk(at: bench.now)
        #expect(risk.state == .low && bench.beacon.isEnabled && risk.eraseFrom == nil)
        #expect(risk.sources?.map(\.state) == [.ended, .low] && risk.sentence.contains("Not known for Office one: Over."))
        let both = try [ended.profile(), Office("two", region: "B", document: ended.document).profile()]
        let last = try board([])
        let service = ExposureService(
            last.beacon, vault: last.vault, ledger: last.ledger, trust: last.nobody, policy: .namedKeys,
            authorities: both.map(AuthoritySource.init), program: .failure(IntakeFailure(.programMissing)),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        service.advance(to: last.now)
        #expect(try service.warnings.risk(at: last.now).state == .ended && !last.beacon.isEnabled)
    }
}
