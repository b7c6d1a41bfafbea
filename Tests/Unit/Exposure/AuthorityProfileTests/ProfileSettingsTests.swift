// SPDX-License-Identifier: Apache-2.0

import AuthorityProfile
import BLS12381
import Cryptography
import ExposureRisk
import FoundationEssentials
import JSON
import PluginManifest
import RiskConfiguration
import Testing

/// What plugins are told of authorities: made from profiles, good by the plugins' own manifests, and nothing else of the grants is touched.
@Suite struct ProfileSettingsTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func profile(_ name: String) throws -> AuthorityProfile {
        try AuthorityProfile(
            parsing: Array(Data(contentsOf: root.appending(path: "Provisioning/authorities/\(name).json"))))
    }

    private static func manifest(_ plugin: String) throws -> Manifest {
        try Manifest(parsing: Array(Data(contentsOf: root.appending(path: "Plugins/\(plugin)/plugin.json"))))
    }

    static let files: [String] = {
        let folder = root.appending(path: "Provisioning/authorities").path()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
    }()

    /// Everything that is shipped.
    @Test(arguments: files) func shippedProfilesAreGood(_ name: String) throws {
        let profile = try Self.profile(name)
        #expect(try AuthorityProfile(parsing: profile.document) == profile)
        #expect(profile.status == (name.hasPrefix("example-") ? .running : .switchedOff))
        #expect(!ProfileSummary(profile).sentences.isEmpty)
    }

    /// Each kind of authority: the manifests take what is made, whole.
    @Test(arguments: ["example-cwa", "example-ens", "example-nhs"]) func settingsFitTheManifests(_ name: String) throws {
        let settings = try ProfileSettings([try Self.profile(name)])
        let plugins = name == "example-cwa" ? ["Sync", "Venue", "Diagnosis"] : ["Sync", "Diagnosis"]
        #expect(settings.entries.map(\.plugin) == plugins.map { $0.lowercased() })
        for (entry, folder) in zip(settings.entries, plugins) {
            let manifest = try Self.manifest(folder)
            _ = try manifest.settings.filled(entry.settings)
            #expect(Set(entry.endpoints.map(\.name)).isSubset(of: Set(manifest.endpoints.map(\.name))))
            #expect(entry.endpoints.allSatisfy { !$0.places.isEmpty })
        }
        #expect(settings.entries.last?.settings["way"]?.string == String(name.dropFirst("example-".count)))
        let grants = try settings.merged(into: ["plugins": [:]]).document
        #expect(try GrantsFile(parsing: grants.bytes).entries.count == plugins.count)
    }

    /// Venues of two authorities by the same system: of the one that people warn through, if it publishes any, or else
    /// of the first that does. What is left out is said.
    @Test(arguments: [
        ("first", "a", "b", "first", "second"), ("second", "a", "b", "second", "first"),
        ("first", nil, "b", "second", "first"), ("second", "a", nil, "first", "second"), ("second", nil, nil, nil, "first"),
    ])
    func oneAuthorityIsAskedForWarningsAboutVenues(
        warner: String, first: String?, second: String?, asked: String?, left: String
    ) throws {
        let profiles = try [("first", first), ("second", second)].map { name, server in
            var profile = try Self.profile("example-cwa")
            profile.name = name
            profile.checkIn = .init(
                systems: [.coronaWarnApp], base: server.map { "https://\($0).example" }, country: server?.uppercased())
            return profile
        }
        let settings = try ProfileSettings(profiles, warnThrough: warner)
        let venue = try #require(settings.entries.first { $0.plugin == "venue" })
        let server = asked == "first" ? first : asked == "second" ? second : nil
        #expect(venue.settings["signersOf"]?.array?.first?["source"]?.string == asked)
        #expect(venue.settings["coronaWarnAppServer"]?.string == server.map { "https://\($0).example" })
        #expect(venue.settings["coronaWarnAppCountry"]?.string == server?.uppercased())
        #expect(settings.notes.filter { $0.contains("is left out") }.map { $0.hasPrefix("\(left): ") } == [true])
    }

    /// Codes, addresses and whose keys count, for each system.
    @Test func checkInIsToldToThePluginWithTheCoresWordOnKeys() throws {
        var profile = try Self.profile("example-cwa")
        let key = profile.keys[0].key
        profile.checkIn = .init(
            systems: [.coronaWarnApp, .swissCovid, .nhs], base: "https://venues.example.org/v", country: "EUR",
            codeHost: "qr.example.org", swissCovidKey: Sample.hidingKey,
            posterKeys: [.init(id: "262", key: key)])
        #expect(try AuthorityProfile(parsing: profile.document) == profile)
        func entry(_ profiles: [AuthorityProfile]) throws -> ProfileSettings.Entry? {
            try ProfileSettings(profiles, warnThrough: profiles[0].name).entries.first { $0.plugin == "venue" }
        }
        let venue = try #require(try entry([profile]))
        _ = try Self.manifest("Venue").settings.filled(venue.settings)
        let server: JSON = "https://venues.example.org/v"
        #expect(
            venue.settings == [
                "coronaWarnAppServer": server, "coronaWarnAppCountry": "EUR",
                "swissCovidServer": server, "crowdNotifierHost": "qr.example.org",
                "swissCovidKey": .string(Sample.hidingKey),
                "nhsServer": server, "posterKeys": [["id": "262", "key": .string(try key.pem())]],
                "systems": ["coronaWarnApp", "swissCovid", "nhs"],
                "signersOf": .array(
                    ["coronaWarnApp", "swissCovid", "nhs"].map { ["system": $0, "source": "example-cwa"] }),
            ])
        #expect(venue.json["endpoints"] == ["warnings": [["host": "venues.example.org", "port": 443]]])
        // What its app sends, and that servers of ours sign no word of the operators.
        var asked = profile
        asked.warning = .init(
            kind: .nhs, publish: "https://venues.example.org", apiKey: "mobile:value", userAgent: "p=Android",
            testCountry: "England")
        let settings = try #require(try entry([asked])).settings
        #expect(settings["nhsApiKey"] == "mobile:value" && settings["nhsUserAgent"] == "p=Android")
        #expect(settings["nhsUnsignedAnswers"] == nil)
        _ = try Self.manifest("Venue").settings.filled(settings)
        // The rules lie behind the base of the distribution, which may be another one.
        asked.rules = .init(form: .cwaIOS)
        #expect(try entry([asked])?.settings["coronaWarnAppConfig"] == nil)
        // The configuration for the other phones has other numbers.
        asked.distribution?.base = asked.checkIn?.base
        let ios = try #require(try entry([asked])).settings
        #expect(ios["coronaWarnAppConfig"] == "version/v2/app_config_ios" && ios["coronaWarnAppForm"] == "ios")
        _ = try Self.manifest("Venue").settings.filled(ios)
        asked.rules = .init(form: .vigil)
        #expect(try entry([asked])?.settings["coronaWarnAppConfig"] == nil)
        #expect(try entry([asked])?.settings["nhsUnsignedAnswers"] == true)
        #expect(ProfileSettings.calls(of: venue).contains { $0.rawValue == "GetSigners" })
        // Codes alone, as a place needs them.
        profile.checkIn = .init(systems: [.coronaWarnApp])
        let codes = try #require(try entry([profile]))
        #expect(codes.settings == ["systems": ["coronaWarnApp"]] && codes.json["endpoints"] == [:])
        #expect(!ProfileSettings.calls(of: codes).contains { $0.rawValue == "GetSigners" })
        var other = profile
        other.name = "another"
        // Whoever signs the lists has to be known.
        var unsigned = try JSON(parsing: profile.document)
            .with(
                "checkIn",
                [
                    "systems": ["nhs"], "base": "https://a.example",
                    "posterKeys": [["id": "1", "key": .string(try key.pem())]],
                ]
            )
            .with("rules", nil)
        #expect(Sample.problems(unsigned.bytes).isEmpty)
        unsigned = unsigned.with(
            "keys", .array((unsigned["keys"]?.array ?? []).filter { $0["role"] == "export" }))
        #expect(
            Sample.problems(unsigned.bytes).map(\.description) == [
                "keys: warnings about venues need a key of the role rules: it signs the lists"
            ])
        other.checkIn = .init(systems: [.nhs], posterKeys: [.init(id: "1", key: key)])
        #expect(try entry([profile, other])?.settings["systems"] == ["coronaWarnApp", "nhs"])
        other.checkIn = nil
        profile.checkIn = nil
        #expect(try entry([profile, other]) == nil)
    }

    /// An authority that has ended leaves nothing to the plugin; one that the operator has set up by hand stays.
    @Test func checkInOfAnAuthorityThatHasEndedIsEnded() throws {
        var profile = try Self.profile("example-cwa")
        let before = try ProfileSettings([profile]).merged(into: ["plugins": [:]]).document
        #expect(before["plugins"]?["venue"]?["settings"]?["signersOf"]?.array?.count == 1)
        profile.checkIn = nil
        let after = try ProfileSettings([profile]).merged(into: before)
        #expect(after.document["plugins"]?["venue"] == ["enabled": false, "endpoints": [:], "settings": [:]])
        #expect(after.notes.contains { $0.hasPrefix("venue is emptied") })
        // Another authority in its place: the board does not know the keys of the old one any more.
        var other = profile
        other.name = "another"
        #expect(try ProfileSettings([other]).merged(into: before).document["plugins"]?["venue"]?["enabled"] == false)
        // By the board's own authority, which is no profile.
        let home: JSON = [
            "plugins": ["venue": ["enabled": true, "settings": ["signersOf": [["system": "coronaWarnApp"]]]]]
        ]
        #expect(try ProfileSettings([other]).merged(into: home).document["plugins"]?["venue"] == home["plugins"]?["venue"])
        let own: JSON = ["plugins": ["venue": ["enabled": true, "settings": ["systems": ["nhs"], "posterKeys": []]]]]
        #expect(try ProfileSettings([profile]).merged(into: own).document["plugins"]?["venue"] == own["plugins"]?["venue"])
    }

    /// Codes that a board took until now, and warnings that it fetched: whoever replaces them is told.
    @Test func aSystemThatIsNotTakenAnyMoreIsSaid() throws {
        var profile = try Self.profile("example-cwa")
        profile.checkIn = .init(systems: [.coronaWarnApp])
        let before: JSON = [
            "plugins": [
                "venue": [
                    "enabled": true,
                    "settings": [
                        "systems": ["coronaWarnApp", "nhs", "\u{1B}"], "coronaWarnAppServer": "https://a.example",
                        "nhsServer": "https://b.example",
                    ],
                ]
            ]
        ]
        let merged = try ProfileSettings([profile]).merged(into: before)
        #expect(merged.document["plugins"]?["venue"]?["settings"] == ["systems": ["coronaWarnApp"]])
        let said = merged.notes.filter { $0.hasPrefix("venue ") }
        #expect(said.count { $0.contains("takes no codes of") } == 2)
        #expect(said.count { $0.contains("no warnings by coronaWarnApp") } == 1)
        #expect(said.allSatisfy { !$0.contains("\u{1B}") })
    }

    @Test func oneIsWarnedThroughAndItIsSaidWhich() throws {
        let all = try ["example-cwa", "example-ens", "example-nhs", "cwa-de"].map(Self.profile)
        let fault = #expect(throws: ProfileSettings.Fault.self) { try ProfileSettings(all) }
        #expect(fault?.description.contains("example-cwa, example-ens, example-nhs") == true)
        for (name, way) in [("example-cwa", "cwa"), ("example-ens", "ens"), ("example-nhs", "nhs")] {
            let settings = try ProfileSettings(all, warnThrough: name)
            #expect(settings.entries.last?.settings["way"]?.string == way)
            let sources = settings.entries.first?.settings["sources"]?.array
            #expect(sources?.compactMap { $0["name"]?.string } == ["example-cwa", "example-ens", "example-nhs"])
            #expect(settings.notes.contains { $0.contains("cwa-de") })
        }
        for name in ["cwa-de", "nobody"] {
            #expect(throws: ProfileSettings.Fault.self) { try ProfileSettings(all, warnThrough: name) }
        }
        #expect(throws: ProfileSettings.Fault.self) { try ProfileSettings([all[0], all[0]]) }
        #expect(try ProfileSettings([all[3]]).entries.isEmpty)
    }

    /// Either of the phones' configurations says which packages were withdrawn, and both are signed by the key of the rules.
    @Test(arguments: [RuleForm.cwa, .cwaIOS]) func thePhonesConfigurationSaysHowToDownload(form: RuleForm) throws {
        var profile = try Self.profile("example-cwa")
        profile.rules?.form = form
        profile.rules?.path = nil
        let sync = try #require(try ProfileSettings([profile]).entries.first { $0.plugin == "sync" }).settings
        let source = try #require(sync["sources"]?.array?.first)
        #expect(source["config"] == source["rules"] && source["rulesForm"] == .string(form.rawValue))
        #expect(source["config"] == .string("version/v2/app_config_\(form == .cwa ? "android" : "ios")"))
        #expect(sync["configKeys"]?.array?.count == 2)
    }

    /// A server refuses a warning that names another country than its own, and one that names none to a federation reaches nobody there.
    @Test func whatSubmissionsNameIsTheAuthoritys() throws {
        func settings(_ change: (inout AuthorityProfile) -> Void) throws -> JSON? {
            var profile = try Self.profile("example-cwa")
            change(&profile)
            return try ProfileSettings([profile]).entries.first { $0.plugin == "diagnosis" }?.settings
        }
        #expect(try settings { _ in }?["origin"] == "ZZ" && settings { _ in }?["countries"] == nil)
        #expect(try settings { $0.rules?.country = nil }?["origin"] == nil)
        let named = try settings {
            $0.warning?.origin = "IT"
            $0.warning?.countries = ["DE", "IT"]
        }
        #expect(named?["origin"] == "IT" && named?["countries"] == ["DE", "IT"])
        // Hours without keys: said of the source, and of no other kind.
        var quiet = try Self.profile("example-cwa")
        quiet.distribution?.isContinuous = false
        let read = try AuthorityProfile(parsing: quiet.document)
        #expect(read == quiet)
        let source = try ProfileSettings([read]).entries.first { $0.plugin == "sync" }?.settings["sources"]?.array?.first
        #expect(source?["continuous"] == false)
        var wrong = try Self.profile("example-ens")
        wrong.distribution?.isContinuous = false
        wrong.warning?.origin = "DE"
        let problems = #expect(throws: (any Error).self) { try AuthorityProfile(parsing: wrong.document) }
        #expect("\(problems as Any)".contains("continuous") && "\(problems as Any)".contains("origin"))
    }

    /// An operator's own settings stay; what an earlier authority has left does not.
    @Test func mergingReplacesWhatProfilesSayAndNothingElse() throws {
        let before: JSON = [
            "$schema": "x",
            "plugins": [
                "hello": ["enabled": false],
                "diagnosis": [
                    "enabled": true, "calls": ["org.vigil.release1": ["TakeDiagnosisKeys"]],
                    "endpoints": ["verification": [["host": "old.example", "port": 1]]],
                    "settings": ["slots": 96, "way": "nhs", "answerKeys": [], "userAgent": "old", "pins": ["p"]],
                ],
            ],
        ]
        let merged = try ProfileSettings([try Self.profile("example-ens")]).merged(into: before).document
        let diagnosis = merged["plugins"]?["diagnosis"]
        #expect(merged["$schema"] == "x" && merged["plugins"]?["hello"] == ["enabled": false])
        #expect(diagnosis?["calls"] == ["org.vigil.release1": ["TakeDiagnosisKeys"]])
        #expect(diagnosis?["settings"]?["slots"] == 96 && diagnosis?["settings"]?["pins"] == ["p"])
        #expect(diagnosis?["settings"]?["way"] == "ens" && diagnosis?["settings"]?["answerKeys"] == nil)
        #expect(diagnosis?["settings"]?["userAgent"] == nil)
        #expect(diagnosis?["endpoints"]?["verification"]?.array?.first?["host"] == "apiserver.example.org")
        #expect(try ProfileSettings([try Self.profile("example-ens")]).merged(into: merged).document == merged)
    }

    /// Our own servers publish more than rules, and one key signs all of it.
    @Test func anAuthorityLikeOursIsFollowedWhole() throws {
        var profile = try Self.profile("example-cwa")
        profile.rules = .init(form: .vigil)
        let entry = try #require(try ProfileSettings([profile]).entries.first)
        _ = try Self.manifest("Sync").settings.filled(entry.settings)
        let source = entry.settings["sources"]?.array?.first
        #expect(source?["rules"]?.string == "version/v1/risk_config" && source?["content"] != nil && source?["time"] != nil)
        #expect(source?["config"] != nil && source?["vigilConfig"] != nil)
        #expect(source?["donation"]?.string == "version/v1/donation")
        #expect(entry.settings["configKeys"]?.array?.count == profile.keys.filter { $0.role == .rules }.count)
    }

    /// Two authorities whose keys have one name, as in Germany and wherever its servers were copied: the plugin gets both, each for its own.
    @Test func keysOfOneNameAreToldApart() throws {
        var first = try Self.profile("example-cwa")
        first.rules = .init(form: .vigil)
        var second = first
        second.name = "another"
        second.warning = nil
        second.checkIn = nil
        for index in second.keys.indices { second.keys[index].key = try P256.SigningKey.generate().verificationKey }
        let entry = try #require(try ProfileSettings([first, second]).entries.first)
        let keys = entry.settings["configKeys"]?.array ?? []
        #expect(keys.count == 4 && Set(keys.compactMap { $0["name"]?.string }).count == 2)
        for profile in [first, second] {
            let own = keys.filter { $0["source"]?.string == profile.name }.compactMap { $0["key"]?.string }
            let expected = try profile.keys.filter { $0.role == .rules }.map { try $0.key.pem() }
            #expect(own == expected)
        }
        _ = try Self.manifest("Sync").settings.filled(entry.settings)
    }

    @Test func portsAndPlainAddressesAreSaid() throws {
        var profile = try Self.profile("example-cwa")
        profile.distribution?.base = "http://Keys.example.org:8080/tree"
        profile.warning = nil
        let entry = try #require(try ProfileSettings([profile]).entries.first)
        #expect(entry.json["endpoints"] == ["distribution": [["host": "keys.example.org", "port": 8080]]])
        #expect(entry.settings["plainHTTP"] == true)
        profile.distribution?.base = "https://keys.example.org"
        #expect(try ProfileSettings([profile]).entries.first?.endpoints.first?.places.map(\.port) == [443])
        #expect(ProfileSummary(profile).advice.contains { $0.contains("encrypted") } == false)
    }

    /// An EN Express app's settings are rules as they are.
    @Test func enExpressSettingsAreTaken() throws {
        let settings: JSON = [
            "config": [
                "symptomOnsetToInfectiousnessMap": "0x0401555AA9400000", "confirmedTestPerDaySumERVThreshold_1": 2_700,
            ]
        ]
        let json = try Sample.json().with("rules/document", settings)
        let profile = try AuthorityProfile(parsing: json.bytes)
        #expect(profile.rules?.document?.models.map(\.name.rawValue) == ["dailySummaries"])
        #expect(try AuthorityProfile(parsing: profile.document) == profile)
    }

    /// What each way to warn needs, and what it cannot have.
    @Test(
        arguments: [
            ("example-nhs", "warn/apiKey", nil), ("example-nhs", "warn/userAgent", nil),
            ("example-nhs", "warn/testCountry", nil),
            ("example-nhs", "warn/testCountry", "Scotland"), ("example-nhs", "warn/linkRegion", "US-WA"),
            ("example-cwa", "warn/testCountry", "Wales"), ("example-ens", "warn/linkRegion", "US-WASHINGTON"),
            ("example-cwa", "checkIn/country", nil), ("example-cwa", "checkIn/codeHost", "qr.example.org"),
            ("example-cwa", "checkIn/swissCovidKey", .string(Sample.hidingKey)),
            ("example-cwa", "checkIn/systems", []), ("example-cwa", "checkIn/posterKeys", 1),
            ("example-cwa", "checkIn/base", "example.org"), ("example-cwa", "checkIn/country", "EUR EUR"),
            ("example-cwa", "checkIn/country", "D"),
            ("example-cwa", "checkIn/country", "A/B"),
        ] as [(String, String, JSON?)])
    func waysToWarnAndCheckInSayWhatTheyNeed(_ name: String, _ path: String, _ value: JSON?) throws {
        let json = try JSON(parsing: try Self.profile(name).document).with(path, value)
        let problems = Sample.problems(json.bytes)
        #expect(problems.map(\.path) == [path.replacing("/", with: ".")], "\(problems)")
    }

    /// A key that hides nothing, or lets everybody read: zero, no point, one outside the group, and a changed one.
    @Test func aKeyForHiddenVisitsIsAPointOfTheGroup() throws {
        let json = try Sample.json()
        #expect(Sample.problems(json.bytes) == [])
        let right = try #require(Base64.bytes(Sample.hidingKey))
        var changed = right
        changed[40] ^= 1
        // Of the curve, and of none of its points of order r: the first x with a y.
        var outside: [UInt8] = []
        for x in UInt8(1)...255 where outside.isEmpty {
            let bytes = [x] + [UInt8](repeating: 0, count: 95)
            do throws(BLS12381Error) { _ = try MasterPublicKey(bytes) } catch {
                if error.code == .notInGroup { outside = bytes }
            }
        }
        #expect(outside.count == 96)
        for bytes in [[UInt8](repeating: 0, count: 96), [UInt8](repeating: 0xFF, count: 96), changed, outside] {
            let wrong = json.with("checkIn/swissCovidKey", .string(Base64.string(bytes)))
            let problems = Sample.problems(wrong.bytes)
            #expect(problems.map(\.path) == ["checkIn.swissCovidKey"])
            #expect(problems.first?.sentence.contains("G2 of BLS12-381") == true, "\(problems)")
        }
    }
}
