// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Authority
import FoundationEssentials
import Glibc
import JSON
import PresenceTracing
import Testing

@Suite struct ConfigurationTests {
    private let now = Scene.start

    private func write(_ text: String, _ scene: Scene) throws {
        try #require(FileManager.default.createFile(atPath: scene.folder.configurationFile, contents: Data(text.utf8)))
    }

    @Test func whatIsPublishedAtFirstIsWhatTheAppsHadAtLast() throws {
        let scene = try Scene()
        try scene.publish(now)
        let config = try scene.configuration()
        #expect(config.supportedCountries == ["DE"])
        #expect(config.downloadTimeoutSeconds == 60 && config.overallDownloadTimeoutSeconds == 480)
        #expect(config.detectionTimeoutSeconds == 900)
        #expect(config.mapping?.daysSinceOnsetToInfectiousness == [1: 1, 2: 2])
        #expect(config.mapping?.reportTypeWhenMissing == 1)
        #expect(config.dailySummaries?.attenuationThresholds == [30, 50, 70])
        #expect(config.dailySummaries?.attenuationWeights == [1, 1, 1, 1])
        #expect(config.dailySummaries?.reportTypeWeights == [1: 1, 2: 1, 3: 1, 4: 1])
        #expect(config.revokedPackages.isEmpty)
        let vigil = try #require(VigilConfiguration(scene.document("/version/v1/vigil_config")))
        #expect(vigil.version == 1 && vigil.wakeWindowSeconds == 600)
        // The rules for visits are those that were published last.
        let presence = try #require(PresenceTracingParameters(config.content))
        #expect(presence.risk == .published && presence.derivation == .published)
        #expect(presence.descriptors == VenueCode.Descriptor.published && presence.unknownDescriptors == 0)
    }

    private static let samples =
        "/" + #filePath.split(separator: "/").dropLast(5).joined(separator: "/") + "/../shared/vectors/cwa/app-config"

    /// The configuration that shipped with cwa-app-android 3.2.1, written by our encoder and read by Sync, is what Sync reads from
    /// the published bytes, in every part that both know.
    @Test(.enabled(if: access(samples, R_OK) == 0, "the samples beside the checkout (../shared/vectors/cwa) are absent"))
    func aRealConfigurationSurvivesTheWayThroughOurEncoder() throws {
        let text = try #require(FileManager.default.contents(atPath: Self.samples + "/android-default-v2.decoded.json"))
        let bin = try #require(FileManager.default.contents(atPath: Self.samples + "/android-default-v2.bin"))
        var decoded = try #require(try JSON(parsing: [UInt8](text))["decoded"]?.object)
        for part in [
            "eventDrivenUserSurveyParameters", "privacyPreservingAnalyticsParameters", "errorLogSharingParameters",
            "dgcParameters",
        ] { decoded[part] = nil }
        let configuration = try PublicConfiguration(
            parsing: JSON.object(["version": 1, "appConfig": .object(decoded)]).bytes)
        let ours = try #require(AppConfiguration(configuration.appConfigBytes(revoked: [], number: nil)))
        let theirs = try #require(AppConfiguration([UInt8](bin)))
        #expect(ours.mapping == theirs.mapping && ours.dailySummaries == theirs.dailySummaries)
        for part in [
            "keyDownloadParameters", "exposureDetectionParameters", "riskCalculationParameters", "diagnosisKeysDataMapping",
            "dailySummariesConfig", "coronaTestParameters", "presenceTracingParameters",
        ] {
            #expect(ours.content[part] != nil, "\(part)")
            #expect(ours.content[part] == theirs.content[part], "\(part)")
        }
    }

    @Test func everyFaultOfAFileIsToldAtOnce() throws {
        let text = """
            {"vigil": {"wakeWindowSeconds": -1, "window": 3}, "appConfig": {
              "minVersionCode": 1.5, "unknown": 1,
              "dailySummariesConfig": {"attenuationBucketThresholdDb": [50, 30], "attenuationBucketWeights": [9, 1, 1],
                "reportTypeWeights": {"7": 1, "01": 1}},
              "riskCalculationParameters": {"normalizedTimePerEWToRiskLevelMapping": [
                {"normalizedTimeRange": {"min": 9}, "riskLevel": "MEDIUM"}]}}}
            """
        let error = #expect(throws: AuthorityError(.invalidConfiguration)) {
            try PublicConfiguration(parsing: Array(text.utf8))
        }
        for part in [
            "configuration.version: is required", "vigil.wakeWindowSeconds", "vigil.window: is not known", "minVersionCode",
            "appConfig.unknown", "ThresholdDb: must be three rising numbers", "attenuationBucketWeights[0]",
            "attenuationBucketWeights: must be four", "reportTypeWeights.7", "reportTypeWeights.01",
            "PerEWToRiskLevelMapping[0].riskLevel", "min is above max",
        ] {
            #expect(error?.detail.contains(part) == true, "\(part)")
        }
    }

    @Test func aBadFileLeavesTheLastGoodOnePublic() throws {
        let scene = try Scene()
        try scene.publish(now)
        try write("{\"version\": 2", scene)
        _ = try scene.accept([Scene.key(0)], now: now)
        let report = try scene.publish(now + Scene.hour)
        #expect(report.configurationFaults == [AuthorityError(.invalidConfiguration)])
        #expect(report.packages.count == 2)
        #expect(try scene.configuration().supportedCountries == ["DE"])
    }

    @Test func versionsRise() throws {
        let scene = try Scene()
        let text = { (version: Int, window: Int) in
            "{\"version\": \(version), \"vigil\": {\"wakeWindowSeconds\": \(window)}, \"appConfig\": {}}"
        }
        try write(text(5, 60), scene)
        try scene.publish(now)
        func window() throws -> Int64? {
            try VigilConfiguration(scene.document("/version/v1/vigil_config"))?.wakeWindowSeconds
        }
        #expect(try window() == 60)
        for version in [4, 5] {
            try write(text(version, 90), scene)
            #expect(try scene.publish(now).configurationFaults == [AuthorityError(.invalidConfiguration)])
            #expect(try window() == 60)
        }
        try write(text(6, 90), scene)
        #expect(try scene.publish(now).configurationFaults.isEmpty)
        #expect(try window() == 90)
    }

    @Test func settingsTellEveryFaultAtOnce() throws {
        let text = """
            {"regions": ["de"], "keyNames": {"export": "262", "x": ""}, "publishing": {"holdHours": -1, "retentionDays": 40,
             "offerBatches": 1}, "http": {"port": 70000}, "wake": {"port": 0, "username": "", "certificateFile": "a",
             "topicPrefix": "a/#"}, "time": 3}
            """
        let error = #expect(throws: AuthorityError(.invalidSettings)) { try AuthoritySettings(parsing: Array(text.utf8)) }
        for part in [
            "settings.regions", "keyNames.export", "keyNames.x", "publishing.holdHours", "publishing.retentionDays",
            "publishing.offerBatches", "http.port", "wake.host", "wake.port", "wake.username", "wake.keyFile",
            "wake.caFile",
            "wake.topicPrefix", "settings.time",
        ] {
            #expect(error?.detail.contains(part) == true, "\(part)")
        }
    }

    @Test func settingsThatAreWrittenAreReadAsTheSame() throws {
        var settings = AuthoritySettings()
        settings.appBundleID = "org.example"
        settings.publishing.shiftingThreshold = 7
        settings.publishing.isOfferedAsBatches = true
        settings.wake = .init()
        settings.wake?.host = "broker.example"
        settings.wake?.caFile = "/etc/ca.pem"
        settings.wake?.username = "authority"
        settings.wake?.isSentWithoutKeys = true
        let again = try AuthoritySettings(parsing: settings.json.bytes)
        #expect(again == settings)
    }

    @Test func secretsThatOthersCanReadAreRefused() throws {
        let scene = try Scene()
        for name in ["keys/export.pem", "admin-token"] {
            let path = "\(scene.path)/\(name)"
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: scene.path + "/keys/export.pem")
        _ = try scene.accept([Scene.key(0)], now: now)
        #expect(throws: AuthorityError(.stateUnusable)) { try scene.publish(now + Scene.hour) }
    }
}
