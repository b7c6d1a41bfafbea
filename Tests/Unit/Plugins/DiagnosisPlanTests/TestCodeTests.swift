// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DiagnosisPlan
import RandomValues
import Testing

@Suite struct DateOfBirthTests {
    /// Vectors of cwa-app-android (`DateOfBirthKeyTest`).
    @Test(
        arguments: [
            (
                "E1277F-E1277F24-4AD2-40BC-AFF8-CBCCCD893E4B", "2000-01-01",
                "xfa760e171f000ef5a7f863ab180f6f6e8185c4890224550395281d839d85458"
            ),
            (
                "F1EE0D-F1EE0D4D-4346-4B63-B9CF-1522D9200915", "1995-06-07",
                "x4a7788ef394bc7d52112014b127fe2bf142c51fe1bbb385214280e9db670193"
            ),
        ])
    func keysAreThoseOfTheVectors(number: String, born: String, expected: String) throws {
        let birth = try DateOfBirth(born, today: 20_000)
        #expect(birth.key(of: Array(number.utf8)) == expected)
        #expect(try TestCode(pasted: "https://localhost/?" + number, birth: birth).birthKey == expected)
        #expect(try TestCode(pasted: "https://localhost/?" + number).birthKey == nil)
        #expect(!"\(birth)".contains("19"))
    }

    /// 2026-11-23 is day 20,780.
    @Test func whatIsNoDateOfBirthIsRefused() throws {
        for fine in ["2026-11-23", "1896-01-01", "2024-02-29", "1961-08-13"] { _ = try DateOfBirth(fine, today: 20_780) }
        for wrong in [
            "", "2026-11-24", "1895-12-31", "0000-01-01", "2023-02-29", "1961-13-08", "13.08.1961", "1961-8-13", "19610813",
            "1961-08-13 ", "1961-08-13T00:00:00Z", "９１６１-08-13", "x",
        ] {
            #expect(throws: DiagnosisPlanError(.notADateOfBirth), "\(wrong)") { try DateOfBirth(wrong, today: 20_780) }
        }
    }
}

@Suite struct TestCodeTests {
    private static let guid = "123456-12345678-1234-4DA7-B166-B86D85475064"
    private static let salt = "D3B5FCC2D1383474F0DE696068ABB338"
    /// The hash of `1627403671#SALT` (cwa-app-android, `TestQrCodes`, raQrAnonymousValidHash).
    private static let hash = "61df099207704a072fb2a97d31687523ca50f5bb031fc58bcd325bd9a976fd68"

    private static func code(_ json: String, host: String = "s", url: Bool = false) -> String {
        var text = Base64.string(Array(json.utf8))
        if url {
            text = String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.filter { $0 != "=" })
        }
        return "https://\(host).coronawarn.app?v=1#\(text)"
    }

    private static func anonymous(
        timestamp: String = "1627403671", salt: String = "\"\(salt)\"", hash: String = "\"\(hash)\"", more: String = ""
    ) -> String {
        "{\"timestamp\":\(timestamp),\"salt\":\(salt),\"testid\":\"t\",\"hash\":\(hash)\(more)}"
    }

    private static func personal(_ first: String, _ last: String, _ birth: String) -> String {
        let hash = Hex.string(SHA256.digest(of: Array("\(birth)#\(first)#\(last)#5#t#\(salt)".utf8)))
        return
            "{\"fn\":\"\(first)\",\"ln\":\"\(last)\",\"dob\":\"\(birth)\",\"timestamp\":5,\"testid\":\"t\",\"salt\":\"\(salt)\",\"hash\":\"\(hash)\"}"
    }

    private func refusal(_ text: String) -> DiagnosisPlanError.Code? {
        do throws(DiagnosisPlanError) {
            _ = try TestCode(scanned: text)
            return nil
        } catch { return error.code }
    }

    @Test func laboratoryCodes() throws {
        let code = try TestCode(scanned: "HTTPS://LOCALHOST/?" + Self.guid)
        #expect(code.kind == .pcr)
        #expect(code.registrationKey == "a7f03e2e20f1f953e15cc67162593fd97fa2a7aac6a84d9123eb626ab2cc61ed")
        #expect(code.created == nil)
        #expect(try TestCode(pasted: "\r\n https://localhost/?\(Self.guid)\t") == code)
        #expect(refusal(" https://localhost/?" + Self.guid) == .notATestCode)
        #expect(refusal("https://localhost/?" + Self.guid + " ") == .malformedIdentifier)
        #expect(refusal("https://localhost/?" + Self.guid + "0") == .malformedIdentifier)
        #expect(refusal("https://localhost/?" + Self.guid.lowercased().dropLast() + "g") == .malformedIdentifier)
        #expect(refusal("https://localhost/?") == .malformedIdentifier)
        #expect(refusal("http://localhost/?" + Self.guid) == .notATestCode)
        #expect(refusal("") == .notATestCode)
        #expect(refusal(String(repeating: "h", count: 4_097)) == .codeTooLong)
    }

    @Test func rapidCodes() throws {
        let key = Hex.string(SHA256.digest(of: Array(Self.hash.utf8)))
        for (text, kind) in [
            (Self.code(Self.anonymous()), TestKind.rapidAntigen),
            (Self.code(Self.anonymous(), url: true), .rapidAntigen),
            (Self.code(Self.anonymous(), host: "p"), .rapidPCR),
            ("https://s.coronawarn.app/" + Self.code(Self.anonymous()).dropFirst(24), .rapidAntigen),
            (Self.code(Self.anonymous(more: ",\"fn\":\"\",\"ln\":null,\"dgc\":true,\"other\":[1]")), .rapidAntigen),
        ] {
            let code = try TestCode(scanned: text)
            #expect(code.kind == kind)
            #expect(code.registrationKey == key)
            #expect(code.created == 1_627_403_671)
        }
        #expect(refusal("https://s.coronawarn.app?v=2#" + Self.code(Self.anonymous()).dropFirst(29)) == .notATestCode)
        #expect(refusal("https://s.coronawarn.app.example?v=1#e30=") == .notATestCode)
    }

    @Test func everyRuleOfRapidCodesHasItsWord() {
        #expect(refusal("https://s.coronawarn.app?v=1#!!!!") == .malformedEncoding)
        #expect(refusal("https://s.coronawarn.app?v=1#e30==") == .malformedEncoding)
        #expect(refusal("https://s.coronawarn.app?v=1#-+-+") == .malformedEncoding)
        #expect(refusal("https://s.coronawarn.app?v=1#") == .malformedContent)
        #expect(refusal(Self.code("[]")) == .malformedContent)
        #expect(refusal(Self.code("{\"a\":1,\"a\":1}")) == .malformedContent)
        #expect(refusal(Self.code("{}")) == .malformedHash)
        #expect(refusal(Self.code(Self.anonymous(hash: "\"61df\""))) == .malformedHash)
        #expect(refusal(Self.code(Self.anonymous(hash: "7"))) == .malformedContent)
        for timestamp in ["0", "-1", "1.5", "\"1627403671\"", "null", "253402300800"] {
            #expect(refusal(Self.code(Self.anonymous(timestamp: timestamp))) == .malformedTimestamp)
        }
        #expect(refusal(Self.code(Self.anonymous(salt: "\"xyz\""))) == .malformedSalt)
        #expect(refusal(Self.code(Self.anonymous(salt: "null"))) == .malformedSalt)
        #expect(refusal(Self.code(Self.anonymous(timestamp: "1627403672"))) == .hashMismatch)
        #expect(refusal(Self.code(Self.anonymous(more: ",\"dgc\":1"))) == .malformedContent)
        #expect(refusal(Self.code(Self.anonymous(more: ",\"fn\":\"Ada\""))) == .incompletePersonalData)
        #expect(refusal(Self.code(Self.anonymous(more: ",\"fn\":\"A\",\"ln\":\"B\""))) == .incompletePersonalData)
        #expect(refusal(Self.code(Self.personal("Ada", "B", "1995-02-30"))) == .malformedDateOfBirth)
        #expect(refusal(Self.code(Self.personal("Ada", "B", "1995-02-15"))) == nil)
        let nameless =
            "{\"fn\":\"A\",\"ln\":\"B\",\"dob\":\"1995-02-15\",\"timestamp\":5,\"salt\":\"0\",\"hash\":\"\(Self.hash)\"}"
        #expect(refusal(Self.code(nameless)) == .missingTestIdentifier)
    }

    /// Who the person is appears neither in the value nor in what is said about it.
    @Test func personsAreDropped() throws {
        let code = try TestCode(scanned: Self.code(Self.personal("Hildegard", "Knefzzz", "1925-12-28")))
        var dumped = ""
        dump(code, to: &dumped)
        #expect(!dumped.contains("Hilde") && !dumped.contains("Knef") && !dumped.contains("1925"))
        #expect("\(code)" == "a test code (rapidAntigen)")
        let wrong = Self.personal("Hildegard", "Knefzzz", "1925-12-28").replacing("Knefzzz", with: "Knefzzy")
        let error = #expect(throws: DiagnosisPlanError(.hashMismatch)) { try TestCode(scanned: Self.code(wrong)) }
        #expect(try !#require(error).description.contains("Knef"))
    }

    /// Every code made by the rule is read, and every change of one character of its content is refused or leaves the key as it was.
    @Test func changedCodesAreRefused() throws {
        let right = Self.code(Self.personal("Ada", "Byron", "1815-12-10"))
        let code = try TestCode(scanned: right)
        let bytes = Array(right.utf8)
        var random = SeededGenerator(seed: 3)
        var refused = 0
        for place in bytes.indices {
            var wrong = bytes
            wrong[place] = UInt8.random(in: 0x20...0x7E, using: &random)
            guard wrong != bytes else { continue }
            do throws(DiagnosisPlanError) {
                let other = try TestCode(scanned: wrong)
                // Upper-case hexadecimal of the same hash is another text, hence another key; no other number may pass.
                #expect(other.created == code.created)
            } catch { refused += 1 }
        }
        #expect(refused > bytes.count * 9 / 10)
    }

    @Test func nonsenseIsRefusedWithoutHarm() {
        var random = SeededGenerator(seed: 4)
        for round in 0..<3_000 {
            let count = Int.random(in: 0..<200, using: &random)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            if round % 2 == 0 { bytes = Array("https://s.coronawarn.app?v=1#".utf8) + Array(Base64.string(bytes).utf8) }
            #expect(throws: DiagnosisPlanError.self) { try TestCode(scanned: bytes) }
        }
    }
}
