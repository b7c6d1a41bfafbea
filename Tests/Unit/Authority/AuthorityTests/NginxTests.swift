// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Authority
import CrowdNotifier
import FoundationEssentials
import Glibc
import JSON
import KeyExport
import RandomValues
import TestKit
import Testing
import VenueNotices
import Verification

/// The tree behind a real nginx with TLS, configured by the file of the documentation.
@Suite struct NginxTests {
    private static let documentation =
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().path + "/docs/examples/nginx-authority.conf"

    private final class Server {
        let program: Program
        let port: Int
        let certificates: Certificates

        /// With a slow rate whoever asks a few times is refused however long a test takes.
        init(_ scene: Scene, servicePort: Int, isSlow: Bool = false) throws {
            port = Int(try Unique.port())
            certificates = try Certificates(in: scene.path)
            let text = String(decoding: try #require(FileManager.default.contents(atPath: documentation)), as: UTF8.self)
            let server =
                text
                .replacing("listen 443 ssl", with: "listen 127.0.0.1:\(port) ssl")
                .replacing("/etc/ssl/keys.example.org.pem", with: scene.path + "/server.pem")
                .replacing("/etc/ssl/private/keys.example.org.key", with: scene.path + "/server.key")
                .replacing("/var/lib/vigil-authority/public", with: scene.folder.publicTree)
                .replacing("127.0.0.1:8780", with: "127.0.0.1:\(servicePort)")
                .replacing("/var/log/nginx", with: scene.path)
                .replacing("rate=20r/s", with: isSlow ? "rate=1r/m" : "rate=20r/s")
                .replacing("burst=100", with: isSlow ? "burst=2" : "burst=100")
            try #require(server.contains(scene.folder.publicTree) && server.contains(":\(port) ssl"))
            let scratch = scene.path + "/nginx"
            try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
            let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(scratch)/\($0);" }
            let whole = """
                daemon off; worker_processes 1; pid \(scratch)/pid; error_log \(scratch)/error.log;
                events { worker_connections 64; }
                http { \(places.joined(separator: " "))
                \(server) }
                """
            try #require(FileManager.default.createFile(atPath: scratch + "/nginx.conf", contents: Data(whole.utf8)))
            let nginx = access("/usr/sbin/nginx", X_OK) == 0 ? "/usr/sbin/nginx" : "nginx"
            program = try Program(nginx, ["-p", scratch, "-c", scratch + "/nginx.conf", "-e", scratch + "/error.log"])
            let port = port
            let authority = certificates.authority
            try #require(
                eventually {
                    (try? Program.run("curl", ["-s", "--cacert", authority, "https://localhost:\(port)/version"]).status)
                        == 0
                }, "nginx does not answer")
        }

        func get(_ path: String, _ options: [String] = []) throws -> (status: Int, headers: [String: String], body: [UInt8])
        {
            try ServiceTests.Service.curl(
                "https://localhost:\(port)\(path)", ["--cacert", certificates.authority] + options)
        }
    }

    @Test func everyPathOfTheProtocolIsServed() throws {
        let now = Scene.start
        let scene = try Scene { $0.publishing.isOfferedAsBatches = true }
        let content = URL(filePath: Self.documentation).deletingLastPathComponent().path + "/content.json"
        try FileManager.default.copyItem(atPath: content, toPath: scene.folder.contentFile)
        try scene.publish(now)
        _ = try scene.accept([Scene.key(0)], now: now)
        try scene.publish(now + 26 * Scene.hour)
        let server = try Server(scene, servicePort: 1)
        let date = "\(Scene.dates)/2026-11-13"
        for (path, type) in [
            ("/version", "application/json"), ("/version/v1/diagnosis-keys/country", "application/json"),
            (Scene.dates, "application/json"), (date, "application/zip"), ("\(date)/hour", "application/json"),
            ("\(date)/hour/10", "application/zip"), ("/version/v2/app_config_android", "application/zip"),
            ("/version/v1/vigil_config", "application/zip"), ("/version/v1/risk_config", "application/zip"),
            ("/version/v1/content_bundle", "application/zip"),
            ("/ens/EUR/index.txt", "text/plain"),
            ("/ens/EUR/\(now)-\(now + 3_600)-00001.zip", "application/zip"),
        ] {
            let answer = try server.get(path)
            #expect(answer.status == 200 && answer.headers["content-type"] == type, "\(path)")
            #expect(answer.headers["cache-control"] == "public,max-age=300")
            #expect(answer.headers["date"] != nil)
            #expect(answer.body == scene.file(path), "\(path)")
            let tag = try #require(answer.headers["etag"])
            #expect(try server.get(path, ["-H", "If-None-Match: \(tag)"]).status == 304, "\(path)")
        }
        #expect(try Scene.package(server.get(date).body, trust: scene.trust()).keys.count == 1)
        for path in ["/", "/version/v1", "\(date)/hour/9", "/../authority.db", "/version/v3"] {
            #expect([400, 403, 404].contains(try server.get(path).status), "\(path)")
        }
        #expect(try server.get("/version", ["-X", "POST", "-d", "x"]).status == 403)
    }

    /// Hours with warnings about venues, and one between them that has no bytes; all have no ending.
    @Test func warningsAboutVenuesAreServed() throws {
        let now = Scene.start
        let scene = try Scene()
        try scene.publish(now)
        for (number, hour) in [(1, now), (2, now + 2 * Scene.hour)] {
            let report = (UInt8(number)...UInt8(number + 3)).map { [UInt8](repeating: $0, count: 16) }
            var message: [UInt8] = []
            for (field, bytes) in zip(
                [0x0A, 0x12, 0x1A, 0x22] as [UInt8], [report[0] + report[0], report[1], report[2], report[3] + report[3]])
            {
                message += [field, UInt8(bytes.count)] + bytes
            }
            let checkIns = try SubmittedCheckIns(plain: [], reports: [message])
            _ = try scene.authority.accept([], checkIns: checkIns, source: "test", now: hour)
        }
        try scene.publish(now + 4 * Scene.hour)
        let server = try Server(scene, servicePort: 1)
        let list = "/version/v2/twp/country/DE/hour"
        let first = now / Scene.hour
        #expect(try server.get(list).body == Array("{\"oldest\":\(first),\"latest\":\(first + 2)}".utf8))
        for hour in first...(first + 2) {
            let answer = try server.get("\(list)/\(hour)")
            #expect(answer.status == 200 && answer.headers["content-type"] == "application/zip")
            #expect(answer.body.isEmpty == (hour == first + 1) && answer.body == scene.file("\(list)/\(hour)"))
        }
        #expect(try server.get("\(list)/\(first + 3)").status == 404)
    }

    /// Chosen by the tag in the address, and with its signature.
    @Test func traceKeysComeWithTheTagOfTheNext() throws {
        let scene = try Scene { $0.swissCovid = .init() }
        try Data(scene.settings.json.bytes).write(to: URL(filePath: scene.folder.settingsFile))
        let warning = VenueWarning(from: Scene.start - 7_200, until: Scene.start - 3_600, message: "")
        _ = try scene.authority.warnVisitors(of: TraceKeyTests.venue(), warning, now: Scene.start)
        let now = Scene.start + Scene.hour
        try scene.publish(now)
        let service = try ServiceTests.Service(scene, ["--now", "\(now)"])
        let server = try Server(scene, servicePort: service.port)
        for (tag, count) in [(0, 1), (now * 1_000, 0)] {
            let answer = try server.get("/v3/traceKeys?lastKeyBundleTag=\(tag)")
            #expect(answer.status == 200 && answer.headers["x-key-bundle-tag"] == "\(now * 1_000)")
            let list = try TraceKeyList(
                body: answer.body, token: Array((answer.headers["signature"] ?? "").utf8), trust: scene.trust(), time: now,
                wanted: nil)
            #expect(list.count == count)
        }
        #expect(try server.get("/v3/traceKeys?lastKeyBundleTag=5").status == 404)
        #expect(try server.get("/v3/traceKeys", ["-X", "POST", "-d", "x"]).status == 403)
        #expect(try server.get("/v3/register").status == 403)
        let message = ["-H", "Content-Type: application/x-protobuf", "-d", "x"]
        #expect(try server.get("/v3/register", message).status == 400)
    }

    /// What reaches the service is limited by address; the public tree is not.
    @Test func whatTheServiceAnswersIsLimitedByAddress() throws {
        let scene = try Scene { $0.swissCovid = .init() }
        try Data(scene.settings.json.bytes).write(to: URL(filePath: scene.folder.settingsFile))
        let service = try ServiceTests.Service(scene, ["--trust-clock"])
        #expect(eventually { scene.file("/version") != nil })
        let post = ["-H", "Content-Type: application/x-protobuf", "-d", "x"]
        for (path, options) in [
            ("/v3/register", post), ("/v3/traceKeys", []), ("/distribution/risky-venues", []),
            ("/circuit-breaker/venue/request", post), ("/version/v1/time/00112233445566778899aabbccddeeff", []),
        ] {
            let server = try Server(scene, servicePort: service.port, isSlow: true)
            // Three at once, and one a minute.
            var statuses: [Int] = []
            while statuses.count < 20, statuses.last != 429 { statuses.append(try server.get(path, options).status) }
            #expect(statuses.first != 429 && statuses.last == 429, "\(path): \(statuses)")
            #expect(try (0..<5).allSatisfy { _ in try server.get("/version").status == 200 })
        }
    }

    /// From the service, which knows the headers that a file cannot have.
    @Test func theListOfVenuesComesWithItsSignature() throws {
        let scene = try Scene()
        let venue = RiskyVenue(id: "ABC", from: Scene.start - 7_200, until: Scene.start)
        _ = try scene.authority.listVenue(venue, now: Scene.start)
        try scene.publish(Scene.start)
        let service = try ServiceTests.Service(scene, ["--now", "\(Scene.start)"])
        let server = try Server(scene, servicePort: service.port)
        let answer = try server.get("/distribution/risky-venues")
        let signature = try #require(
            NHSSignature(
                header: answer.headers[NHSSignature.signatureHeader] ?? "",
                date: answer.headers[NHSSignature.dateHeader] ?? ""))
        let list = try RiskyVenueList(body: answer.body, signature: signature, trust: scene.trust(), time: Scene.start)
        #expect(list.venues == [venue] && answer.headers["content-type"] == "application/json")
        // The question before a notice; nothing else is posted.
        let question = "/circuit-breaker/venue/request"
        let word = try server.get(question, ["-d", "{}", "-H", "Content-Type: application/json"])
        #expect(word.status == 200 && NHSCircuitBreaker.read(word.body).answer == .yes)
        #expect(try server.get(question, ["-d", String(repeating: "x", count: 2_000)]).status == 413)
        #expect(try server.get("/distribution/risky-venues", ["-d", "{}"]).status == 403)
    }

    @Test func aRevokedPackageIsKnownByTheTagThisServerGave() throws {
        let now = Scene.start
        let scene = try Scene()
        try scene.publish(now)
        _ = try scene.accept([Scene.key(0)], now: now)
        try scene.publish(now + Scene.hour)
        let server = try Server(scene, servicePort: 1)
        let path = "\(Scene.dates)/2026-11-13/hour/10"
        let tag = try #require(server.get(path).headers["etag"]).filter { $0 != "\"" }
        _ = try scene.authority.revoke(region: "EUR", date: "2026-11-13", hour: 10, reason: "test", now: now + Scene.hour)
        try scene.publish(now + Scene.hour)
        #expect(try scene.configuration().revokedTags.contains(tag))
        let new = try server.get(path)
        #expect(try #require(new.headers["etag"]).filter { $0 != "\"" } != tag)
        #expect(try Scene.package(new.body, trust: scene.trust()).keys.isEmpty)
    }

    @Test func signedTimeComesThrough() throws {
        let scene = try Scene()
        let service = try ServiceTests.Service(scene, ["--trust-clock"])
        #expect(eventually { scene.file("/version") != nil })
        let server = try Server(scene, servicePort: service.port)
        let answer = try server.get("/version/v1/time/00112233445566778899aabbccddeeff")
        #expect(answer.status == 200 && answer.headers["cache-control"] == "no-store")
        #expect(String(decoding: answer.body, as: UTF8.self).hasPrefix("vigil-time 1\nkey=262-v1\nnonce=0011"))
    }

    @Test func noListEverNamesWhatIsNotThere() throws {
        let now = Scene.start
        let scene = try Scene()
        try scene.publish(now)
        let server = try Server(scene, servicePort: 1)
        // Asks for a list and then for its newest hour, again and again, while another process publishes hour after hour.
        let script = """
            for i in $(seq 60); do
                hours=$(curl -sf --cacert "$1" "$2/hour") || continue
                last=$(echo "$hours" | tr -d '[]' | tr ',' '\\n' | tail -1)
                [ -n "$last" ] || continue
                code=$(curl -s -o /dev/null -w '%{http_code}' --cacert "$1" "$2/hour/$last")
                echo "$last $code"
            done
            """
        let reader = try Program(
            "/bin/sh",
            [
                "-c", script, "sh", server.certificates.authority,
                "https://localhost:\(server.port)\(Scene.dates)/2026-11-13",
            ])
        for hour in 1...13 as ClosedRange<Int64> {
            _ = try scene.accept([Scene.key(Int(hour))], now: now + hour * Scene.hour - 10)
            try scene.publish(now + hour * Scene.hour)
            usleep(60_000)
        }
        reader.wait()
        let lines = reader.output.split(separator: "\n")
        #expect(lines.count > 20 && lines.allSatisfy { $0.hasSuffix(" 200") }, "\(lines.filter { !$0.hasSuffix(" 200") })")
        #expect(Set(lines).count > 2, "the reader saw several generations")
    }
}
