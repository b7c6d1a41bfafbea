// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON
import Testing

@testable import FleetCard

/// Each question, and each way to answer it wrongly.
@Suite struct AnswerTests {
    private func fault(_ body: () throws -> Void) -> AnswerFault? {
        do { try body() } catch { return error as? AnswerFault }
        return nil
    }

    /// A public RSA key in Base64 whose modulus is 1 followed by zeros.
    private static func rsaKey(bits: Int) -> String {
        func field(_ bytes: [UInt8]) -> [UInt8] { [0, 0, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes }
        let modulus: [UInt8] = [0, 0x80] + [UInt8](repeating: 0, count: bits / 8 - 1)
        return Base64.string(field(Array("ssh-rsa".utf8)) + field([1, 0, 1]) + field(modulus))
    }

    @Test func eachWrongAnswerHasItsOwnSentence() throws {
        let key = Sample.key.split(separator: " ").map(String.init)
        let profile = try Sample.read("Provisioning/authorities/example-cwa.json")
        let local = Array(
            String(decoding: profile, as: UTF8.self).replacing("https://distribution.example.org", with: "https://10.0.0.7")
                .utf8)
        func keys(_ text: String) -> AnswerFault? { fault { _ = try TechnicianKeys(parsing: Array(text.utf8)) } }
        let expected: [(AnswerFault?, AnswerFault)] = [
            (fault { _ = try BoardAnswers.trimmed(" \t\r", to: .use) }, .empty(.use)),
            (fault { _ = try BoardAnswers.trimmed("a\u{202E}b", to: .language) }, .unprintable(.language)),
            (fault { _ = try BoardAnswers.trimmed(String(repeating: "a", count: 1_001), to: .use) }, .unprintable(.use)),
            (fault { _ = try BoardAnswers.use("shop") }, .noUse("shop")),
            (fault { _ = try BoardAnswers.language("Deutsch") }, .noLanguage("Deutsch")),
            (fault { _ = try NetworkAnswer(parsing: "wifi") }, .noNetwork("wifi")),
            (keys("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb\n"), .privateKey),
            (keys("PuTTY-User-Key-File-3: ssh-ed25519\n"), .privateKey),
            (keys("\n# nothing\n"), .noKey),
            (keys("\nhello"), .badKey(line: 2)),
            (keys("ssh-dss AAAA"), .unknownKeyKind(line: 1, "ssh-dss")),
            (keys("sk-ssh-ed25519@openssh.com AAAA"), .unknownKeyKind(line: 1, "sk-ssh-ed25519@openssh.com")),
            (keys("ssh-ed25519 \(key[1].dropLast(4))"), .damagedKey(line: 1)),
            (keys("ssh-rsa \(key[1])"), .damagedKey(line: 1)),
            (keys("ssh-rsa \(Self.rsaKey(bits: 1_024))"), .shortKey(line: 1, bits: 1_024)),
            (keys("---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n"), .otherKeyForm),
            (fault { _ = try BoardAnswers.Authority(parsing: Array("hello".utf8)) }, .profileNoJSON),
            (
                fault { _ = try NetworkAnswer(parsing: "192.168.1.20/255.255.255.0 192.168.1.1 9.9.9.9") },
                .badNetwork("the length of the network is written as a mask; write /24 instead of /255.255.255.0")
            ),
            (keys("command=\"reboot\" \(Sample.key)"), .keyOptions(line: 1)),
            (keys(String(repeating: Sample.key + "\n", count: 17)), .tooManyKeys(16)),
            (fault { _ = try BoardAnswers.Authority(parsing: local) }, .localAuthority("10.0.0.7")),
            (fault { _ = try Sample.authority("cwa-de") }, .endedAuthority("cwa-de")),
            (
                fault {
                    _ = try BoardAnswers(
                        use: .person, language: "en", network: .automatic, authority: nil, technicians: nil,
                        title: String(repeating: "a", count: 61))
                }, .badTitle
            ),
        ]
        for (found, wanted) in expected { #expect(found == wanted) }
        guard case .badProfile? = fault({ _ = try BoardAnswers.Authority(parsing: Array("{}".utf8)) }) else {
            Issue.record("an empty profile was taken")
            return
        }
        let sentences = expected.map(\.1.description)
        #expect(Set(sentences).count == Set(expected.map(\.1)).count)
        #expect(sentences.allSatisfy { $0.hasSuffix(".") || $0.contains("?") || $0.hasSuffix(")") })
    }

    @Test(arguments: [
        "192.168.1.20/24", "192.168.1.20/24 192.168.2.1 9.9.9.9", "192.168.1.255/24 192.168.1.1 9.9.9.9",
        "192.168.1.20/33 192.168.1.1 9.9.9.9", "127.0.0.1/8 127.0.0.2 9.9.9.9", "192.168.1.20/24 192.168.1.20 9.9.9.9",
        "192.168.1.20/24 192.168.1.1", "192.168.1.20/24 192.168.1.1 a",
        "192.168.1.20/24 192.168.1.1 1.1.1.1 1.1.1.2 1.1.1.3 1.1.1.4",
        "2001:db8::7/64 2001:db8::1 2001:db8::53",
    ])
    func aNetworkThatCannotBeIsRefused(_ text: String) {
        guard case .badNetwork(let reason)? = fault({ _ = try NetworkAnswer(parsing: text) }) else {
            Issue.record("\(text) was taken")
            return
        }
        #expect(!reason.contains("network."), "a field that nobody has seen: \(reason)")
    }

    @Test func networksAreReadAndWritten() throws {
        #expect(try NetworkAnswer(parsing: "DHCP") == .automatic && NetworkAnswer(parsing: "automatic").file == nil)
        let file = try #require(try NetworkAnswer(parsing: "192.168.1.20/24 192.168.1.1 9.9.9.9 192.168.1.1").file)
        for line in ["Address=192.168.1.20/24", "Gateway=192.168.1.1", "DNS=9.9.9.9", "DNS=192.168.1.1", "DHCP=no"] {
            #expect(file.split(separator: "\n").contains(Substring(line)))
        }
    }

    @Test func keysAreReadAsSSHShowsThem() throws {
        let keys = try TechnicianKeys(parsing: Array("# ours\r\n\r\n  \(Sample.key) \u{1B}[2J\r\n".utf8)).keys
        #expect(throws: Never.self) { try TechnicianKeys(parsing: Array("ssh-rsa \(Self.rsaKey(bits: 2_048))".utf8)) }
        #expect(keys.map(\.fingerprint) == [Sample.fingerprint])
        #expect(keys[0].line.hasPrefix(Sample.key) && !keys[0].line.contains("\u{1B}"))
    }

    @Test func anAuthorityInTheOwnNetworkIsMarkedSo() throws {
        let profile = String(decoding: try Sample.read("Provisioning/authorities/example-cwa.json"), as: UTF8.self)
        let local = Array(profile.replacing("https://distribution.example.org", with: "https://10.0.0.7").utf8)
        let answers = try BoardAnswers(
            use: .person, language: "en", network: .automatic,
            authority: BoardAnswers.Authority(parsing: local, isLocal: true), technicians: nil)
        let places = try CardGrants.make(answers, localName: "vigil").document["plugins"]?["sync"]?["endpoints"]?[
            "distribution"]?.array
        #expect(places?.first?["host"] == "10.0.0.7" && places?.first?["private"] == true)
    }
}

@Suite struct SerialTests {
    @Test func aTypingErrorIsNoticed() throws {
        let serial = try Sample.card().serial
        let text = "\(serial)"
        #expect(BoardSerial(text) == serial && BoardSerial(text.uppercased().replacing("-", with: " ")) == serial)
        let letters = Array("0123456789abcdefghjkmnpqrstvwxyz")
        let places = text.indices.dropFirst(3).filter { text[$0] != "-" }
        for place in places {
            for letter in letters where letter != text[place] {
                var wrong = text
                wrong.replaceSubrange(place...place, with: String(letter))
                #expect(BoardSerial(wrong) == nil, "\(wrong)")
            }
        }
        for wrong in ["", "vg", "vg-", text + "0", String(text.dropLast()), "xx" + text.dropFirst(2)] {
            #expect(BoardSerial(wrong) == nil)
        }
    }
}
