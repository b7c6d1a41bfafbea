// SPDX-License-Identifier: Apache-2.0

import HTTPService
import Portal
import Synchronization
import Testing
import Verification

/// The pages over the loopback, as a browser uses them.
@Suite struct PageTests {
    @Test func fromSigningInToATeleTANThatRegisters() throws {
        let scene = try PortalScene()
        try scene.add("anna")
        let browser = scene.browser()
        let first = try browser.get()
        #expect(first.status == 200 && first.text.contains("<title>Sign in"))
        let entered = try browser.signIn("Anna", PortalScene.password)
        #expect(entered.status == 303 && entered.header("location") == "/" && entered.text.isEmpty)
        let page = try browser.get()
        #expect(page.text.contains("Issue a teleTAN") && page.text.contains(">anna<"))
        let answer = try browser.issue(from: page)
        #expect(answer.status == 200)
        let teleTAN = try #require(answer.teleTAN)
        #expect(TeleTANIssuing.isValid(teleTAN))
        #expect(answer.text.contains("role=\"status\" aria-live=\"polite\" tabindex=\"-1\" autofocus"))
        for word in Spelling.words(teleTAN, .english) { #expect(answer.text.contains(word)) }
        // It is a real one.
        let server = try PortalScene.verification(scene.path)
        _ = try server.register(VerificationServer.key(teleTAN, type: "TELETAN", birth: nil), now: scene.now)
        // Shown once: neither the next page nor the same form sent again shows it, and the form issues nothing.
        #expect(try browser.get().teleTAN == nil)
        let again = try browser.issue(from: page)
        #expect(again.status == 409 && again.teleTAN == nil)
        // The page with the teleTAN has the next form.
        let second = try browser.issue(from: answer)
        #expect(second.teleTAN != nil && second.teleTAN != teleTAN)
        let out = try browser.post("/sign-out", [("form", try #require(page.field("form")))])
        #expect(out.status == 303)
        #expect(try browser.get().text.contains("<title>Sign in"))
        #expect(
            try scene.kinds == [
                "user-added", "signed-in", "teletan-requested", "teletan-issued", "teletan-requested", "teletan-issued",
                "signed-out",
            ])
        #expect(try scene.events().allSatisfy { $0.user == "anna" && $0.time == scene.now })
    }

    @Test func theLanguageCanBeChosen() throws {
        let scene = try PortalScene()
        let browser = scene.browser()
        browser.language = "de-DE,de;q=0.9"
        let german = try browser.get()
        #expect(german.text.contains("<html lang=\"de\">") && german.text.contains("Anmelden"))
        #expect(try browser.get("/language/en").status == 303)
        #expect(try browser.get().text.contains("<html lang=\"en\">"))
        #expect(try browser.get("/language/fr").status == 404)
    }

    /// Beside the number: how long it is good, and how long a board may take; in both languages.
    @Test(arguments: [("de", "24 Stunden", "58 Minuten", "2 Tage"), ("en", "24 hours", "58 minutes", "2 days")])
    func aTeleTANComesWithItsTimes(language: String, good: String, wait: String, event: String) throws {
        let scene = try PortalScene()
        try scene.add("anna", .both)
        let browser = scene.browser()
        browser.language = language
        try browser.signIn("anna", PortalScene.password)
        let test = try browser.issue().text
        #expect(test.contains(good) && test.contains(wait))
        #expect(try browser.issue("EVENT").text.contains(event))
    }

    /// Boards with fewer exchanges in a day take longer, and the page goes by the fleet's.
    @Test(arguments: [(6, "8 hours"), (12, "4 hours"), (96, "28 minutes"), (192, "13 minutes")] as [(Int64, String)])
    func theTimeABoardMayTakeFollowsFromItsExchanges(slots: Int64, wait: String) throws {
        let scene = try PortalScene(slots: slots)
        try scene.add("anna")
        let browser = scene.browser()
        try browser.signIn("anna", PortalScene.password)
        #expect(try browser.issue().text.contains("up to \(wait) until"))
    }

    @Test func twoBrowsersAreTwoSessions() throws {
        let scene = try PortalScene()
        try scene.add("anna")
        let (desk, home) = (scene.browser(), scene.browser())
        try desk.signIn("anna", PortalScene.password)
        try home.signIn("anna", PortalScene.password)
        let page = try desk.get()
        // A form of one is no form of the other.
        let crossed = try home.issue(from: page)
        #expect(crossed.status == 403 && crossed.teleTAN == nil)
        #expect(try desk.post("/sign-out", [("form", try #require(page.field("form")))]).status == 303)
        #expect(try desk.issue(from: page).status == 403)
        #expect(try home.issue().teleTAN != nil)
        // Another password ends what is open.
        try scene.store.setPassword(of: "anna", to: try scene.hash("another password"), now: scene.now)
        #expect(try home.issue().status == 403)
    }

    @Test func rolesAreKept() throws {
        let scene = try PortalScene()
        try scene.add("anna", .tests)
        try scene.add("emil", .events)
        try scene.add("both", .both)
        for (name, test, event) in [("anna", 200, 403), ("emil", 403, 200), ("both", 200, 200)] {
            let browser = scene.browser()
            try browser.signIn(name, PortalScene.password)
            #expect(try browser.issue("TEST").status == test)
            #expect(try browser.issue("EVENT").status == event)
            #expect(try browser.issue("OTHER").status == 403)
        }
        let issued = try scene.events().filter { $0.kind == "teletan-issued" }
        #expect(issued.map { "\($0.user) \($0.detail)" } == ["anna TEST", "emil EVENT", "both TEST", "both EVENT"])
    }

    @Test func sessionsEndByThemselves() throws {
        let scene = try PortalScene()
        try scene.add("anna")
        let idle = scene.browser()
        try idle.signIn("anna", PortalScene.password)
        let page = try idle.get()
        // What lies open on the desk goes by itself, after the session.
        #expect(page.text.contains("http-equiv=\"refresh\" content=\"905; url=/\""))
        scene.now += 899
        #expect(try idle.get().text.contains("Issue a teleTAN"))
        scene.now += 900
        #expect(try idle.issue(from: page).status == 403)
        let busy = scene.browser()
        try busy.signIn("anna", PortalScene.password)
        let start = scene.now
        while scene.now + 600 < start + 8 * 3_600 {
            scene.now += 600
            #expect(try busy.get().text.contains("Issue a teleTAN"))
        }
        scene.now = start + 8 * 3_600
        #expect(try busy.get().text.contains("<title>Sign in"))
    }

    @Test func oneUserCannotIssueWithoutEnd() throws {
        let scene = try PortalScene { $0.teleTANLimit = 3 }
        try scene.add("anna")
        try scene.add("berta")
        let (anna, berta) = (scene.browser(), scene.browser())
        try anna.signIn("anna", PortalScene.password)
        try berta.signIn("berta", PortalScene.password)
        for _ in 0..<3 { #expect(try anna.issue().status == 200) }
        #expect(try anna.issue().status == 429)
        #expect(try berta.issue().status == 200)
        #expect(try scene.kinds.contains("limit-hit"))
        for _ in 0..<6 {
            scene.now += 601
            _ = try anna.get()
        }
        #expect(try anna.issue().status == 200)
    }

    /// The verification server is away: said, written down, nothing shown.
    @Test func aSourceThatFailsIsSaid() throws {
        final class Away: TeleTANSource {
            func teleTAN(_ kind: WarningType, now: Int64) throws(PortalError) -> IssuedTeleTAN {
                throw PortalError(.sourceFailed)
            }
        }
        let scene = try PortalScene(source: Away())
        try scene.add("anna")
        let browser = scene.browser()
        try browser.signIn("anna", PortalScene.password)
        let answer = try browser.issue()
        #expect(answer.status == 502 && answer.teleTAN == nil && answer.text.contains("role=\"alert\""))
        #expect(try scene.kinds.suffix(2) == ["teletan-requested", "teletan-refused"])
        #expect(scene.shared.log.withLock { $0.count } == 1)
    }

    @Test func metricsAreOnTheirOwnPortOnly() throws {
        let scene = try PortalScene()
        try scene.add("anna")
        let browser = scene.browser()
        try browser.signIn("anna", "wrong password")
        try browser.signIn("anna", PortalScene.password)
        _ = try browser.issue()
        let monitoring = Browser(port: scene.service.metricsPort)
        let answer = try monitoring.get("/metrics")
        #expect(answer.status == 200 && answer.header("content-type") == "text/plain; version=0.0.4; charset=utf-8")
        for line in [
            "vigil_portal_sign_ins_total{outcome=\"done\"} 1", "vigil_portal_sign_ins_total{outcome=\"failed\"} 1",
            "vigil_portal_teletans_total{kind=\"TEST\"} 1", "vigil_portal_users 1", "vigil_portal_sessions 1",
            "# TYPE vigil_portal_sessions gauge",
        ] {
            #expect(answer.text.contains(line + "\n"), "\(line)")
        }
        #expect(!answer.text.contains("anna"))
        #expect(try browser.get("/metrics").status == 404)
        #expect(try monitoring.get("/").status == 404)
        #expect(try monitoring.post("/metrics", []).status == 405)
    }

    @Test func metricsTextIsEscaped() {
        let family = MetricFamily(
            "a_total", .counter, "one\\two\nthree",
            samples: [.init(1.5, ["b": "x\"\\\n", "a": "1"]), .init(.infinity), .init(9_007_199_254_740_991)])
        #expect(
            MetricsText.text([family, MetricFamily("none", .gauge, "", samples: [])])
                == "# HELP a_total one\\\\two\\nthree\n# TYPE a_total counter\na_total{a=\"1\",b=\"x\\\"\\\\\\n\"} 1.5\na_total +Inf\n"
                + "a_total 9007199254740991\n")
    }
}
