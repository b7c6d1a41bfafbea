// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import WarningTrial

/// What infected people state, and what those they met are told, against a table made from the specifications alone.
@Suite struct WarningTrialTests {
    /// `Tests/Vectors/warnings` of the checkout that this file is in.
    private static let vectors =
        "\(#filePath.split(separator: "/").dropLast(4).reduce("") { "\($0)/\($1)" })/Vectors/warnings"
    private static let table = "\(vectors)/warnings.json"

    private static let folder =
        FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : FileManager.default.temporaryDirectory.path

    /// Every statement; of ages and contacts one in fifty. `make prove` plays the whole table.
    @Test func everyStatementIsToldAsTheSpecificationsSay() throws {
        let report = try WarningTrial(try WarningTable(contentsOf: Self.table), folder: Self.folder).run(share: 50)
        #expect(report.failures == [])
        #expect(report.verdicts > 200 && report.warnings > 20)
    }

    /// Whatever an authority publishes of a key, by either mapping and three lists of models; one row in a hundred, and all rows of several
    /// keys on one day.
    @Test func everyPublicationIsToldAsTheSpecificationsSay() throws {
        let report = try ReportTrial(
            try WarningTable(contentsOf: Self.table), folder: Self.folder, readings: ReportTrial.ourReadings
        ).run(share: 100)
        #expect(report.failures == [])
        #expect(report.verdicts > 400 && report.warnings > 40)
    }

    /// Keys that are published again and again, all rows: a board of the authority takes back what it takes back, and others do as phones do.
    @Test func everyRevisionIsToldAsItWasDecided() throws {
        let report = try RevisionTrial(
            try WarningTable(contentsOf: Self.table), folder: Self.folder, readings: RevisionTrial.ourReadings
        ).run()
        #expect(report.failures == [])
        #expect(report.verdicts > 270 && report.warnings > 100)
    }

    /// One scene in a hundred, of every kind.
    @Test func everySceneIsToldAsTheSpecificationsSay() throws {
        let groups = try SceneTrial(
            try SceneTable(contentsOf: "\(Self.vectors)/scenes.json"), folder: Self.folder, readings: SceneTrial.ourReadings
        ).run(share: 100)
        #expect(groups.flatMap(\.report.failures) == [])
        #expect(groups.map(\.scenes).reduce(0, +) > 30 && groups.map(\.report.warnings).reduce(0, +) > 10)
    }

    /// Boards that follow several authorities: one scene in forty, and of every group at least one.
    @Test func everySourceIsToldAsTheDocumentsSay() throws {
        let groups = try SourcesTrial(
            try SourcesTable(contentsOf: "\(Self.vectors)/sources.json"), folder: Self.folder,
            readings: SourcesTrial.ourReadings
        ).run(share: 40)
        #expect(groups.flatMap(\.report.failures) == [])
        #expect(groups.count == 15 && groups.map(\.scenes).reduce(0, +) >= 40)
        #expect(groups.map(\.report.warnings).reduce(0, +) > 20)
    }
}
