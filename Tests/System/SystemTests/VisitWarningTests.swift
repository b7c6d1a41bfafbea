// SPDX-License-Identifier: Apache-2.0

import Authority
import FoundationEssentials
import Glibc
import JSON
import PresenceTracing
import RandomValues
import Testing
import Trust
import Verification

/// A visit in a warning, on whole boards and with the real servers of an authority: the core, Diagnosis and Venue are processes of their own, confined and
/// granted as their manifests ask. A wearer who was somewhere tests positive and warns; another wearer who was there is told.
@Suite(.serialized) struct VisitWarningTests {
    /// A host's code, as its text.
    private let code: String
    private let folder: String
    private let authority: HealthAuthority
    private let verification: VerificationServer
    private let tests: VerificationService
    private let submission: VerificationService
    private let files: AuthorityService
    private let air: AirProcess
    /// The present, which everything here is told; the boards' clocks are set by hand.
    private let now = Int64(time(nil))

    init() throws {
        air = try AirProcess()
        folder = air.folder
        let state = try StateFolder.make(at: folder + "/authority").folder
        var settings = AuthoritySettings()
        settings.publishing.paddingMultiplier = 3
        settings.http.port = 0
        settings.http.adminPort = 0
        authority = try HealthAuthority(folder: state, settings: settings)
        let now = now
        _ = try authority.publish(now: now - 3_600)
        verification = try Self.verification(folder)
        tests = try VerificationService(try Self.verification(folder), address: "127.0.0.1", port: 0)
        submission = try VerificationService(
            SubmissionServer(
                rules: SubmissionRules(), tans: try Self.verification(folder),
                taker: SubmissionIntake(authority: try HealthAuthority(folder: state, settings: settings))),
            address: "127.0.0.1", port: 0)
        files = try AuthorityService(
            folder: state, settings: settings, clock: AuthorityClock(startingAt: now), publishesAtOnce: false, log: { _ in }
        )
        code = VenueCode.text(
            try TraceLocation(
                name: "Canary Tavern", address: "Street 1", kind: .permanentFoodService, defaultMinutes: 240, publicKey: [],
                seed: [UInt8](repeating: 4, count: 16)))
    }

    private static func verification(_ folder: String) throws -> VerificationServer {
        VerificationServer(
            store: try SQLiteVerificationStore(path: folder + "/verification.db"),
            results: try TestResultServer(path: folder + "/results.db"),
            secret: try VerificationSecret.load(path: folder + "/verification-secret"), rules: VerificationRules())
    }

    // MARK: Boards

    /// With the page at `page`, if there is one.
    private func board(_ name: String, page: UInt16? = nil) throws -> BoardProcess {
        let board = try BoardProcess(name, on: air)
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let signers: [JSON] = try authority.publicKeys(now: now).filter { $0.role == .export || $0.role == .config }.map {
            [
                "system": "coronaWarnApp", "name": .string("\($0.name)"), "key": .string($0.pem),
                "role": .string($0.role.rawValue),
            ]
        }
        let settings: [String: JSON] = [
            "venue": [
                "systems": ["coronaWarnApp"], "coronaWarnAppServer": .string("http://127.0.0.1:\(files.port)"),
                "plainHTTP": true, "signers": .array(signers),
            ],
            "diagnosis": [
                "verification": .string("http://127.0.0.1:\(tests.port)"),
                "submission": .string("http://127.0.0.1:\(submission.port)"), "plainHTTP": true, "exactlyOnce": true,
                "rehearsal": 300,
            ],
        ]
        let places: [String: [String: UInt16]] = [
            "venue": ["warnings": files.port], "diagnosis": ["verification": tests.port, "submission": submission.port],
        ]
        var plugins = JSON.Object()
        let sources = [("venue", "Venue"), ("diagnosis", "Diagnosis")] + (page == nil ? [] : [("webui", "WebUI")])
        for (plugin, source) in sources {
            let path = root.appending(path: "Plugins/\(source)/plugin.json")
            var texts: [String: String] = [:]
            if plugin == "webui" {
                for file in ["en.txt", "de.txt", "fr.txt", "de-simple.txt"] {
                    let text = try Data(contentsOf: root.appending(path: "Plugins/WebUI/texts/\(file)"))
                    texts["texts/\(file)"] = String(decoding: text, as: UTF8.self)
                }
            }
            // The kernel counts threads by user, and both boards' plugins have the same.
            let manifest = String(decoding: try Data(contentsOf: path), as: UTF8.self)
                .replacing(#""processes": 8"#, with: #""processes": 64"#)
            try board.install(plugin, manifest: manifest, files: texts)
            var calls = JSON.Object()
            for want in try JSON(parsing: Array(manifest.utf8))["wants"]?.array ?? [] {
                // This board has no Sync and no Wake.
                guard let interface = want["interface"]?.string, !["sync1", "wake1"].contains(where: interface.hasSuffix)
                else { continue }
                calls[interface] = want["methods"]
            }
            var endpoints = JSON.Object()
            for (name, port) in places[plugin] ?? [:] {
                endpoints[name] = [["host": "127.0.0.1", "port": .int(Int64(port)), "private": true]]
            }
            var entry: JSON.Object = [
                "enabled": true, "calls": .object(calls), "endpoints": .object(endpoints),
                "settings": settings[plugin] ?? [:],
            ]
            if plugin == "webui" { entry["listens"] = ["web": ["port": .int(Int64(page ?? 0))]] }
            plugins[plugin] = .object(entry)
        }
        try board.grant("\(JSON.object(["plugins": .object(plugins)]))")
        try board.start()
        let isThere = board.waits {
            board.state("core") == "running" && board.state("venue") == "waiting" && board.state("diagnosis") != ""
        }
        try #require(isThere, "\(board.log)")
        return board
    }

    /// The parameters of the answer, once there is one: while plugins end and start again calls are closed without.
    private func ask(_ board: BoardProcess, _ method: String, _ parameters: JSON = [:]) throws -> JSON {
        let interface = method.split(separator: ".").dropLast().joined(separator: ".")
        let isPlugins = ["checkin1", "diagnosis1"].contains(where: interface.hasSuffix)
        let path = board.run + (isPlugins ? "/console/\(interface)" : "/ctl.sock")
        var answer: JSON?
        let isAnswered = board.waits {
            guard let client = try? CallClient(path), let text = client.call(method, "\(parameters)") else { return false }
            answer = try? JSON(parsing: Array(text.utf8))
            return answer != nil
        }
        try #require(isAnswered, "\(method): \(board.log.suffix(2_000))")
        try #require(answer?["error"] == nil, "\(method): \(answer ?? .empty)")
        return answer?["parameters"] ?? .empty
    }

    private func set(_ board: BoardProcess, to moment: Int64) throws {
        _ = try ask(board, "org.vigil.device1.SetTime", ["now": .int(moment * 1_000)])
    }

    /// An hour at the place, which ended two hours ago.
    private func visit(_ board: BoardProcess) throws {
        try set(board, to: now - 3 * 3_600)
        #expect(try ask(board, "org.vigil.checkin1.CheckIn", ["code": .string(code)])["began"] == true)
        try set(board, to: now - 2 * 3_600)
        #expect(try ask(board, "org.vigil.checkin1.CheckOut", ["number": 1])["visit"]?["open"] == false)
        try set(board, to: now)
    }

    /// The plugin's next start, which looks for warnings.
    private func look(_ board: BoardProcess, at moment: Int64) throws {
        try set(board, to: moment)
        #expect(board.waits { board.state("venue") == "waiting" }, "\(board.process("venue"))")
        let isLookedAt = board.waits {
            let reply = try? ask(board, "org.vigil.checkin1.GetNotices")
            return (reply?["followed"]?.array?.first?["checked"]?.int ?? 0) >= moment
        }
        #expect(isLookedAt, "\((try? ask(board, "org.vigil.checkin1.GetNotices")) ?? .empty) \(board.log.suffix(4_000))")
    }

    private func notices(_ board: BoardProcess) throws -> [JSON] {
        try ask(board, "org.vigil.checkin1.GetNotices")["notices"]?.array ?? []
    }

    private func ctl(_ board: BoardProcess, _ words: String...) throws -> String {
        let done = try Program.run(Program.folder + "/vigil", ["ctl"] + words + ["--run", board.run])
        #expect(done.status == 0, "\(words): \(done.output)")
        return done.output
    }

    /// By the page, as somebody who has signed in as the wearer.
    private func warn(_ board: BoardProcess, port: UInt16) throws {
        let secret = try #require(try ask(board, "org.vigil.access1.MakeSecret", ["role": "wearer"])["secret"]?.string)
        var wearer = WebClient(port: port)
        let isThere = board.waits {
            wearer = WebClient(port: port)
            return (try? wearer.signIn("wearer", secret).status) == 303
        }
        try #require(isThere, "\(board.log.suffix(4_000))")
        var token = try wearer.formToken("/welcome?step=4")
        let agreed = try wearer.ask("POST", "/welcome?step=4", body: "form=\(token)&act=agree&terms=yes&beacon=yes")
        #expect(agreed.status == 303, "\(agreed.body)")
        // What is sent is said before anything is agreed to.
        #expect(try wearer.ask("GET", "/tests/1/warn").body.contains("the visits that you entered and did not leave out"))
        token = try wearer.formToken("/tests/1/warn")
        let warned = try wearer.ask(
            "POST", "/tests/1/warn", body: "form=\(token)&act=warn&statement=noStatement&daysAgo=&consent=yes")
        #expect(warned.status == 303 && warned.header("Location") == "/tests/1/warn", "\(warned.body)")
        var page = ""
        let isTold = board.waits {
            page = (try? wearer.ask("GET", "/tests/1/warn").body) ?? ""
            return page.contains("1 visit is in the warning.")
        }
        #expect(isTold, "\(page)")
    }

    @Test(arguments: [false, true]) func fromAWearersVisitToTheNoticeOfWhoWasThereToo(isByPage: Bool) throws {
        let port = try Unique.port()
        let (ill, guest) = (try board("ill", page: isByPage ? port : nil), try board("guest"))
        try visit(ill)
        // Somebody else's test; the result is there after the next exchange.
        let teleTAN = try verification.issueTeleTAN(.test, now: now)
        #expect(try ask(ill, "org.vigil.diagnosis1.EnterTeleTAN", ["typed": .string(teleTAN)])["number"] == 1)
        func test() throws -> JSON { try ask(ill, "org.vigil.diagnosis1.GetTests")["tests"]?.array?.first ?? .empty }
        #expect(ill.waits { (try? test()["state"]) == "ready" }, "\(ill.log.suffix(4_000))")
        #expect(try ask(ill, "org.vigil.diagnosis1.GetResult", ["number": 1])["result"] == "positive")

        if isByPage { try warn(ill, port: port) } else { _ = try ctl(ill, "tests", "warn", "1", "--yes") }
        #expect(ill.waits { (try? test()["warning"]) == "sent" }, "\((try? test()) ?? .empty) \(ill.log.suffix(4_000))")
        #expect(try test()["visits"] == 1)
        #expect(try ctl(ill, "tests").replacing("\n", with: " ").contains("visit"))

        // Somebody who was there at the same time, and comes to know of it from what the authority publishes.
        try visit(guest)
        let later = now + 2 * 3_600
        _ = try authority.publish(now: later)
        try look(guest, at: later)
        let told = try notices(guest)
        // A visit that went on over midnight (UTC) has one for each day.
        #expect(told.contains { $0["level"] == "increased" } && told.allSatisfy { $0["visit"] == 1 }, "\(told)")
        // The core knows nothing of it; the console joins both.
        #expect(try ctl(guest, "risk").hasPrefix("Increased risk, from encounters and visits together."))

        // Whoever warned does not meet their own report; power that fails in between changes nothing.
        kill(ill.number("core"), SIGKILL)
        try look(ill, at: later)
        #expect(try notices(ill).isEmpty)
        let visits = try ask(ill, "org.vigil.checkin1.GetVisits")["visits"]?.array
        #expect(visits?.map { $0["published"] } == [true], "\(visits ?? [])")

        // Nobody else learns where it was: neither what a technician is told, nor any other process.
        for board in [ill, guest] {
            #expect(!board.log.contains("Canary") && !board.log.contains(teleTAN))
            #expect(board.end() == 0)
        }
    }
}
