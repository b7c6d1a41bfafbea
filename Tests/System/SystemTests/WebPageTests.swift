// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import JSON
import RandomValues
import Testing

/// The local page on a real board: from the first connection, which starts it, to everything that must not work.
@Suite(.serialized) struct WebPageTests {
    private static let wearer = "Correct-Horse-1"
    private static let technician = "Battery-Staple-2"

    private static func board(
        on air: AirProcess, arguments: [String] = [], secure: UInt16? = nil, first: String? = nil
    ) throws -> (BoardProcess, WebClient) {
        let board = try BoardProcess("board", on: air)
        board.arguments = arguments
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent()
        let source = root.appending(path: "Plugins/WebUI")
        let manifest = String(decoding: try Data(contentsOf: source.appending(path: "plugin.json")), as: UTF8.self)
        var texts: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: source.path + "/texts") {
            texts["texts/\(name)"] = String(
                decoding: try Data(contentsOf: source.appending(path: "texts/\(name)")), as: UTF8.self)
        }
        try board.install("webui", manifest: manifest, files: texts)
        var calls = JSON.Object()
        for want in try JSON(parsing: Array(manifest.utf8))["wants"]?.array ?? [] {
            guard let name = want["interface"]?.string else { continue }
            if !["sync1", "diagnosis1", "wake1", "checkin1"].contains(where: name.hasSuffix) {
                calls[name] = want["methods"]
            }
        }
        let port = try Unique.port()
        let secured = secure.map { #", "secure": {"address": "0.0.0.0", "port": \#($0)}"# } ?? ""
        try board.grant(
            #"{"plugins": {"webui": {"enabled": true, "calls": \#(JSON.object(calls)), "listens": {"web": {"port": \#(port)}\#(secured)}}}}"#
        )
        try FileManager.default.createDirectory(atPath: board.folder + "/data/core", withIntermediateDirectories: true)
        let secrets = first ?? #"{"wearer": "\#(wearer)", "technician": "\#(technician)"}"#
        let left = board.folder + "/data/core/first-secrets"
        try Data(secrets.utf8).write(to: URL(filePath: left))
        try board.start()
        try #require(board.waits { board.state("core") == "running" && board.state("webui") == "waiting" }, "\(board.log)")
        // Nobody can sign in before they are hashed, which is done in slices.
        try #require(board.waits { access(left, F_OK) != 0 }, "\(board.log)")
        return (board, WebClient(port: port))
    }

    @Test func theFirstConnectionStartsItAndPeopleSignIn() throws {
        let air = try AirProcess()
        let (board, stranger) = try Self.board(on: air)
        var nobody = stranger
        #expect(try nobody.ask("GET", "/healthz").status == 200)
        #expect(board.waits { board.state("webui") == "running" })
        // A person's state is for the person.
        let first = try nobody.ask("GET", "/")
        #expect(first.status == 303 && first.header("Location") == "/sign-in")
        #expect(try nobody.ask("GET", "/history").header("Location") == "/sign-in")
        #expect(try nobody.ask("GET", "/api/v1/risk").status == 401)
        for path in ["/", "/sign-in", "/style.css", "/nothing", "/api/v1/risk", "/healthz", "/api/v1/openapi.json"] {
            let answer = try nobody.ask("GET", path)
            #expect(answer.header("Content-Security-Policy")?.contains("default-src 'none'") == true, "\(path)")
            #expect(answer.header("X-Content-Type-Options") == "nosniff", "\(path)")
        }
        #expect(nobody.cookies["vigil-session"] == nil)
        // Who only reads is given nothing to keep, and nothing to listen to.
        var reader = stranger
        #expect(try reader.ask("GET", "/help").status == 200)
        #expect(reader.cookies.isEmpty)
        #expect(try reader.ask("GET", "/events?of=proof,radio,nothing").status == 403)
        // The wearer.
        var wearer = stranger
        let planted = String(repeating: "ab", count: 32)
        wearer.cookies["__Host-vigil-session"] = planted
        let signedIn = try wearer.signIn("wearer", Self.wearer)
        #expect(signedIn.status == 303 && signedIn.header("Location") == "/", "\(signedIn.head)")
        let session = try #require(wearer.cookies["__Host-vigil-session"])
        #expect(session != planted && session.utf8.count == 64)
        let cookie = try #require(signedIn.head.first { $0.contains("__Host-vigil-session") })
        for part in ["HttpOnly", "Secure", "SameSite=Strict", "Path=/"] { #expect(cookie.contains(part)) }
        #expect(try wearer.ask("GET", "/").header("Location") == "/welcome")
        let token = try wearer.formToken("/welcome?step=4")
        #expect(
            try wearer.ask("POST", "/welcome", body: "form=\(token)&act=agree&terms=yes&beacon=yes").header("Location")
                == "/")
        let today = try wearer.ask("GET", "/")
        #expect(today.status == 200 && today.body.utf8.count < 60_000)
        #expect(try wearer.ask("GET", "/api/v1/risk").status == 200)
        // Not the wearer's.
        #expect(try wearer.ask("GET", "/tech").status == 403)
        #expect(try wearer.ask("GET", "/api/v1/processes").status == 403)
        #expect(try wearer.ask("GET", "/metrics").status == 403)
        // The technician, and what is not the technician's.
        var technician = stranger
        #expect(try technician.signIn("technician", Self.technician).header("Location") == "/tech")
        #expect(try technician.ask("GET", "/tech").status == 200)
        #expect(try technician.ask("GET", "/history").status == 403)
        #expect(try technician.ask("GET", "/api/v1/export").status == 403)
        let metrics = try technician.ask("GET", "/metrics")
        #expect(metrics.status == 200 && metrics.body.contains("vigil_rotations_total "))
        // A script's token, made by the technician, good without a cookie until it is taken back.
        let form = try technician.formToken("/tech/access")
        let made = try technician.ask(
            "POST", "/api/v1/tokens", ["Content-Type": "application/json", "X-Vigil-Form": form],
            body: #"{"name": "monitor", "role": "technicianReadOnly"}"#)
        #expect(made.status == 201, "\(made.body)")
        let value = try #require(try JSON(parsing: Array(made.body.utf8))["token"]?.string)
        var script = stranger
        let bearer = ["Authorization": "Bearer \(value)"]
        #expect(try script.ask("GET", "/metrics", bearer).status == 200)
        #expect(try script.ask("GET", "/api/v1/processes", bearer).status == 200)
        #expect(
            try script.ask(
                "PUT", "/api/v1/time", bearer.merging(["Content-Type": "application/json"]) { $1 }, body: #"{"now": 1}"#
            ).status == 403)
        #expect(try technician.ask("DELETE", "/api/v1/tokens/monitor", ["X-Vigil-Form": form]).status == 403)
        #expect(
            try technician.ask("DELETE", "/api/v1/tokens/monitor", ["X-Vigil-Form": form, "Origin": technician.origin])
                .status
                == 204)
        #expect(try script.ask("GET", "/metrics", bearer).status == 401)
        // Out: on the server, too.
        let out = try wearer.formToken("/settings")
        #expect(try wearer.ask("POST", "/sign-out", body: "form=\(out)&act=signOut").status == 303)
        #expect(wearer.cookies["__Host-vigil-session"] == nil)
        wearer.cookies["__Host-vigil-session"] = session
        #expect(try wearer.ask("GET", "/history").header("Location") == "/sign-in")
        #expect(board.end() == 0)
    }

    @Test func whatComesFromElsewhereIsRefused() throws {
        let air = try AirProcess()
        let (board, stranger) = try Self.board(on: air)
        var wearer = stranger
        #expect(try wearer.signIn("wearer", Self.wearer).status == 303)
        let port = stranger.port
        // Another name pointed at this address.
        for host in ["evil.example", "evil.example:\(port)", "127.0.0.1:\(port).evil.example", "127.0.0.2:\(port)"] {
            #expect(try wearer.ask("GET", "/history", ["Host": host]).status == 421, "\(host)")
        }
        // Forms of other pages, with the right token and without it.
        let token = try wearer.formToken("/settings/off")
        let body = "form=\(token)&act=disable"
        func post(_ headers: [String: String], _ body: String) throws -> Int {
            try wearer.ask("POST", "/settings/off", headers, body: body).status
        }
        #expect(try post(["Origin": "http://evil.example"], body) == 403)
        #expect(try post(["Origin": "null"], body) == 403)
        #expect(try post(["Origin": ""], body) == 403)
        #expect(try post(["Origin": "", "Sec-Fetch-Site": "cross-site"], body) == 403)
        #expect(try post(["Sec-Fetch-Site": "same-site"], body) == 403)
        #expect(try post([:], "act=disable") == 403)
        #expect(try post([:], "form=\(String(repeating: "0", count: 64))&act=disable") == 403)
        #expect(try post(["Content-Type": "text/plain"], body) == 415)
        // Somebody else's token.
        var other = stranger
        #expect(try other.signIn("technician", Self.technician).status == 303)
        let foreign = try other.formToken("/tech/access")
        #expect(try post([:], "form=\(foreign)&act=disable") == 403)
        #expect(try wearer.ask("GET", "/settings").body.contains("/settings/off"), "nothing was switched off")
        // The cookie without the token, for scripts' paths.
        #expect(
            try wearer.ask(
                "PUT", "/api/v1/preferences", ["Content-Type": "application/json"],
                body: #"{"preferences": {"introduced": true, "notifications": true}}"#
            ).status == 403)
        // Guessed methods.
        for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "POKE"] {
            let answer = try wearer.ask(method, "/history")
            #expect(answer.status == 405 && answer.header("Allow") == "GET, HEAD", "\(method)")
        }
        let head = try wearer.ask("HEAD", "/help")
        #expect(head.status == 200 && head.body.isEmpty)
        // Ways out of the table, and into headers.
        for path in [
            "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/style.css%00", "/..%2f", "//", "//evil.example",
            "/style.css/",
            "/tech/plugins/..%2f..%2fcore",
        ] {
            let answer = try wearer.ask("GET", path)
            #expect([403, 404].contains(answer.status), "\(path) \(answer.status)")
        }
        let split = try wearer.ask("GET", "/sign-in?language=de%0d%0aX-Evil:%201")
        #expect(split.header("X-Evil") == nil)
        // Markup that was typed.
        let tests = try wearer.formToken("/settings")
        let typed = try wearer.ask(
            "POST", "/tests", body: "form=\(tests)&act=enterTeleTAN&typed=%3Cscript%3Ealert(1)%3C%2Fscript%3E")
        #expect(!typed.body.contains("<script>alert"))
        let named = try other.ask("GET", "/tech/log?process=%3Cimg%20src=x%20onerror=alert(1)%3E")
        #expect(!named.body.contains("<img"))
        #expect(board.end() == 0)
    }

    /// A code that was chosen, one that the device makes, and another role's: whose session ends is led to sign in, and the others stay.
    @Test func whoChangesTheirCodeIsLedToSignInAgain() throws {
        let air = try AirProcess()
        let (board, stranger) = try Self.board(on: air)
        var technician = stranger
        var present = Self.technician
        let said = "The secret code was changed. Sign in with the new one."
        func change(_ client: inout WebClient, _ page: String, _ fields: String) throws -> WebClient.Answer {
            let form = try client.formToken(page)
            return try client.ask(
                "POST", page, ["Content-Type": "application/x-www-form-urlencoded"], body: "form=\(form)&\(fields)")
        }
        func changeRole(_ role: String, _ wanted: String) throws -> WebClient.Answer {
            try change(&technician, "/tech/access", "act=changeSecret&role=\(role)&present=\(present)&wanted=\(wanted)")
        }
        #expect(try technician.signIn("technician", present).status == 303)
        // Another role's: the technician's own session goes on.
        let other = try changeRole("technicianReadOnly", "")
        #expect(other.status == 200 && other.body.contains("changeSecret") && !other.body.contains(said))
        // One's own, wrong, and then chosen.
        #expect(try changeRole("technician", "short").status == 422)
        let chosen = try changeRole("technician", "linden-kaffee-kuchen")
        #expect(chosen.status == 303 && chosen.header("Location") == "/sign-in?changed=yes", "\(chosen.body)")
        #expect(try technician.ask("GET", "/sign-in?changed=yes").body.contains(said))
        for strange in ["/sign-in", "/sign-in?changed=", "/sign-in?changed=yes&changed=yes", "/sign-in?changed=%3Cb%3E"] {
            let page = try technician.ask("GET", strange)
            #expect(page.status == 200 && !page.body.contains(said), "\(strange)")
        }
        #expect(try technician.signIn("technician", present).status == 403)
        present = "linden-kaffee-kuchen"
        #expect(try technician.signIn("technician", present).status == 303)
        // One's own, made by the device: shown once, and nothing else that asks for a session.
        let made = try changeRole("technician", "")
        #expect(made.status == 200 && made.body.contains(said) && !made.body.contains("changeSecret"), "\(made.body)")
        let code = try #require(made.body.firstMatch(of: #/<code class="secret">([^<]+)</#)?.output.1)
        #expect(try technician.ask("GET", "/tech").status != 200)
        #expect(try technician.signIn("technician", String(code)).status == 303)
        #expect(!board.log.contains(code) && !board.log.contains(present))
        #expect(board.end() == 0)
    }

    @Test func whoChangesThePageItselfIsAnswered() throws {
        let air = try AirProcess()
        let (board, stranger) = try Self.board(on: air)
        var technician = stranger
        #expect(try technician.signIn("technician", Self.technician).status == 303)
        // It begins anew with each: not before it has said so.
        for title in ["Hall 1", "Hall 2", "Hall 3"] {
            let form = try technician.formToken("/tech/access")
            let answer = try technician.ask(
                "PATCH", "/api/v1/plugins/webui/settings", ["Content-Type": "application/json", "X-Vigil-Form": form],
                body: #"{"title": "\#(title)"}"#)
            #expect([200, 204].contains(answer.status), "\(answer.body)")
            #expect(board.waits { (try? technician.ask("GET", "/help").body.contains(title)) == true }, "\(title)")
        }
        for _ in 0..<5 {
            let form = try technician.formToken("/tech/access")
            let answer = try technician.ask("POST", "/api/v1/plugins/webui/restart", ["X-Vigil-Form": form], body: "")
            #expect(answer.status == 204, "\(answer.body)")
            #expect(board.waits { (try? technician.ask("GET", "/help").status) == 200 })
        }
        #expect(board.process("webui")["restarts"]?.int == 0)
        #expect(board.end() == 0)
    }

    @Test func whoWantsTooMuchIsStopped() throws {
        let air = try AirProcess()
        let (board, stranger) = try Self.board(on: air)
        var nobody = stranger
        // 100 MB.
        let large = WebClient.raw(
            stranger.port,
            "POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1:\(stranger.port)\r\nOrigin: \(stranger.origin)\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 104857600\r\n\r\n"
        )
        #expect(large.hasPrefix("HTTP/1.1 413 "), "\(large)")
        // Guessing is slowed down by the core.
        var statuses: [Int] = []
        for _ in 0..<8 { statuses.append(try nobody.signIn("wearer", "wrong-wrong-wrong").status) }
        #expect(statuses.contains(429) && !statuses.contains(303), "\(statuses)")
        // A thousand connections that say nothing, and one that does.
        var silent: [Int32] = []
        for _ in 0..<1_000 { silent.append(WebClient.connect(stranger.port)) }
        defer { for descriptor in silent where descriptor >= 0 { close(descriptor) } }
        let isServed = board.waits {
            WebClient.raw(
                stranger.port, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(stranger.port)\r\nConnection: close\r\n\r\n"
            )
            .hasPrefix("HTTP/1.1 200 ")
        }
        #expect(isServed)
        #expect(board.state("webui") == "running" && board.process("webui")["restarts"]?.int == 0)
        #expect(board.end() == 0)
    }

    /// The operator's language, before anybody has chosen: a browser that asks for another is told in it, and a link still chooses.
    @Test func thePageStartsInTheOperatorsLanguage() throws {
        let air = try AirProcess()
        let (board, stranger) = try Self.board(on: air, arguments: ["--language", "de"])
        var nobody = stranger
        #expect(try nobody.ask("GET", "/sign-in").body.contains(#"<html lang="de""#), "\(board.log)")
        #expect(try nobody.ask("GET", "/sign-in?language=fr").body.contains(#"<html lang="fr""#))
    }

    /// Served at every address, as where DHCP gives one: asked for by the one that the connection has reached, and by no other. A name that
    /// somebody pointed there (DNS rebinding) is none.
    @Test func thePageAnswersAtTheAddressThatWasReached() throws {
        let air = try AirProcess()
        let port = try Unique.port()
        let (board, _) = try Self.board(on: air, secure: port)
        func status(_ place: String, host: String? = nil) throws -> String {
            let heads = host.map { ["-H", "Host: \($0)"] } ?? []
            return try Program.run(
                "/usr/bin/curl",
                ["-sk", "--max-time", "300", "-o", "/dev/null", "-w", "%{http_code}"] + heads + [
                    "https://\(place):\(port)/healthz"
                ]
            ).output
        }
        #expect(try status("127.0.0.2") == "200", "\(board.log)")
        #expect(try status("127.0.0.3") == "200")
        for host in [
            "127.0.0.3:\(port)", "0.0.0.0:\(port)", "127.0.0.2", "127.0.0.2:1", "rebound.example:\(port)",
            "127.0.0.2.rebound.example:\(port)",
        ] { #expect(try status("127.0.0.2", host: host) == "421", "\(host)") }
    }

    /// What vigil-fleet has written, on a board: its settings are taken, its first code opens the page, and the one of another card does not.
    @Test func theCodeOfACardOpensThePage() throws {
        let air = try AirProcess()
        func card(_ name: String) throws -> (folder: String, secrets: String, code: String) {
            let folder = "\(air.folder)/\(name)"
            let made = try Program.run(
                Program.folder + "/vigil-fleet",
                [
                    "one", folder, "--use", "person", "--language", "fr", "--network", "automatic", "--authority", "none",
                    "--technician", "none",
                ])
            try #require(made.status == 0, "\(made.errors)")
            let secrets = String(
                decoding: try Data(contentsOf: URL(filePath: "\(folder)/provision/first-secrets")), as: UTF8.self)
            return (folder, secrets, try #require(try JSON(parsing: Array(secrets.utf8))["wearer"]?.string))
        }
        let (own, other) = (try card("card"), try card("other"))
        let (board, stranger) = try Self.board(
            on: air, arguments: ["--config", "\(own.folder)/provision/vigil.json"], first: own.secrets)
        var nobody = stranger
        #expect(try nobody.ask("GET", "/sign-in").body.contains(#"<html lang="fr""#), "\(board.log)")
        var wrong = stranger
        #expect(try wrong.signIn("wearer", other.code).status != 303)
        var wearer = stranger
        // As people type it.
        let signedIn = try wearer.signIn("wearer", own.code.lowercased().replacing("-", with: ""))
        #expect(signedIn.status == 303 && signedIn.header("Location") == "/", "\(signedIn.head)")
        #expect(!board.log.contains(own.code))
    }
}
