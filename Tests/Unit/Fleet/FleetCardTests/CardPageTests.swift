// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON
import RandomValues
import TestKit
import Testing
import WiFi

@testable import FleetCard

/// The page that makes cards in a browser has rules of its own, in JavaScript: here they get the same answers and the same random bytes
/// as those in Swift. A real browser is in `Tools/test-card-page.py`.
@Suite struct CardPageTests {
    private struct Answers {
        var use = "person"
        var language = "en"
        var network = "automatic"
        var technician = "none"
        var title: String?
        /// Name, password, country and whether it is hidden.
        var wifi: (name: String, password: String, country: String, isHidden: Bool)?
        /// Which of the page's authorities; the last is none.
        var authority = 0

        var json: JSON {
            [
                "use": .string(use), "language": .string(language), "network": .string(network),
                "technician": .string(technician), "title": title.map { .string($0) } ?? .null,
                "authority": .int(Int64(authority)),
                "wifi": wifi.map {
                    [
                        "name": .string($0.name), "password": .string($0.password), "country": .string($0.country),
                        "hidden": .bool($0.isHidden),
                    ]
                } ?? .null,
            ]
        }
    }

    /// Gives the high bits of each number, which are all that is taken.
    private struct Bytes: RandomNumberGenerator {
        var rest: ArraySlice<UInt8>
        mutating func next() -> UInt64 { UInt64(rest.removeFirst()) << 56 }
    }

    private static let harness = #"""
        const [, , page, cases, results] = process.argv, fs = require("fs");
        const text = fs.readFileSync(page, "utf8");
        const script = /<script>([^]*)<\/script>/.exec(text)[1].split("// The page around the rules of card.js")[0];
        const data = JSON.parse(/id="data">([^]*?)<\/script>/.exec(text)[1]);
        const { makeCard, zip, upperCountry, Fault, TEXTS } = new Function(script + "; return { makeCard, zip, upperCountry, Fault, TEXTS };")();
        const countries = [["de", "DE"], [" gB\r", " GB\r"], ["DE", "DE"], ["\u017Fe", "\u017Fe"], ["d\u212A", "d\u212A"], ["\u00DF", "\u00DF"], ["deu", "deu"], ["", ""]];
        const wrong = countries.filter(([given, meant]) => upperCountry(given) !== meant);
        if (wrong.length > 0) throw new Error("countries: " + JSON.stringify(wrong));
        const done = JSON.parse(fs.readFileSync(cases, "utf8")).map((given) => {
            const random = Buffer.from(given.random, "hex").values();
            try {
                const card = makeCard({ ...given, authority: data.authorities[given.authority] }, () => random.next().value);
                fs.writeFileSync(results + ".zip", zip(card.serial, card.files));
                return Object.fromEntries(card.files.map((file) => [file.path, Buffer.from(file.bytes).toString("base64") + (file.isSecret ? " secret" : "")]));
            } catch (fault) {
                if (!(fault instanceof Fault)) throw fault;
                return Object.values(TEXTS).every((texts) => texts.faults[fault.code]) ? fault.code : "no sentence for " + fault.code;
            }
        });
        const names = Object.values(TEXTS).map((texts) => Object.keys(texts).sort().join() + Object.keys(texts.faults).sort().join());
        fs.writeFileSync(results, JSON.stringify({ done, isWhole: new Set(names).size === 1 }));
        """#

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        authorities = try ["example-cwa", "example-ens", "example-nhs"].map { try Sample.authority($0) } + [nil]
    }

    private let authorities: [BoardAnswers.Authority?]

    /// What the browser's rules make of each: the files, or the code of the fault.
    private func inBrowser(_ cases: [(answers: Answers, random: [UInt8])]) throws -> [JSON] {
        try folder.write(try CardPage.text(authorities.compactMap { $0 }), to: "page.html")
        let list = JSON.array(
            cases.map { one in
                var json = one.answers.json.object!
                json["random"] = .string(Hex.string(one.random))
                return .object(json)
            })
        try folder.write(list.bytes, to: "cases")
        try folder.write(Self.harness, to: "harness.js")
        let end = try runProgram(
            "node", [folder.file("harness.js"), folder.file("page.html"), folder.file("cases"), folder.file("results")])
        try #require(end.status == 0, "node (Debian: nodejs) ends with \(end.status): \(end.output)")
        let results = try JSON(parsing: Array(folder.read("results").utf8))
        #expect(results["isWhole"] == true, "a language lacks a text")
        return try #require(results["done"]?.array)
    }

    /// What the rules in Swift make of it; `nil` when they refuse it.
    private func here(_ answers: Answers, _ random: [UInt8]) throws -> JSON? {
        var generator = Bytes(rest: random[...])
        do throws(AnswerFault) {
            let checked = try BoardAnswers(
                use: BoardAnswers.use(answers.use), language: BoardAnswers.language(answers.language),
                network: NetworkAnswer(parsing: BoardAnswers.trimmed(answers.network, to: .network)),
                authority: authorities[answers.authority],
                technicians: answers.technician == "none" ? nil : TechnicianKeys(parsing: Array(answers.technician.utf8)),
                title: answers.title)
            var wifi: WiFiNetwork?
            if let given = answers.wifi {
                guard
                    let network = try? WiFiNetwork(
                        name: given.name, password: given.password, country: given.country, isHidden: given.isHidden,
                        hasFixedAddress: checked.use == .place)
                else { return nil }
                wifi = network
            }
            let secrets = CardSecrets(using: &generator)
            let card = try Card(checked, serial: BoardSerial(using: &generator), secrets: secrets, wifi: wifi)
            var files = JSON.Object()
            for file in card.files {
                files[file.path] = .string(
                    file.content.withBytes { Base64.string(Array($0)) } + (file.isSecret ? " secret" : ""))
            }
            return .object(files)
        } catch { return nil }
    }

    private func compare(_ all: [Answers], seed: UInt64) throws -> (made: Int, refused: Int) {
        var generator = SeededGenerator(seed: seed)
        let cases = all.map { ($0, (0..<46).map { _ in UInt8.random(in: 0...255, using: &generator) }) }
        let found = try inBrowser(cases)
        try #require(found.count == cases.count)
        var counts = (made: 0, refused: 0)
        for ((answers, random), result) in zip(cases, found) {
            guard let expected = try here(answers, random) else {
                counts.refused += 1
                #expect(result.string.map { !$0.hasPrefix("no sentence") } == true, "\(answers): \(result)")
                continue
            }
            counts.made += 1
            #expect(result == expected, "\(answers)")
        }
        return counts
    }

    @Test func eachAnswerGivesTheSameBytes() throws {
        let second =
            "ecdsa-sha2-nistp256 "
            + Base64.string([0, 0, 0, 19] + Array("ecdsa-sha2-nistp256".utf8) + [UInt8](repeating: 7, count: 81))
        var all: [Answers] = []
        for authority in 0..<4 {
            for use in ["person", "place"] {
                for title in [
                    nil, "Bücherei, Erdgeschoß", "\"\\/<script>&lt;$&$1", String(repeating: "ü", count: 60), "🏠 {}",
                ] {
                    all.append(
                        Answers(
                            use: use, network: "192.168.1.20/24 192.168.1.1 192.168.1.1", title: title, authority: authority
                        ))
                    all.append(
                        Answers(use: use, language: "de-simple", technician: Sample.key, title: title, authority: authority)
                    )
                }
            }
        }
        for technician in [
            "# mine\r\n\(Sample.key)\r\n\n\(second) Jürgen  und\tCo " + String(repeating: "x", count: 120),
            "\(second)", String(repeating: Sample.key + "\n", count: 16),
        ] { all.append(Answers(technician: technician)) }
        for use in ["person", "place"] {
            for name in ["Library", " Café = Süd\t", String(repeating: "ü", count: 16), "🏠 $& {}", "\"\\"] {
                for (password, country) in [
                    ("correct horse", "DE"), (" a\\b=c#d'\"$& ", "US\r"), (String(repeating: "~", count: 63), " GB "),
                ] {
                    all.append(Answers(use: use, wifi: (name, password, country, name == "Library")))
                }
            }
        }
        let counts = try compare(all, seed: 1)
        #expect(counts.made == all.count, "\(counts)")
    }

    @Test func eachWrongAnswerIsRefusedHereAndThere() throws {
        let key = Sample.key.split(separator: " ").map(String.init)
        let keys = [
            "-----BEGIN OPENSSH PRIVATE KEY-----", "PuTTY-User-Key-File-3: x", "---- BEGIN SSH2 PUBLIC KEY ----\n",
            "\n# no\n", "hello",
            "ssh-dss AAAA", "sk-ssh-ed25519@openssh.com AAAA", "ssh-ed25519", "ssh-ed25519 \(key[1].dropLast(4))",
            "ssh-ed25519 \(key[1])=",
            "ssh-rsa \(key[1])", "command=\"x\" \(Sample.key)", String(repeating: Sample.key + "\n", count: 17),
            "toString x", "",
        ]
        let networks = [
            "", " ", "wifi", "192.168.1.20", "192.168.1.20/24", "192.168.1.20/255.255.255.0 192.168.1.1 9.9.9.9",
            "192.168.1.20/24 192.168.1.1",
            "192.168.1.20/0 192.168.1.1 9.9.9.9", "192.168.1.20/33 192.168.1.1 9.9.9.9",
            "192.168.1.20/024 192.168.1.1 9.9.9.9",
            "192.168.01.20/24 192.168.1.1 9.9.9.9", "192.168.1.0/24 192.168.1.1 9.9.9.9",
            "192.168.1.255/24 192.168.1.1 9.9.9.9",
            "192.168.1.20/24 192.168.1.20 9.9.9.9", "192.168.1.20/24 192.168.2.1 9.9.9.9",
            "192.168.1.20/24 192.168.1.255 9.9.9.9",
            "127.0.0.1/8 127.0.0.2 9.9.9.9", "224.0.0.1/24 224.0.0.2 9.9.9.9", "fd00::1/64 fd00::2 9.9.9.9",
            "192.168.1.20/24 fe80::1 9.9.9.9",
            "192.168.1.20/24 192.168.1.1 1 2", "192.168.1.20/24 192.168.1.1 9.9.9.9 9.9.9.9",
            "192.168.1.20/24 192.168.1.1 ::1 0:0::1",
            "192.168.1.20/24 192.168.1.1 1.1.1.1 2.2.2.2 3.3.3.3 4.4.4.4", "192.168.1.20/24 192.168.1.1 ff02::1",
            "192.168.1.20/24 192.168.1.1 ::",
            "192.168.1.20/24 192.168.1.1 ::ffff:9.9.9.9", "a\u{202E}/1", "10.0.0.1/24\n10.0.0.2 9.9.9.9",
            String(repeating: "1", count: 1_001),
        ]
        var all = keys.map { Answers(technician: $0) } + networks.map { Answers(network: $0) }
        for title in ["", String(repeating: "a", count: 61), "a\nb", "a\u{200B}b", "a\u{E000}", "a\u{2028}b"] {
            all.append(Answers(title: title))
        }
        all += [Answers(use: "shop"), Answers(use: "Person "), Answers(language: "xx")]
        for (name, password, country) in [
            ("", "correct horse", "DE"), (" \t", "correct horse", "DE"),
            (String(repeating: "ü", count: 17), "correct horse", "DE"),
            ("a\nb", "correct horse", "DE"), ("a\u{85}b", "correct horse", "DE"), ("a", "", "DE"), ("a", " 1234567 ", "DE"),
            ("a", String(repeating: "x", count: 64), "DE"), ("a", "pässwörter", "DE"), ("a", "correct\nhorse", "DE"),
            ("a", "correct horse\n", "DE"), ("a", "correct horse", ""), ("a", "correct horse", "de"),
            ("a", "correct horse", "00"), ("a", "correct horse", "D\u{212A}"), ("a", "correct horse", "\u{212A}R"),
        ] { all.append(Answers(wifi: (name, password, country, false))) }
        let counts = try compare(all, seed: 2)
        #expect(counts.refused == all.count, "\(counts)")
    }

    /// Parts of addresses, put together by chance: whatever one side takes, the other takes.
    @Test func oneSideTakesWhatTheOtherTakes() throws {
        let words = [
            "automatic", "DHCP", "10.0.0.2/30", "10.0.0.1", "10.0.0.3", "10.0.0.2/31", "10.0.0.4/32", "192.168.1.20/24",
            "192.168.1.1", "9.9.9.9",
            "127.0.0.53", "::1", "2620:fe::fe", "2620:fe:0::00fe", "::ffff:127.0.0.1", "1.2.3.4.5", "0.0.0.0", "300.1.1.1",
            "::1.2.3.4", "1::2::3",
            "172.16.5.5/+255.255.0.0", "172.16.5.5/12", "172.16.0.1", "", "/", "/24", "10.0.0.2/", "10.0.0.2//24",
            "fe80::1%eth0", "12345::", "1:2:3:4:5:6:7:8",
        ]
        var generator = SeededGenerator(seed: 3)
        var all: [Answers] = []
        for number in 0..<3_000 {
            var parts = (0..<Int.random(in: 1...5, using: &generator)).map { _ in words.randomElement(using: &generator)! }
            // By chance alone hardly anything would be taken.
            if number.isMultiple(of: 2) { parts = ["192.168.1.20/24", "192.168.1.1"] + parts.suffix(3) }
            var text = Array(parts.joined(separator: " ").unicodeScalars)
            if Int.random(in: 0..<3, using: &generator) == 0, !text.isEmpty {
                text[Int.random(in: 0..<text.count, using: &generator)] = "0123456789./: a".unicodeScalars.randomElement(
                    using: &generator)!
            }
            all.append(Answers(network: String(String.UnicodeScalarView(text)), authority: 3))
        }
        let counts = try compare(all, seed: 4)
        #expect(counts.made > 150 && counts.refused > 300, "\(counts)")
    }

    /// Each pair of letters is a country for both or for neither.
    @Test func countriesAreThoseOfBoards() throws {
        let letters = (UInt8(ascii: "A")...UInt8(ascii: "Z")).map { String(UnicodeScalar($0)) }
        let all = letters.flatMap { first in
            letters.map { Answers(wifi: ("Library", "correct horse", first + $0, false), authority: 3) }
        }
        #expect(try compare(all, seed: 5).made == WiFiNetwork.countries.count)
    }

    @Test func theFolderIsAZIPFileThatOthersRead() throws {
        let random = [UInt8](0..<46)
        let answers = Answers(use: "place", network: "192.168.1.20/24 192.168.1.1 192.168.1.1", title: "Bücherei")
        let files = try #require(try inBrowser([(answers, random)])[0].object)
        let end = try runProgram(
            "python3",
            [
                "-c",
                "import zipfile,sys,base64,json; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(json.dumps({i.filename: base64.b64encode(z.read(i)).decode() + ' %o' % (i.external_attr >> 16) for i in z.infolist()}))",
                folder.file("results.zip"),
            ])
        let read = try #require(try JSON(parsing: Array(end.output.utf8)).object)
        let record = try #require(files["board.json"]?.string.flatMap(Base64.bytes))
        let serial = try #require(try JSON(parsing: record)["serial"]?.string)
        #expect(read.members.count == files.members.count && read.members.count == 10)
        for file in files.members {
            let content = file.value.string?.split(separator: " ").first.map(String.init)
            #expect(read["\(serial)/\(file.name)"]?.string == content.map { "\($0) 100600" }, "\(file.name)")
        }
    }

    @Test func thePageReachesNobodyAndTextsEndNothing() throws {
        var profile = try JSON(parsing: Sample.read("Provisioning/authorities/example-cwa.json")).object!
        profile["title"] = ["en": "</script><script>alert(1)</script><!--", "de": "{{script}}"]
        let page = try CardPage.text([BoardAnswers.Authority(parsing: JSON.object(profile).bytes)])
        #expect(page.split(separator: "<script").count == 3 && page.split(separator: "</script>").count == 3)
        #expect(!page.contains("<!--<") && !page.contains("src=") && !page.contains("url("))
        let script = try #require(page.split(separator: "<script>").last?.split(separator: "</script>").first)
        #expect(page.contains("script-src 'sha256-\(Base64.string(SHA256.digest(of: Array(script.utf8))))'"))
        #expect(page.contains("default-src 'none'") && !page.contains("unsafe"))
    }

    @Test func whatCannotBeOfferedIsRefused() throws {
        let one = try Sample.authority()
        #expect(throws: AnswerFault.self) { try CardPage.text([one, one]) }
        #expect(throws: AnswerFault.self) { try CardPage.text(Array(repeating: one, count: 17)) }
    }
}
