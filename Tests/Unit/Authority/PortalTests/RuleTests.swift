// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Portal
import RandomValues
import Testing
import Verification
import WebSafety

/// What needs neither sockets nor files.
@Suite struct RuleTests {
    /// RFC 7914, section 11.
    @Test func passwordsAreHashedAsTheStandardSays() throws {
        let vectors: [(String, String, UInt32, String)] = [
            (
                "passwd", "salt", 1,
                "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
                    + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"
            ),
            (
                "Password", "NaCl", 80_000,
                "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"
                    + "a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d"
            ),
        ]
        for (password, salt, iterations, expected) in vectors {
            let derived = try PBKDF2SHA256.derive(
                from: SecretBytes(copying: Array(password.utf8)), salt: Array(salt.utf8), iterations: iterations, count: 64)
            #expect(derived.withBytes { Hex.string($0) } == expected)
        }
        #expect(PasswordHash.iterations >= 600_000)
    }

    @Test func passwordsHaveALength() {
        var generator = SeededGenerator(seed: 1)
        for count in [0, 11, 257] {
            let password = SecretBytes(copying: [UInt8](repeating: 65, count: count))
            #expect(code { _ = try PasswordHash(of: password, iterations: 1, using: &generator) } == .invalidPassword)
        }
    }

    @Test(arguments: [
        ("de", "de"), ("de-AT,en;q=0.5", "de"), ("en-GB,de;q=0.9", "en"), ("fr, de;q=0.2", "de"),
        ("fr", "en"), ("", "en"), ("de;q=0", "en"), ("de;q=x,en;q=0.1", "en"), ("de;q=9,en;q=0.1", "en"),
    ])
    func theLanguageIsTheBrowsers(_ header: String, _ expected: String) {
        #expect(PortalLanguage.preferred(header).rawValue == expected)
    }

    @Test func sessionsEnd() {
        let rules = SessionRules()
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<20_000 {
            let created = Int64.random(in: 0...100_000, using: &generator)
            let seen = Int64.random(in: 0...100_000, using: &generator)
            let now = Int64.random(in: 0...100_000, using: &generator)
            let isAlive = rules.isAlive(created: created, seen: seen, now: now)
            // Never longer than either limit, and never by a clock that was set back.
            if isAlive {
                #expect(now < seen + 15 * 60 && now < created + 8 * 3_600 && created <= seen && seen <= now)
            }
            // Once over, over: later is never better.
            if !isAlive, now >= seen, seen >= created {
                #expect(!rules.isAlive(created: created, seen: seen, now: now + 1))
            }
        }
        #expect(rules.isAlive(created: 0, seen: 28_799, now: 28_799))
        #expect(!rules.isAlive(created: 0, seen: 28_799, now: 28_800))
        #expect(rules.isAlive(created: 0, seen: 0, now: 899))
        #expect(!rules.isAlive(created: 0, seen: 0, now: 900))
    }

    /// Every character a teleTAN can have has a word in both languages, and no two have the same.
    @Test(arguments: PortalLanguage.allCases)
    func everyCharacterCanBeReadOut(_ language: PortalLanguage) {
        let alphabet = String(decoding: TeleTANIssuing.alphabet, as: UTF8.self)
        let words = Spelling.words(alphabet, language)
        #expect(Set(words).count == 31)
        for (character, word) in zip(alphabet, words) {
            #expect(word.count > 1)
            if character.isLetter { #expect(word.first == character) }
        }
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<100 {
            let teleTAN = TeleTANIssuing.make(using: &generator)
            #expect(Spelling.groups(teleTAN).map(\.count) == [3, 3, 3, 4])
            #expect(Spelling.groups(teleTAN).joined() == teleTAN)
        }
    }

    @Test func formsAreReadStrictly() throws {
        let form = try #require(FormFields(Array("name=a%20b+c&password=%C3%A4&empty=&bare".utf8)))
        #expect(form.text("name") == "a b c" && form.text("password") == "ä")
        #expect(form.text("empty") == "" && form.text("bare") == "" && form.text("other") == nil)
        for wrong in ["a=%", "a=%4", "a=%zz", "a=1&a=2", "%ff=1", (0..<9).map { "a\($0)=1" }.joined(separator: "&")] {
            #expect(FormFields(Array(wrong.utf8)) == nil, "\(wrong)")
        }
        #expect(try #require(FormFields(Array("a=%ff".utf8))).text("a") == nil)
        // Nothing that comes from outside may stop the program.
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<5_000 {
            _ = FormFields(
                (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                    "%&=+a0\u{ff}".utf8.randomElement(using: &generator) ?? 0
                })
        }
    }
}
