// SPDX-License-Identifier: Apache-2.0

import Authority
import Cryptography
import FoundationEssentials
import GAEN
import Glibc
import JSON
import KeyArchive
import KeyExport
import TestKit
import Testing
import Trust

/// Portal and publishing authority as on two machines: processes with folders of their own, sockets and a token between them.
extension ApartTests {
    /// Publisher, results, verification and submission, and a portal that asks the publisher over its socket.
    private final class Office {
        let place: Place
        let publisher: Program
        let results: Program
        let verification: Program
        let submission: Program
        let portal: Program
        let admin: UInt16

        init(encodesLevels: Bool = true) throws {
            place = try Place()
            try #require(try Program.run(["init", "--state", "\(place.path)/publisher"]).status == 0)
            if !encodesLevels { try Self.publishTypes("\(place.path)/publisher") }
            publisher = try Program([
                "serve", "--state", "\(place.path)/publisher", "--port", "0", "--admin-port", "0", "--trust-clock",
                "--publish-now",
            ])
            admin = try #require(try publisher.ports()["admin-port"])
            for (file, server) in [("admin-token", "submission"), ("warning-token", "portal")] {
                try FileManager.default.copyItem(
                    atPath: "\(place.path)/publisher/\(file)", toPath: "\(place.path)/secrets-\(server)/\(file)")
            }
            results = try Program(place.arguments("results"))
            let laboratory = try #require(try results.ports()["internal-port"])
            verification = try Program(
                place.arguments("verification") + ["--results-url", "http://127.0.0.1:\(laboratory)"])
            let inside = try #require(try verification.ports()["internal-port"])
            submission = try Program(
                place.arguments("submission") + [
                    "--verification-url", "http://127.0.0.1:\(inside)", "--publisher-url", "http://127.0.0.1:\(admin)",
                ])
            for name in ["anna", "bert"] {
                let added = try Program.run(
                    ["portal", "user", "add", "--state", "\(place.path)/portal", "--role", "both", name],
                    input: PortalScene.password + "\n")
                try #require(added.status == 0, "\(added.errors)")
            }
            portal = try Program(Self.portalArguments(place, inside: inside, publisher: admin))
        }

        /// The publisher publishes report types as they were stated, with rules for that; phones get none.
        private static func publishTypes(_ folder: String) throws {
            func change(_ name: String, _ change: (inout JSON.Object) throws -> Void) throws {
                let path = folder + "/" + name
                let bytes = [UInt8](try #require(FileManager.default.contents(atPath: path)))
                var document = try #require(try JSON(parsing: bytes).object)
                try change(&document)
                try Data(JSON.object(document).bytes).write(to: URL(filePath: path))
            }
            try change("settings.json") { settings in
                var publishing = settings["publishing"]?.object ?? [:]
                publishing["encodeLevels"] = false
                settings["publishing"] = .object(publishing)
            }
            try change("risk.json") { rules in
                var mapping = try #require(rules["mapping"]?.object)
                mapping["daysSinceOnsetToInfectiousness"] = try JSON(
                    parsing: Array(#"{"-4":1,"-3":1,"-2":2,"-1":2,"0":2,"1":2,"2":2,"3":2,"4":1}"#.utf8))
                rules["mapping"] = .object(mapping)
                rules["reportTypes"] = "stated"
            }
            let none = "{\"version\": 1, \"vigil\": {\"wakeWindowSeconds\": 30}, \"appConfig\": {}}"
            try Data(none.utf8).write(to: URL(filePath: folder + "/configuration.json"))
        }

        static func portalArguments(_ place: Place, inside: UInt16, publisher: UInt16) -> [String] {
            [
                "portal", "serve", "--state", "\(place.path)/portal", "--port", "0", "--metrics-port", "0",
                "--plain-cookies", "--verification-url", "http://127.0.0.1:\(inside)", "--verification-secret",
                "\(place.path)/secrets-portal/portal-secret", "--publisher-url", "http://127.0.0.1:\(publisher)",
                "--publisher-token", "\(place.path)/secrets-portal/warning-token",
            ]
        }

        func browser(_ name: String) throws -> Browser {
            let browser = Browser(port: try #require(try portal.ports()["port"]))
            try #require(try browser.signIn(name, PortalScene.password).status == 303)
            return browser
        }

        /// Whether `key` is public, and whether it is public as one that was taken back: from packages whose signatures a board believes.
        func published(_ key: [UInt8]) throws -> (asWarning: Bool, asRevoked: Bool) {
            let folder = try StateFolder(path: "\(place.path)/publisher")
            let trust = try TrustStore(
                keys: HealthAuthority(folder: folder, settings: folder.settings()).publicKeys().map { key in
                    TrustedKey(
                        name: key.name, role: key.role, key: try P256.VerificationKey(pemOrDER: Array(key.pem.utf8)))
                })
            let root = "\(folder.publicTree)/version/v1/diagnosis-keys/country/EUR/date/"
            var found: [ExportedKey] = []
            for day in Self.names(root) {
                for hour in Self.names("\(root)\(day)/hour") {
                    // A generation may go between the list and the file; the next look finds another.
                    let file = "\(root)\(day)/hour/\(hour)/index.zip"
                    guard let bytes = FileManager.default.contents(atPath: file) else { continue }
                    _ = try KeyFileReader(bytes: [UInt8](bytes)).read(trust: trust, policy: .namedKeys, time: nil) { keys in
                        found += keys.filter { $0.data.bytes == key }
                    }
                }
            }
            return (
                found.contains { !$0.isRevised && $0.transmissionRiskLevel == 3 },
                found.contains { $0.isRevised && $0.reportType == 5 }
            )
        }

        private static func names(_ path: String) -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { !$0.contains(".") }
        }
    }

    private static let test = "123456-12345678-1234-4DA7-B166-B86D85475064"

    /// Somebody with that test warns with a key of `number`.
    private func warn(_ office: Office, _ number: UInt8) throws {
        let key = JSON.string(Hex.string(SHA256.digest(of: Array(Self.test.utf8))))
        let real = ["cwa-fake": "0"]
        let secret = ["Authorization": try office.place.bearer("results", "laboratory")]
        let report: JSON = ["testResults": [["id": key, "result": 2]]]
        try #require(post("/api/v1/lab/results", report, secret, port: office.results.ports()["internal-port"]).0 == 204)
        let boards = try office.verification.ports()["verification-port"]
        let token = try post("/version/v1/registrationToken", ["key": key, "keyType": "GUID"], real, port: boards).1
        let body: JSON = ["registrationToken": try #require(token["registrationToken"])]
        let tan = try #require(try post("/version/v1/tan", body, real, port: boards).1["tan"]?.string)
        try #require(upload(number, tan: tan, port: #require(office.submission.ports()["submission-port"])) == 200)
    }

    private func fields(_ page: Answer, _ more: [(String, String)]) -> [(String, String)] {
        [("form", page.field("form") ?? ""), ("number", page.field("number") ?? "")] + more
    }

    private func propose(_ browser: Browser, _ code: String = test) throws -> Answer {
        let typed = [("code", code), ("reason", "samples <b>mixed</b> up")]
        return try browser.post("/warnings/propose", fields(try browser.get("/warnings"), typed))
    }

    private func decide(_ browser: Browser, _ what: String, _ number: Int) throws -> Answer {
        try browser.post("/warnings/\(what)", fields(try browser.get("/warnings"), [("proposal", "\(number)")]))
    }

    /// The whole of it: every question and every refusal crosses a socket.
    @Test func twoOfficersTakeAWarningBackAtAnotherMachine() throws {
        let office = try Office()
        let key = [UInt8](repeating: 9, count: 16)
        let (anna, bert) = (try office.browser("anna"), try office.browser("bert"))
        // Nobody has warned yet.
        let early = try propose(anna)
        #expect(early.status == 409 && early.text.contains("No warning is known for this code"), "\(early.status)")
        try warn(office, 9)
        #expect(try eventually { try office.published(key) == (true, false) })

        let proposed = try propose(anna)
        #expect(proposed.status == 200 && proposed.text.contains("Proposed. Now another person must confirm."))
        for page in [proposed, try bert.get("/warnings")] {
            #expect(page.text.contains("1 public key") && page.text.contains("samples &lt;b&gt;mixed&lt;/b&gt; up"))
            #expect(!page.text.contains(Self.test))
        }
        let twice = try propose(bert)
        #expect(twice.status == 409 && twice.text.contains("This is proposed already"))
        let same = try decide(anna, "confirm", 1)
        #expect(same.status == 409 && same.text.contains("You proposed this yourself."))
        let dropped = try decide(bert, "drop", 1)
        #expect(dropped.status == 200 && dropped.text.contains("Dropped."))
        #expect(try decide(bert, "confirm", 1).text.contains("There is no such proposal any more"))
        #expect(try office.published(key) == (true, false))

        #expect(try propose(bert).status == 200)
        let confirmed = try decide(anna, "confirm", 2)
        #expect(confirmed.status == 200 && confirmed.text.contains("Confirmed."))
        #expect(try propose(anna).text.contains("was taken back before"))
        // What boards fetch: the key once more, as taken back.
        #expect(
            try eventually {
                kill(office.publisher.process, SIGHUP)
                return try office.published(key).asRevoked
            })
        // The audit of the portal names the two and no code; the publisher's names them too.
        let audit = try Program.run(["portal", "audit", "--state", "\(office.place.path)/portal"])
        #expect(audit.output.contains("warning-confirmed") && !audit.output.contains(Self.test))
        #expect(!office.portal.errors.contains(Self.test) && !office.publisher.errors.contains(Self.test))
    }

    /// The publisher says what can be changed.
    @Test(arguments: [true, false]) func thePageOffersWhatThePublisherChanges(encodesLevels: Bool) throws {
        let office = try Office(encodesLevels: encodesLevels)
        let page = try office.browser("anna").get("/warnings")
        #expect(page.status == 200 && page.text.contains("<select") != encodesLevels)
        #expect(page.text.contains("<option value=\"confirmedTest\">") != encodesLevels)
    }

    /// Each token is for its own route, and a portal that has the wrong one says so and goes on with the rest.
    @Test func aPortalWithAnotherTokenTakesNothingBack() throws {
        let office = try Office()
        try warn(office, 9)
        let token = { (name: String) in
            let text = try String(contentsOf: URL(filePath: "\(office.place.path)/publisher/\(name)"), encoding: .utf8)
            return ["Authorization": "Bearer " + text.filter { !$0.isWhitespace }]
        }
        let list = "/admin/warnings/list"
        #expect(try post(list, .empty, token("warning-token"), port: office.admin).0 == 200)
        #expect(try post(list, .empty, token("admin-token"), port: office.admin).0 == 401)
        #expect(try post(list, .empty, [:], port: office.admin).0 == 401)
        #expect(try post("/admin/keys", ["temporaryExposureKeys": []], token("warning-token"), port: office.admin).0 == 401)

        let inside = try #require(try office.verification.ports()["internal-port"])
        let file = "\(office.place.path)/secrets-portal/warning-token"
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.copyItem(atPath: "\(office.place.path)/publisher/admin-token", toPath: file)
        let other = try Program(Office.portalArguments(office.place, inside: inside, publisher: office.admin))
        let anna = Browser(port: try #require(try other.ports()["port"]))
        try anna.signIn("anna", PortalScene.password)
        let page = try anna.get("/warnings")
        #expect(page.status == 200 && page.text.contains("That did not work."))
        let refused = try propose(anna)
        #expect(refused.status == 502 && refused.text.contains("That did not work."))
        #expect(try anna.issue().teleTAN != nil)
        #expect(other.errors.contains("status 401"))

        // A copy that others may read; as systemd hands it over, its group may.
        chmod(file, 0o640)
        let open = try Program(Office.portalArguments(office.place, inside: inside, publisher: office.admin))
        #expect(open.wait() == 2 && open.errors.contains("others may read this secret"))
        let line =
            (["exec", Program.path]
            + Office.portalArguments(office.place, inside: inside, publisher: office.admin)).joined(separator: " ")
        let credential = "export CREDENTIALS_DIRECTORY=\(office.place.path)/secrets-portal; " + line
        #expect(try Program(["-c", credential], program: "/bin/sh").ports().count == 2)
    }

    /// The publisher's machine is away: the page says that it did not work, keeps issuing teleTANs, and takes back once it is there again.
    @Test func aPublisherThatIsAwayIsToldAndComesBack() throws {
        let office = try Office()
        let anna = try office.browser("anna")
        try warn(office, 9)
        #expect(try eventually { try office.published([UInt8](repeating: 9, count: 16)).asWarning })
        kill(office.publisher.process, SIGTERM)
        #expect(office.publisher.wait() == 0)
        let refused = try propose(anna)
        #expect(refused.status == 502 && refused.text.contains("That did not work."))
        #expect(try anna.issue().teleTAN != nil)
        let again = try Program([
            "serve", "--state", "\(office.place.path)/publisher", "--port", "0", "--admin-port", "\(office.admin)",
            "--trust-clock", "--publish-now",
        ])
        #expect(try again.ports()["admin-port"] == office.admin)
        #expect(try propose(anna).status == 200)
    }
}
