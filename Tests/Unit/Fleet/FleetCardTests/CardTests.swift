// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Enrolment
import FoundationEssentials
import Glibc
import JSON
import RandomValues
import Supervisor
import Testing
import WiFi

@testable import FleetCard

@Suite struct CardTests {
    /// The manifests of the image's plugins.
    private func manifests() throws -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for name in ["Sync", "Wake", "Diagnosis", "Indicator", "WebUI", "Venue"] {
            found[name.lowercased()] = try Sample.read("Plugins/\(name)/plugin.json")
        }
        return found
    }

    @Test(arguments: BoardAnswers.Use.allCases, ["example-cwa", "example-ens", "example-nhs"])
    func aBoardTakesAllOfIt(_ use: BoardAnswers.Use, _ authority: String) throws {
        var generator = SeededGenerator(seed: 1)
        let secrets = CardSecrets(using: &generator)
        let answers = try BoardAnswers(
            use: use, language: "fr", network: .automatic, authority: Sample.authority(authority), technicians: nil)
        let card = try Card(answers, serial: BoardSerial(using: &generator), secrets: secrets)
        #expect(CardCheck.problems(in: card.provision, plugins: try manifests()) == [])
        #expect(card.provision["authorized_keys"] == nil && card.provision["network/20-wired.network"] == nil)
        let vigil = try card.json("provision/vigil.json")
        // Nothing beacons before somebody has agreed.
        #expect(
            vigil["enable"] == nil && vigil["language"] == "fr" && vigil["profile"] == (use == .person ? "token" : "kiosk"))
        let first = try card.json("provision/first-secrets").object
        #expect((first?.members ?? []).map { $0.name } == [use == .person ? "wearer" : "technician"])
        for name in ["sync", "diagnosis"] + (authority == "example-cwa" ? ["venue"] : []) {
            let plugin = try card.json("provision/grants.json")["plugins"]?[name]
            #expect(plugin?["enabled"] == true && plugin?["settings"]?.object?.isEmpty == false, "\(name)")
        }
    }

    /// Nothing that a page asks for is missing, and nothing more is granted.
    @Test func thePageMayDoWhatItAsksFor() throws {
        let wants = try JSON(parsing: Sample.read("Plugins/WebUI/plugin.json"))["wants"]?.array ?? []
        let calls = try Sample.card().json("provision/grants.json")["plugins"]?["webui"]?["calls"]
        #expect(calls?.object?.members.count == wants.count)
        for want in wants {
            let name = try #require(want["interface"]?.string)
            #expect(calls?[name] == want["methods"], "\(name)")
        }
    }

    @Test func whatABoardWouldRefuseIsFound() throws {
        var files = try Sample.card().provision
        files["vigil.json"] = Array(#"{"language": "Deutsch", "authorities": ["/data/provision/other.json"]}"#.utf8)
        files["grants.json"] = Array(#"{"plugins": {"webui": {"enabled": 1}, "none": {"enabled": true}}}"#.utf8)
        files["first-secrets"] = Array(#"{"wearer": "short"}"#.utf8)
        files["ports"] = Array("8443\nssh\n0\n".utf8)
        files["name"] = Array("Hall 3\n".utf8)
        files["authorized_keys"] = Array("ssh-ed25519 AAAA".utf8)
        files["wifi.txt"] = Array("name=Library\npassword=Zq7 correct horse\ncountry=DE\n".utf8)
        files["WiFi - Copy/a"] = []
        let problems = CardCheck.problems(in: files, plugins: try manifests())
        for part in [
            "vigil.json: language", "grants.json: ", "none, which is no plugin", "first-secrets: wearer", "“ssh”", "“0”",
            "authorized_keys: ", "name: “Hall”", "wifi.txt: is not taken", "WiFi - Copy/a: is not taken",
        ] {
            #expect(problems.contains { $0.contains(part) }, "\(part) in \(problems)")
        }
        #expect(!problems.contains { $0.contains("Zq7") })
        files["vigil.json"] = Array(#"{"authorities": ["/data/provision/other.json"]}"#.utf8)
        #expect(CardCheck.problems(in: files).contains { $0.contains("other.json, which is not in the folder") })
    }

    /// Two boards of the same answers have no secret in common, and the two secrets of one board nothing with each other.
    @Test func boardsShareNoSecret() throws {
        var seen: Set<String> = []
        for seed in 0..<200 as Range<UInt64> {
            let card = try Sample.card(seed: seed)
            let code = try card.code
            let claim = try card.claim
            for text in [code, claim, "\(card.serial)"] { #expect(seen.insert(text).inserted) }
            #expect(code.utf8.count == 19 && claim.utf8.count == 19)
        }
        #expect(seen.count == 600)
    }

    /// In a place the name is the serial number; a person's is for setting up, and nothing that an inventory has.
    @Test func theNameIsOnTheCardInTheGrantsAndOnTheLabel() throws {
        for use in BoardAnswers.Use.allCases {
            let card = try Sample.card(use)
            let file = try LocalName(parsing: #require(card.provision["name"]))
            #expect(file.isForSetup == (use == .person) && (file.name == "\(card.serial)") == (use == .place))
            let names = try card.json("provision/grants.json")["plugins"]?["webui"]?["settings"]?["names"]
            #expect(names == [.string("\(file.name).local")])
            #expect(card.text("label.txt")?.contains("https://\(file.name).local:8443\n") == true)
            #expect(use == .place || card.recordText.contains(file.name) == false)
        }
        let names = try (0..<100 as Range<UInt64>).map { try Sample.card(.person, seed: $0).text("provision/name") }
        #expect(Set(names).count == 100)
    }

    /// Secrets are in the files that are said to have them, and nowhere else.
    @Test func secretsAreWhereTheyBelong() throws {
        let card = try Sample.card()
        let code = try card.code
        let claim = try card.claim
        for secret in [code, claim] {
            for spelling in [secret, secret.replacing("-", with: "")] {
                for file in card.files where !file.isSecret {
                    #expect(card.text(file.path)?.contains(spelling) == false, "\(file.path)")
                }
            }
        }
        #expect(card.text("label.txt")?.contains(code) == true && card.text("label.txt")?.contains(claim) == false)
        #expect(card.text("provision/first-secrets")?.contains(claim) == false)
        var generator = SeededGenerator(seed: 24)
        let secrets = CardSecrets(using: &generator)
        #expect("\(secrets) \(String(reflecting: secrets))" == "CardSecrets CardSecrets")
    }

    /// A wireless network's password is in one file of the card, which is secret, and a board takes it.
    @Test func aPasswordOfANetworkIsInItsFileAlone() throws {
        var generator = SeededGenerator(seed: 60)
        let secrets = CardSecrets(using: &generator)
        let network = try WiFiNetwork(name: "Library", password: "Zq7 correct horse", country: "DE")
        let card = try Card(
            Sample.answers(), serial: BoardSerial(using: &generator), secrets: secrets, wifi: network)
        #expect(card.problems.isEmpty && card.text("provision/wifi") == network.text)
        for file in card.files {
            #expect((card.text(file.path)?.contains("Zq7") == true) == (file.path == "provision/wifi"), "\(file.path)")
        }
        #expect(card.files.first { $0.path == "provision/wifi" }?.isSecret == true && !card.recordText.contains("Library"))
        #expect(try Sample.card().text("provision/wifi") == nil)
    }

    /// A signed folder is as it was signed, to the byte: the judge of a board says so; the board's readers take it as before, and erased secrets change nothing.
    @Test func aSignedFolderIsAsItWasSigned() throws {
        let key = try P256.SigningKey.generate()
        let fleet = try FleetMembership(
            key: key.verificationKey, boardType: "pi", takesSignedOnly: true, group: "libraries", issued: 7)
        let card = try Sample.card(fleet: fleet).signed(by: key)
        var files = card.provision
        #expect(card.problems == [])
        let judge = CardJudge(keys: [key.verificationKey], boardType: "pi", takesSignedOnly: true)
        guard case .verified(let device) = try judge.verdict(files) else {
            Issue.record("not verified")
            return
        }
        #expect(device.serial.text == "\(card.serial)" && device.issued == 7 && device.boardType == "pi")
        let vigil = try SupervisorConfiguration(parsing: #require(files["vigil.json"]))
        #expect(vigil.operatorKeys == ["fleet-1=/data/provision/operator.pem"] && vigil.fleet?.board == "\(card.serial)")
        #expect(vigil.fleet?.group == "libraries" && vigil.fleet?.takesSignedOnly == true)
        for (name, hash) in [("first-secrets", device.labelCodeHash), ("enrolment-claim", device.claimHash)] {
            #expect(try CardSecretFile.digest(SecretBytes(copying: #require(files[name]))) == hash, "\(name)")
        }
        for path in files.keys where !DeviceFile.unlisted.contains(path) {
            var changed = files
            changed[path]?[0] ^= 1
            #expect(throws: DeviceFileFault.altered(path)) { try judge.verdict(changed) }
            changed[path] = nil
            #expect(throws: DeviceFileFault.removed(path)) { try judge.verdict(changed) }
        }
        #expect(throws: DeviceFileFault.missing) { try judge.verdict(Sample.card().provision) }
        files["first-secrets"] = []
        #expect(throws: Never.self) { try judge.verdict(files) }
        files["extra"] = [1]
        #expect(throws: DeviceFileFault.added("extra")) { try judge.verdict(files) }
    }

    /// Whoever loses the operator's key goes on with a spare one: the card that holds names it, and the next card is signed by it.
    @Test func aSpareKeySignsTheNextCard() throws {
        let keys = try (0..<3).map { _ in try P256.SigningKey.generate() }
        let first = try Sample.card(
            fleet: FleetMembership(key: keys[0].verificationKey, spares: [keys[1].verificationKey], issued: 7)
        ).signed(by: keys[0])
        let vigil = try SupervisorConfiguration(parsing: #require(first.provision["vigil.json"]))
        let place = "/data/provision/"
        #expect(vigil.operatorKeys == ["fleet-1=\(place)operator.pem", "fleet-2=\(place)operator-2.pem"])
        let known = try vigil.operatorKeys.map { argument in
            let file = String(argument.dropFirst("fleet-1=\(place)".count))
            return try P256.VerificationKey(pemOrDER: #require(first.provision[file]))
        }
        #expect(known == keys.prefix(2).map(\.verificationKey) && first.problems == [])
        let judge = CardJudge(keys: known, boardType: nil, takesSignedOnly: true)
        func card(by key: P256.SigningKey) throws -> [String: [UInt8]] {
            try Sample.card(fleet: FleetMembership(key: key.verificationKey, issued: 8)).signed(by: key).provision
        }
        guard case .verified = try judge.verdict(card(by: keys[1])) else {
            Issue.record("the spare key's card is not verified")
            return
        }
        #expect(throws: (any Error).self) { try judge.verdict(card(by: keys[2])) }
        let most = try FleetMembership(
            key: keys[0].verificationKey, spares: Array(repeating: keys[1].verificationKey, count: 9))
        #expect(most.keys.count == FleetMembership.maximumSpares + 1)
    }

    /// A card whose fleet has configurations lets Sync look for them beside the authority's files.
    @Test func aFleetsConfigurationIsLookedForWhereTheCardSays() throws {
        let key = try P256.SigningKey.generate()
        let fleet = try FleetMembership(key: key.verificationKey, issued: 7, configurationPath: "fleet/v1/configuration")
        let card = try Sample.card(fleet: fleet)
        let grants = try #require(card.provision["grants.json"])
        let sync = try #require(JSON(parsing: grants)["plugins"]?["sync"])
        #expect(card.problems == [] && sync["calls"]?["org.vigil.trust1"]?.array?.last == "TakeConfiguration")
        #expect(sync["settings"]?["sources"]?.array?.first?["fleetConfiguration"] == "fleet/v1/configuration")
        for path in ["", "/a", "a/../b", "a b", "a?b", String(repeating: "a", count: 201)] {
            #expect(!FleetMembership.isPath(path))
        }
        #expect(FleetMembership.isPath("fleet/v1/configuration"))
    }

    /// All that a card can be bound to, not the one that was thought of.
    @Test func `Every kind of board of this tree can be named`() throws {
        let kinds = try FileManager.default.contentsOfDirectory(atPath: "\(Sample.root)/Board/boards")
            .filter { $0.hasSuffix(".json") && $0 != "board.schema.json" }.map { String($0.dropLast(5)) }
        #expect(kinds.count >= 4 && kinds.allSatisfy(FleetMembership.isBoardType), "\(kinds)")
        for kind in ["", "Pi", "a b", "../pi", "pi.json", String(repeating: "a", count: 49)] {
            #expect(!FleetMembership.isBoardType(kind))
        }
    }

    /// Provisioning/sample is what the program makes of the answers in its README, and a board takes it. With WRITE_SAMPLE in the environment it
    /// is written anew first.
    @Test func theSampleIsInStep() throws {
        let card = try Sample.card()
        var found: Set<String> = []
        let folder = "\(Sample.root)/Provisioning/sample"
        if getenv("WRITE_SAMPLE") != nil {
            for file in card.files {
                let path = URL(filePath: "\(folder)/\(file.path)")
                try FileManager.default.createDirectory(
                    at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(#require(card.text(file.path)).utf8).write(to: path)
            }
        }
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            var isFolder = false
            _ = FileManager.default.fileExists(atPath: "\(folder)/\(path)", isDirectory: &isFolder)
            if !isFolder, path != "README.md" { found.insert(path) }
        }
        #expect(found == Set(card.files.map(\.path)))
        // The sample has the secrets that are drawn without VIGIL_SEED.
        for file in card.files where SeededGenerator.runSeed == 0 {
            let text = try? String(decoding: Sample.read("Provisioning/sample/\(file.path)"), as: UTF8.self)
            #expect(text == card.text(file.path), "\(file.path)")
        }
        var sample: [String: [UInt8]] = [:]
        for path in found where path.hasPrefix("provision/") {
            sample[String(path.dropFirst(10))] = try Sample.read("Provisioning/sample/\(path)")
        }
        #expect(CardCheck.problems(in: sample, plugins: try manifests()) == [])
        // Every file and every field of it is explained.
        let words = String(decoding: try Sample.read("Provisioning/sample/README.md"), as: UTF8.self)
        var names = card.files.map { String($0.path.split(separator: "/").last ?? "") }
        for path in ["provision/vigil.json", "board.json"] {
            names += try card.json(path).object?.members.map(\.name) ?? []
        }
        for name in names { #expect(words.contains("`\(name)`"), "\(name)") }
    }
}

extension String {
    func trimming(_ end: Character) -> String { last == end ? String(dropLast()) : self }
}
