// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Testing

@testable import Portal

/// The proof that a user signed in from a browser before.
@Suite struct KnownBrowserTests {
    private static let cookie = "vigil-browser"

    /// It ends with the password and with the user: whoever has such browsers from before is a stranger, and waits like one.
    @Test(arguments: QueuedSignInTests.Change.allCases) func aProofEndsWithThePassword(
        _ change: QueuedSignInTests.Change
    ) throws {
        let scene = try PortalScene()
        try scene.add("anna")
        let own = scene.browser()
        #expect(try own.signIn("anna", PortalScene.password).status == 303)
        let proof = try #require(own.cookies[Self.cookie])
        try change.apply(scene)
        let stranger = scene.browser()
        for _ in 0..<12 { try stranger.signIn("anna", "wrong-wrong-wrong") }
        #expect(try stranger.signIn("anna", "wrong-wrong-wrong").status == 429)
        own.cookies = [Self.cookie: proof]
        let password = change == .replaced ? "another-password-4711" : PortalScene.password
        #expect(try own.signIn("anna", password).status == (change == .none ? 303 : 429))
    }

    /// However often somebody signs in without cookies, a user's browsers have eight numbers, and with them eight paces.
    @Test func aUserHasEightNumbers() throws {
        let scene = try PortalScene()
        try scene.add("anna")
        let numbers = try (0..<60).map { _ in
            let browser = scene.browser()
            try browser.signIn("anna", PortalScene.password)
            return try #require(browser.cookies[Self.cookie]?.split(separator: ".").first.flatMap { Int($0) })
        }
        #expect(numbers.allSatisfy(PortalCookies.browserNumbers.contains) && PortalCookies.browserNumbers.count == 8)
        // One in eight to the power of 59 that all are the same.
        #expect(Set(numbers).count > 1)
        // A browser keeps its number.
        let browser = scene.browser()
        let kept = try (0..<12).map { _ in
            try browser.signIn("anna", PortalScene.password)
            let out = try browser.post("/sign-out", [("form", try #require(try browser.get().field("form")))])
            #expect(out.status == 303)
            return browser.cookies[Self.cookie]?.split(separator: ".").first
        }
        #expect(Set(kept).count == 1)
    }

    @Test func aProofIsReadOnlyAsItWasMade() throws {
        let scene = try PortalScene()
        let cookies = PortalCookies(secret: SecretBytes(copying: [UInt8](repeating: 7, count: 32)), isPlain: true)
        let others = PortalCookies(secret: SecretBytes(copying: [UInt8](repeating: 8, count: 32)), isPlain: true)
        let password = try scene.hash()
        let good = try cookies.browser("anna", password, number: 3, expiry: 1_000)
        func number(
            _ text: String?, _ user: String = "anna", _ other: PasswordHash? = nil, now: Int64 = 999
        ) throws -> Int? {
            try cookies.browserNumber(text, user: user, other ?? password, now: now)
        }
        #expect(try number(good) == 3)
        #expect(try number(good, now: 1_000) == nil)
        #expect(try number(good, "berta") == nil)
        // Another salt, other rounds and so another hash, nobody.
        #expect(try number(good, "anna", scene.hash(seed: 2)) == nil)
        #expect(try number(good, "anna", .nobody(iterations: 1)) == nil)
        #expect(try number(try others.browser("anna", password, number: 3, expiry: 1_000)) == nil)
        let code = String(good.split(separator: ".")[2])
        for wrong in [
            nil, "", ".", "..", "...", code, "3.1000", "3.1000.", "4.1000.\(code)", "3.1001.\(code)", "+3.1000.\(code)",
            "03.1000.\(code)", "-1.1000.\(code)", "8.1000.\(code)", "3.1000.\(code.uppercased())",
            "3.1000.\(code.dropLast())",
            good + ".", good + "0", " " + good, "3.\(Int64.max).\(code)", "3.9223372036854775808.\(code)",
            "99999999999999999999.1000.\(code)", String(repeating: "3", count: 9_000),
        ] { #expect(try number(wrong) == nil, "\(wrong ?? "none")") }
    }
}
