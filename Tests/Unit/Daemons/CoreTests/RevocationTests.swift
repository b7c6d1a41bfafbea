// SPDX-License-Identifier: Apache-2.0

import Authority
import CivilTime
import Core
import Cryptography
import ExposureRisk
import FoundationEssentials
import GAEN
import Interfaces
import KeyArchive
import KeyExport
import KeyIntake
import Ledger
import Matching
import RandomValues
import RiskConfiguration
import Testing
import TimeTrust
import Trust
import Verification

/// A warning that is taken back, from the laboratory's mistake to what the wearer reads: a real verification server, a real publishing
/// authority, its signed packages, and the core.
@Suite struct RevocationTests {
    /// The servers of one authority over files of their own.
    private final class Office {
        let path = FileManager.default.temporaryDirectory.path + "/vigil-office-\(Unique.name())"
        let results: TestResultServer
        let verification: VerificationServer
        let authority: HealthAuthority
        let folder: StateFolder
        let trust: TrustStore

        init(name: String = "262") throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            results = try TestResultServer(path: path + "/results.db")
            verification = VerificationServer(
                store: try SQLiteVerificationStore(path: path + "/verification.db"), results: results,
                secret: try VerificationSecret.load(path: path + "/verification-secret"))
            folder = try StateFolder.make(at: path + "/authority").folder
            var settings = AuthoritySettings()
            settings.publishing.shiftingThreshold = 0
            settings.publishing.delaySeconds = 0
            settings.exportKeyName = KeyName(id: name, version: "v1")
            settings.configKeyName = KeyName(id: name, version: "v1")
            settings.timeKeyName = KeyName(id: name, version: "v1")
            authority = try HealthAuthority(folder: folder, settings: settings)
            trust = try TrustStore(
                keys: try authority.publicKeys().map {
                    TrustedKey(name: $0.name, role: $0.role, key: try P256.VerificationKey(pemOrDER: Array($0.pem.utf8)))
                })
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        /// Somebody with a positive test of that number warns with `key`; `rest` is what their device drew for the rest of the day.
        func warn(_ test: String, _ key: ExportedKey, rest: String? = nil, now: Int64) throws {
            let registered = Hex.string(SHA256.digest(of: Array(test.utf8)))
            let identity = try #require(TestIdentity(key: registered))
            _ = try results.take([.init(identity, TestResult(.positive))], now: now)
            let token = try verification.register(
                VerificationServer.key(registered, type: "GUID", birth: nil), now: now)
            let tan = try verification.tan(token: token, remainder: rest, now: now)
            let intake = SubmissionIntake(authority: authority)
            let warning = try verification.confirm(tan, type: .test, request: [1, 2, 3], now: now)
            #expect(
                try intake.take(.init(keys: [key]), warning: warning, now: now).keys == 1)
        }

        /// The rest of that day comes with the second credential. Gives how many keys are taken.
        func send(rest: String, _ key: ExportedKey, now: Int64) throws -> Int {
            let warning = try verification.confirm(rest, type: .remainder, request: [4, 5, 6], now: now)
            return try SubmissionIntake(authority: authority).take(
                .init(keys: [key]), warning: warning, now: now
            ).keys
        }

        /// Every package of the region that is offered, oldest first.
        func packages() throws -> [[UInt8]] {
            let base = folder.publicTree + "/version/v1/diagnosis-keys/country/EUR/date"
            var files: [String] = []
            for date in try FileManager.default.contentsOfDirectory(atPath: base).sorted() where date != "index.json" {
                let hours = base + "/\(date)/hour"
                let numbers = ((try? FileManager.default.contentsOfDirectory(atPath: hours)) ?? []).compactMap { Int($0) }
                files += numbers.sorted().map { "\(hours)/\($0)/index.zip" }
            }
            return files.compactMap { FileManager.default.contents(atPath: $0).map { [UInt8]($0) } }
        }
    }

    private let caller = ExposureServiceBench.caller()
    private let test = "123456-12345678-1234-4DA7-B166-B86D85475064"
    /// Yesterday, from the board's noon.
    private let day = UInt32(ExposureServiceBench.noon / 86_400) - 1
    private let afternoon = ExposureServiceBench.noon + 3 * 3_600

    private func key(_ number: UInt8) throws -> DiagnosisKey {
        let data = try #require(Block([UInt8](repeating: number, count: 16)))
        return try #require(
            DiagnosisKey(
                data: data, rollingStart: ENIN(day * ENIN.perDay),
                transmissionRiskLevel: 8, reportType: .confirmedTest, daysSinceOnset: 2))
    }

    /// What a board heard of these keys: 40 minutes each.
    private func heard(_ keys: [DiagnosisKey]) throws -> SightingIndex {
        var sightings: [Sighting] = []
        for key in keys {
            let own = try IdentifierKeys(SecretBytes(copying: key.data.bytes))
            for step in 0..<8 as Range<UInt32> {
                let time = day * 86_400 + 36_000 + step * 300
                let identifier = own.identifier(for: ENIN(time / 600))
                sightings.append(
                    Sighting(
                        identifier: identifier,
                        metadata: own.encrypt(.version11(transmitPower: -4, confidence: .high), with: identifier),
                        time: time,
                        previousScan: time - 300, rssi: -54))
            }
        }
        return SightingIndex(sightings)
    }

    /// What sync does: every package that was not compared yet.
    private func sync(_ bench: ExposureServiceBench, _ office: Office, _ index: SightingIndex, trust: TrustStore) throws {
        let matcher = Matcher(index: index, now: ENIN(unixSeconds: ExposureServiceBench.noon) ?? ENIN(0))
        let feed = MatcherFeed(matcher)
        var files: [IntakeFile] = []
        for bytes in try office.packages() {
            let export = try KeyFileReader(bytes: bytes).read(trust: trust, policy: .namedKeys, time: nil) { feed.add($0) }
            let matches = matcher.finish()
            guard try !bench.ledger.isMatched(contentDigest: export.contentDigest) else { continue }
            files.append(
                IntakeFile(
                    name: "file", outcome: .matched, export: export,
                    signatureListDigest: SHA256.digest(of: bytes), matches: matches))
        }
        _ = try bench.service.commit(
            IntakeResult(files: files, statistics: matcher.statistics, flaws: feed.flaws), by: caller, at: bench.now)
        bench.pass(.seconds(1))
    }

    private func rules(version: Int64 = 1, _ reportTypes: ReportTypeMeaning = .codes) throws -> RiskConfiguration {
        let summaries = try #require(
            DailySummariesConfiguration(
                attenuationThresholds: [55, 63, 73], attenuationWeights: [1, 1, 0.5, 0],
                reportTypeWeights: [0, 1, 1, 1, 0, 0], infectiousnessWeights: [0, 1, 2]))
        var parameters = DailySummariesParameters(summaries: summaries)
        parameters.increasedFrom = 600
        return RiskConfiguration(
            version: version, models: [.dailySummaries(parameters)], mapping: .standard, reportTypes: reportTypes)
    }

    private func take(_ rules: RiskConfiguration, _ bench: ExposureServiceBench, _ office: Office) throws {
        let signer = try office.folder.signingKey(.config)
        let name = try #require(office.trust.keys.first { $0.role == .config }?.name)
        let encoder = ExportEncoder(
            startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [ExportEncoder.signatureInfo(for: name)])
        _ = try bench.service.warnings.takeRules(
            Base64.string(rules.document),
            approvals: Base64.string(try encoder.exportSig(for: rules.document, keys: [signer])),
            by: caller, at: bench.now)
    }

    private func board(_ trust: TrustStore) throws -> ExposureServiceBench {
        let bench = try ExposureServiceBench(trust: trust)
        try bench.service.enable(by: caller, at: bench.now)
        return bench
    }

    /// The story: a laboratory mixes up two samples, somebody warns, the wearer is red; two officers take the warning back, and the wearer is
    /// told with the next synchronisation.
    @Test func theLaboratoryMixedUpTwoSamples() throws {
        let office = try Office()
        let bench = try board(office.trust)
        let met = try key(1)
        let index = try heard([met])
        try take(try rules(), bench, office)
        _ = try office.authority.publish(now: ExposureServiceBench.noon - 3 * 3_600)
        try office.warn(test, ExportedKey(met), now: ExposureServiceBench.noon - 3 * 3_600)
        _ = try office.authority.publish(now: ExposureServiceBench.noon)
        try sync(bench, office, index, trust: office.trust)
        let red = try bench.service.warnings.risk(at: bench.now)
        #expect(red.state == .increased && red.news && red.takenBack == nil && red.mostRelevantDay == Int(day))
        #expect(red.told == nil)
        try bench.service.warnings.acknowledge()
        // Switched off nothing is judged; what was told before is known, and stays so.
        try bench.service.disable(by: caller, at: bench.now)
        let off = try bench.service.warnings.risk(at: bench.now)
        #expect(off.state == .inactive && off.told == Int(day) && off.days.isEmpty && off.mostRelevantDay == nil)
        try bench.service.enable(by: caller, at: bench.now)
        // How the infection was established is not said where types are codes.
        #expect(try bench.service.warnings.contributions(day: nil, at: bench.now).allSatisfy { $0.reportType == nil })

        let handles = try office.verification.handles(" 123456-12345678-1234-4da7-b166-b86d85475064 ")
        let desk = LocalWarningDesk(authority: office.authority)
        let proposal = try desk.propose(
            handles, .revoked, by: "anna", reason: "laboratory mixed up two samples", now: ExposureServiceBench.noon)
        #expect(proposal.published == 1 && proposal.believedByPhones == 0)
        #expect(throws: WarningRefusal(.samePerson)) {
            try desk.confirm(proposal.number, by: "anna", now: ExposureServiceBench.noon)
        }
        _ = try desk.confirm(proposal.number, by: "bert", now: ExposureServiceBench.noon)
        _ = try office.authority.publish(now: afternoon)
        var calls = 0
        bench.service.announcer.listen { if $0 == .risk { calls += 1 } }
        try sync(bench, office, index, trust: office.trust)
        let told = try bench.service.warnings.risk(at: bench.now)
        #expect(told.state == .low && told.news && told.days.isEmpty && calls == 1 && told.told == nil)
        #expect(told.takenBack == [Risk1.TakenBack(day: Int(day), learned: told.takenBack?.first?.learned ?? 0)])
        #expect(told.sentence.contains("taken back a warning") && told.sentence.contains(UTCDay.text(day: day)))
        #expect(bench.service.warnings.hasNews)
        // Said once; kept for the history.
        try bench.service.warnings.acknowledge()
        try sync(bench, office, index, trust: office.trust)
        let after = try bench.service.warnings.risk(at: bench.now)
        #expect(!after.news && after.takenBack?.count == 1 && after.state == .low)
        #expect(try bench.service.windows(at: bench.now).isEmpty)
        // A board that compares everything at once is never told of it.
        let other = try board(office.trust)
        try take(try rules(), other, office)
        try sync(other, office, index, trust: office.trust)
        let calm = try other.service.warnings.risk(at: other.now)
        #expect(calm.state == .low && !calm.news && calm.takenBack == nil)
    }

    /// As phones have it: what is no code stays a confirmed test.
    @Test func withoutTheAuthoritysWordAConfirmedTestStays() throws {
        let office = try Office()
        let bench = try board(office.trust)
        let met = try key(1)
        let index = try heard([met])
        try take(try rules(.stated), bench, office)
        _ = try office.authority.publish(now: ExposureServiceBench.noon - 3 * 3_600)
        try office.warn(test, ExportedKey(met), now: ExposureServiceBench.noon - 3 * 3_600)
        _ = try office.authority.publish(now: ExposureServiceBench.noon)
        try sync(bench, office, index, trust: office.trust)
        let desk = LocalWarningDesk(authority: office.authority)
        let proposal = try desk.propose(
            try office.verification.handles(test), .revoked, by: "anna", reason: "mixed up", now: ExposureServiceBench.noon)
        _ = try desk.confirm(proposal.number, by: "bert", now: ExposureServiceBench.noon)
        _ = try office.authority.publish(now: afternoon)
        try sync(bench, office, index, trust: office.trust)
        #expect(try bench.service.warnings.risk(at: bench.now).state == .increased)
        // Other rules are enough: what was compared is kept as it was published.
        try take(try rules(version: 2, .codes), bench, office)
        bench.pass(.seconds(1))
        let risk = try bench.service.warnings.risk(at: bench.now)
        #expect(risk.state == .low && risk.takenBack?.map(\.day) == [Int(day)])
    }

    /// Another authority publishes the same key and takes it back: the first one's warning stands. Its word about codes is about its own keys.
    @Test func noAuthorityTakesAnothersWarningBack() throws {
        let own = try Office()
        let other = try Office(name: "208")
        let trust = try TrustStore(keys: own.trust.keys + other.trust.keys)
        let bench = try board(trust)
        let met = try key(1)
        let index = try heard([met])
        try take(try rules(), bench, own)
        for office in [own, other] {
            _ = try office.authority.publish(now: ExposureServiceBench.noon - 3 * 3_600)
            try office.warn(test, ExportedKey(met), now: ExposureServiceBench.noon - 3 * 3_600)
            _ = try office.authority.publish(now: ExposureServiceBench.noon)
            try sync(bench, office, index, trust: trust)
        }
        func takeBack(_ office: Office) throws {
            let desk = LocalWarningDesk(authority: office.authority)
            let proposal = try desk.propose(
                try office.verification.handles(test), .revoked, by: "anna", reason: "mixed up",
                now: ExposureServiceBench.noon)
            _ = try desk.confirm(proposal.number, by: "bert", now: ExposureServiceBench.noon)
            _ = try office.authority.publish(now: afternoon)
            try sync(bench, office, index, trust: trust)
        }
        try takeBack(other)
        #expect(try bench.service.warnings.risk(at: bench.now).state == .increased)
        try takeBack(own)
        // Phones' rules for the other's keys, so its test is still one.
        #expect(try bench.service.warnings.risk(at: bench.now).state == .increased)
        #expect(try bench.ledger.matches().first?.statements.map(\.source) == ["262", "208"])
    }

    private static let rest = "0d5a7a2e-1111-4222-8333-944445555666"

    /// Somebody warned yesterday at nine: the key of until then, which nobody here heard, and the one that ran on.
    private func warnedAtNine(_ office: Office) throws -> DiagnosisKey {
        let nine = Int64(day) * 86_400 + 9 * 3_600
        _ = try office.authority.publish(now: nine - 3_600)
        let first = try #require(
            DiagnosisKey(
                data: try key(1).data, rollingStart: ENIN(day * ENIN.perDay), rollingPeriod: 54, transmissionRiskLevel: 8,
                reportType: .confirmedTest, daysSinceOnset: 2))
        try office.warn(test, ExportedKey(first), rest: Self.rest, now: nine)
        return try key(2)
    }

    private func takeBack(_ office: Office, now: Int64) throws -> WarningProposal {
        let desk = LocalWarningDesk(authority: office.authority)
        let proposal = try desk.propose(
            try office.verification.handles(test), .revoked, by: "anna", reason: "mixed up", now: now)
        return try desk.confirm(proposal.number, by: "bert", now: now)
    }

    /// The hours after the keys were taken come the day after, with a credential of their own. Whoever was met in them is told, too, when the
    /// warning is taken back.
    @Test func theRestOfTheDayIsTakenBackWithItsWarning() throws {
        let office = try Office()
        let bench = try board(office.trust)
        let later = try warnedAtNine(office)
        let index = try heard([later])
        try take(try rules(), bench, office)
        _ = try office.authority.publish(now: ExposureServiceBench.noon - 3 * 3_600)
        try sync(bench, office, index, trust: office.trust)
        #expect(try bench.service.warnings.risk(at: bench.now).state == .low)
        #expect(try office.send(rest: Self.rest, ExportedKey(later), now: ExposureServiceBench.noon - 3 * 3_600) == 1)
        _ = try office.authority.publish(now: ExposureServiceBench.noon)
        try sync(bench, office, index, trust: office.trust)
        #expect(try bench.service.warnings.risk(at: bench.now).state == .increased)
        #expect(try takeBack(office, now: ExposureServiceBench.noon).published == 2)
        _ = try office.authority.publish(now: afternoon)
        try sync(bench, office, index, trust: office.trust)
        let told = try bench.service.warnings.risk(at: bench.now)
        #expect(told.state == .low && told.news && told.takenBack?.map(\.day) == [Int(day)])
    }

    /// Taken back before the rest of the day comes: nothing of it is taken any more, and nobody is told of a warning that never was.
    @Test func theRestOfAWarningThatWasTakenBackIsNotTaken() throws {
        let office = try Office()
        let bench = try board(office.trust)
        let later = try warnedAtNine(office)
        let index = try heard([later])
        try take(try rules(), bench, office)
        _ = try office.authority.publish(now: ExposureServiceBench.noon - 3 * 3_600)
        #expect(try takeBack(office, now: ExposureServiceBench.noon - 3 * 3_600).published == 1)
        #expect(try office.send(rest: Self.rest, ExportedKey(later), now: ExposureServiceBench.noon - 2 * 3_600) == 0)
        _ = try office.authority.publish(now: afternoon)
        try sync(bench, office, index, trust: office.trust)
        let calm = try bench.service.warnings.risk(at: bench.now)
        #expect(calm.state == .low && !calm.news && calm.takenBack == nil)
    }

    /// Two people warned of the same day, or of two days; one warning is taken back.
    @Test func besideAnotherWarningOnlyWhatChangesIsTold() throws {
        let office = try Office()
        let bench = try board(office.trust)
        let first = try key(1)
        let second = try key(2)
        let index = try heard([first, second])
        try take(try rules(), bench, office)
        _ = try office.authority.publish(now: ExposureServiceBench.noon - 3 * 3_600)
        try office.warn(test, ExportedKey(first), now: ExposureServiceBench.noon - 3 * 3_600)
        let otherTest = "654321-12345678-1234-4DA7-B166-B86D85475064"
        try office.warn(otherTest, ExportedKey(second), now: ExposureServiceBench.noon - 3 * 3_600)
        _ = try office.authority.publish(now: ExposureServiceBench.noon)
        try sync(bench, office, index, trust: office.trust)
        try bench.service.warnings.acknowledge()
        let desk = LocalWarningDesk(authority: office.authority)
        func takeBack(_ code: String, at time: Int64) throws {
            let proposal = try desk.propose(
                try office.verification.handles(code), .revoked, by: "anna", reason: "mixed up", now: time - 3_600)
            _ = try desk.confirm(proposal.number, by: "bert", now: time - 3_600)
            _ = try office.authority.publish(now: time)
            try sync(bench, office, index, trust: office.trust)
        }
        // The day stays what it was, so there is nothing to tell.
        try takeBack(test, at: afternoon)
        let red = try bench.service.warnings.risk(at: bench.now)
        #expect(red.state == .increased && !red.news && red.takenBack == nil)
        try takeBack(otherTest, at: afternoon + 3_600)
        let told = try bench.service.warnings.risk(at: bench.now)
        #expect(told.state == .low && told.news && told.takenBack?.map(\.day) == [Int(day)])
    }
}
