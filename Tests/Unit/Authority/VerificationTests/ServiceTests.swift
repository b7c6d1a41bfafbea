// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import Glibc
import HTTPService
import JSON
import RandomValues
import TestKit
import Testing
import Verification

/// The servers behind libmicrohttpd, over the loopback.
@Suite struct ServiceTests {
    static let fake = ["cwa-fake": "1"]
    static let real = ["cwa-fake": "0"]
    static let routes = "/version/v1/"

    private func boards(_ scene: VerificationScene) throws -> VerificationService {
        let now = scene.now
        return try VerificationService(scene.server, address: "127.0.0.1", port: 0, now: { now })
    }

    /// A pipe in place of the file is refused at once: whoever can put one there must not keep the server waiting for a writer.
    @Test(.timeLimit(.minutes(5))) func aPipeIsNoSecret() throws {
        let path = "\(FileManager.default.temporaryDirectory.path)/vigil-secret-\(Unique.name())"
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        #expect(throws: VerificationError(.storageUnusable)) { _ = try VerificationSecret.load(path: path) }
    }

    private func secret(_ byte: UInt8) -> (VerificationSecret, String) {
        let bytes = [UInt8](repeating: byte, count: 32)
        return (VerificationSecret(SecretBytes(copying: bytes)), "Bearer " + Hex.string(bytes))
    }

    /// C would read the path only up to there.
    @Test func aNULInThePathIsPartOfIt() throws {
        let scene = try VerificationScene()
        let boards = try boards(scene)
        for path in ["tan%00", "tan%00x", "%00/tan", "testresult%00%00/../tan"] {
            #expect(
                try WireAnswer.post(Self.routes + path, Array("{}".utf8), headers: Self.fake, port: boards.port).status
                    == 404)
        }
        #expect(
            try WireAnswer.post(Self.routes + "t%61n", Array("{}".utf8), headers: Self.fake, port: boards.port).status
                == 400)
    }

    /// Laboratory, board, health office and submission, each on its own socket: from the QR code to the keys.
    @Test func theWholeWayOverTheWire() throws {
        let scene = try VerificationScene()
        let now = scene.now
        let (portal, portalHeader) = secret(1)
        let (submission, submissionHeader) = secret(2)
        let (laboratory, laboratoryHeader) = secret(3)
        let inside = try VerificationService(
            internalFor: scene.another(), results: TestResultServer(path: scene.path + "/results.db"), portal: portal,
            submission: submission, laboratory: laboratory, address: "127.0.0.1", port: 0, now: { now })
        let outside = try boards(scene)
        let shelf = KeyShelf()
        let uploads = try VerificationService(
            SubmissionServer(rules: SubmissionRules(), tans: scene.another(), taker: shelf), address: "127.0.0.1", port: 0,
            now: { now })
        func board(_ route: String, _ json: JSON) throws -> (Int, JSON) {
            let answer = try WireAnswer.post(Self.routes + route, json.bytes, headers: Self.real, port: outside.port)
            return (answer.status, try JSON(parsing: answer.body))
        }
        func within(_ path: String, _ json: JSON, _ header: String?, type: String? = nil) throws -> WireAnswer {
            var headers: [String: String] = [:]
            headers["Authorization"] = header
            headers["X-CWA-TELETAN-TYPE"] = type
            return try WireAnswer.post(path, json.bytes, headers: headers, port: inside.port)
        }
        let (created, registered) = try board(
            "registrationToken", ["key": .string(VerificationScene.key(0)), "keyType": "GUID"])
        #expect(created == 201)
        let token: JSON = ["registrationToken": try #require(registered["registrationToken"])]
        #expect(try board("testresult", token).1["testResult"] == 0)
        let report: JSON = ["testResults": [["id": .string(VerificationScene.key(0)), "result": 2]], "labId": "lab"]
        for header in [nil, portalHeader, laboratoryHeader + "00", "Basic x"] {
            #expect(try within("/api/v1/lab/results", report, header).status == 401)
        }
        #expect(try within("/api/v1/lab/results", report, laboratoryHeader).status == 204)
        #expect(try board("testresult", token).1["testResult"] == 2)
        let (status, answer) = try board("tan", token)
        let tan = try #require(answer["tan"]?.string)
        #expect(status == 201)
        let body = Payload.body(Payload.keys(0..<3))
        let path = "/version/v1/diagnosis-keys"
        let type = "application/x-protobuf"
        let headers = ["cwa-fake": "0", "cwa-authorization": tan]
        #expect(try WireAnswer.post(path, body, type: type, headers: headers, port: uploads.port).status == 200)
        #expect(shelf.keys.count == 3)
        // By teleTAN, which only the portal issues.
        #expect(try within("/version/v1/tan/teletan", .empty, submissionHeader).status == 401)
        let issued = try within("/version/v1/tan/teletan", .empty, portalHeader, type: "EVENT")
        #expect(issued.status == 201)
        #expect(try within("/version/v1/tan/teletan", .empty, portalHeader, type: "OTHER").status == 400)
        let teleTAN = try #require(try JSON(parsing: issued.body)["value"])
        let (_, second) = try board("registrationToken", ["key": teleTAN, "keyType": "TELETAN"])
        let eventToken: JSON = ["registrationToken": try #require(second["registrationToken"])]
        let eventTAN: JSON = ["tan": try #require(try board("tan", eventToken).1["tan"])]
        #expect(try within("/version/v1/tan/verify", eventTAN, portalHeader).status == 401)
        let verified = try within("/version/v1/tan/verify", eventTAN, submissionHeader)
        #expect(verified.status == 200 && verified.headers["x-cwa-teletan-type"] == "EVENT")
        #expect(try within("/version/v1/tan/verify", eventTAN, submissionHeader).status == 404)
        // What is inside is not outside.
        #expect(try WireAnswer.post("/version/v1/tan/teletan", [], headers: Self.real, port: outside.port).status == 404)
    }

    @Test func wrongBatchesOfLaboratoriesAreRefusedWhole() throws {
        let scene = try VerificationScene()
        let now = scene.now
        let (laboratory, header) = secret(3)
        let inside = try VerificationService(
            internalFor: nil, results: scene.results, portal: nil, submission: nil, laboratory: laboratory,
            address: "127.0.0.1", port: 0, now: { now })
        let good: JSON = ["id": .string(VerificationScene.key(0)), "result": 6, "sc": .int(now - 60)]
        func send(_ path: String, _ element: JSON) throws -> Int {
            let body: JSON = ["testResults": [good, element]]
            return try WireAnswer.post(path, body.bytes, headers: ["Authorization": header], port: inside.port).status
        }
        let key = JSON.string(VerificationScene.key(1))
        for wrong in [
            .empty, ["id": key], ["id": key, "result": 0], ["id": key, "result": 10], ["id": key, "result": "2"],
            ["id": "x", "result": 2], ["id": key, "result": 2, "sc": -1],
            ["id": key, "result": 2, "sc": .int(now + 200_000)],
            ["id": key, "result": 2, "more": 1], [], nil,
        ] as [JSON] {
            #expect(try send("/api/v1/lab/results", wrong) == 400, "\(wrong)")
        }
        #expect(try send("/api/v1/quicktest/results", ["id": key, "result": 2]) == 400)
        let identity = try #require(TestIdentity(key: VerificationScene.key(0)))
        let rapid = try #require(TestIdentity(rapidKey: VerificationScene.key(0)))
        #expect(try scene.results.result(of: identity, now: now).finding == .pending)
        #expect(try send("/api/v1/quicktest/results", ["id": key, "result": 7]) == 204)
        #expect(try scene.results.result(of: rapid, now: now) == TestResult(.negative, isRapid: true, sampleTime: now - 60))
        #expect(try scene.results.result(of: identity, now: now).finding == .pending)
        // The verification server is elsewhere.
        #expect(try WireAnswer.post("/version/v1/tan/teletan", [], port: inside.port).status == 404)
    }

    @Test func everyByteCountOnTheWireIsTheSame() throws {
        let scene = try VerificationScene()
        let service = try boards(scene)
        func send(_ route: String, _ json: JSON, fake: Bool) throws -> WireAnswer {
            try WireAnswer.post(Self.routes + route, json.bytes, headers: fake ? Self.fake : Self.real, port: service.port)
        }
        let key: JSON = ["key": .string(VerificationScene.key(0)), "keyType": "GUID"]
        var answers = [try send("registrationToken", key, fake: true), try send("registrationToken", key, fake: false)]
        let token: JSON = ["registrationToken": try #require(try JSON(parsing: answers[1].body)["registrationToken"])]
        answers.append(try send("registrationToken", key, fake: false))
        answers.append(try send("testresult", token, fake: false))
        try scene.report(0, 2)
        for fake in [true, false] {
            answers.append(try send("testresult", token, fake: fake))
            answers.append(try send("tan", token, fake: fake))
        }
        answers.append(try send("tan", token, fake: false))
        #expect(Set(answers.map(\.bytes.count)).count == 1, "\(answers.map(\.bytes.count))")
        #expect(answers.allSatisfy { $0.body.count == 82 })
        #expect(answers.map(\.status) == [201, 201, 400, 200, 200, 201, 200, 201, 400])
    }

    @Test func whatTheProtocolForbidsIsRefusedOnTheWire() throws {
        let scene = try VerificationScene()
        let service = try boards(scene)
        let path = Self.routes + "tan"
        let chunked = ["cwa-fake": "0", "Transfer-Encoding": "chunked"]
        #expect(
            try WireAnswer.post(path, Array("2\r\n{}\r\n0\r\n\r\n".utf8), headers: chunked, port: service.port).status
                == 406)
        let large = [UInt8](repeating: 0x20, count: 50_000)
        #expect(try WireAnswer.post(path, large, headers: Self.real, port: service.port).status == 406)
        #expect(try WireAnswer.post(path, [], type: "text/html", headers: Self.real, port: service.port).status == 415)
        #expect(try WireAnswer.post(path, [], port: service.port).status == 400)
        let twice =
            "POST \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
            + "cwa-fake: 1\r\ncwa-fake: 0\r\n\r\n{}"
        #expect(try WireAnswer.exchange(Array(twice.utf8), port: service.port).status == 400)
        let get = "GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        let answer = try WireAnswer.exchange(Array(get.utf8), port: service.port)
        #expect(answer.status == 405 && answer.headers["allow"] == "POST")
    }

    /// Two servers in a row could divide such a request differently.
    @Test(arguments: ["0", "2", "27"], ["Content-Length: 2", "Content-Length: 27", "Transfer-Encoding: chunked"])
    func twoLengthsAreRefused(first: String, second: String) throws {
        let scene = try VerificationScene()
        let service = try boards(scene)
        let before = try scene.storedBytes()
        let key: JSON = ["key": .string(VerificationScene.key(0)), "keyType": "GUID"]
        let head =
            "POST \(Self.routes)registrationToken HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\ncwa-fake: 0\r\n"
            + "Content-Length: \(first)\r\n\(second)\r\n\r\n"
        let answer = try WireAnswer.exchange(Array(head.utf8) + key.bytes, port: service.port)
        #expect(answer.status == 400 && answer.headers["connection"] == "close")
        #expect(try scene.storedBytes() == before && scene.server.counters == VerificationServer.Counters())
    }

    /// Real, fake or refused, whatever it took: no answer before its slot.
    @Test func noAnswerComesBeforeItsSlot() throws {
        let scene = try VerificationScene()
        let service = try boards(scene)
        var soonest = Double.infinity
        for number in 0..<5 {
            let body: JSON = ["key": .string(VerificationScene.key(number)), "keyType": "GUID"]
            for (headers, status) in [(Self.real, 201), (Self.fake, 201), (Self.real, 400)] {
                let start = MonotonicClock.milliseconds()
                let answer = try WireAnswer.post(
                    Self.routes + "registrationToken", body.bytes, headers: headers, port: service.port)
                soonest = min(soonest, MonotonicClock.milliseconds() - start)
                #expect(answer.status == status)
            }
        }
        #expect(soonest >= 100)
    }

    /// What is malformed in head, type, length or body leaves as late as genuine ones and fakes, and is as long.
    @Test func whatIsMalformedCannotBeToldFromTheRestByTimeOrLength() throws {
        let scene = try VerificationScene()
        let verification = try boards(scene)
        let now = scene.now
        let uploads = try VerificationService(
            SubmissionServer(rules: SubmissionRules(), tans: scene.another(), taker: KeyShelf()), address: "127.0.0.1",
            port: 0, now: { now })
        let routes = [
            (verification.port, Self.routes + "tan", "application/json", "x", 406),
            (uploads.port, "/version/v1/diagnosis-keys", "application/x-protobuf", "application/json", 400),
        ]
        for (port, path, type, otherType, tooLarge) in routes {
            func lines(_ method: String, _ type: String, _ length: String, _ fake: String) -> String {
                "\(method) \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: \(type)\r\n\(length)\r\n\(fake)\r\n\r\n"
            }
            let (length, fake) = ("Content-Length: 2", "cwa-fake: 0")
            let large = String(repeating: " ", count: 300_000)
            let requests: [(text: String, status: Int)] = [
                (lines("POST", type, length, fake) + "{}", 400),
                (lines("POST", type, length, "cwa-fake: x") + "{}", 400),
                (lines("POST", type, length, "cwa-fake: 1, 0") + "{}", 400),
                (lines("POST", type, length, "x-fake: 1") + "{}", 400),
                (lines("POST", otherType, length, fake) + "{}", 415), (lines("PUT", type, length, fake) + "{}", 405),
                (lines("POST", type, "Transfer-Encoding: chunked", fake) + "2\r\n{}\r\n0\r\n\r\n", 406),
                (lines("POST", type, "Content-Length: \(large.utf8.count)", fake) + large, tooLarge),
            ]
            var counts: Set<Int> = []
            for (text, status) in requests {
                let start = MonotonicClock.milliseconds()
                let answer = try WireAnswer.exchange(Array(text.utf8), port: port)
                #expect(MonotonicClock.milliseconds() - start >= 100, "\(status) to \(text.prefix(200))")
                #expect(answer.status == status, "\(text.prefix(200))")
                counts.insert(answer.bytes.count)
            }
            let genuine = lines("POST", type, length, "cwa-fake: 1") + "{}"
            counts.insert(try WireAnswer.exchange(Array(genuine.utf8), port: port).bytes.count)
            #expect(counts.count == 1, "\(counts) at \(path)")
        }
    }

    /// Fakes wait without holding anybody up, and a server that ends lets them go.
    @Test func manyWaitingFakesAndAnEnd() throws {
        final class Slow: HTTPHandler {
            func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> { .success(100) }
            func answer(_ request: HTTPRequest) -> HTTPResponse {
                var answer = HTTPResponse.text(200, "late")
                answer.delayMilliseconds = request.path == "/slow" ? 300 : request.path == "/never" ? 600_000 : 0
                return answer
            }
        }
        func milliseconds(_ body: () throws -> Void) rethrows -> Double {
            let start = MonotonicClock.milliseconds()
            try body()
            return MonotonicClock.milliseconds() - start
        }
        var server: HTTPServer? = try HTTPServer(address: "127.0.0.1", port: 0, clock: { 0 }, handler: Slow())
        let port = try #require(server?.port)
        let took = try milliseconds { _ = try WireAnswer.post("/slow", [1], port: port) }
        #expect(took >= 300)
        let waiting = Waiters(path: "/slow", count: 20, port: port)
        let quick = try milliseconds { for _ in 0..<10 { _ = try WireAnswer.post("/quick", [1], port: port) } }
        #expect(quick < 10 * 300)
        #expect(waiting.statuses() == Array(repeating: 200, count: 20))
        let never = Waiters(path: "/never", count: 5, port: port)
        // The server does not say when it has taken up the five, which wait for ever.
        usleep(300_000)
        let end = milliseconds { server = nil }
        #expect(server == nil && end < 15_000)
        // Answered or closed, and not after ten minutes.
        #expect(never.statuses().allSatisfy { $0 == 200 || $0 == -1 })
    }

    /// Clients on threads of their own.
    private final class Waiters {
        private final class Client {
            let path: String
            let port: UInt16
            var status = 0
            init(_ path: String, _ port: UInt16) {
                self.path = path
                self.port = port
            }
        }
        private var threads: [pthread_t] = []
        private var clients: [Client] = []

        init(path: String, count: Int, port: UInt16) {
            for _ in 0..<count {
                let client = Client(path, port)
                clients.append(client)
                var thread = pthread_t()
                pthread_create(
                    &thread, nil,
                    { context in
                        guard let context else { return nil }
                        let client = Unmanaged<Client>.fromOpaque(context).takeUnretainedValue()
                        client.status = (try? WireAnswer.post(client.path, [1], port: client.port).status) ?? -1
                        return nil
                    }, Unmanaged.passUnretained(client).toOpaque())
                threads.append(thread)
            }
        }

        func statuses() -> [Int] {
            for thread in threads { pthread_join(thread, nil) }
            threads = []
            return clients.map(\.status)
        }
    }
}
