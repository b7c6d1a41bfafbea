// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

@Suite struct TANTests {
    @Test(arguments: 0...9)
    func onlyAPositiveResultGivesATAN(resultCode: Int64) throws {
        let scene = try VerificationScene()
        let token = try scene.register(0)
        if resultCode > 0 { try scene.report(0, resultCode) }
        #expect(try scene.server.result(token: token, now: scene.now).code == resultCode)
        let isPositive = resultCode == 2 || resultCode == 7
        #expect(code { _ = try scene.server.tan(token: token, now: scene.now) } == (isPositive ? nil : .notPositive))
    }

    @Test func aRegistrationHasOneTAN() throws {
        let scene = try VerificationScene()
        let token = try scene.register(0)
        try scene.report(0, 2)
        let tan = try scene.server.tan(token: token, request: VerificationScene.name(0), now: scene.now)
        for _ in 0..<3 {
            #expect(try scene.server.tan(token: token, request: VerificationScene.name(0), now: scene.now) == tan)
            #expect(code { _ = try scene.server.tan(token: token, now: scene.now) } == .tanAlreadyIssued)
            #expect(
                code { _ = try scene.server.tan(token: token, request: VerificationScene.name(1), now: scene.now) }
                    == .tanAlreadyIssued)
        }
        _ = try scene.server.confirmTAN(tan, now: scene.now)
        #expect(code { _ = try scene.server.tan(token: token, now: scene.now) } == .tanAlreadyIssued)
        // The same name gives the same TAN, which is of no use any more.
        #expect(try scene.server.tan(token: token, request: VerificationScene.name(0), now: scene.now) == tan)
        #expect(code { _ = try scene.server.confirmTAN(tan, now: scene.now) } == .invalidTAN)
        #expect(scene.server.counters.tans == 1)
    }

    @Test func aTANIsConfirmedOnce() throws {
        let scene = try VerificationScene()
        let tan = try scene.tan(0)
        #expect(code { _ = try scene.server.confirmTAN(tan, type: .event, now: scene.now) } == .invalidTAN)
        #expect(try scene.server.confirmTAN(tan, now: scene.now) == .test)
        #expect(code { _ = try scene.server.confirmTAN(tan, now: scene.now) } == .invalidTAN)
        #expect(code { _ = try scene.another().confirmTAN(tan, now: scene.now) } == .invalidTAN)
    }

    @Test func theSameRequestGetsTheSameAnswer() throws {
        let scene = try VerificationScene()
        let tan = try scene.tan(0)
        let mine = Array("mine".utf8)
        for _ in 0..<3 { #expect(try scene.server.confirmTAN(tan, request: mine, now: scene.now) == .test) }
        #expect(code { _ = try scene.server.confirmTAN(tan, request: Array("other".utf8), now: scene.now) } == .invalidTAN)
        #expect(code { _ = try scene.server.confirmTAN(tan, now: scene.now) } == .invalidTAN)
        #expect(try scene.server.confirmTAN(tan, request: mine, now: scene.now) == .test)
    }

    @Test func aTANIsOverAfterFourteenDays() throws {
        let scene = try VerificationScene()
        let (first, second) = (try scene.tan(0), try scene.tan(1))
        let end = scene.now + 14 * VerificationScene.day
        #expect(try scene.server.confirmTAN(first, now: end - 1) == .test)
        #expect(code { _ = try scene.server.confirmTAN(second, now: end) } == .invalidTAN)
        #expect(try scene.server.clean(now: end).tans == 1)
    }

    @Test func foreignTANsAndTokensAreRefused() throws {
        let scene = try VerificationScene()
        let tan = try scene.tan(0)
        let other = try VerificationScene()
        #expect(code { _ = try other.server.confirmTAN(tan, now: other.now) } == .invalidTAN)
        for text in [
            "", "x", VerificationScene.name(1), tan + "0", String(tan.dropLast()), String(repeating: "-", count: 36),
        ] {
            #expect(code { _ = try scene.server.confirmTAN(text, now: scene.now) } == .invalidTAN)
        }
        #expect(code { _ = try scene.server.result(token: tan, now: scene.now) } == .unknownToken)
        #expect(code { _ = try scene.server.tan(token: VerificationScene.name(3), now: scene.now) } == .unknownToken)
        #expect(code { _ = try scene.server.tan(token: "token", now: scene.now) } == .malformedRequest)
        #expect(try scene.server.confirmTAN(tan.uppercased(), now: scene.now) == .test)
    }
}
