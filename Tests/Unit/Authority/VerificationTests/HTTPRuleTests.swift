// SPDX-License-Identifier: Apache-2.0

import HTTPService
import JSON
import Testing
import Verification

/// Requests and answers as values: every row of `cwa-protocols` section 4.
@Suite struct HTTPRuleTests {
    /// A scene with the routes boards use.
    struct Front {
        let scene: VerificationScene
        let http: VerificationHTTP

        init() throws {
            scene = try VerificationScene()
            let scene = scene
            http = VerificationHTTP(server: scene.server, now: { scene.now }, slotMilliseconds: 0)
        }

        func ask(
            _ route: String, _ body: JSON, fake: String? = "0", type: String? = "application/json", method: String = "POST",
            headers: [String: String] = [:]
        ) -> HTTPResponse {
            ask(route, bytes: body.bytes, fake: fake, type: type, method: method, headers: headers)
        }

        func ask(
            _ route: String, bytes: [UInt8], fake: String? = "0", type: String? = "application/json",
            method: String = "POST",
            headers: [String: String] = [:]
        ) -> HTTPResponse {
            var all = headers
            all["cwa-fake"] = fake
            all["content-type"] = type
            all["content-length"] = all["transfer-encoding"] == nil ? "\(bytes.count)" : nil
            var request = HTTPRequest(method: method, path: "/version/v1/\(route)", headers: all)
            switch http.begin(request) {
            case .failure(let refusal): return refusal.response
            case .success(let limit):
                request.body = bytes
                return bytes.count > limit ? http.refuseTooLarge(request) : http.answer(request)
            }
        }
    }

    static func json(_ answer: HTTPResponse) throws -> JSON {
        guard case .bytes(let bytes) = answer.body else { return .null }
        return try JSON(parsing: bytes)
    }

    private func registration(_ number: Int) -> JSON {
        ["key": .string(VerificationScene.key(number)), "keyType": "GUID", "requestPadding": "xxx"]
    }

    @Test func theThreeRoutesAnswerAsTheTableSays() throws {
        let front = try Front()
        let first = front.ask("registrationToken", registration(0))
        #expect(first.status == 201)
        let token = try #require(try Self.json(first)["registrationToken"]?.string)
        #expect(try Self.json(first)["responsePadding"]?.string?.utf8.count == 1)
        #expect(front.ask("registrationToken", registration(0)).status == 400)

        let body: JSON = ["registrationToken": .string(token), "requestPadding": "x"]
        let pending = front.ask("testresult", body)
        #expect(pending.status == 200)
        #expect(try Self.json(pending)["testResult"] == 0 && Self.json(pending)["sc"] == nil)
        #expect(try Self.json(pending)["responsePadding"]?.string?.utf8.count == 45)
        #expect(front.ask("tan", body).status == 400)

        let identity = try #require(TestIdentity(key: VerificationScene.key(0)))
        _ = try front.scene.results.take(
            [.init(identity, TestResult(.positive, isRapid: true, sampleTime: front.scene.now - 600))], now: front.scene.now
        )
        let positive = try Self.json(front.ask("testresult", body))
        #expect(positive["testResult"] == 7 && positive["sc"]?.int == front.scene.now - 600)

        let tan = front.ask("tan", body)
        #expect(tan.status == 201)
        #expect(try Self.json(tan)["responsePadding"]?.string?.utf8.count == 15)
        #expect(front.ask("tan", body).status == 400)
        let text = try #require(try Self.json(tan)["tan"]?.string)
        #expect(try front.scene.server.confirmTAN(text, now: front.scene.now) == .test)
        #expect(front.ask("tan", body).status == 400)
    }

    @Test func anotherDateOfBirthIs403() throws {
        let front = try Front()
        var body = registration(0).object ?? JSON.Object()
        body["keyDob"] = .string("x" + VerificationScene.key(9).dropFirst())
        let token = try #require(try Self.json(front.ask("registrationToken", .object(body)))["registrationToken"])
        try front.scene.report(0, 1)
        #expect(front.ask("testresult", ["registrationToken": token]).status == 403)
    }

    @Test func aNamedRequestMayBeRepeated() throws {
        let front = try Front()
        let name = ["vigil-request": VerificationScene.name(0)]
        let first = try Self.json(front.ask("registrationToken", registration(0), headers: name))["registrationToken"]
        let second = try Self.json(front.ask("registrationToken", registration(0), headers: name))["registrationToken"]
        #expect(first != nil && first == second)
        #expect(front.ask("registrationToken", registration(1), headers: ["vigil-request": "me"]).status == 400)
    }

    @Test func whatIsNotTheProtocolIsRefused() throws {
        let front = try Front()
        let body = registration(0)
        #expect(front.ask("registrationToken", body, method: "GET").status == 405)
        #expect(front.ask("registrationToken", body, method: "PUT").headers.contains { $0 == ("Allow", "POST") })
        #expect(front.ask("registrationToken", body, headers: ["transfer-encoding": "chunked"]).status == 406)
        #expect(front.ask("registrationToken", body, type: "text/plain").status == 415)
        #expect(front.ask("registrationToken", body, type: nil).status == 415)
        #expect(front.ask("registrationToken", body, fake: nil).status == 400)
        for fake in ["", "2", "true", "0, 0", "0,1"] {
            #expect(front.ask("registrationToken", body, fake: fake).status == 400)
        }
        #expect(front.ask("tan/verify", body).status == 404)
        #expect(front.ask("tan/teletan", body).status == 404)
        let long = Array(repeating: UInt8(ascii: " "), count: 10_001)
        #expect(front.ask("registrationToken", bytes: long).status == 406)
        #expect(front.ask("registrationToken", bytes: Array(body.bytes + long).prefix(10_000).map { $0 }).status == 201)
        #expect(front.scene.server.counters.registrations == 1)
        #expect(front.ask("registrationToken", registration(1), type: "application/json; charset=utf-8").status == 201)
    }

    @Test(arguments: [
        "", "{", "[]", "null", "\"x\"", "{}", "{\"key\":1,\"keyType\":\"GUID\"}", "{\"key\":\"\",\"keyType\":\"GUID\"}",
        "{\"keyType\":\"GUID\"}", "{\"key\":\"a\",\"key\":\"b\",\"keyType\":\"GUID\"}",
        "{\"registrationToken\":\"x\"}", "{\"registrationToken\":\"63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f\",\"more\":1}",
        "{\"registrationToken\":\"63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f\",\"requestPadding\":{}}",
        "{\"registrationToken\":[\"63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f\"]}", "\u{0}", "{\"registrationToken\":null}",
        "{\"registrationToken\":\"63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f\"}x",
    ])
    func hostileBodiesAre400OnEveryRouteRealOrFake(body: String) throws {
        let front = try Front()
        for route in ["registrationToken", "testresult", "tan"] {
            for fake in ["0", "1"] { #expect(front.ask(route, bytes: Array(body.utf8), fake: fake).status == 400) }
        }
        let deep = String(repeating: "[", count: 5_000)
        #expect(front.ask("tan", bytes: Array(deep.utf8)).status == 400)
        #expect(front.ask("tan", bytes: [0xFF, 0xFE, 0x00]).status == 400)
        #expect(front.scene.server.counters == VerificationServer.Counters())
    }

    @Test func fakesTouchNothingAndComeLater() throws {
        let front = try Front()
        let before = try front.scene.storedBytes()
        let token: JSON = ["registrationToken": .string(VerificationScene.name(0)), "requestPadding": "xx"]
        var delays: [Double] = []
        for _ in 0..<200 {
            for (route, body, status) in [
                ("registrationToken", registration(0), 201), ("testresult", token, 200), ("tan", token, 201),
            ] {
                let answer = front.ask(route, body, fake: "1")
                #expect(answer.status == UInt32(status))
                delays.append(answer.delayMilliseconds)
            }
        }
        #expect(try front.scene.storedBytes() == before)
        #expect(front.scene.server.counters == VerificationServer.Counters())
        // Poisson around 10 ms: the mean of 600 is within five standard errors.
        let mean = delays.reduce(0, +) / 600
        #expect(abs(mean - 10) < 5 * (10.0 / 600).squareRoot())
        #expect(front.ask("registrationToken", registration(0)).delayMilliseconds == 0)
    }

    /// Status line, headers and body together, for everything that may be answered.
    @Test func allAnswersHaveOneLength() throws {
        let front = try Front()
        func reason(_ status: UInt32) -> String {
            ["200": "OK", "201": "Created", "400": "Bad Request", "403": "Forbidden"]["\(status)"] ?? "?"
        }
        func length(_ answer: HTTPResponse) -> Int {
            guard case .bytes(let bytes) = answer.body else { return -1 }
            return reason(answer.status).utf8.count + bytes.count
                + answer.headers.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count + 4 }
        }
        var answers = [
            front.ask("registrationToken", registration(0), fake: "1"), front.ask("registrationToken", registration(0)),
        ]
        let token = try #require(try Self.json(answers[1])["registrationToken"])
        let body: JSON = ["registrationToken": token]
        answers.append(front.ask("registrationToken", registration(0)))
        for code in [0, 1, 7, 2] as [Int64] {
            if code > 0 { try front.scene.report(0, code) }
            answers.append(front.ask("testresult", body))
        }
        answers += [front.ask("testresult", body, fake: "1"), front.ask("tan", body, fake: "1"), front.ask("tan", body)]
        answers += [front.ask("tan", body), front.ask("tan", .empty), front.ask("tan", bytes: [0])]
        #expect(Set(answers.map(length)).count == 1, "\(answers.map(length))")
        #expect(Set(answers.map(\.status)) == [200, 201, 400])
    }
}
