// SPDX-License-Identifier: Apache-2.0

import Authority
import Cryptography
import GAEN
import JSON
import KeyArchive
import KeyExport
import RandomValues
import Testing
import Trust

@Suite struct AcceptingTests {
    private let now = Scene.start

    @Test func aKeyIsTakenOnce() throws {
        let scene = try Scene()
        let keys = (0..<5).map { Scene.key($0) }
        #expect(try scene.accept(keys, now: now).accepted == 5)
        let again = try scene.accept(keys + [Scene.key(5)], now: now)
        #expect(again.accepted == 1 && again.known == 5 && again.refusedCount == 0)
    }

    @Test func whatWasAcceptedSurvivesThisProcess() throws {
        let scene = try Scene()
        _ = try scene.accept([Scene.key(0)], now: now)
        try scene.reopen()
        #expect(try scene.accept([Scene.key(0)], now: now).known == 1)
        try scene.publish(now + Scene.hour)
        #expect(try scene.package("\(Scene.dates)/2026-11-13/hour/10").keys.count == 1)
    }

    /// A key that breaks one rule.
    struct BadKey: Sendable {
        let flaw: SubmittedKey.Flaw
        let key: ExportedKey

        init(_ flaw: SubmittedKey.Flaw, _ spoil: (inout ExportedKey) -> Void) {
            self.flaw = flaw
            var key = Scene.key(1)
            spoil(&key)
            self.key = key
        }
    }

    static let badKeys = [
        BadKey(.wrongKeyLength) { $0.dataByteCount = 15 },
        BadKey(.wrongRollingPeriod) { $0.rollingPeriod = 0 },
        BadKey(.wrongRollingPeriod) { $0.rollingPeriod = 145 },
        BadKey(.wrongRollingPeriod) { $0.isUnrepresentable = true },
        BadKey(.wrongRollingStart) { $0.rollingStart = -1 },
        BadKey(.startsInTheFuture) { $0.rollingStart = Int32(Scene.start / 600 + 1) },
        BadKey(.tooOld) { $0.rollingStart = Int32(Scene.start / 600 - 15 * 144 - 1) },
        BadKey(.wrongTransmissionRiskLevel) { $0.transmissionRiskLevel = 9 },
        BadKey(.wrongTransmissionRiskLevel) { $0.transmissionRiskLevel = -1 },
        // Neither said of a key by anybody: recursive, and revoked.
        BadKey(.wrongReportType) { $0.reportType = 4 },
        BadKey(.wrongReportType) { $0.reportType = 5 },
        BadKey(.wrongReportType) { $0.reportType = 6 },
        BadKey(.wrongOnset) { ($0.hasOnset, $0.daysSinceOnset) = (true, 4_001) },
        BadKey(.wrongOnset) { ($0.hasOnset, $0.daysSinceOnset) = (true, -16) },
        BadKey(.neitherLevelNorOnset) { ($0.hasOnset, $0.daysSinceOnset, $0.transmissionRiskLevel) = (false, 0, 0) },
        BadKey(.wrongVariant) { ($0.hasVariant, $0.variantOfConcern) = (true, 5) },
    ]

    @Test(arguments: badKeys)
    func eachRuleRefuses(_ bad: BadKey) throws {
        let scene = try Scene()
        let report = try scene.accept([Scene.key(0), bad.key], now: now)
        #expect(report.accepted == 1)
        #expect(report.refused == [bad.flaw: 1])
    }

    @Test func theEdgesOfTheRulesAreInside() throws {
        let scene = try Scene()
        var oldest = Scene.key(0)
        oldest.rollingStart = Int32(now / 600 - 15 * 144)
        var newest = Scene.key(1)
        newest.rollingStart = Int32(now / 600)
        newest.rollingPeriod = 1
        var extreme = Scene.key(2)
        (extreme.hasOnset, extreme.daysSinceOnset, extreme.transmissionRiskLevel) = (true, -15, 8)
        var vague = Scene.key(3)
        (vague.hasOnset, vague.daysSinceOnset, vague.transmissionRiskLevel) = (true, 4_000, 0)
        #expect(try scene.accept([oldest, newest, extreme, vague], now: now).accepted == 4)
    }

    @Test func nothingIsTakenForARegionThatIsNotServed() throws {
        let scene = try Scene()
        #expect(throws: AuthorityError(.unknownRegion)) {
            try scene.authority.accept(
                [SubmittedKey(Scene.key(0)), SubmittedKey(Scene.key(1), regions: ["FR"])], source: "test", now: now)
        }
        #expect(try scene.accept([Scene.key(0)], now: now).accepted == 1)
    }

    @Test func keyFilesAndListsSayTheSame() throws {
        let keys = (0..<20).map { Scene.key($0) }
        let name = KeyExport.ExportEncoder.signatureInfo(for: .init(id: "1", version: "v1"))
        let encoder = ExportEncoder(startTimestamp: 0, endTimestamp: 1, region: "DE", signatureInfos: [name])
        let bin = encoder.exportBin(keys)
        let signer = try P256.SigningKey.generate()
        let zip = try KeyArchiveWriter.archive(exportBin: bin, exportSig: encoder.exportSig(for: bin, keys: [signer]))
        let list = JSON.array(
            keys.map { key in
                var object: JSON.Object = [
                    "key": .string(Base64.string(key.data.bytes)), "rollingStartNumber": .int(Int64(key.rollingStart)),
                    "transmissionRisk": .int(Int64(key.transmissionRiskLevel)),
                    "reportType": .int(Int64(key.reportType)),
                ]
                if key.hasOnset { object["daysSinceOnset"] = .int(Int64(key.daysSinceOnset)) }
                return .object(object)
            })
        let text = JSON.object(["temporaryExposureKeys": list]).bytes
        for bytes in [bin, zip, text] {
            #expect(same(try KeySubmission.keys(in: bytes).map(\.key), keys))
        }
    }

    @Test(arguments: [
        "", "[]", "{}", "PK", "{\"temporaryExposureKeys\": 1}", "{\"temporaryExposureKeys\": [1]}",
        "{\"temporaryExposureKeys\": [{\"key\": \"*\", \"rollingStartNumber\": 1}]}",
        "{\"temporaryExposureKeys\": [{\"key\": \"AAAAAAAAAAAAAAAAAAAAAA==\"}]}",
        "{\"temporaryExposureKeys\": [{\"key\": \"AAAAAAAAAAAAAAAAAAAAAA==\", \"rollingStartNumber\": 99999999999}]}",
        "{\"temporaryExposureKeys\": [{\"key\": \"AAAAAAAAAAAAAAAAAAAAAA==\", \"rollingStartNumber\": 1, \"name\": \"x\"}]}",
        "EK Export v1    \u{7F}\u{7F}",
    ])
    func rubbishIsRefusedAsAWhole(_ text: String) {
        #expect(throws: AuthorityError(.unreadableSubmission)) { try KeySubmission.keys(in: Array(text.utf8)) }
    }

    @Test func anyChangedByteOfAKeyFileIsRefusedOrHarmless() throws {
        let encoder = ExportEncoder(
            startTimestamp: 0, endTimestamp: 1, region: "DE",
            signatureInfos: [ExportEncoder.signatureInfo(for: .init(id: "1", version: "v1"))])
        let bin = encoder.exportBin((0..<4).map { Scene.key($0) })
        var generator = SeededGenerator(seed: 1)
        for index in bin.indices {
            var changed = bin
            changed[index] = .random(in: 0...255, using: &generator)
            // Whatever comes out was judged key by key; the reader must neither trap nor hang.
            _ = try? KeySubmission.keys(in: changed)
            _ = try? KeySubmission.keys(in: Array(bin.prefix(index)))
        }
    }

    @Test func aFileMustBeSignedByTheKeyThatIsAskedFor() throws {
        let scene = try Scene()
        _ = try scene.accept([Scene.key(0)], now: now)
        try scene.publish(now + Scene.hour)
        let zip = try #require(scene.file("\(Scene.dates)/2026-11-13/hour/10"))
        #expect(try KeySubmission.keys(in: zip, trust: scene.trust()).count == 1)
        #expect(throws: AuthorityError(.unreadableSubmission)) {
            try KeySubmission.keys(in: zip, trust: Scene().trust())
        }
        #expect(throws: AuthorityError(.unreadableSubmission)) {
            try KeySubmission.keys(in: Array("{\"temporaryExposureKeys\": []}".utf8), trust: scene.trust())
        }
    }
}
