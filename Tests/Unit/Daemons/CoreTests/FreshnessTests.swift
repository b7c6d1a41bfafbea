// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import ExposureRisk
import FoundationEssentials
import GAEN
import Glibc
import Interfaces
import KeyArchive
import KeyExport
import KeyIntake
import Ledger
import RandomValues
import RiskConfiguration
import Testing
import Trust

/// How fresh the core says it is, after files that were really signed, unpacked and committed: what a server may say about them is nothing.
@Suite final class FreshnessTests {
    private static let name = KeyName(id: "1", version: "v1")
    private static let day: Int64 = 86_400
    /// 2026-11-21, begun twelve hours ago.
    private static let today = ExposureServiceBench.noon / day

    private let folder: String
    private let signer: P256.SigningKey
    private let bench: ExposureServiceBench
    private let caller: Caller

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/vigil-freshness-\(Unique.name())"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let signer = try P256.SigningKey.generate()
        self.signer = signer
        let trust = try TrustStore(
            keys: [KeyRole.export, .config].map { TrustedKey(name: Self.name, role: $0, key: signer.verificationKey) })
        bench = try ExposureServiceBench(trust: trust, program: Self.unzip())
        caller = ExposureServiceBench.caller(spool: try Spool(path: folder))
        try bench.service.enable(by: caller, at: bench.now)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private static func unzip() throws -> UnzipProgram {
        if let own = try? UnzipProgram.besideThisProgram() { return own }
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try UnzipProgram(path: root.path + "/.build/debug/vigil-zip")
    }

    /// A package with one key of nobody's, signed for that time and region.
    private func write(_ name: String, _ start: Int64, _ end: Int64, region: String = "EUR") throws {
        let encoder = ExportEncoder(
            startTimestamp: UInt64(start), endTimestamp: UInt64(end), region: region,
            signatureInfos: [ExportEncoder.signatureInfo(for: Self.name)])
        let data = try #require(Block(SHA256.digest(of: Array("\(region) \(start)".utf8)).prefix(16)))
        let key = try #require(
            DiagnosisKey(
                data: data, rollingStart: ENIN(UInt32(clamping: start / 600 - 144)), rollingPeriod: 144,
                transmissionRiskLevel: 3,
                reportType: .confirmedTest, daysSinceOnset: 1))
        let bin = encoder.exportBin([ExportedKey(key)])
        let zip = try KeyArchiveWriter.archive(exportBin: bin, exportSig: try encoder.exportSig(for: bin, keys: [signer]))
        try Data(zip).write(to: URL(filePath: "\(folder)/\(name)"))
    }

    /// The package of a whole day, so many days ago.
    private func writeDay(_ name: String, back: Int64, region: String = "EUR") throws {
        let start = (Self.today - back) * Self.day
        try write(name, start, start + Self.day, region: region)
    }

    private static let home = [Exposure1.Source(name: "home", region: "EUR", continuous: true)]

    /// Provides as a plugin does, and waits for the end as the daemon does.
    private func provide(
        _ files: [String], source: String? = "home", sources: [Exposure1.Source]? = FreshnessTests.home,
        on other: ExposureService? = nil
    ) throws -> Exposure1.ProvideResult {
        let service = other ?? bench.service
        let job = try service.provide(
            files, try ProvideTerms(Exposure1.Files(files: files, source: source, sources: sources)), by: caller,
            at: bench.now)
        var outcome: Result<Exposure1.ProvideResult, Refusal>?
        job.onEnd = { outcome = $0 }
        while outcome == nil {
            if let descriptor = service.jobDescriptor {
                var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&entry, 1, 100)
            }
            service.advanceJob(at: bench.now)
        }
        return try #require(outcome).get()
    }

    private func takeRules() throws {
        let summaries = try #require(
            DailySummariesConfiguration(
                attenuationThresholds: [55, 63, 73], attenuationWeights: [1, 1, 0.5, 0],
                reportTypeWeights: [0, 1, 1, 1, 0, 0], infectiousnessWeights: [0, 1, 2]))
        var parameters = DailySummariesParameters(summaries: summaries)
        parameters.increasedFrom = 600
        let rules = RiskConfiguration(version: 1, models: [.dailySummaries(parameters)], mapping: .standard)
        let encoder = ExportEncoder(
            startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [ExportEncoder.signatureInfo(for: Self.name)])
        _ = try bench.service.warnings.takeRules(
            Data(rules.document).base64EncodedString(),
            approvals: Data(try encoder.exportSig(for: rules.document, keys: [signer])).base64EncodedString(),
            by: caller, at: bench.now)
    }

    /// Up to when, and which of the last 14 days, as days ago.
    private func known(_ result: Exposure1.ProvideResult) -> (until: Int64?, daysAgo: [Int64]) {
        (result.knownUntilSeconds, (result.knownDays ?? []).map { Self.today - Int64($0) })
    }

    private func everyDay(_ name: (Int64) -> String = { "day\($0).zip" }) throws -> [String] {
        try (Int64(1)...14).reversed().map { back in
            try writeDay(name(back), back: back)
            return name(back)
        }
    }

    /// A file of another region, signed by somebody who is believed, is compared and makes nothing fresh.
    @Test func anotherRegionsFilesMakeNothingFresh() throws {
        for back in Int64(1)...3 { try writeDay("nl\(back).zip", back: back, region: "NL") }
        let foreign = try provide(["nl3.zip", "nl2.zip", "nl1.zip"])
        #expect(foreign.files.map(\.outcome) == [.matched, .matched, .matched])
        #expect(foreign.files.allSatisfy { $0.regionName == "NL" })
        #expect(known(foreign) == (nil, []))
        try writeDay("eur1.zip", back: 1)
        let own = try provide(["eur1.zip"])
        #expect(known(own) == (Self.today * Self.day, [1]))
        // The letters of a region may be small.
        try writeDay("small.zip", back: 2, region: "eur")
        #expect(known(try provide(["small.zip"])) == (Self.today * Self.day, [2, 1]))
        // A file that names no region is of whoever it came from.
        try writeDay("none.zip", back: 3, region: "")
        #expect(known(try provide(["none.zip"])) == (Self.today * Self.day, [3, 2, 1]))
    }

    /// A server gives one genuine file of 13 days ago for every path: the core says what was signed each time, and the wearer is told after
    /// two days that nothing newer is known.
    @Test func oldFilesUnderNewNamesAreOld() throws {
        try takeRules()
        let old = (Self.today - 13) * Self.day
        try writeDay("old.zip", back: 13)
        for number in 0..<6 {
            try FileManager.default.copyItem(atPath: "\(folder)/old.zip", toPath: "\(folder)/path\(number).zip")
        }
        let first = try provide(["old.zip"])
        #expect(first.files.map(\.outcome) == [.matched] && known(first) == (old + Self.day, [13]))
        let paths = (0..<6).map { "path\($0).zip" }
        for _ in 0..<2 {
            let again = try provide(paths)
            #expect(again.files.allSatisfy { $0.outcome == .repeated && $0.startSeconds == old })
            #expect(again.files.allSatisfy { $0.endSeconds == old + Self.day && $0.regionName == "EUR" })
            #expect(known(again) == (old + Self.day, [13]))
        }
        bench.pass(.seconds(2))
        #expect(try bench.service.warnings.risk(at: bench.now).state != .outdated, "the first files may take two days")
        bench.set(ExposureServiceBench.noon + 2 * Self.day + 60)
        bench.pass(.seconds(2))
        // Compared a moment ago, genuine and never seen before, and old all the same.
        try writeDay("other.zip", back: 10)
        #expect(try provide(paths + ["other.zip"]).files.last?.outcome == .matched)
        bench.pass(.seconds(2))
        let risk = try bench.service.warnings.risk(at: bench.now)
        #expect(risk.state == .outdated && risk.sentence.contains("as their signatures tell"), "\(risk)")
    }

    /// Files that somebody brought on a stick before, and that come again from the source, are repeated, and count as fully as the first time:
    /// also where they are recognised without being read, and after a restart.
    @Test func whatIsRepeatedHonestlyCounts() throws {
        let days = try everyDay()
        let stick = try provide(days, source: nil, sources: nil)
        #expect(stick.files.allSatisfy { $0.outcome == .matched } && stick.knownUntilSeconds == nil)
        let again = try provide(days)
        #expect(again.files.count == 14 && again.files.allSatisfy { $0.outcome == .repeated })
        #expect(again.files.map(\.startSeconds) == (Int64(1)...14).reversed().map { (Self.today - $0) * Self.day })
        #expect(known(again) == (Self.today * Self.day, (1...14).reversed()))
        // Another life over the same storage.
        let next = bench.again()
        let later = try provide(["day7.zip"], on: next)
        #expect(later.files.map(\.outcome) == [.repeated])
        #expect(known(later) == (Self.today * Self.day, (1...14).reversed()))
    }

    /// Of a file that a release before this one has compared only that is known: it is read again, not compared, and its period counts.
    @Test func filesOfBeforeAreReadOnceMore() throws {
        try writeDay("day1.zip", back: 1)
        let reader = try KeyFileReader(path: "\(folder)/day1.zip")
        let export = try reader.read(
            trust: try TrustStore(keys: [TrustedKey(name: Self.name, role: .export, key: signer.verificationKey)]),
            policy: .namedKeys, time: nil
        ) { _ in }
        try bench.ledger.write {
            try $0.rememberFile(
                signatureListDigest: Array(repeating: 7, count: 32), contentDigest: export.contentDigest,
                day: UInt32(Self.today - 1))
        }
        let result = try provide(["day1.zip"])
        #expect(result.files.map(\.outcome) == [.repeated] && result.files.first?.keyCount == 1)
        #expect(known(result) == (Self.today * Self.day, [1]))
        // From now on it is recognised without being read.
        let again = try provide(["day1.zip"])
        #expect(again.files.map(\.outcome) == [.repeated] && again.files.first?.keyCount == 0)
        #expect(known(again) == (Self.today * Self.day, [1]))
    }

    /// A gap in the days holds back what comes after it; what is signed for a time to come proves nothing; a call that fails changes nothing.
    @Test func gapsAndTimesToComeProveNothing() throws {
        let days = try everyDay().filter { $0 != "day5.zip" }
        let gap = (Self.today - 5) * Self.day
        #expect(known(try provide(days)) == (gap, (1...14).reversed().filter { $0 != 5 }))
        try write("future.zip", ExposureServiceBench.noon + 10 * Self.day, ExposureServiceBench.noon + 11 * Self.day)
        #expect(known(try provide(["future.zip"])) == (gap, (1...14).reversed().filter { $0 != 5 }))
        try Data("no archive".utf8).write(to: URL(filePath: folder + "/broken.zip"))
        #expect(throws: Refusal.self) { try provide(["day5.zip", "broken.zip"]) }
        #expect(known(try provide(["day1.zip"])) == (gap, (1...14).reversed().filter { $0 != 5 }))
        #expect(known(try provide(["day5.zip"])) == (Self.today * Self.day, (1...14).reversed()))
    }
}
