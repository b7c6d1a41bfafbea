// SPDX-License-Identifier: Apache-2.0

import Conformance
import FoundationEssentials
import RandomValues
import Testing

/// Folders with vectors: ours, and the collection beside the checkout when it is there.
private enum VectorFolders {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
    static let own = root + "/Tests/Vectors/gaen"
    static let ownPush = root + "/Tests/Vectors/crowdnotifier"
    static let ownRisk = [root + "/Tests/Vectors/cwa", root + "/Tests/Vectors/nhs"]
    static let ownDiagnosis = root + "/Tests/Vectors/diagnosis"
    static let ownCheckIn = root + "/Tests/Vectors/check-in"
    static let ownDonation = root + "/Tests/Vectors/donation"
    static let shared = root + "/../shared/vectors/gaen"
    static var hasShared: Bool { FileManager.default.fileExists(atPath: shared) }
    static func families(_ folder: String) -> [ConformanceSuite.Found] {
        (try? ConformanceSuite.families(under: folder)) ?? []
    }
}

@Suite struct ConformanceTests {
    @Test(arguments: VectorFolders.families(VectorFolders.own))
    func ownVectorsPass(_ found: ConformanceSuite.Found) {
        let checks = ConformanceSuite.run(found)
        #expect(checks.failures.isEmpty)
        #expect(checks.passed > 0)
    }

    @Test(arguments: VectorFolders.families(VectorFolders.ownPush))
    func ownPushVectorsPass(_ found: ConformanceSuite.Found) {
        let checks = ConformanceSuite.run(found)
        #expect(checks.failures.isEmpty)
        #expect(checks.passed > 0)
    }

    @Test(arguments: VectorFolders.ownRisk.flatMap(VectorFolders.families))
    func ownRiskVectorsPass(_ found: ConformanceSuite.Found) {
        let checks = ConformanceSuite.run(found)
        #expect(checks.failures.isEmpty)
        #expect(checks.passed > 0)
    }

    @Test(arguments: VectorFolders.families(VectorFolders.ownDiagnosis))
    func ownDiagnosisVectorsPass(_ found: ConformanceSuite.Found) {
        let checks = ConformanceSuite.run(found)
        #expect(checks.failures.isEmpty)
        #expect(checks.passed > 0)
    }

    @Test(arguments: VectorFolders.families(VectorFolders.ownCheckIn))
    func ownCheckInVectorsPass(_ found: ConformanceSuite.Found) {
        let checks = ConformanceSuite.run(found)
        #expect(checks.failures.isEmpty)
        #expect(checks.passed > 0)
    }

    @Test(arguments: VectorFolders.families(VectorFolders.ownDonation))
    func ownDonationVectorsPass(_ found: ConformanceSuite.Found) {
        let checks = ConformanceSuite.run(found)
        #expect(checks.failures.isEmpty)
        #expect(checks.passed > 0)
    }

    @Test func everyOwnFamilyIsThere() {
        let names = Set(VectorFolders.families(VectorFolders.own).map(\.family))
        #expect(names.count == 14)
        #expect(names.isSuperset(of: ["matching", "export", "crypto_official", "daily_summary"]))
        let push = VectorFolders.families(VectorFolders.ownPush).map(\.family)
        #expect(push == ["push_registration", "push_registration_state"])
        #expect(VectorFolders.families(VectorFolders.ownDiagnosis).count == 18)
        #expect(VectorFolders.families(VectorFolders.ownCheckIn).count == 33)
        #expect(VectorFolders.families(VectorFolders.ownDonation).count == 24)
        #expect(VectorFolders.ownRisk.map { VectorFolders.families($0).count } == [4, 12])
    }

    @Test(
        .enabled(if: VectorFolders.hasShared, "the collection of sample files beside the checkout is absent"),
        arguments: VectorFolders.families(VectorFolders.shared))
    func sharedVectorsPass(_ found: ConformanceSuite.Found) {
        #expect(ConformanceSuite.run(found).failures.isEmpty)
    }

    @Test func aFamilyNobodyImplementedFails() {
        let checks = ConformanceSuite.run(.init(family: "no_such_family", folder: "/", file: nil))
        #expect(checks.failures.count == 1)
        #expect(checks.passed == 0)
    }

    @Test func aWrongVectorFails() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/vigil-vectors-\(Unique.name())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let wrong = """
            {"cases": [{"epoch": 600, "interval": 2, "day_start_interval": 0, "day": 0, "period_to_midnight": 143}]}
            """
        try Data(wrong.utf8).write(to: URL(filePath: folder + "/intervals.json"))
        let found = try ConformanceSuite.families(under: folder)
        #expect(found.map(\.family) == ["intervals"])
        #expect(ConformanceSuite.run(try #require(found.first)).failures.count == 1)
    }
}
