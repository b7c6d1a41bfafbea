// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

@Suite struct ResultTests {
    @Test func aResultIsToldForTwentyOneDaysAndKeptForSixty() throws {
        let scene = try VerificationScene()
        let identity = try #require(TestIdentity(key: VerificationScene.key(0)))
        try scene.report(0, 2)
        func finding(_ seconds: Int64) throws -> TestResult.Finding {
            try scene.results.result(of: identity, now: scene.now + seconds).finding
        }
        let (told, kept) = (21 * VerificationScene.day, 60 * VerificationScene.day)
        #expect(try finding(told - 1) == .positive && finding(told) == .redeemed)
        #expect(try finding(kept - 1) == .redeemed && finding(kept) == .pending)
        // A correction comes in time or not at all, and keeps nothing longer.
        #expect(try scene.results.take([.init(identity, TestResult(.negative))], now: scene.now + told - 1).stored == 1)
        #expect(try scene.results.take([.init(identity, TestResult(.positive))], now: scene.now + told).redeemed == 1)
        #expect(try finding(told - 1) == .negative && finding(told) == .redeemed)
        #expect(try scene.results.clean(now: scene.now + kept - 1) == 0)
        #expect(try scene.results.clean(now: scene.now + kept) == 1)
    }

    @Test func redeemedStaysRedeemed() throws {
        let scene = try VerificationScene()
        let identity = try #require(TestIdentity(key: VerificationScene.key(0)))
        try scene.report(0, 9)
        #expect(try scene.results.take([.init(identity, TestResult(.positive))], now: scene.now).redeemed == 1)
        #expect(try scene.results.result(of: identity, now: scene.now).code == 9)
    }

    /// A test withdrawn between result and TAN warns nobody.
    @Test func aCorrectedResultGivesNoTAN() throws {
        let scene = try VerificationScene()
        let token = try scene.register(0)
        try scene.report(0, 2)
        #expect(try scene.server.result(token: token, now: scene.now).finding == .positive)
        try scene.report(0, 1)
        #expect(code { _ = try scene.server.tan(token: token, now: scene.now) } == .notPositive)
    }

    @Test func theThousandLinesOfABatchAreAllOrNothing() throws {
        let scene = try VerificationScene()
        let reports = try (0..<1_000).map { number in
            TestResultServer.Report(try #require(TestIdentity(key: VerificationScene.key(number))), TestResult(.negative))
        }
        #expect(try scene.results.take(reports, now: scene.now).stored == 1_000)
        let crashed = try scene.crash()
        #expect(try reports.allSatisfy { try crashed.results.result(of: $0.test, now: scene.now).finding == .negative })
    }
}
