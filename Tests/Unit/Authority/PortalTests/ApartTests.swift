// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import Glibc
import JSON
import RandomValues
import Testing
import Verification

/// Publisher, test results, verification, submission and portal as five processes, each with storage and secrets of its own.
@Suite struct ApartTests {
    /// Folders as an operator would make them: each process has only the secrets it needs.
    final class Place {
        let path = "\(PortalScene.base)/vigil-apart-\(Unique.name())"
        let names: [String: [String]] = [
            "results": ["laboratory", "results"], "verification": ["portal", "submission", "results"],
            "submission": ["submission"], "portal": ["portal"],
        ]

        init() throws {
            var generator = SeededGenerator(seed: 1)
            for name in ["portal", "submission", "laboratory", "results"] {
                let secret = Data(generator.bytes(32))
                for (server, secrets) in names where secrets.contains(name) {
                    let folder = "\(path)/secrets-\(server)"
                    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                    try secret.write(to: URL(filePath: "\(folder)/\(name)-secret"))
                    chmod("\(folder)/\(name)-secret", 0o600)
                }
            }
            // The services' own folders are systemd's to make (StateDirectory=); an authority is made by nothing but `init`.
            for name in ["results", "verification", "portal"] {
                try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: false)
            }
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func bearer(_ server: String, _ name: String) throws -> String {
            let file = try Data(contentsOf: URL(filePath: "\(path)/secrets-\(server)/\(name)-secret"))
            return "Bearer " + Hex.string(Array(file))
        }

        func arguments(_ server: String) -> [String] {
            [
                "tests", "serve", "--only", server, "--state", "\(path)/\(server)", "--secrets",
                "\(path)/secrets-\(server)",
                "--internal-port", "0", "--verification-port", "0", "--submission-port", "0",
            ]
        }
    }

    func post(_ path: String, _ json: JSON, _ headers: [String: String], port: UInt16?) throws -> (Int, JSON) {
        let browser = Browser(port: try #require(port))
        let answer = try browser.send(
            "POST", path, "\(json)", ["Content-Type": "application/json"].merging(headers) { $1 })
        return (answer.status, (try? JSON(parsing: Array(answer.text.utf8))) ?? .null)
    }

    @Test func fiveProcessesWarnTogether() throws {
        let place = try Place()
        #expect(try Program.run(["init", "--state", "\(place.path)/publisher"]).status == 0)
        let publisher = try Program([
            "serve", "--state", "\(place.path)/publisher", "--port", "0", "--admin-port", "0", "--trust-clock",
        ])
        let admin = try #require(try publisher.ports()["admin-port"])
        try FileManager.default.copyItem(
            atPath: "\(place.path)/publisher/admin-token", toPath: "\(place.path)/secrets-submission/admin-token")
        let results = try Program(place.arguments("results"))
        let laboratory = try #require(try results.ports()["internal-port"])
        #expect(try Set(results.ports().keys) == ["internal-port"])
        let verification = try Program(
            place.arguments("verification") + ["--results-url", "http://127.0.0.1:\(laboratory)"])
        let inside = try #require(try verification.ports()["internal-port"])
        let boards = try #require(try verification.ports()["verification-port"])
        let submission = try Program(
            place.arguments("submission") + [
                "--verification-url", "http://127.0.0.1:\(inside)", "--publisher-url", "http://127.0.0.1:\(admin)",
            ])
        let uploads = try #require(try submission.ports()["submission-port"])

        // By test: laboratory, board, upload.
        let key = JSON.string(Hex.string(SHA256.digest(of: Array("a test".utf8))))
        let real = ["cwa-fake": "0"]
        let (created, registered) = try post(
            "/version/v1/registrationToken", ["key": key, "keyType": "GUID"], real, port: boards)
        #expect(created == 201)
        let token: JSON = ["registrationToken": try #require(registered["registrationToken"])]
        #expect(try post("/version/v1/testresult", token, real, port: boards).1["testResult"] == 0)
        let report: JSON = ["testResults": [["id": key, "result": 2]]]
        let laboratorySecret = ["Authorization": try place.bearer("results", "laboratory")]
        #expect(try post("/api/v1/lab/results", report, laboratorySecret, port: laboratory).0 == 204)
        #expect(try post("/version/v1/testresult", token, real, port: boards).1["testResult"] == 2)
        let tan = try #require(try post("/version/v1/tan", token, real, port: boards).1["tan"]?.string)
        #expect(try upload(3, tan: tan, port: uploads) == 200)
        // The same body again is the same warning; another with this TAN is none.
        #expect(try upload(3, tan: tan, port: uploads) == 200)
        #expect(try upload(4, tan: tan, port: uploads) == 403)

        for wrong in ["x", String(repeating: "a", count: 9_990), "\"{}", String(tan.dropLast())] {
            #expect(try upload(6, tan: wrong, port: uploads) == 403, "\(wrong.prefix(20))")
        }

        // By teleTAN, from the portal.
        let added = try Program.run(
            ["portal", "user", "add", "--state", "\(place.path)/portal", "--role", "both", "anna"],
            input: PortalScene.password + "\n")
        #expect(added.status == 0, "\(added.errors)")
        let portal = try Program([
            "portal", "serve", "--state", "\(place.path)/portal", "--port", "0", "--metrics-port", "0", "--plain-cookies",
            "--verification-url", "http://127.0.0.1:\(inside)", "--verification-secret",
            "\(place.path)/secrets-portal/portal-secret",
        ])
        let browser = Browser(port: try #require(try portal.ports()["port"]))
        #expect(try browser.signIn("anna", PortalScene.password).status == 303)
        for (kind, status) in [("TEST", 200), ("EVENT", 403)] {
            let teleTAN = try #require(try browser.issue(kind).teleTAN)
            let (_, answer) = try post(
                "/version/v1/registrationToken", ["key": .string(teleTAN), "keyType": "TELETAN"], real, port: boards)
            let token: JSON = ["registrationToken": try #require(answer["registrationToken"])]
            let tan = try #require(try post("/version/v1/tan", token, real, port: boards).1["tan"]?.string)
            #expect(try upload(5, tan: tan, port: uploads) == status)
            // A TAN of the wrong kind is refused and not used up.
            if kind == "EVENT" {
                let question: JSON = ["tan": .string(tan), "type": "EVENT"]
                let secret = ["Authorization": try place.bearer("submission", "submission")]
                #expect(try post("/version/v1/tan/verify", question, secret, port: inside).0 == 200)
            }
        }
        // Secrets are for one route each.
        for (path, port) in [("/version/v1/tan/teletan", inside), ("/internal/v1/result", laboratory)] {
            #expect(try post(path, .empty, laboratorySecret, port: port).0 == 401)
        }
        try checkMetrics(
            admin: admin, laboratory: laboratory, inside: inside, uploads: submission.ports()["internal-port"])
        // Nobody has what is another's.
        let folders = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
        #expect(
            folders.filter { !$0.hasPrefix("secrets") } == ["portal", "publisher", "results", "verification"])
        #expect(!FileManager.default.fileExists(atPath: "\(place.path)/verification/tests/results.db"))
        #expect(!FileManager.default.fileExists(atPath: "\(place.path)/results/tests/verification.db"))
    }

    private func checkMetrics(admin: UInt16, laboratory: UInt16, inside: UInt16, uploads: UInt16?) throws {
        let expected: [(UInt16, [String])] = [
            (admin, ["vigil_admin_keys_total{outcome=\"accepted\"} 2", "vigil_waiting_keys{region=\"EUR\"} 2"]),
            (laboratory, ["vigil_results 1", "vigil_http_answers_total{server=\"internal\",status=\"204\"} 1"]),
            (
                inside,
                ["vigil_registrations_total 3", "vigil_tans_total 3", "vigil_teletans_total 2", "vigil_registrations 3"]
            ),
            (
                try #require(uploads),
                ["vigil_submissions_total 3", "vigil_submission_refused_total{code=\"invalidTAN\"} 6"]
            ),
        ]
        for (port, lines) in expected {
            let text = try Browser(port: port).get("/metrics").text
            for line in lines { #expect(text.contains(line + "\n"), "\(line) in\n\(text)") }
        }
    }

    /// One key of yesterday, made of `number`.
    func upload(_ number: UInt8, tan: String, port: UInt16) throws -> Int {
        let day = Int64(time(nil)) / 86_400
        func field(_ number: UInt8, _ value: Int64) -> [UInt8] {
            var bytes = [number << 3]
            var rest = UInt64(bitPattern: value)
            while rest > 127 {
                bytes.append(UInt8(rest & 127) | 128)
                rest >>= 7
            }
            return bytes + [UInt8(rest)]
        }
        let data: [UInt8] = [1 << 3 | 2, 16] + [UInt8](repeating: number, count: 16)
        let key = data + field(2, 3) + field(3, (day - 3) * 144) + field(4, 144)
        let body: [UInt8] = [1 << 3 | 2, UInt8(key.count)] + key
        let head = """
            POST /version/v1/diagnosis-keys HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\ncwa-fake: 0\r\n\
            cwa-authorization: \(tan)\r\nContent-Type: application/x-protobuf\r\nContent-Length: \(body.count)\r\n\r\n
            """
        return try Browser.exchange(Array(head.utf8) + body, port: port).status
    }

    /// systemd's credentials show rights of the group, by their access list; a secret anywhere else must not.
    @Test func secretsOthersMayReadAreRefused() throws {
        let place = try Place()
        let folder = "\(place.path)/secrets-results"
        func start(_ rights: mode_t, inCredentials: Bool) throws -> Program {
            for name in ["laboratory", "results"] { chmod("\(folder)/\(name)-secret", rights) }
            let line = (["exec", Program.path] + place.arguments("results")).joined(separator: " ")
            let credentials = inCredentials ? "export CREDENTIALS_DIRECTORY=\(folder); " : ""
            return try Program(["-c", credentials + line], program: "/bin/sh")
        }
        #expect(try start(0o600, inCredentials: false).ports().count == 1)
        #expect(try start(0o440, inCredentials: true).ports().count == 1)
        for (rights, inCredentials) in [(0o440, false), (0o444, true), (0o444, false)] as [(mode_t, Bool)] {
            let program = try start(rights, inCredentials: inCredentials)
            #expect(program.wait() == 2 && program.errors.contains("others may read this secret"))
        }
    }

    /// The one route that is new inside: what it refuses.
    @Test func questionsForResultsAreJudged() throws {
        let place = try Place()
        let results = try Program(place.arguments("results"))
        let port = try results.ports()["internal-port"]
        let secret = ["Authorization": try place.bearer("results", "results")]
        let digits = String(repeating: "a", count: 64)
        #expect(try post("/internal/v1/result", ["test": .string(digits)], secret, port: port).1 == ["testResult": 0])
        for wrong in [.empty, ["test": 1], ["test": "x"], ["test": .string(digits), "more": 1], [], nil] as [JSON] {
            #expect(try post("/internal/v1/result", wrong, secret, port: port).0 == 400, "\(wrong)")
        }
        let laboratory = ["Authorization": try place.bearer("results", "laboratory")]
        for headers in [[:], laboratory, ["Authorization": "Bearer "], ["Authorization": "Basic x"]] {
            #expect(try post("/internal/v1/result", ["test": .string(digits)], headers, port: port).0 == 401)
        }
        // Nothing of the verification server is here.
        for path in ["/version/v1/tan/verify", "/version/v1/tan/teletan", "/version/v1/tan"] {
            #expect(try post(path, .empty, secret, port: port).0 == 404)
        }
        let browser = Browser(port: try #require(port))
        #expect(try browser.get("/internal/v1/result").status == 405)
        let large = String(repeating: "a", count: 20_000)
        #expect(try post("/internal/v1/result", ["test": .string(large)], secret, port: port).0 == 406)
    }

    @Test func wrongCombinationsAreRefused() throws {
        let state = "\(PortalScene.base)/vigil-none-\(Unique.name())"
        for arguments in [
            ["tests", "serve", "--only", "submission"], ["tests", "serve", "--only", "results"],
            ["tests", "serve", "--only", "other"], ["tests", "serve", "--results-url", "http://127.0.0.1:1"],
            ["portal", "serve"], ["portal", "serve", "--verification-url", "http://127.0.0.1:1"],
            ["portal", "serve", "--tests", "x", "--plain-cookies", "--address", "0.0.0.0"],
        ] {
            #expect(try Program.run(arguments + ["--state", state]).status == 64, "\(arguments)")
        }
        #expect(!FileManager.default.fileExists(atPath: state))
    }
}
