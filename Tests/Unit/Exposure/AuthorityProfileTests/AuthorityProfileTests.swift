// SPDX-License-Identifier: Apache-2.0

import AuthorityProfile
import Cryptography
import ExposureRisk
import GAEN
import JSON
import RandomValues
import RiskConfiguration
import Testing
import Trust

@Suite struct AuthorityProfileTests {
    @Test func everythingIsRead() throws {
        let profile = try AuthorityProfile(parsing: try Sample.json().bytes)
        #expect(profile.name == "us-wa" && profile.englishTitle == "WA Notify" && profile.title["de"] == "Washington")
        #expect(profile.status == .running && profile.region == "US" && profile.keys.count == 2 && profile.keys[1].isSpare)
        let risk = try Sample.risk()
        #expect(profile.rules?.form == .profile && profile.rules?.document == risk)
        #expect(profile.distribution?.kind == .index && profile.distribution?.intervalSeconds == 14_400)
        #expect(profile.warning?.healthAuthority == "gov.wa.doh" && profile.warning?.apiKey == "abc+/=")
        // A key of the role rules signs configurations, and no key files.
        let trust = profile.trust
        #expect(trust.keys(for: .export, at: nil).map(\.name.description) == ["310-v1"])
        #expect(trust.keys(for: .config, at: nil).map(\.isSpare) == [true])
        #expect(try AuthorityProfile(parsing: profile.document) == profile)
        let closed = try AuthorityProfile(parsing: Sample.closed().bytes)
        #expect(
            closed.status == .switchedOff && closed.rules?.country == "DE"
                && closed.warning?.kind == AuthorityProfile.Warning.Kind.none)
        #expect(try AuthorityProfile(parsing: closed.document) == closed)
    }

    /// Every place that is wrong, in one pass, in the document's order.
    @Test func everyProblemIsTold() throws {
        let bad = try Sample.json().with("name", "Authority").with("title/xx", "?").with("status", "on")
            .with("keys/0/key", "AAAA").with("keys/1/role", "time").with("rules/document/version", 0)
            .with("distribution/base", "ftp://x").with("distribution/intervalSeconds", 1).with("warn/extra", true)
        #expect(
            Sample.problems(bad.bytes).map(\.path) == [
                "name", "title.xx", "status", "keys[0].key", "keys[1].role", "rules.document.version", "distribution.base",
                "distribution.intervalSeconds", "warn.extra",
            ])
    }

    /// What holds between fields.
    @Test(
        arguments: [
            ("keys/0/role", "rules", "keys[1]"), ("keys", [], "keys"), ("rules/document", nil, "rules.document"),
            ("rules/path", "x/y", "rules.path"), ("rules/country", "DE", "rules.country"),
            ("distribution/index", nil, "distribution.index"), ("distribution/country", "DE", "distribution.country"),
            ("distribution/kind", "folder", "distribution.base"), ("warn/apiKey", nil, "warn.apiKey"),
            ("warn/kind", "nhs", "warn.healthAuthority"), ("warn/kind", "none", "warn.verification"),
        ] as [(String, JSON?, String)])
    func whatDoesNotFitTogether(_ path: String, _ value: JSON?, _ place: String) throws {
        let problems = Sample.problems(try Sample.json().with(path, value).bytes)
        #expect(problems.first?.path == place, "\(problems)")
    }

    @Test func rulesThatAreFetchedNeedTheirKey() throws {
        let json = try Sample.json().with("rules", ["form": "cwa", "country": "DE"]).with("keys/1", nil)
        #expect(
            Sample.problems(json.bytes).map(\.description) == [
                "keys: rules of the form cwa need a key of the role rules"
            ])
        // What is over needs nothing.
        #expect(Sample.problems(json.with("status", "switchedOff").with("keys", []).bytes).isEmpty)
    }

    @Test(
        arguments: [
            ("name", ""), ("name", "authority"), ("name", "1a"), ("name", "a_b"), ("name", "ä"),
            ("name", .string(String(repeating: "a", count: 33))), ("title", [:]), ("title", "x"), ("title/en", ""),
            ("title/en", "a\u{202E}b"), ("region", ""), ("region", "DE\n"), ("region", "DE NL"), ("keys", [:]),
            ("keys/0/id", ""), ("keys/0/id", "a b"), ("keys/0/version", 1), ("keys/0/key", ""), ("keys/0/spare", "no"),
            ("rules", []), ("rules/form", "google"), ("rules/document", []), ("distribution/base", "https://a@b"),
            ("distribution/base", "https://a/"), ("distribution/base", "https://a/b?c"), ("distribution/base", "https://"),
            ("distribution/base", "https://a:b/"), ("distribution/base", "https://a:123456"),
            ("distribution/base", "https://a//b"), ("distribution/index", "/x"), ("distribution/index", "a b"),
            ("distribution/intervalSeconds", 0), ("warn/kind", "mail"), ("warn/publish", "https://a\u{0000}b"),
        ] as [(String, JSON)])
    func whatIsWrongInItselfIsRefused(_ path: String, _ value: JSON) throws {
        #expect(!Sample.problems(try Sample.json().with(path, value).bytes).isEmpty)
    }

    /// A private key in the wrong file must not be taken for a public one, whatever the library reads.
    @Test func keysOfAnotherKindAreRefused() throws {
        let secret = try P256.SigningKey.generate()
        let pem = secret.withEncoded { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let body = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        #expect(pem.contains("PRIVATE") && body.count > 100)
        for key in [pem, body] {
            let problems = Sample.problems(try Sample.json().with("keys/0/key", .string(key)).bytes)
            #expect(problems.count == 1 && problems[0].path == "keys[0].key")
            #expect(!"\(problems)".contains(body.prefix(20)))
        }
    }

    /// A spare that is the first key again is lost with it.
    @Test func aSpareIsAnotherKey() throws {
        let json = try Sample.json().with("keys/1/role", "export").with("keys/1/version", "v2")
        #expect(Sample.problems(json.bytes).map(\.path) == ["keys[1].key"])
        let other = try P256.SigningKey.generate().verificationKey.pem()
        #expect(Sample.problems(json.with("keys/1/key", .string(other)).bytes).isEmpty)
    }

    /// Boards append the call; an address that has it already leads nowhere.
    @Test(
        arguments: [
            ("warn/verification", "https://v.example/api/verify"), ("warn/publish", "https://p.example/v1/publish"),
            ("distribution/base", "https://k.example/fd/index.txt"),
            ("distribution/base", "https://k.example/a/1-2-00001.ZIP"),
        ])
    func addressesOfCallsAndFilesAreRefused(_ path: String, _ address: String) throws {
        let problems = Sample.problems(try Sample.json().with(path, .string(address)).bytes)
        #expect(problems.map(\.path) == [path.replacing("/", with: ".")], "\(problems)")
        #expect(problems.first?.sentence.hasPrefix("ends in ") == true)
    }

    /// What somebody put in a key's place is told for what it is.
    @Test func keysAreToldForWhatTheyAre() throws {
        func sentence(_ key: String) throws -> String {
            Sample.problems(try Sample.json().with("keys/0/key", .string(key)).bytes).first?.sentence ?? ""
        }
        let secret = try P256.SigningKey.generate()
        let pem = secret.withEncoded { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let body = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        for key in [pem, body] { #expect(try sentence(key).hasPrefix("is a PRIVATE key")) }
        #expect(
            try sentence("-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUAAAAAAAAAAAAAAAA\n-----END CERTIFICATE-----\n")
                .hasPrefix("is a certificate"))
        #expect(try sentence(Sample.pem.replacing("\n", with: " ")).hasPrefix("has no ends of lines"))
        #expect(try sentence("/etc/vigil/keys/of/freedonia/export-310-v1.pem").hasPrefix("is the name of a file"))
        // The beginnings of such keys, with what names their kind.
        let p384: [UInt8] = [
            0x30, 0x76, 0x30, 0x10, 6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1, 6, 5, 0x2B, 0x81, 4, 0, 0x22,
        ]
        let text = Base64.string(p384 + [UInt8](repeating: 1, count: 100))
        for key in [text, "-----BEGIN PUBLIC KEY-----\n\(text)\n-----END PUBLIC KEY-----\n"] {
            #expect(try sentence(key).contains("P-384"))
        }
        let rsa: [UInt8] = [0x30, 0x82, 1, 0x22, 0x30, 13, 6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 13, 1, 1, 1, 5, 0]
        #expect(try sentence(Base64.string(rsa + [UInt8](repeating: 1, count: 270))).contains("RSA"))
        #expect(try sentence(String(repeating: "A", count: 64)).hasPrefix("must be a public key"))
    }

    /// Where an editor finds it, and what it is.
    @Test func textThatIsNoJSONIsPlaced() throws {
        func sentence(_ bytes: [UInt8]) -> String { Sample.problems(bytes).first?.sentence ?? "" }
        let good = Array("{\n  \"name\": \"a\",\n  \"name\": \"b\"\n}".utf8)
        #expect(sentence(good) == "line 3, column 3: \"name\" is in this object already")
        #expect(sentence(Array("{\n \"title\": {".utf8)).hasPrefix("line 2, column 12: the file ends here"))
        #expect(sentence(Array("{\n \"na".utf8)).contains("the file ends here"))
        #expect(sentence(Array("{\"key\": \"-----BEGIN\nMF\"}".utf8)).contains("over the end of the line"))
        #expect(sentence(Array("{\n  \"a\": x}".utf8)).hasPrefix("line 2, column 8: this is not JSON"))
        #expect(!sentence(Array("{\n  \"a\": x}".utf8)).contains("["))
        #expect(sentence([0xEF, 0xBB, 0xBF] + good).contains("BOM"))
        #expect(sentence([0xFF, 0xFE] + good).contains("UTF-16"))
        #expect(sentence([]) == "the file is empty")
    }

    @Test func whatIsMissingSaysWhatItCanBe() throws {
        let status = Sample.problems(try Sample.json().with("status", nil).bytes)
        #expect(status.map(\.path) == ["status"])
        #expect(status.first?.sentence.hasPrefix("is missing: running, or switchedOff") == true)
        let kind = Sample.problems(try Sample.json().with("distribution/kind", nil).bytes)
        #expect(kind.first?.sentence.contains("cwa, index, nhs, swissCovid, or folder") == true)
    }

    @Test func bytesOfAnyKindDoNoHarm() throws {
        let good = try Sample.json().bytes
        #expect(Sample.problems(Array(repeating: 0x20, count: AuthorityProfile.maximumByteCount + 1)).count == 1)
        #expect(Sample.problems(Array(repeating: UInt8(ascii: "["), count: 5_000)).count == 1)
        #expect(Sample.problems([]).count == 1)
        for cut in stride(from: 0, to: good.count, by: 7) { #expect(!Sample.problems(Array(good[..<cut])).isEmpty) }
        var dice = SeededGenerator(seed: 3)
        for _ in 0..<2_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &dice) {
                bytes[Int.random(in: 0..<bytes.count, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
            }
            // Whatever is taken is a profile that survives writing.
            if let profile = try? AuthorityProfile(parsing: bytes) {
                #expect(try AuthorityProfile(parsing: profile.document) == profile)
            }
        }
    }

    /// Any profile that is read is written and read as the same.
    @Test func anyProfileSurvivesWriting() throws {
        var dice = SeededGenerator(seed: 5)
        // A spare is another key than the one in use.
        let keys = try (0...3).map { _ in try P256.SigningKey.generate().verificationKey }
        func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &dice) ? value : nil }
        for number in 0..<300 {
            let kind = try #require(AuthorityProfile.Distribution.Kind.allCases.randomElement(using: &dice))
            let form = try #require(RuleForm.allCases.randomElement(using: &dice))
            let way = try #require(AuthorityProfile.Warning.Kind.allCases.randomElement(using: &dice))
            let isApple = form == .cwa || form == .cwaIOS
            let profile = AuthorityProfile(
                name: "a\(number)-\(number % 7)", title: ["en": "Ä \(number)", "fr": "É"],
                status: try #require(AuthorityProfile.Status.allCases.randomElement(using: &dice)), region: maybe("EUR"),
                keys: (0...Int.random(in: 0...3, using: &dice)).flatMap { index in
                    AuthorityProfile.Role.allCases.map {
                        AuthorityProfile.Key(
                            id: "26\(index)", version: "v\(number)", role: $0, key: keys[index], isSpare: index > 0)
                    }
                },
                rules: maybe(
                    AuthorityProfile.Rules(
                        form: form, path: form == .profile ? nil : maybe("a/b_c.json"),
                        document: form == .profile ? try Sample.risk() : nil, country: isApple ? maybe("DE") : nil)),
                distribution: maybe(
                    AuthorityProfile.Distribution(
                        kind: kind, base: kind == .folder ? nil : "http://a.b:80/c%20d",
                        country: kind == .cwa ? "EUR" : nil,
                        index: kind == .index ? "i/index.txt" : nil, intervalSeconds: maybe(3_600))),
                warning: maybe(
                    AuthorityProfile.Warning(
                        kind: way, verification: way == .none ? nil : "https://v",
                        publish: way == .none ? nil : "https://p",
                        apiKey: way == .ens || way == .nhs ? "k:v" : nil, healthAuthority: way == .ens ? "h" : nil,
                        linkRegion: way == .ens ? maybe("US-WA") : nil,
                        userAgent: way == .nhs ? "p=Android" : way == .none ? nil : maybe("agent"),
                        testCountry: way == .nhs ? "Wales" : nil)))
            #expect(try AuthorityProfile(parsing: profile.document) == profile)
        }
    }
}
