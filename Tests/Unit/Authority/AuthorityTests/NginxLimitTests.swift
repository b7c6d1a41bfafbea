// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import RandomValues
import TestKit
import Testing

/// Whom the shipped configurations of nginx count as one, by a real nginx that has all of them. A header says the client's address, which no
/// shipped configuration believes. Nothing listens behind it: what is let through is answered with 502.
@Suite struct NginxLimitTests {
    private struct Place {
        let host: String
        let path: String
        var isPosted = true
    }

    private static let places = [
        Place(host: "verification.example.org", path: "/version/v1/testresult"),
        Place(host: "submission.example.org", path: "/version/v1/diagnosis-keys"),
        Place(host: "submission.example.org", path: "/v3/userupload"),
        Place(host: "portal.example.org", path: "/sign-in"),
        Place(host: "keys.example.org", path: "/version/v1/time/00112233445566778899aabbccddeeff", isPosted: false),
        Place(host: "keys.example.org", path: "/v3/register"),
        Place(host: "ra.example", path: "/.well-known/est/simpleenroll"),
    ]

    private final class Server {
        let port: Int
        private let folder: String
        private let program: Program

        init() throws {
            let port = Int(try Unique.port())
            self.port = port
            let folder = "\(Scene.base)/vigil-limits-\(Unique.name())"
            self.folder = folder
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            _ = try Certificates(in: folder)
            let root = (0..<5).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }
            let files = [
                "Provisioning/authority/nginx/vigil-default.conf", "Provisioning/authority/nginx/vigil-tests.conf",
                "Provisioning/authority/nginx/vigil-enrolment.conf", "docs/examples/nginx-authority.conf",
            ]
            let text = try files.map { try String(contentsOf: root.appending(path: $0), encoding: .utf8) }.joined()
                .replacing("listen 443 ssl", with: "listen 127.0.0.1:\(port) ssl")
                .replacing(#/ssl_certificate .*;/#, with: "ssl_certificate \(folder)/server.pem;")
                .replacing(#/ssl_certificate_key .*;/#, with: "ssl_certificate_key \(folder)/server.key;")
                .replacing("/var/log/nginx", with: folder)
                .replacing(#/proxy_pass http://127.0.0.1:\d+/#, with: "proxy_pass http://127.0.0.1:1")
                // However long a test takes, only so many come through.
                .replacing(#/rate=\d+r\/s/#, with: "rate=1r/m").replacing(#/burst=\d+/#, with: "burst=2")
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder)/\($0);" }
            let whole = """
                daemon off; worker_processes 1; pid \(folder)/pid; error_log \(folder)/error.log;
                events { worker_connections 64; }
                http { \(temporary.joined(separator: " "))
                set_real_ip_from 127.0.0.1; real_ip_header X-Test-Source;
                \(text) }
                """
            try Data(whole.utf8).write(to: URL(filePath: folder + "/nginx.conf"))
            let nginx = access("/usr/sbin/nginx", X_OK) == 0 ? "/usr/sbin/nginx" : "nginx"
            program = try Program(
                nginx, ["-p", folder, "-c", folder + "/nginx.conf", "-e", folder + "/error.log"])
            let ask = {
                try self.status(Place(host: "keys.example.org", path: "/version", isPosted: false), from: "192.0.2.1")
            }
            try #require(eventually { (try? ask()) == 404 }, "nginx does not answer: \(program.output)")
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        func status(_ place: Place, from source: String) throws -> Int? {
            let answer = try Program.run(
                "curl",
                [
                    "-sk", "-o", "/dev/null", "-w", "%{http_code}", "--resolve", "\(place.host):\(port):127.0.0.1",
                    "-H", "X-Test-Source: \(source)", "https://\(place.host):\(port)\(place.path)",
                ] + (place.isPosted ? ["-d", "x"] : []))
            return Int(answer.output)
        }
    }

    /// An IPv6 address of one /64 after the other is one source; another /64 is another, and so is each address of IPv4, also on a socket for both.
    @Test func oneNetworkOfIPv6IsOneSource() throws {
        let server = try Server()
        for (index, place) in Self.places.enumerated() {
            func ask(_ source: String) throws -> Int { try #require(try server.status(place, from: source)) }
            let name = Comment(rawValue: "\(place.host)\(place.path)")
            var statuses: [Int] = []
            while statuses.count < 20, statuses.last != 429 {
                statuses.append(try ask("2001:db8:\(index):7:\(statuses.count + 1)::1"))
            }
            #expect(statuses.last == 429 && Set(statuses.dropLast()) == [502], name)
            #expect(statuses.count >= 4, name)
            #expect(try ask("2001:db8:\(index):8::1") == 502, name)
            // Three come through at once; each server once.
            guard index == 0 || place.host != Self.places[index - 1].host else { continue }
            for last in 1...4 {
                #expect(try ask("203.0.\(index).\(last)") == 502, name)
                #expect(try ask("::ffff:198.51.\(index).\(last)") == 502, name)
            }
        }
    }
}
