// SPDX-License-Identifier: Apache-2.0

import Authority
import CSQLite
import Cryptography
import ExposureRisk
import FoundationEssentials
import GAEN
import RiskConfiguration
import Testing

/// `risk.json`, from the operator to a board.
@Suite struct RiskPublishingTests {
    private let now = Scene.start
    private static let path = "/version/v1/risk_config"

    private func write(_ bytes: [UInt8], _ scene: Scene) throws {
        try #require(FileManager.default.createFile(atPath: scene.folder.riskFile, contents: Data(bytes)))
    }

    private func published(_ scene: Scene) throws -> RiskConfiguration {
        try RiskConfiguration(parsing: scene.document(Self.path))
    }

    /// What the vectors of cwa-server say is tested in RiskConfigurationTests; here the app configuration beside it is the measure.
    @Test func whatIsPublishedAtFirstIsWhatTheAppsHadAtLast() throws {
        let scene = try Scene()
        try scene.publish(now)
        let risk = try published(scene)
        let app = try RiskConfiguration(cwaConfiguration: scene.document("/version/v2/app_config_android"), version: 1)
        #expect(risk.models.first == app.models.first && risk.mapping == app.mapping && risk.version == 1)
        #expect(risk.models.map(\.name) == [.cwaSecond, .cwaFirst] && risk.service == .running)
        // Content does not change with the layout of the file.
        let before = scene.file(Self.path)
        try write(risk.document, scene)
        #expect(try !scene.publish(now).isChanged)
        #expect(scene.file(Self.path) == before)
    }

    @Test func aBoardTakesWhatIsPublished() throws {
        let scene = try Scene()
        try scene.publish(now)
        let document = try scene.document(Self.path)
        let signatures = try scene.signatures(Self.path)
        var slot = RiskConfigurationSlot()
        #expect(
            slot.offer(document: document, signatures: signatures, trust: try scene.trust(), time: now)
                == .success(.inForce))
        // That its types are codes it says about its own keys.
        var expected = try published(scene)
        #expect(expected.reportTypes == .codes && expected.mapping.codedSources.isEmpty)
        expected.mapping.codedSources = ["262"]
        #expect(slot.configuration(at: now) == expected)
    }

    @Test func versionsRiseAndABadFileLeavesTheLastGoodOnePublic() throws {
        let scene = try Scene()
        try scene.publish(now)
        let first = try published(scene)
        var changed = first
        changed.service = .paused(words: nil)
        for bad in [changed.document, Array("{\"vigilRisk\":1}".utf8), Array("{".utf8), []] {
            try write(bad, scene)
            let report = try scene.publish(now)
            #expect(report.configurationFaults == [AuthorityError(.invalidRiskConfiguration)])
            #expect(try published(scene) == first)
        }
        changed.version = 2
        try write(changed.document, scene)
        #expect(try scene.publish(now).configurationFaults.isEmpty)
        #expect(try published(scene) == changed)
        // Both files at fault: both are told, and everything else goes on.
        try write([], scene)
        try #require(FileManager.default.createFile(atPath: scene.folder.configurationFile, contents: Data()))
        _ = try scene.accept([Scene.key(0)], now: now)
        let report = try scene.publish(now + Scene.hour)
        #expect(
            report.configurationFaults == [
                AuthorityError(.invalidConfiguration), AuthorityError(.invalidRiskConfiguration),
            ])
        #expect(report.packages.count == 2)
        #expect(try published(scene) == changed)
    }

    /// A state folder of a release before this one has no risk.json, and gets one.
    @Test func aFolderFromBeforeGetsOne() throws {
        let scene = try Scene()
        try FileManager.default.removeItem(atPath: scene.folder.riskFile)
        #expect(try scene.publish(now).configurationFaults == [AuthorityError(.stateUnusable)])
        #expect(scene.file(Self.path) == nil && scene.file("/version/v1/vigil_config") != nil)
        _ = try StateFolder(path: scene.path)
        try scene.publish(now)
        #expect(scene.file(Self.path) != nil)
    }

    @Test func checkTellsEveryFaultOfBothFiles() throws {
        let scene = try Scene()
        let text = """
            {"vigilRisk": 1, "version": 0, "models": [{"cwaFirst": {"divisor": 0}}, {"cwaThird": {}}], "mapping": 3, "extra": 1}
            """
        try write(Array(text.utf8), scene)
        try #require(FileManager.default.createFile(atPath: scene.folder.configurationFile, contents: Data("{}".utf8)))
        let check = try Program.run(Program.authority, ["check", "--state", scene.path])
        #expect(check.status == 1)
        for part in [
            "configuration.version: is required", "risk.version", "risk.models[0].cwaFirst.divisor",
            "risk.models[0].cwaFirst.classes: is missing", "risk.models[1].cwaThird: there is no such model",
            "risk.mapping",
            "risk.extra",
        ] { #expect(check.errors.contains(part), "\(part)") }
    }
}
