// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import HTTPService
import KeyExport
import RandomValues
import Testing
import Verification

/// `docs/openapi` says what the sources do: no route, status, code or header more or less.
@Suite struct OpenAPITests {
    /// One text, its references followed.
    struct Text {
        let root: OutlineText

        init(_ name: String) throws {
            let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let bytes = try Data(contentsOf: folder.appending(path: "docs/openapi/\(name).yaml"))
            root = OutlineText(String(decoding: bytes, as: UTF8.self))
        }

        var paths: [String] { root["paths"]?.names ?? [] }

        func resolved(_ node: OutlineText?) -> OutlineText? {
            guard let reference = node?["$ref"]?.text else { return node }
            return reference.split(separator: "/").dropFirst().reduce(root as OutlineText?) { $0?[String($1)] }
        }

        func answers(_ path: String) -> [(status: UInt32, answer: OutlineText)] {
            guard let answers = root["paths"]?[path]?["post"]?["responses"] else { return [] }
            return answers.names.compactMap { name in
                guard let status = UInt32(name), let answer = resolved(answers[name]) else { return nil }
                return (status, answer)
            }
        }

        func codes(_ answer: OutlineText) -> [String] {
            let json = resolved(answer["content"]?["application/json"]?["schema"])
            return (json?["properties"]?["error"]?["enum"]?.texts ?? [])
                + (answer["content"]?["text/plain"]?["schema"]?["x-codes"]?.texts ?? [])
                + (answer["headers"]?["cwa-error-code"]?["schema"]?["enum"]?.texts ?? []).filter { $0 != "none" }
        }
    }

    private func compare(
        _ text: Text, paths: [String], silent: Set<VerificationError.Code>,
        status: (VerificationError.Code) -> UInt32
    ) {
        #expect(text.paths.sorted() == paths.sorted())
        var said: Set<VerificationError.Code> = []
        for path in paths {
            var statuses: Set<UInt32> = []
            for (number, answer) in text.answers(path) {
                #expect(statuses.insert(number).inserted)
                for name in text.codes(answer) {
                    guard let code = VerificationError.Code(rawValue: name) else {
                        Issue.record("\(path) \(number): no such code: \(name)")
                        continue
                    }
                    said.insert(code)
                    // What is refused before the body has the code of what is malformed.
                    let isGate = code == .malformedRequest && [405, 406, 415].contains(number)
                    #expect(isGate || status(code) == number, "\(path) \(number) \(name)")
                }
            }
            #expect(statuses.isSuperset(of: [400, 405, 406, 415, 500]), "\(path)")
        }
        // A new code is in the text, or somebody says here that it never leaves.
        #expect(said.union(silent) == Set(VerificationError.Code.allCases))
        #expect(said.isDisjoint(with: silent))
    }

    @Test func eachTextNamesTheRoutesAndCodesOfItsServer() throws {
        let atStart: Set<VerificationError.Code> = [.storageTooNew, .listenFailed]
        compare(
            try Text("verification"), paths: VerificationHTTP.paths,
            silent: atStart.union([
                .invalidTAN, .notAuthorised, .teleTANRateExceeded, .invalidSubmission, .intakeFailed, .tooManyUploads,
            ]),
            status: VerificationHTTP.status)
        let board: Set<VerificationError.Code> = [
            .keyAlreadyUsed, .unknownTeleTAN, .teleTANExpired, .unknownToken, .birthMismatch, .notPositive,
            .tanAlreadyIssued,
        ]
        compare(
            try Text("submission"), paths: [SubmissionHTTP.path, UserUploadHTTP.path],
            silent: atStart.union(board).union([.notAuthorised, .teleTANRateExceeded]), status: SubmissionHTTP.status)
        compare(
            try Text("internal"), paths: InternalHTTP.paths,
            silent: atStart.union(board).union([.invalidSubmission, .intakeFailed, .partnerFailed, .tooManyUploads]),
            status: InternalHTTP.status)
    }

    /// As a caller who checks answers by the text, or makes requests from it, sees them.
    @Test func teleTANsAreAsBothTextsSay() throws {
        let issued = try #require(Text("internal").answers("/version/v1/tan/teletan").first { $0.status == 201 }?.answer)
        let answer = issued["content"]?["application/json"]?["schema"]?["properties"]?["value"]
        let request = try Text("verification").root["components"]?["schemas"]?["TeleTANRegistration"]?["properties"]?["key"]
        var generator = SeededGenerator(seed: 1)
        for schema in [answer, request] {
            let pattern = try Regex(#require(schema?["pattern"]?.text))
            for _ in 0..<1_000 {
                let teleTAN = TeleTANIssuing.make(using: &generator)
                #expect(try pattern.wholeMatch(in: teleTAN) != nil)
                #expect(try pattern.wholeMatch(in: String(teleTAN.dropFirst())) == nil)
            }
        }
    }

    /// Status and headers of an answer are those of the text.
    private func look(_ answer: HTTPResponse, _ path: String, in text: Text) {
        guard let written = text.answers(path).first(where: { $0.status == answer.status })?.answer else {
            Issue.record("\(path): \(answer.status) is not in the text")
            return
        }
        let named = Set((written["headers"]?.names ?? []).map { $0.lowercased() })
        let given = Set(answer.headers.map { $0.0.lowercased() }).subtracting(["content-type"])
        #expect(named == given, "\(path) \(answer.status)")
    }

    private func ask(_ handler: any HTTPHandler, _ request: HTTPRequest, _ body: String = "{}") -> HTTPResponse {
        switch handler.begin(request) {
        case .failure(let refusal): return refusal.response
        case .success(let limit):
            var request = request
            request.body = Array(body.utf8)
            return request.body.count > limit ? handler.refuseTooLarge(request) : handler.answer(request)
        }
    }

    @Test func whatIsRefusedBeforeItsBodyHasTheHeadersOfTheText() throws {
        let scene = try VerificationScene()
        let secret = try VerificationSecret.load(path: scene.path + "/secret")
        let submission = SubmissionServer(rules: SubmissionRules(), tans: scene.server, taker: Nobody())
        let uploads = UserUploadServer(secret: secret, tans: scene.server, taker: Nobody())
        let fronts: [(String, [String], String, any HTTPHandler)] = [
            (
                "verification", VerificationHTTP.paths, "application/json",
                VerificationHTTP(server: scene.server, now: { scene.now })
            ),
            (
                "submission", [SubmissionHTTP.path], "application/x-protobuf",
                SubmissionHTTP(server: submission, now: { scene.now })
            ),
            (
                "submission", [UserUploadHTTP.path], "application/x-protobuf",
                UserUploadHTTP(server: uploads, now: { scene.now })
            ),
            (
                "internal", InternalHTTP.paths, "application/json",
                InternalHTTP(
                    verification: scene.server, results: scene.results,
                    secrets: .init(portal: secret, submission: secret, laboratory: secret), now: { scene.now })
            ),
        ]
        for (name, paths, type, handler) in fronts {
            let text = try Text(name)
            for path in paths {
                var good = HTTPRequest(method: "POST", path: path)
                good.headers = ["content-type": type, "cwa-fake": "0", "content-length": "2"]
                let changes: [(String, String?)] = [
                    ("content-type", "text/plain"), ("content-type", nil), ("transfer-encoding", "chunked"),
                    ("content-length", "999999999"), ("content-length", "2x"), ("cwa-fake", nil), ("cwa-fake", "no"),
                    ("cwa-authorization", "no TAN"),
                ]
                for (header, value) in changes {
                    var request = good
                    request.headers[header] = value
                    look(ask(handler, request, "{"), path, in: text)
                }
                for method in ["GET", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "NONSENSE"] {
                    var request = good
                    request.method = method
                    let answer = ask(handler, request)
                    #expect(answer.status == 405)
                    look(answer, path, in: text)
                }
                var fake = good
                fake.headers["cwa-fake"] = "1"
                look(ask(handler, fake), path, in: text)
            }
        }
    }

    /// `requestBody` is not required there.
    @Test func aTeleTANIsAskedForWithoutABody() throws {
        let scene = try VerificationScene()
        let path = scene.path + "/portal-secret"
        let secret = try VerificationSecret.load(path: path)
        let bearer = try "Bearer " + Hex.string(Array(Data(contentsOf: URL(filePath: path))))
        let handler = InternalHTTP(
            verification: scene.server, results: nil, secrets: .init(portal: secret), now: { scene.now })
        func status(_ headers: [String: String]) -> UInt32 {
            let all = headers.merging(["authorization": bearer]) { first, _ in first }
            return ask(handler, HTTPRequest(method: "POST", path: "/version/v1/tan/teletan", headers: all), "").status
        }
        #expect(status([:]) == 201)
        #expect(status(["content-length": "0"]) == 201)
        #expect(status(["content-length": "2"]) == 415)
        #expect(status(["content-type": "text/plain"]) == 415)
        #expect(status(["transfer-encoding": "chunked"]) == 406)
        #expect(status(["authorization": "Bearer 00"]) == 401)
    }

    /// Takes nothing.
    final class Nobody: KeyTaking, VenueHoursTaking {
        func take(_ hours: VenueHours, warning: WarningHandle?, now: Int64) throws(VerificationError) -> Int { 0 }

        func take(
            _ accepted: SubmissionRules.Accepted, warning: WarningHandle?, now: Int64
        ) throws(VerificationError) -> TakenSubmission { TakenSubmission(keys: 0) }
    }
}
