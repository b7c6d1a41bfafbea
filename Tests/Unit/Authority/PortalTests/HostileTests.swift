// SPDX-License-Identifier: Apache-2.0

import Portal
import SQLiteFile
import Synchronization
import Testing

/// What no browser of ours sends, and who tries passwords.
@Suite struct HostileTests {
    /// Everything that every page must have, and nothing from elsewhere in it.
    @Test func everyAnswerIsProtected() throws {
        let scene = try PortalScene()
        try scene.add("anna")
        let browser = scene.browser()
        try browser.signIn("anna", PortalScene.password)
        let stranger = scene.browser()
        let answers = [
            try stranger.get(), try stranger.get("/style.css"), try stranger.get("/none"), try stranger.get("/language/de"),
            try stranger.send("PUT", "/", nil, [:]), try stranger.post("/teletan", []), try stranger.post("/sign-in", []),
            try browser.get(), try browser.issue(), try browser.issue("OTHER"),
        ]
        for answer in answers {
            let policy = try #require(answer.header("content-security-policy"))
            #expect(policy.hasPrefix("default-src 'none';") && policy.contains("frame-ancestors 'none'"))
            #expect(policy.contains("form-action 'self'") && !policy.contains("unsafe") && !policy.contains("http"))
            #expect(answer.header("x-frame-options") == "DENY")
            #expect(answer.header("x-content-type-options") == "nosniff")
            #expect(answer.header("referrer-policy") == "no-referrer")
            #expect(answer.header("cache-control") == "no-store")
            for forbidden in ["<script", "style=\"", "http://", "https://", "onclick", "src=", "url(", "@import"] {
                #expect(!answer.text.contains(forbidden), "\(forbidden)")
            }
        }
    }

    @Test func cookiesHaveTheirFlags() throws {
        for isPlain in [true, false] {
            let scene = try PortalScene(isPlain: isPlain)
            try scene.add("anna")
            let browser = scene.browser()
            let visit = try browser.get()
            let entered = try browser.signIn("anna", PortalScene.password)
            let lines = visit.values("set-cookie") + entered.values("set-cookie")
            #expect(lines.count == 4)
            for line in lines {
                #expect(line.contains("; HttpOnly") && line.contains("; SameSite=Strict") && line.contains("; Path=/"))
                #expect(!line.contains("Domain"))
                #expect(line.contains("; Secure") == !isPlain && line.hasPrefix("__Host-") == !isPlain)
            }
            // 128 bits, which the database does not have.
            let session = try #require(browser.cookies[isPlain ? "vigil-session" : "__Host-vigil-session"])
            #expect(session.utf8.count == 32)
            #expect(try !scene.storedBytes().contains(text: session))
        }
    }

    /// Whoever plants a cookie before gets no session by it.
    @Test func aPlantedCookieIsNoSession() throws {
        let scene = try PortalScene()
        try scene.add("anna")
        let browser = scene.browser()
        let planted = String(repeating: "ab", count: 16)
        browser.cookies = ["vigil-session": planted, "vigil-visit": planted]
        try browser.signIn("anna", PortalScene.password)
        #expect(browser.cookies["vigil-session"] != planted)
        let attacker = scene.browser()
        attacker.cookies = ["vigil-session": planted]
        #expect(try attacker.get().text.contains("<title>Sign in"))
    }

    @Test func formsFromElsewhereAreRefused() throws {
        let scene = try PortalScene()
        try scene.add("anna")
        let browser = scene.browser()
        try browser.signIn("anna", PortalScene.password)
        let page = try browser.get()
        let form = try #require(page.field("form"))
        let fields = [("form", form), ("number", "0"), ("kind", "TEST")]
        for wrong in ["", String(form.reversed()), form + "0", String(form.dropLast())] {
            #expect(try browser.post("/teletan", [("form", wrong), ("number", "0"), ("kind", "TEST")]).status == 403)
        }
        #expect(try browser.post("/teletan", Array(fields.dropFirst())).status == 403)
        #expect(try browser.post("/teletan", fields, headers: ["Sec-Fetch-Site": "cross-site"]).status == 403)
        #expect(try browser.post("/teletan", fields, headers: ["Sec-Fetch-Site": "same-site"]).status == 403)
        for origin in ["http://evil", "https://localhost", "http://localhost:1", "null", ""] {
            #expect(try browser.post("/teletan", fields, headers: ["Origin": origin]).status == 403, "\(origin)")
        }
        let evil = ["Origin": "http://evil", "Sec-Fetch-Site": "same-origin"]
        #expect(try browser.post("/teletan", fields, headers: evil).status == 403)
        #expect(try browser.post("/sign-in", [], headers: ["Origin": "http://evil"]).status == 403)
        #expect(try browser.post("/sign-out", []).status == 403)
        #expect(try scene.browser().post("/teletan", fields).status == 403)
        // A sign-in needs the form of the same visit, so nobody can be signed in as somebody else.
        let other = scene.browser()
        let foreign = try #require(try other.get().field("form"))
        let victim = scene.browser()
        _ = try victim.get()
        let signIn = [("name", "anna"), ("password", PortalScene.password), ("form", foreign)]
        #expect(try victim.post("/sign-in", signIn).status == 403)
        #expect(victim.cookies["vigil-session"] == nil)
        #expect(
            try browser.post("/teletan", fields, headers: ["Sec-Fetch-Site": "same-origin", "Origin": "null"]).status == 200
        )
        #expect(try browser.post("/sign-out", [("form", form)], headers: ["Origin": "http://localhost"]).status != 403)
        #expect(try scene.kinds.filter { $0 == "teletan-issued" }.count == 1)
    }

    @Test func twoLengthsAreRefused() throws {
        let scene = try PortalScene()
        try scene.add("anna")
        let browser = scene.browser()
        _ = try browser.get()
        for second in ["Content-Length: 0", "Content-Length: 3", "Transfer-Encoding: chunked"] {
            let text =
                "POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\n\(second)\r\n\r\na=b"
            let answer = try Browser.exchange(Array(text.utf8), port: browser.port)
            #expect(answer.status == 400 && answer.header("connection")?.lowercased() == "close", "\(second)")
        }
    }

    @Test func wrongMethodsTypesAndSizesAreRefused() throws {
        let scene = try PortalScene()
        try scene.add("anna")
        let browser = scene.browser()
        try browser.signIn("anna", PortalScene.password)
        for path in ["/sign-in", "/teletan", "/sign-out"] {
            let get = try browser.get(path)
            #expect(get.status == 405 && get.header("allow") == "POST")
            #expect(try browser.post(path, [("a", "b")], type: "application/json").status == 415)
            #expect(try browser.post(path, [("a", "b")], type: "multipart/form-data; boundary=x").status == 415)
            #expect(try browser.post(path, [("a", String(repeating: "x", count: 5_000))]).status == 413)
            // Of a length it does not say.
            let chunk = String(repeating: "x", count: 0x1_400)
            #expect(
                try browser.send(
                    "POST", path, "1400\r\n\(chunk)\r\n0\r\n\r\n",
                    ["Content-Type": "application/x-www-form-urlencoded", "Transfer-Encoding": "chunked"]
                ).status == 413)
        }
        #expect(try browser.send("DELETE", "/", nil, [:]).status == 405)
        #expect(try browser.send("POST", "/", "a=b", ["Content-Type": "application/x-www-form-urlencoded"]).status == 405)
        #expect(try browser.get("/../etc/passwd").status == 404)
        #expect(try browser.send("HEAD", "/", nil, [:]).text.isEmpty)
        #expect(try browser.get().text.contains("Issue a teleTAN"))
    }

    @Test func hostileHeadersStopNothing() throws {
        let scene = try PortalScene()
        try scene.add("anna")
        let browser = scene.browser()
        try browser.signIn("anna", PortalScene.password)
        let session = try #require(browser.cookies["vigil-session"])
        for value in [
            "vigil-session=\(session); vigil-session=\(session)", "vigil-session=\(session.uppercased())",
            "vigil-session=", "=;;=", "vigil-session=../../x", "vigil-session=\(session)' OR 1=1", ";",
            String(repeating: "a=b; ", count: 50), "vigil-session=\u{1}\u{ff}",
        ] {
            let stranger = scene.browser()
            let answer = try stranger.send("GET", "/", nil, ["Cookie": value])
            #expect(answer.text.contains("<title>Sign in"), "\(value.prefix(40))")
        }
        for language in ["\u{ff}", String(repeating: "de,", count: 2_000), ";q=;q=", "<script>"] {
            let stranger = scene.browser()
            stranger.language = language
            let answer = try stranger.get()
            #expect(answer.status == 200 && !answer.text.contains("<script"))
        }
        // The server's memory for headers: refused by the library, and the next request is answered.
        #expect(try scene.browser().send("GET", "/", nil, ["X": String(repeating: "x", count: 40_000)]).status == 431)
        #expect(try browser.get().text.contains("Issue a teleTAN"))
    }

    @Test func whatIsTypedIsNoMarkup() throws {
        let scene = try PortalScene()
        let browser = scene.browser()
        let answer = try browser.signIn("\"><script>alert('x')</script>&", "some password")
        #expect(answer.status == 403)
        #expect(!answer.text.contains("<script") && answer.text.contains("&quot;&gt;&lt;script&gt;"))
    }

    /// The same answer for a wrong password and for a name that does not exist, but for the name itself.
    @Test func usersCannotBeEnumerated() throws {
        let scene = try PortalScene()
        try scene.add("anna")
        func answer(_ name: String) throws -> (Int, String, [String]) {
            let browser = scene.browser()
            let answer = try browser.signIn(name, "wrong password")
            let text = answer.text.replacing(try #require(answer.field("form")), with: "").replacing(name, with: "")
            return (answer.status, text, answer.headers.map { "\($0.name)" })
        }
        for _ in 0..<8 {
            let known = try answer("anna")
            let unknown = try answer("nina")
            #expect(known.0 == unknown.0 && known.1 == unknown.1 && known.2 == unknown.2)
        }
        // Slowed down by now, both.
        #expect(try answer("anna").0 == 429)
    }

    @Test func strangersSlowDownStrangersOnly() throws {
        let scene = try PortalScene()
        try scene.add("anna")
        let own = scene.browser()
        try own.signIn("anna", PortalScene.password)
        _ = try own.post("/sign-out", [("form", try #require(try own.get().field("form")))])
        let stranger = scene.browser()
        for _ in 0..<30 { try stranger.signIn("anna", "wrong password") }
        #expect(try stranger.signIn("anna", PortalScene.password).status == 429)
        // Her browser is known.
        #expect(try own.signIn("anna", PortalScene.password).status == 303)
        // The proof is hers: for another name, or changed, it is none.
        let proof = try #require(own.cookies["vigil-browser"])
        try scene.add("berta")
        for forged in [proof.replacing(".", with: ".9", maxReplacements: 1), proof + "0"] {
            stranger.cookies["vigil-browser"] = forged
            #expect(try stranger.signIn("anna", PortalScene.password).status == 429)
        }
        scene.now += 61
        #expect(try scene.browser().signIn("anna", PortalScene.password).status == 303)
        #expect(try scene.kinds.filter { $0 == "sign-in-slowed" }.count == 1)
    }

    /// What must stay secret is planted, and looked for in everything that is kept or told.
    @Test func noSecretIsKeptOrTold() throws {
        let scene = try PortalScene()
        try scene.add("anna")
        let browser = scene.browser()
        // A password typed into the wrong field.
        let typed = "typed-into-the-name-field"
        try browser.signIn(typed, PortalScene.password)
        try browser.signIn("anna", PortalScene.password)
        var teleTANs: [String] = []
        for _ in 0..<3 { teleTANs.append(try #require(try browser.issue().teleTAN)) }
        let stored = try scene.storedBytes()
        let log = scene.shared.log.withLock { $0.joined() }
        let metrics = try Browser(port: scene.service.metricsPort).get("/metrics").text
        let audit = try scene.events().map { "\($0.json)" }.joined()
        for secret in teleTANs + [PortalScene.password, typed] + Array(browser.cookies.values) {
            #expect(!stored.contains(text: secret) && !log.contains(secret))
            #expect(!metrics.contains(secret) && !audit.contains(secret))
        }
        #expect(!browser.seen.contains(PortalScene.password))
        #expect(!audit.contains("127.0.0.1") && !stored.contains(text: "127.0.0.1"))
        // The name is found where it belongs, so the search finds.
        #expect(stored.contains(text: "anna") && audit.contains("anna"))
    }

    /// While strangers' passwords are hashed, which takes a second each, the pages of whoever is signed in come as ever. (When one thread did both, a page
    /// came after all of them.)
    @Test func noPageWaitsForAStrangersPassword() async throws {
        let scene = try PortalScene(iterations: 1_500_000)
        try scene.add("anna")
        let anna = scene.browser()
        try anna.signIn("anna", PortalScene.password)
        let port = scene.service.port
        final class Ended: Sendable { let count = Mutex(0) }
        let ended = Ended()
        try await withThrowingTaskGroup { group in
            for number in 0..<5 {
                group.addTask {
                    let stranger = Browser(port: port)
                    let form = try #require(try stranger.get().field("form"))
                    let answer = try stranger.post(
                        "/sign-in", [("form", form), ("name", "nobody"), ("password", "wrong-wrong-wrong")],
                        headers: ["Vigil-Source": "10.0.0.\(number)"])
                    #expect(answer.status == 403)
                    ended.count.withLock { $0 += 1 }
                }
            }
            var pages = 0
            while ended.count.withLock({ $0 }) < 5 {
                #expect(try anna.get().status == 200)
                pages += 1
            }
            #expect(pages > 20, "\(pages) pages in the time of five passwords")
            try await group.waitForAll()
        }
    }

    /// A password that could not be compared is no wrong try, and no try under way: neither the user's own browser nor a stranger waits for it.
    @Test func anErrorOfOursLocksNobodyOut() throws {
        let scene = try PortalScene()
        try scene.add("anna")
        let (own, stranger) = (scene.browser(), scene.browser())
        #expect(try own.signIn("anna", PortalScene.password).status == 303)
        let out = try own.post("/sign-out", [("form", try #require(try own.get().field("form")))])
        #expect(out.status == 303)
        let file = try SQLiteDatabase<PortalError>(path: scene.database, schema: SQLiteSchema(version: 1, statements: []))
        // The first cannot be computed, the second not even be read.
        for damage in ["iterations = 0", "iterations = -1"] {
            try file.run("UPDATE user SET \(damage) WHERE name = 'anna'")
            for _ in 0..<12 { #expect(try stranger.signIn("anna", PortalScene.password).status == 503) }
            for _ in 0..<12 { #expect(try own.signIn("anna", PortalScene.password).status == 503) }
        }
        try file.run("UPDATE user SET iterations = \(PortalScene.iterations) WHERE name = 'anna'")
        #expect(try own.signIn("anna", PortalScene.password).status == 303)
        #expect(try stranger.signIn("anna", PortalScene.password).status == 303)
    }

    /// A browser that was let in before has one try at a time: many at once do not pass the pace together.
    @Test func aKnownBrowserTriesOnceAtATime() {
        var throttle = SignInThrottle()
        let party = SignInThrottle.Party.browser(user: "anna", number: 1)
        #expect(throttle.wait(party, now: 0) == 0)
        throttle.begin(party, now: 0)
        #expect(throttle.wait(party, now: 0) == 1)
        #expect(throttle.wait(.browser(user: "anna", number: 2), now: 0) == 0)
        throttle.failed(party, now: 0)
        #expect(throttle.wait(party, now: 0) == 0)
        throttle.begin(party, now: 0)
        throttle.succeeded(party)
        #expect(throttle.wait(party, now: 0) == 0)
    }
}
