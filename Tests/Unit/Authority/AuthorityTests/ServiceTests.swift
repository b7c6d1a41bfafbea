// SPDX-License-Identifier: Apache-2.0

import Authority
import Cryptography
import FoundationEssentials
import Glibc
import JSON
import KeyExport
import TestKit
import Testing
import Trust

/// The running service, asked with curl.
@Suite struct ServiceTests {
    /// `vigil-authority serve` on free ports.
    final class Service {
        let program: Program
        let port: Int
        let adminPort: Int

        init(_ scene: Scene, _ arguments: [String]) throws {
            program = try Program(
                Program.authority,
                ["serve", "--state", scene.path, "--port", "0", "--admin-port", "0"] + arguments)
            let program = program
            try #require(eventually { program.output.hasSuffix("\n") }, "\(program.errors)")
            let numbers = program.output.split { !$0.isNumber }.compactMap { Int($0) }
            try #require(numbers.count == 2)
            (port, adminPort) = (numbers[0], numbers[1])
        }

        func get(_ path: String, _ options: [String] = []) throws -> (status: Int, headers: [String: String], body: [UInt8])
        {
            try Self.curl("http://127.0.0.1:\(port)\(path)", options)
        }

        static func curl(
            _ address: String, _ options: [String] = []
        ) throws -> (status: Int, headers: [String: String], body: [UInt8]) {
            let program = try Program(
                "curl",
                ["-s", "-i", "--http1.1", "--path-as-is", "--max-time", "20", "-H", "Expect:"] + options + [address])
            try #require(program.wait() == 0, "\(program.errors)")
            let bytes = program.bytes
            let end = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("\r\n\r\n".utf8)) })
            let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                headers[parts[0].lowercased()] = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : ""
            }
            let status = lines.first.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) } ?? 0
            return (status, headers, Array(bytes[(end + 4)...]))
        }
    }

    @Test func boardsGetListsPackagesAndTheirTags() throws {
        let scene = try Scene()
        _ = try scene.accept([Scene.key(0)], now: Scene.start)
        try scene.publish(Scene.start)
        let service = try Service(scene, ["--now", "\(Scene.start + Scene.hour + 120)", "--shifting-threshold", "0"])
        #expect(try eventually { try scene.hours("2026-11-13") == [10] })
        let path = "\(Scene.dates)/2026-11-13/hour/10"
        let answer = try service.get(path)
        #expect(answer.status == 200 && answer.headers["content-type"] == "application/zip")
        #expect(answer.headers["cache-control"] == "public,max-age=300")
        #expect(answer.headers["etag"] == "\"\(answer.body.md5)\"")
        #expect(answer.headers["date"]?.hasPrefix("Fri, 13 Nov 2026 11:02:0") == true)
        #expect(try Scene.package(answer.body, trust: scene.trust()).keys.map(\.data) == [Scene.key(0).data])
        let tag = try #require(answer.headers["etag"])
        for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
            let again = try service.get(path, ["-H", "If-None-Match: \(known)"])
            #expect(again.status == 304 && again.body.isEmpty && again.headers["etag"] == tag, "\(known)")
        }
        #expect(try service.get(path, ["-H", "If-None-Match: \"x\""]).status == 200)
        let list = try service.get("\(Scene.dates)/2026-11-13/hour")
        #expect(String(decoding: list.body, as: UTF8.self) == "[10]" && list.headers["content-type"] == "application/json")
        #expect(try service.get("/version", ["-I"]).headers["content-length"] == "6")
        #expect(service.program.stop() == 0)
    }

    @Test func nothingElseIsServed() throws {
        let scene = try Scene()
        try scene.publish(Scene.start)
        let service = try Service(scene, ["--now", "\(Scene.start)"])
        for path in [
            "/", "/version/", "/version/index.json", "/../authority.db", "/version/../../../admin-token",
            "/%2e%2e/keys/export.pem",
            "/version/v1/diagnosis-keys", "/admin/keys", "/x" + String(repeating: "y", count: 5_000),
        ] {
            #expect(try service.get(path).status == 404, "\(path.prefix(40))")
        }
        #expect(try service.get("/version", ["-X", "POST", "-d", "x"]).status == 405)
        #expect(try service.get("/version", ["-X", "DELETE"]).status == 405)
        #expect(try service.get("/version").status == 200)
    }

    @Test func timeIsSignedForOneNonce() throws {
        let scene = try Scene()
        let service = try Service(scene, ["--trust-clock"])
        let nonce = "00112233445566778899aabbccddeeff"
        let answer = try service.get("/version/v1/time/\(nonce)")
        #expect(answer.status == 200 && answer.headers["cache-control"] == "no-store")
        let text = String(decoding: answer.body, as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        try #require(lines.count == 7 && lines[6].isEmpty)
        #expect(lines[0] == "vigil-time 1" && lines[1] == "key=262-v1" && lines[2] == "nonce=\(nonce)")
        let milliseconds = try #require(Int64(lines[3].dropFirst("time=".count)))
        #expect(abs(milliseconds - Int64(time(nil)) * 1_000) < 20_000)
        #expect(Int64(lines[4].dropFirst("uncertainty=".count)) ?? 0 >= 100)
        let signature = try #require(Base64.bytes(String(lines[5].dropFirst("signature=".count))))
        let signed = Array(text.utf8.prefix(text.utf8.count - lines[5].utf8.count - 1))
        let key = try #require(try scene.trust().keys(for: .time, at: nil).first)
        #expect(key.key.isValid(signature: signature, over: SHA256.digest(of: signed)))
        for wrong in ["", "0", nonce.uppercased(), nonce + "0", String(nonce.dropLast()) + "g"] {
            #expect(try service.get("/version/v1/time/\(wrong)").status == 400)
        }
    }

    @Test func keysAreTakenFromWhoeverHasTheToken() throws {
        let scene = try Scene()
        let service = try Service(scene, ["--publish-now", "--trust-clock"])
        let day = Int64(time(nil)) / 86_400 - 2
        let file = scene.path + "/keys.json"
        func write(_ text: String) throws {
            try #require(FileManager.default.createFile(atPath: file, contents: Data(text.utf8)))
        }
        try write(
            "{\"temporaryExposureKeys\": [{\"key\": \"AAAAAAAAAAAAAAAAAAAAAA==\", \"rollingStartNumber\": \(day * 144), \"transmissionRisk\": 5}]}"
        )
        let token = String(
            decoding: try #require(FileManager.default.contents(atPath: scene.path + "/admin-token")), as: UTF8.self
        )
        .prefix { $0 != "\n" }
        let address = "http://127.0.0.1:\(service.adminPort)/admin/keys"
        func post(_ options: [String]) throws -> (Int, String) {
            let answer = try Service.curl(address, ["--data-binary", "@\(file)"] + options)
            return (answer.status, String(decoding: answer.body, as: UTF8.self))
        }
        for wrong in [[], ["-H", "Authorization: Bearer x"], ["-H", "Authorization: Basic \(token)"]] {
            #expect(try post(wrong).0 == 401)
        }
        let right = ["-H", "Authorization: Bearer \(token)"]
        #expect(try post(right) == (200, "{\"accepted\":1,\"known\":0,\"refused\":{}}"))
        #expect(try Service.curl(address, right).status == 405)
        #expect(try Service.curl("http://127.0.0.1:\(service.adminPort)/version", right).status == 404)
        // With --publish-now they are public within seconds; before that there is no list.
        #expect(
            try eventually {
                guard let list = scene.file("/version/v1/diagnosis-keys/country") else { return false }
                return try JSON(parsing: list) == ["DE", "EUR"] && published(scene)
            })
        try write("{\"temporaryExposureKeys\": [{}]}")
        let refused = try post(right)
        #expect(refused.0 == 400 && refused.1.contains("unreadableSubmission"))
        try #require(truncate(file, 65 << 20) == 0)
        #expect(try post(right).0 == 413)
        #expect(service.program.stop() == 0)
        #expect(!service.program.errors.contains("AAAAAA"))
    }

    private func published(_ scene: Scene) throws -> Bool {
        let status = try scene.authority.status(now: Int64(time(nil)))
        return status["regions"]?.array?.last?["packages"]?.array?.contains { $0["keys"] == 1 } ?? false
    }

    @Test func theOperatorsFileIsPublishedWhenItChanges() throws {
        let scene = try Scene()
        let service = try Service(scene, ["--now", "\(Scene.start)"])
        #expect(eventually { scene.file("/version/v1/vigil_config") != nil })
        let before = scene.file("/version/v1/vigil_config")
        try #require(
            FileManager.default.createFile(
                atPath: scene.folder.configurationFile,
                contents: Data("{\"version\": 2, \"vigil\": {\"wakeWindowSeconds\": 30}, \"appConfig\": {}}".utf8)))
        #expect(eventually { scene.file("/version/v1/vigil_config") != before })
        try #require(FileManager.default.createFile(atPath: scene.folder.configurationFile, contents: Data("{}".utf8)))
        #expect(eventually { service.program.errors.contains("configuration.version: is required") })
    }
}
