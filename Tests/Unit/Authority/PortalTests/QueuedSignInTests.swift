// SPDX-License-Identifier: Apache-2.0

import Cryptography
import HTTPService
import RandomValues
import Testing

@testable import Portal

/// A password that is compared, while an operator changes what it was compared with.
@Suite struct QueuedSignInTests {
    /// What an operator does, through a connection of their own, as `vigil-authority portal user` does.
    enum Change: CaseIterable {
        case none, replaced, replacedByTheSame, removed, removedAndAddedAgain

        func apply(_ scene: PortalScene) throws {
            switch self {
            case .none: break
            case .replaced:
                try scene.store.setPassword(of: "anna", to: scene.hash("another-password-4711", seed: 2), now: scene.now)
            case .replacedByTheSame:
                try scene.store.setPassword(of: "anna", to: scene.hash(seed: 2), now: scene.now)
            case .removed: try scene.store.remove("anna", now: scene.now)
            case .removedAndAddedAgain:
                try scene.store.remove("anna", now: scene.now)
                try scene.store.add("anna", role: .both, password: scene.hash(seed: 2), now: scene.now)
            }
        }
    }

    /// Signs in by the old password, and `change` comes before the password is hashed or after it: both were before the session begins.
    @Test(arguments: Change.allCases, [true, false]) func aPasswordCountsWhileItIsThatOfTheUser(
        _ change: Change, isHashedBefore: Bool
    ) throws {
        let scene = try PortalScene()
        try scene.add("anna")
        var settings = PortalHTTP.Settings()
        settings.isPlain = true
        settings.iterations = PortalScene.iterations
        let now = scene.now
        let portal = PortalHTTP(
            store: try PortalStore(path: scene.database),
            source: LocalTeleTANSource(try PortalScene.verification(scene.path)),
            secret: SecretBytes(copying: [UInt8](repeating: 7, count: 32)), settings: settings, counters: PortalCounters(),
            now: { now }, generator: SeededGenerator(seed: 3), log: { _ in })
        let visit = String(repeating: "5e", count: 16)
        let form = try portal.cookies.formToken(visit)
        func request() -> HTTPRequest {
            HTTPRequest(
                method: "POST", path: "/sign-in", headers: ["cookie": "\(portal.cookies.name(.visit))=\(visit)"],
                body: Array("form=\(form)&name=anna&password=\(PortalScene.password)".utf8))
        }
        guard case .calculation(let waiting) = portal.outcome(of: request()) else {
            Issue.record("nothing is compared")
            return
        }
        if isHashedBefore { waiting.calculate() }
        try change.apply(scene)
        if !isHashedBefore { waiting.calculate() }
        let answer = waiting.finish(true)

        let isGood = change == .none
        #expect(answer.status == (isGood ? 303 : 403))
        #expect(try scene.kinds.contains("signed-in") == isGood)
        #expect(try scene.kinds.last == (isGood ? "signed-in" : "sign-in-failed"))
        #expect(try scene.store.counts(rules: SessionRules(), now: scene.now).sessions == (isGood ? 1 : 0))
        #expect(!answer.headers.contains { $0.0 == "Set-Cookie" && $0.1.contains("session=") } || isGood)
        // The try counts like any wrong one: as many are free as ever, and then there is a wait.
        var statuses: [UInt32] = []
        while statuses.last != 429, statuses.count < 10 {
            var wrong = request()
            wrong.body = Array("form=\(form)&name=anna&password=wrong-wrong-wrong".utf8)
            statuses.append(portal.answer(wrong).status)
        }
        #expect(statuses.count == (isGood ? 6 : 5), "\(statuses)")
    }

    /// A sign-in that takes the place of an earlier session leaves that one alone when it is refused.
    @Test func aRefusedSignInEndsNobodysSession() throws {
        let scene = try PortalScene()
        try scene.add("anna")
        try scene.add("berta")
        let (code, other) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        let compared = try scene.hash()
        #expect(
            try scene.store.begin(code, user: "berta", comparedWith: compared, insteadOf: nil, now: scene.now))
        let session = try #require(try scene.store.session(code, rules: SessionRules(), now: scene.now))
        try scene.store.setPassword(of: "anna", to: scene.hash(seed: 2), now: scene.now)
        #expect(
            try !scene.store.begin(other, user: "anna", comparedWith: compared, insteadOf: session, now: scene.now))
        #expect(try scene.store.session(code, rules: SessionRules(), now: scene.now) != nil)
        #expect(try scene.store.session(other, rules: SessionRules(), now: scene.now) == nil)
        #expect(
            try scene.store.begin(
                other, user: "anna", comparedWith: scene.hash(seed: 2), insteadOf: session, now: scene.now))
        #expect(try scene.store.session(code, rules: SessionRules(), now: scene.now) == nil)
        #expect(try scene.kinds.suffix(2) == ["signed-out", "signed-in"])
    }
}
