// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Testing
import Verification

@Suite struct RegistrationTests {
    @Test func aTestIsRegisteredOnceHoweverItIsWritten() throws {
        let scene = try VerificationScene()
        let token = try scene.register(0)
        #expect(token.utf8.count == 36)
        #expect(code { _ = try scene.register(0) } == .keyAlreadyUsed)
        let upper = try VerificationServer.key(VerificationScene.key(0).uppercased(), type: "GUID", birth: nil)
        #expect(code { _ = try scene.server.register(upper, now: scene.now) } == .keyAlreadyUsed)
        #expect(try scene.register(1) != token)
    }

    /// Longer than the registration is kept, and as long as a result can be: nobody gets a second one.
    @Test func aTestIsNotRegisteredAgainWhenItsRegistrationIsForgotten() throws {
        let scene = try VerificationScene()
        let token = try scene.register(0, request: VerificationScene.name(0))
        try scene.report(0, 2)
        for day in 1..<60 {
            scene.now = VerificationScene.start + Int64(day) * VerificationScene.day
            _ = try scene.server.clean(now: scene.now)
            #expect(code { _ = try scene.register(0) } == .keyAlreadyUsed)
            #expect(code { _ = try scene.server.result(token: token, now: scene.now) } == (day < 21 ? nil : .unknownToken))
        }
        // Its name says nothing either, once the token is gone.
        #expect(code { _ = try scene.register(0, request: VerificationScene.name(0)) } == .keyAlreadyUsed)
        scene.now = VerificationScene.start + 61 * VerificationScene.day
        let report = try scene.server.clean(now: scene.now)
        #expect(report.spentKeys == 1)
        #expect(try scene.results.clean(now: scene.now) == 1)
        let again = try scene.register(0)
        #expect(try scene.server.result(token: again, now: scene.now).finding == .pending)
    }

    @Test func whoNamesTheRequestGetsTheSameTokenAgain() throws {
        let scene = try VerificationScene()
        let name = VerificationScene.name(7)
        let token = try scene.register(0, request: name)
        #expect(try scene.register(0, request: name) == token)
        #expect(try scene.register(0, request: name.uppercased()) == token)
        #expect(try scene.another().register(VerificationScene.test(0), request: name, now: scene.now) == token)
        #expect(code { _ = try scene.register(0, request: VerificationScene.name(8)) } == .keyAlreadyUsed)
        #expect(code { _ = try scene.register(0) } == .keyAlreadyUsed)
        // The name alone is worth nothing elsewhere.
        #expect(try scene.register(1, request: name) != token)
        #expect(scene.server.counters.repeatedAnswers == 2 && scene.server.counters.registrations == 2)
        #expect(code { _ = try scene.register(2, request: "name") } == .malformedRequest)
    }

    @Test(
        arguments: [
            ("", "GUID", nil), ("zz", "GUID", nil), (String(repeating: "g", count: 64), "GUID", nil),
            (String(repeating: "a", count: 63), "GUID", nil), (String(repeating: "a", count: 64), "guid", nil),
            (String(repeating: "a", count: 64), "GUID", "x"),
            (String(repeating: "a", count: 64), "GUID", String(repeating: "x", count: 64)),
            (String(repeating: "a", count: 64), "GUID", String(repeating: "A", count: 64)),
            ("FE9A5MAK6CDEH", "TELETAN", String(repeating: "a", count: 64)), ("FE9A5MAK6CDEG", "TELETAN", nil),
            ("fe9a5mak6cdeh", "TELETAN", nil), ("FE9A5MAK6CDE", "TELETAN", nil), ("FE9A5MAK6C", "TELETAN", nil),
        ] as [(String, String, String?)])
    func wrongKeysAreRefused(key: String, type: String, birth: String?) {
        #expect(code { _ = try VerificationServer.key(key, type: type, birth: birth) } == .malformedRequest)
    }

    @Test func theDateOfBirthMustBelongToTheTest() throws {
        let scene = try VerificationScene()
        let birth = "x" + VerificationScene.key(100).dropFirst()
        let key = try VerificationServer.key(VerificationScene.key(0), type: "GUID", birth: birth)
        let token = try scene.server.register(key, request: VerificationScene.name(1), now: scene.now)
        #expect(try scene.server.result(token: token, now: scene.now).finding == .pending)
        try scene.report(0, 2)
        #expect(code { _ = try scene.server.result(token: token, now: scene.now) } == .birthMismatch)
        #expect(code { _ = try scene.server.tan(token: token, now: scene.now) } == .birthMismatch)
        let identity = try #require(TestIdentity(birthKey: birth.uppercased()))
        _ = try scene.results.take([.init(identity, TestResult(.positive))], now: scene.now)
        #expect(try scene.server.result(token: token, now: scene.now).finding == .positive)
        _ = try scene.server.tan(token: token, now: scene.now)
        // Neither half can be registered again.
        #expect(code { _ = try scene.register(0) } == .keyAlreadyUsed)
        let other = try VerificationServer.key(VerificationScene.key(5), type: "GUID", birth: birth)
        #expect(code { _ = try scene.server.register(other, now: scene.now) } == .keyAlreadyUsed)
    }

    @Test func nothingThatOpensAnythingIsInTheFiles() throws {
        let scene = try VerificationScene()
        let token = try scene.register(0, request: VerificationScene.name(1))
        try scene.report(0, 2)
        let tan = try scene.server.tan(token: token, request: VerificationScene.name(2), now: scene.now)
        let teleTAN = try scene.server.issueTeleTAN(.test, now: scene.now)
        _ = try scene.server.register(
            VerificationServer.key(teleTAN, type: "TELETAN", birth: nil), now: scene.now)
        _ = try scene.server.confirmTAN(tan, request: Array("body".utf8), now: scene.now)
        let stored = try scene.storedBytes()
        #expect(stored.count > 10_000)
        let key = VerificationScene.key(0)
        for text in [token, tan, teleTAN, key, VerificationScene.name(1), VerificationScene.name(2)] {
            #expect(!stored.contains(sequence: Array(text.utf8)))
            let digits = text.split(separator: "-").joined()
            if let bytes = Hex.bytes(digits) { #expect(!stored.contains(sequence: bytes)) }
            // Nor what a finder could compare guesses with.
            #expect(text == key || !stored.contains(sequence: SHA256.digest(of: Array(text.utf8))))
        }
        // The identity of the test, hashed once more, is what both servers share.
        #expect(stored.contains(sequence: try #require(TestIdentity(key: key)).bytes))
    }
}
