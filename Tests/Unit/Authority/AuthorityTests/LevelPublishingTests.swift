// SPDX-License-Identifier: Apache-2.0

import Authority
import Cryptography
import DiagnosisPlan
import ExposureRisk
import FoundationEssentials
import GAEN
import JSON
import KeyExport
import KeyLevels
import Matching
import RandomValues
import RiskConfiguration
import Testing
import Trust
import Verification

/// Keys are published as the authority's own rules and those of phones read them: from what somebody states to what somebody else is told.
@Suite struct LevelPublishingTests {
    private let now = Scene.start

    /// A statement and the levels of its keys by age, from the published vectors (cwa-app-android; spec cwa-protocols 5.1).
    struct Story: Sendable, CustomTestStringConvertible {
        let statement: SymptomStatement
        let levels: [Int]
        var testDescription: String { "\(statement)" }
    }

    /// By days since onset -5 to 6 (cwa-server `derivation-maps.yaml`); 1 before and after.
    private static let byOnset = [-5: 2, -4: 4, -3: 6, -2: 7, -1: 8, 0: 8, 1: 8, 2: 6, 3: 5, 4: 3, 5: 2, 6: 2]

    static let stories =
        (0...21).map { days in Story(statement: .since(daysAgo: days), levels: (0..<14).map { byOnset[days - $0] ?? 1 }) }
        + [
            Story(statement: .lastSevenDays, levels: [4, 5, 6, 7, 7, 7, 6, 5, 4, 3, 2, 1, 1, 1]),
            Story(statement: .oneToTwoWeeksAgo, levels: [1, 1, 1, 1, 2, 3, 4, 5, 6, 6, 7, 7, 6, 6]),
            Story(statement: .moreThanTwoWeeksAgo, levels: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4]),
            Story(statement: .unknownSince, levels: [5, 6, 8, 8, 8, 7, 5, 3, 2, 1, 1, 1, 1, 1]),
            Story(statement: .noSymptoms, levels: [4, 4, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]),
            Story(statement: .noStatement, levels: [5, 6, 7, 7, 7, 6, 4, 3, 2, 1, 1, 1, 1, 1]),
        ]

    /// `transmissionRiskValueMapping` of the published parameters.
    private static let values = [1: 0, 2: 0, 3: 0.6, 4: 0.8, 5: 1, 6: 1.2, 7: 1.4, 8: 1.6]

    /// Fourteen keys go the whole way: payload, submission's rules, the authority's database, a signed package, and back out of it. Whoever
    /// was near for half an hour on a day is told increased exactly where the level of that day's key gives nine weighted minutes.
    @Test(arguments: stories) func whatIsStatedIsWhatIsTold(_ story: Story) throws {
        let scene = try Scene()
        try scene.publish(now)
        let today = UInt32(now / Scene.day)
        let own = try (0..<14).map { age in
            try #require(
                DiagnosisKey(
                    data: Block(low: UInt64(age) + 1, high: 7), rollingStart: ENIN((today - UInt32(age)) * ENIN.perDay),
                    rollingPeriod: age == 0 ? 40 : 144))
        }
        let payload = DiagnosisPlan.SubmissionPayload(
            keys: DiagnosisPlan.SubmissionPayload.keys(own, stating: story.statement, day: today), origin: "DE")
        var random = SeededGenerator(seed: 1)
        let body = try payload.encoded(as: .standard, using: &random)
        let accepted = try SubmissionRules().judge(body, now: now).get()
        #expect(accepted.keys.map { Int($0.transmissionRiskLevel) } == story.levels)
        #expect(accepted.keys.map(\.daysSinceOnset) == Array(story.statement.daysSinceOnset.prefix(14)))
        #expect(try scene.accept(accepted.keys, now: now).accepted == 14)
        // Today's key ended at 06:40.
        try scene.publish(now + Scene.hour)
        let published = try scene.package("\(Scene.dates)/2026-11-13/hour/10").keys
        let ages = story.levels.indices.filter { story.levels[$0] >= 3 }
        #expect(published.count == ages.count)
        #expect(ages == story.statement.publishedAges(minimumLevel: 3))
        let board = try RiskConfiguration(parsing: scene.document("/version/v1/risk_config"))
        let phone = try RiskConfiguration(cwaConfiguration: scene.document("/version/v2/app_config_android"), version: 1)
        for age in 0..<14 {
            let key = try published.first { $0.data == own[age].data }.map { try #require($0.diagnosisKey) }
            #expect((key != nil) == ages.contains(age))
            guard let key else { continue }
            #expect(Int(key.transmissionRiskLevel) == story.levels[age] && (1...2).contains(key.daysSinceOnset ?? 0))
            let matches = [Self.halfAnHour(with: key)]
            let time = Int64(today) * 86_400 + 86_000
            let told = try #require(board.judge(matches, today: today, now: time))
            // 50 dB weigh 0.8; encounters of more than ten days ago do not count (maxEncounterAgeInDays).
            let minutes = 30 * 0.8 * (Self.values[story.levels[age]] ?? 0)
            #expect(told.level == (minutes >= 9 && age <= 10 ? .increased : .low), "age \(age)")
            #expect(told.assessment.model == .cwaSecond && told.unjudged == 0 && told.sentence == nil)
            #expect(told.assessment.days.first?.contributions.map(\.transmissionRiskLevel) == [story.levels[age]])
            // The app's configuration does not say that types are codes; nothing else may differ.
            var onAPhone = try #require(phone.judge(matches, today: today, now: time)).assessment
            onAPhone.forgetReportTypes()
            #expect(onAPhone == told.assessment)
        }
    }

    /// Thirty minutes at 50 dB, a scan every two, on the key's day at 05:00.
    private static func halfAnHour(with key: DiagnosisKey) -> Match {
        let start = key.rollingStart.day * 86_400 + 5 * 3_600
        return Match(
            key: key,
            sightings: (0..<15).map { step in
                let time = start + UInt32(step) * 120
                return MatchedSighting(
                    position: UInt32(step), interval: ENIN(time / 600), time: time, previousScan: time - 120, rssi: -60,
                    transmitPower: -10, confidence: .high)
            })
    }

    /// What is handed in elsewhere has real onsets -15 to 15, or codes, or only one half; what comes out is a code of its level or nothing.
    @Test func everyOnsetIsPublishedAsACodeOrNotAtAll() throws {
        let scene = try Scene()
        try scene.publish(now)
        var keys: [ExportedKey] = []
        for onset in Array(-15...15) + [194, 701, 2_000, 3_000, 4_000] as [Int32] {
            for level in 0...8 as ClosedRange<Int32> {
                var key = Scene.key(keys.count)
                (key.reportType, key.hasOnset, key.daysSinceOnset, key.transmissionRiskLevel) = (1, true, onset, level)
                keys.append(key)
            }
        }
        for level in 1...8 as ClosedRange<Int32> {
            var key = Scene.key(keys.count)
            (key.reportType, key.hasOnset, key.daysSinceOnset, key.transmissionRiskLevel) = (2, false, 0, level)
            keys.append(key)
        }
        #expect(try scene.accept(keys, now: now).accepted == keys.count)
        try scene.publish(now + Scene.hour)
        let published = try scene.package("\(Scene.dates)/2026-11-13/hour/10").keys
        let expected = keys.compactMap { key -> ExportedKey? in
            let level =
                key.transmissionRiskLevel == 0
                ? Int32(
                    Self.byOnset[Int(key.daysSinceOnset)] ?? [194: 2, 701: 3, 2_000: 5, 3_000: 4, 4_000: 5][
                        key.daysSinceOnset] ?? 1)
                : key.transmissionRiskLevel
            guard level >= 3 else { return nil }
            var code = key
            code.transmissionRiskLevel = level
            (code.reportType, code.hasOnset, code.daysSinceOnset) = (4 - (level - 1) / 2, true, level % 2 == 0 ? 2 : 1)
            return code
        }
        #expect(same(published, expected) && expected.count < keys.count)
        // Neither does a later package of the day say more, nor is anything left waiting that would.
        try scene.publish(now + Scene.day)
        #expect(same(try scene.package("\(Scene.dates)/2026-11-13").keys, expected))
        #expect(try scene.authority.status(now: now + Scene.day)["regions"]?.array?.first?["waiting"] == 0)
        // The batches of exposure-notifications-server are the same files.
        try scene.reopen { $0.publishing.isOfferedAsBatches = true }
        try scene.publish(now + Scene.day + 1)
        #expect(same(try scene.package("/ens/EUR/\(now)-\(now + 3_600)-00001.zip").keys, expected))
    }

    @Test func aKeyThatIsTakenBackKeepsItsType() throws {
        let rules = PublishingRules()
        for level in 0...8 as ClosedRange<Int32> {
            var key = Scene.key(1)
            (key.reportType, key.daysSinceOnset, key.transmissionRiskLevel, key.isRevised) = (5, -3, level, true)
            let published = rules.published(key)
            #expect((published != nil) == (level >= 3))
            #expect(
                published.map { $0.reportType == 5 && $0.isRevised && $0.daysSinceOnset == (level % 2 == 0 ? 2 : 1) }
                    != false)
        }
    }

    /// Padding says the same as the keys it hides, and keys that are never public do not count as company.
    @Test func lowLevelsNeitherCountNorGiveThemselvesAway() throws {
        let scene = try Scene(threshold: 10) { $0.publishing.paddingExtra = 0 }
        try scene.publish(now)
        var keys = (0..<9).map { Scene.key($0) }
        for index in 1..<9 { keys[index].transmissionRiskLevel = 2 }
        _ = try scene.accept(keys, now: now)
        try scene.publish(now + Scene.hour)
        #expect(try scene.package("\(Scene.dates)/2026-11-13/hour/10").keys.isEmpty)
        try scene.publish(now + 26 * Scene.hour)
        let published = try scene.package("\(Scene.dates)/2026-11-14/hour/10").keys
        #expect(published.count == 10 && published.contains { $0.data == keys[0].data })
        #expect(Set(published.map { [$0.transmissionRiskLevel, $0.reportType, $0.daysSinceOnset] }) == [[3, 3, 1]])
    }

    @Test func anAuthorityThatPublishesRealOnsetsSwitchesItOff() throws {
        let scene = try Scene { $0.publishing.encodesLevels = false }
        try useRealOnsets(scene)
        try scene.publish(now)
        var keys = (0..<4).map { Scene.key($0) }
        for (index, (onset, level)) in ([(-3, 0), (20, 5), (0, 2), (14, 8)] as [(Int32, Int32)]).enumerated() {
            (keys[index].daysSinceOnset, keys[index].transmissionRiskLevel, keys[index].reportType) = (onset, level, 1)
        }
        _ = try scene.accept(keys, now: now)
        try scene.publish(now + Scene.hour)
        let published = try scene.package("\(Scene.dates)/2026-11-13/hour/10").keys
        (keys[1].hasOnset, keys[1].daysSinceOnset) = (false, 0)
        #expect(same(published, [keys[0], keys[1], keys[3]]))
    }

    /// Another country's levels mean something else: they follow from the onset (spec rules-and-nhs 6.3).
    @Test func keysOfAnotherAuthorityGetTheirLevelFromTheirOnset() throws {
        let scene = try Scene()
        try scene.publish(now)
        var keys = (0..<5).map { Scene.key($0) }
        for (index, (type, onset, level))
            in ([(1, -2, 1), (2, 3, 8), (3, 0, 8), (4, 0, 8), (1, 14, 8)] as [(Int32, Int32, Int32)])
            .enumerated()
        {
            (keys[index].reportType, keys[index].daysSinceOnset, keys[index].transmissionRiskLevel) = (type, onset, level)
        }
        let encoder = ExportEncoder(
            startTimestamp: 0, endTimestamp: 1, region: "FR",
            signatureInfos: [ExportEncoder.signatureInfo(for: .init(id: "208", version: "v1"))])
        let file = scene.path + "/other.bin"
        try #require(FileManager.default.createFile(atPath: file, contents: Data(encoder.exportBin(keys))))
        let arguments = ["accept", "--federated", "--state", scene.path, "--now", "\(now)", "--json", file]
        let taken = try Program.run(Program.authority, arguments)
        #expect(taken.status == 0 && taken.output == "{\"accepted\":3,\"known\":0,\"refused\":{\"wrongReportType\":2}}\n")
        try scene.publish(now + Scene.hour)
        let published = try scene.package("\(Scene.dates)/2026-11-13/hour/10").keys
        let codes = Dictionary(
            uniqueKeysWithValues: published.map { ($0.data, [$0.transmissionRiskLevel, $0.reportType, $0.daysSinceOnset]) })
        #expect(codes == [keys[0].data: [7, 1, 1], keys[1].data: [5, 2, 1]])
    }

    // MARK: Encoding and rules belong together

    private func write(_ text: String, _ scene: Scene) throws {
        try #require(FileManager.default.createFile(atPath: scene.folder.riskFile, contents: Data(text.utf8)))
    }

    /// The folder's rules with another mapping of onsets, and other `reportTypes`; none where that is `nil`.
    private func rules(
        mapping: String, types: String? = "codes", version: Int64 = 1, in scene: Scene
    ) throws -> String {
        let bytes = [UInt8](try #require(FileManager.default.contents(atPath: scene.folder.riskFile)))
        var document = try #require(try JSON(parsing: bytes).object)
        var map = try #require(document["mapping"]?.object)
        map["daysSinceOnsetToInfectiousness"] = try JSON(parsing: Array("{\(mapping)}".utf8))
        document["mapping"] = .object(map)
        document["version"] = .int(version)
        document["reportTypes"] = types.map { .string($0) }
        return String(decoding: JSON.object(document).bytes, as: UTF8.self)
    }

    @Test func whatANewFolderHasFits() throws {
        let scene = try Scene()
        try scene.authority.requireFittingRules()
        let check = try Program.run(Program.authority, ["check", "--state", scene.path])
        #expect(check.status == 0)
        let read = try AuthoritySettings(parsing: scene.settings.json.bytes)
        #expect(read == scene.settings)
    }

    /// Real days, codes the wrong way round, every day high, one code missing: each of them would lose or bend warnings.
    @Test(arguments: [
        "\"-3\": 1, \"-2\": 2, \"-1\": 2, \"0\": 2, \"3\": 1", "\"1\": 2, \"2\": 1", "\"1\": 2, \"2\": 2", "\"1\": 1", "",
    ])
    func rulesThatDoNotReadTheCodesAreRefused(_ mapping: String) throws {
        let scene = try Scene()
        let bad = try rules(mapping: mapping, in: scene)
        try write(bad, scene)
        let check = try Program.run(Program.authority, ["check", "--state", scene.path])
        #expect(check.status == 1 && check.errors.contains("risk.json does not read keys as they are published: level"))
        #expect(throws: AuthorityError(.invalidRiskConfiguration)) { try scene.authority.requireFittingRules() }
        let publish = try Program.run(Program.authority, ["publish", "--state", scene.path])
        #expect(publish.status != 0 && scene.file("/version/v1/risk_config") == nil)
        // After a good one was public, the bad one is not taken, and the authority goes on.
        try FileManager.default.removeItem(atPath: scene.folder.riskFile)
        _ = try StateFolder(path: scene.path)
        try scene.publish(now)
        let good = scene.file("/version/v1/risk_config")
        try write(try rules(mapping: mapping, version: 2, in: scene), scene)
        #expect(try scene.publish(now).configurationFaults == [AuthorityError(.invalidRiskConfiguration)])
        #expect(scene.file("/version/v1/risk_config") == good)
        try scene.authority.requireFittingRules()
    }

    @Test func settingsThatDoNotFitWhatIsPublicAreRefusedAtTheStart() throws {
        let scene = try Scene()
        try scene.publish(now)
        // Real onsets under rules that know two codes; levels that are published as recursive; phones' rules are looked at as well.
        let changes: [(inout AuthoritySettings) -> Void] = [
            { $0.publishing.encodesLevels = false }, { $0.publishing.minimumLevel = 2 },
        ]
        for change in changes {
            try scene.reopen(change)
            #expect(throws: AuthorityError(.invalidRiskConfiguration)) { try scene.authority.requireFittingRules() }
            #expect(
                try scene.publish(now).configurationFaults == [
                    AuthorityError(.invalidConfiguration), AuthorityError(.invalidRiskConfiguration),
                ])
            try scene.reopen { $0.publishing = PublishingRules() }
        }
        try scene.authority.requireFittingRules()
    }

    /// The days on which somebody is infectious enough for keys to be published.
    private static let realDays =
        "\"-4\": 1, \"-3\": 1, \"-2\": 2, \"-1\": 2, \"0\": 2, \"1\": 2, \"2\": 2, \"3\": 2, \"4\": 1"

    /// What an operator does who publishes real onsets: the rules of boards and those of phones name days.
    func useRealOnsets(_ scene: Scene) throws {
        try write(try rules(mapping: Self.realDays, types: "stated", in: scene), scene)
        let bytes = [UInt8](try #require(FileManager.default.contents(atPath: scene.folder.configurationFile)))
        let text = String(decoding: bytes, as: UTF8.self)
        let codes = "{\"1\": 1, \"2\": 2}"
        let parts = text.split(separator: codes, omittingEmptySubsequences: false)
        try #require(parts.count == 2)
        // Phones have one model, for windows: somebody who states no day must not be lost.
        let missing = "\"infectiousnessWhenDaysSinceOnsetMissing\": "
        let changed = parts.joined(separator: "{\(Self.realDays)}").split(
            separator: missing + "0", omittingEmptySubsequences: false
        )
        .joined(separator: missing + "1")
        try #require(FileManager.default.createFile(atPath: scene.folder.configurationFile, contents: Data(changed.utf8)))
    }

    @Test func rulesForRealOnsetsFitWhereLevelsAreNotEncoded() throws {
        let scene = try Scene { $0.publishing.encodesLevels = false }
        // What a new folder has is for codes.
        #expect(throws: AuthorityError(.invalidRiskConfiguration)) { try scene.authority.requireFittingRules() }
        try write(try rules(mapping: Self.realDays, types: "stated", in: scene), scene)
        #expect(throws: AuthorityError(.invalidConfiguration)) { try scene.authority.requireFittingRules() }
        try useRealOnsets(scene)
        try scene.authority.requireFittingRules()
        #expect(try scene.publish(now).configurationFaults.isEmpty)
        // One day of theirs that is not named.
        try write(try rules(mapping: "\"0\": 2, \"1\": 2, \"2\": 2", types: nil, version: 2, in: scene), scene)
        #expect(try scene.publish(now).configurationFaults.last == AuthorityError(.invalidRiskConfiguration))
    }

    private static let codes = "\"1\": 1, \"2\": 2"

    /// Report types that are codes, and rules that take them as stated: a warning of level 7 or 8 could not be taken back. Nothing said
    /// means stated. The mapping is right each time, so nothing else refuses them.
    @Test(arguments: ["stated", nil])
    func rulesThatTakeCodesForReportTypesAreRefused(_ types: String?) throws {
        let scene = try Scene()
        try write(try rules(mapping: Self.codes, types: types, in: scene), scene)
        for command in ["check", "publish", "serve"] {
            let more = command == "serve" ? ["--port", "0", "--admin-port", "0", "--trust-clock"] : []
            let refused = try Program.run(Program.authority, [command, "--state", scene.path] + more)
            #expect(refused.status == 1, "\(command): \(refused.status) \(refused.errors)")
            #expect(
                refused.errors.contains("\"reportTypes\": \"codes\"") && refused.errors.contains("publishing.encodeLevels"),
                "\(command): \(refused.errors)")
        }
        #expect(throws: AuthorityError(.invalidRiskConfiguration)) { try scene.authority.requireFittingRules() }
        #expect(scene.file("/version/v1/risk_config") == nil)
        // An authority that does not warn has no keys to misread.
        var text = try rules(mapping: Self.codes, types: types, in: scene)
        text = text.replacing("\"state\":\"running\"", with: "\"state\":\"paused\"")
        try #require(text.contains("paused"))
        try write(text, scene)
        try scene.authority.requireFittingRules()
        // With the word that the sentence asks for.
        try write(try rules(mapping: Self.codes, in: scene), scene)
        let good = try Program.run(Program.authority, ["check", "--state", scene.path])
        #expect(good.status == 0, "\(good.errors)")
        try scene.authority.requireFittingRules()
    }

    @Test func rulesThatTakeStatedReportTypesForCodesAreRefused() throws {
        let scene = try Scene { $0.publishing.encodesLevels = false }
        try useRealOnsets(scene)
        try scene.authority.requireFittingRules()
        try write(try rules(mapping: Self.realDays, types: "codes", in: scene), scene)
        // The scene's settings are in memory only; the program reads the folder's.
        try Data(scene.settings.json.bytes).write(to: URL(filePath: scene.folder.settingsFile))
        let check = try Program.run(Program.authority, ["check", "--state", scene.path])
        #expect(check.status == 1 && check.errors.contains("Set \"reportTypes\": \"stated\""), "\(check.errors)")
        #expect(throws: AuthorityError(.invalidRiskConfiguration)) { try scene.authority.requireFittingRules() }
        try write(try rules(mapping: Self.realDays, types: nil, in: scene), scene)
        try scene.authority.requireFittingRules()
    }

    /// The examples say themselves what their report types are: they are for real days. Read as the folder's own rules read keys, they
    /// fit (as Tools/serverkit.py makes them).
    @Test func examplesFitOnceTheyReadKeysAsTheAuthorityDoes() throws {
        let scene = try Scene()
        let own = try #require(try document(scene.folder.riskFile))
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folder = root.path + "/docs/examples/rules"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }
        #expect(names.count == 6)
        for name in names {
            var example = try #require(try document("\(folder)/\(name)"))
            #expect(example["reportTypes"] == "stated", "\(name)")
            example["mapping"] = own["mapping"]
            try write(String(decoding: JSON.object(example).bytes, as: UTF8.self), scene)
            #expect(throws: AuthorityError(.invalidRiskConfiguration)) { try scene.authority.requireFittingRules() }
            example["reportTypes"] = own["reportTypes"]
            try write(String(decoding: JSON.object(example).bytes, as: UTF8.self), scene)
            try scene.authority.requireFittingRules()
        }
    }

    private func document(_ path: String) throws -> JSON.Object? {
        try JSON(parsing: [UInt8](try #require(FileManager.default.contents(atPath: path)))).object
    }

    @Test func everyFaultOfTheEncodingIsTold() throws {
        let text = """
            {"publishing": {"minimumLevel": 9, "daysToPublish": 12, "retentionDays": 11, "encodeLevels": "yes",
            "levelEncoding": {"daysSinceOnset": {"1": 3, "2": 0, "x": 1}, "reportType": {"1": 6, "2": -1, "9": 1}}}}
            """
        var found = ""
        do { _ = try AuthoritySettings(parsing: Array(text.utf8)) } catch { found = "\(error)" }
        for part in [
            "publishing.minimumLevel", "publishing.daysToPublish: must not be more than retentionDays",
            "publishing.encodeLevels",
            "levelEncoding.daysSinceOnset.1: must be a whole number from 1 to 2", "levelEncoding.daysSinceOnset.2",
            "levelEncoding.daysSinceOnset.3: is required", "levelEncoding.daysSinceOnset.x: is not known",
            "levelEncoding.reportType.1: must be a whole number from 0 to 5", "levelEncoding.reportType.2",
            "levelEncoding.reportType.8: is required",
        ] { #expect(found.contains(part), "\(part) in \(found)") }
    }
}
