// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import JSON
import PrivacyPass
import RandomValues
import Testing

@testable import Donation

@Suite struct TermsTests {
    /// Whoever compares two documents sees each difference.
    @Test func aDocumentHasAMark() throws {
        let bytes = Array("a document".utf8)
        let mark = DonationTerms.fingerprint(of: bytes)
        let groups = mark.split(separator: " ")
        #expect(groups.count == 8 && groups.allSatisfy { $0.utf8.count == 4 })
        #expect(groups.joined() == Hex.string(Array(SHA256.digest(of: bytes).prefix(16))))
        #expect(DonationTerms.fingerprint(of: bytes + [0]) != mark)
    }

    /// Numbers as good as moduli: odd, and 2,048 bits long. The last byte of a key's name depends on all of it.
    private static func keys(_ count: Int, from first: Int64 = 20_785) throws -> [DonationTerms.Key] {
        var random = SeededGenerator(seed: 25)
        var keys: [DonationTerms.Key] = []
        while keys.count < count {
            var modulus = (0..<256).map { _ in UInt8.random(in: 0...255, using: &random) }
            modulus[0] |= 0x80
            modulus[255] |= 1
            let key = try TokenKey(BlindRSA.PublicKey(modulus: modulus))
            if keys.contains(where: { $0.key.truncatedID == key.truncatedID }) { continue }
            keys.append(.init(day: UTCDay(number: first + Int64(keys.count)), key: key))
        }
        return keys
    }

    private static func terms(_ keys: [DonationTerms.Key]) -> DonationTerms? {
        DonationTerms(
            version: 7, issuerName: "issuer.example", issuerAddress: "https://issuer.example",
            origin: "donation.example:8443",
            serverAddress: "https://donation.example:8443", windowProbability: 0.5, epsilon: 4, keys: keys)
    }

    @Test func whatIsWrittenIsRead() throws {
        let keys = try Self.keys(12)
        let terms = try #require(Self.terms(keys.reversed()))
        #expect(terms.keys.map(\.day) == keys.map(\.day))
        #expect(DonationTerms(decoding: terms.encoded) == terms)
        #expect(terms.key(of: keys[3].day) == keys[3].key && terms.key(of: UTCDay(number: 1)) == nil)
        #expect(
            try terms.challenge(of: keys[3].day)
                == DonationEpoch.day(keys[3].day).challenge(issuerName: "issuer.example", origin: "donation.example:8443"))
    }

    @Test func twoKeysOfADayOrWithOneShortNameAreNone() throws {
        var keys = try Self.keys(2)
        keys[1] = .init(day: keys[0].day, key: keys[1].key)
        #expect(Self.terms(keys) == nil)
        keys = try Self.keys(2)
        keys[1] = .init(day: keys[1].day, key: keys[0].key)
        #expect(Self.terms(keys) == nil)
        #expect(Self.terms(try Self.keys(DonationTerms.maximumKeys)) != nil)
        #expect(Self.terms(try Self.keys(DonationTerms.maximumKeys + 1)) == nil)
    }

    private static func responsible(
        issuer: String = "City of Example", server: String = "Institut für Gesundheit", recipients: String = "北京",
        days: Int64 = 90
    ) -> DonationTerms.Responsible? {
        DonationTerms.Responsible(issuer: issuer, server: server, recipients: recipients, keptDays: days)
    }

    private static func said(_ all: [MonthlyPurpose?: DonationTerms.Responsible]) throws -> DonationTerms {
        try #require(
            DonationTerms(
                version: 7, issuerName: "issuer.example", issuerAddress: "https://issuer.example",
                origin: "donation.example", serverAddress: "https://donation.example", keys: keys(2), responsible: all))
    }

    @Test func whoIsResponsibleIsReadAsItIsWritten() throws {
        let one = try #require(Self.responsible()), other = try #require(Self.responsible(days: 2))
        for all in [[:], [nil: one], [.log: other], [nil: one, .log: other]]
            as [[MonthlyPurpose?: DonationTerms.Responsible]]
        {
            let terms = try Self.said(all)
            #expect(DonationTerms(decoding: terms.encoded) == terms)
            #expect(terms.responsible() == all[nil] && terms.responsible(for: .log) == all[.log])
            #expect(terms.keys(for: .log).isEmpty)
        }
    }

    @Test func aNameThatCannotBeShownOrDaysThatAreNoneAreRefused() throws {
        let limit = DonationTerms.Responsible.maximumNameBytes
        for name in [
            "", "   ", "a\nb", "a\u{202E}b", "a\u{0}", String(repeating: "x", count: limit + 1),
            String(repeating: "é", count: limit / 2 + 1),
        ] {
            #expect(Self.responsible(issuer: name) == nil && Self.responsible(server: name) == nil, "\(name)")
            #expect(Self.responsible(recipients: name) == nil, "\(name)")
        }
        #expect(Self.responsible(recipients: String(repeating: "x", count: limit)) != nil)
        for days in [.min, -1, 0, 1, 3_651, .max] as [Int64] { #expect(Self.responsible(days: days) == nil) }
        for days in [2, 3_650] as [Int64] { #expect(Self.responsible(days: days) != nil) }
        // A document with such a part is refused as a whole.
        let one = try #require(Self.responsible())
        let good = try #require(JSON(parsing: Self.said([nil: one, .log: one]).encoded).object)
        for part in [["issuer": "a"], "x", ["issuer": "a", "server": "b", "recipients": "c", "keptDays": "90"]] as [JSON] {
            var object = good
            object["responsible"] = part
            #expect(DonationTerms(decoding: JSON.object(object).bytes) == nil)
            object = good
            object["log"] = ["keys": [], "responsible": part]
            #expect(DonationTerms(decoding: JSON.object(object).bytes) == nil)
        }
    }

    /// Whatever changes of it, a consent is for something else; what is said of another purpose changes nothing.
    @Test func aConsentIsForWhomItNames() throws {
        let one = try #require(Self.responsible())
        let others = [
            nil, Self.responsible(issuer: "B"), Self.responsible(server: "B"), Self.responsible(recipients: "B"),
            Self.responsible(days: 91),
        ]
        var book = DonationBook()
        book.agree(text: 1, try Self.said([nil: one]), at: 1_000)
        book.agree(.log, text: 1, try Self.said([.log: one]), at: 1_000)
        for other in others {
            #expect(book.isForOthers(than: try Self.said([nil: other, .log: one].compactMapValues { $0 })))
            #expect(!book.isForOthers(than: try Self.said([nil: one, .log: other].compactMapValues { $0 })))
            #expect(book.isForOthers(.log, than: try Self.said([nil: one, .log: other].compactMapValues { $0 })))
            #expect(!book.isForOthers(.log, than: try Self.said([nil: other, .log: one].compactMapValues { $0 })))
        }
        let moved = try Self.said([nil: Self.responsible(days: 91), .log: one].compactMapValues { $0 })
        book.agree(text: 2, moved, at: 2_000)
        #expect(book.consent?.since == 2_000 && !book.isForOthers(than: moved) && book[.log]?.consent.since == 1_000)
        #expect(try DonationBook(bytes: book.bytes())?.consent == book.consent)
    }

    /// Each member in turn: left out, or in another form.
    @Test func aPartThatIsMissingOrHasAnotherFormIsRefused() throws {
        let good = try #require(JSON(parsing: Self.terms(try Self.keys(2))?.encoded ?? []).object)
        func reads(_ change: (inout JSON.Object) -> Void) -> Bool {
            var object = good
            change(&object)
            return DonationTerms(decoding: JSON.object(object).bytes) != nil
        }
        #expect(reads { _ in })
        for name in ["donation", "version", "issuer", "server", "keys"] { #expect(!reads { $0[name] = nil }, "\(name)") }
        for name in ["windowProbability", "epsilon"] { #expect(reads { $0[name] = nil }, "\(name)") }
        let wrong: [(String, [JSON])] = [
            ("donation", [2, "1", true]), ("version", [0, -1, "7", 1.5]),
            ("issuer", ["x", ["name": "issuer.example"], ["name": "Issuer.Example", "address": "https://a.example"]]),
            (
                "server",
                [
                    ["origin": "", "address": "https://"], ["origin": "a.example", "address": "ftp://a.example"],
                    ["origin": "a.example", "address": "https://a.example/"],
                    ["origin": "a.example", "address": "https://b.example"],
                    ["origin": "a.example", "address": "http://a.example"],
                    ["origin": "a.example", "address": "http://127.0.0.1:"],
                    ["origin": "a.example", "address": "http://127.0.0.1:80/x"],
                    ["origin": "a.example", "address": "http://127.0.0.1:80@b.example"],
                    ["origin": "issuer.example", "address": "https://issuer.example"],
                    // One host with two ports is one operator's machine.
                    ["origin": "issuer.example:8443", "address": "https://issuer.example:8443"],
                    ["origin": "issuer.example.", "address": "https://issuer.example."],
                    ["origin": "issuer.example.:8443", "address": "https://issuer.example.:8443"],
                ]
            ), ("windowProbability", [-0.1, 1.1, "1"]), ("epsilon", [0, -1, "4"]),
            ("keys", [["x"], [["day": "2026-13-01", "key": ""]], [["day": "2026-11-28", "key": "AAAA"]], "x"]),
        ]
        for (name, values) in wrong {
            for value in values { #expect(!reads { $0[name] = value }, "\(name): \(value)") }
        }
        #expect(reads { $0["later"] = 1 })
        #expect(reads { $0["server"] = ["origin": "a.example", "address": "http://127.0.0.1:8080"] })
        // This machine itself is two servers by two ports, in tests.
        #expect(
            reads {
                $0["issuer"] = ["name": "127.0.0.1:8080", "address": "http://127.0.0.1:8080"]
                $0["server"] = ["origin": "127.0.0.1:8081", "address": "http://127.0.0.1:8081"]
            })
        #expect(
            !reads {
                $0["issuer"] = ["name": "10.0.0.7:1", "address": "https://10.0.0.7:1"]
                $0["server"] = ["origin": "10.0.0.7:2", "address": "https://10.0.0.7:2"]
            })
        var object = good
        object["epsilon"] = 30
        #expect(DonationTerms(decoding: JSON.object(object).bytes)?.epsilon == DonationTerms.largestEpsilon)
    }

    @Test func anythingElseIsNoDocument() throws {
        let bytes = try #require(Self.terms(try Self.keys(2))).encoded
        for count in 0..<bytes.count where count % 7 == 0 {
            #expect(DonationTerms(decoding: Array(bytes[..<count])) == nil)
        }
        #expect(DonationTerms(decoding: [UInt8](repeating: 0x20, count: DonationTerms.maximumByteCount) + bytes) == nil)
        var random = SeededGenerator(seed: 26)
        for _ in 0..<2_000 {
            var changed = bytes
            for _ in 0..<3 {
                changed[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            // Read or not: it does not end.
            _ = DonationTerms(decoding: changed)
        }
    }
}
