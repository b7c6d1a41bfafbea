// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DiagnosisPlan
import GAEN
import JSON
import RandomValues
import Testing

@Suite struct ExchangeTests {
    private func request(
        _ step: Playbook.Step, keys: Int, reports: Int, using random: inout SeededGenerator
    ) throws -> ExchangeRequest {
        let token = ServerToken(using: &random)
        switch (step.call, step.isGenuine) {
        case (.submission, false): return .fakeSubmission(using: &random)
        case (_, false): return .fakeVerification(using: &random)
        case (.registrationToken, true):
            if Bool.random(using: &random) {
                return try .registration(RegistrationKey(TeleTAN(using: &random)), using: &random)
            }
            let code = try TestCode(scanned: "https://localhost/?123456-12345678-1234-4DA7-B166-B86D85475064")
            let birth = Bool.random(using: &random) ? "x" + String(repeating: "0", count: 63) : nil
            return try .registration(RegistrationKey(code), dateOfBirthKey: birth, using: &random)
        case (.testResult, true): return .testResult(token, using: &random)
        case (.tan, true): return .tan(token, using: &random)
        case (.submission, true):
            return try .submission(
                try Samples.payload(keys, reports: reports, using: &random), tan: token, using: &random)
        }
    }

    /// Step by step the same server, lengths and names of headers, whatever the slot is for and whatever is said in it.
    @Test func everyPlaybookHasTheSameShape() throws {
        var random = SeededGenerator(seed: 1)
        var shapes: Set<[String]> = []
        let occasions: [Playbook.Occasion] = [
            .register, .askResult, .submit(needsTAN: true), .submit(needsTAN: false), .nothing,
        ]
        for round in 0..<15 {
            for occasion in occasions {
                for failing in [nil, 0, 1, 2] {
                    var run = PlaybookRun(Playbook(occasion))
                    var shape: [String] = []
                    while let step = run.next() {
                        let keys = max(1, round)
                        let request = try request(step, keys: keys, reports: round * 2, using: &random)
                        shape.append("\(request.server.rawValue) \(request.byteCount) \(request.body.count)")
                        #expect(request.headers.allSatisfy { !$0.value.isEmpty })
                        let fake = request.headers.first { $0.name == "cwa-fake" }?.value
                        #expect(fake == (step.isGenuine ? "0" : "1"))
                        if run.position - 1 == failing { run.stepFailed() }
                    }
                    shapes.insert(shape)
                }
            }
        }
        #expect(shapes.count == 1)
        #expect(shapes.first == ["verification 372 250", "verification 372 250", "submission 4278 4096"])
    }

    @Test func bodiesSayWhatTheServerExpects() throws {
        var random = SeededGenerator(seed: 2)
        let tan = try TeleTAN(typed: "9A3B578UMG")
        let registration = try ExchangeRequest.registration(RegistrationKey(tan), using: &random)
        let body = try JSON(parsing: registration.body)
        #expect(body["key"]?.string == "9A3B578UMG" && body["keyType"]?.string == "TELETAN")
        #expect(registration.path == "/version/v1/registrationToken" && registration.expectedStatus == 201)
        #expect(throws: DiagnosisPlanError(.malformedDateOfBirthKey)) {
            try ExchangeRequest.registration(
                RegistrationKey(tan), dateOfBirthKey: "y" + String(repeating: "0", count: 63), using: &random)
        }
        #expect(throws: DiagnosisPlanError(.noKeys)) {
            try ExchangeRequest.submission(.fake, tan: ServerToken(using: &random), using: &random)
        }
    }

    @Test func tokensAreUUIDs() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let token = ServerToken(using: &random)
            #expect(ServerToken(token.text) == token && token.text.utf8.count == ServerToken.length)
            let bytes = Array(token.text.utf8)
            #expect(bytes[14] == UInt8(ascii: "4") && "89ab".utf8.contains(bytes[19]))
            #expect("\(token)" == "a token")
        }
        for text in [
            "", "63b4d3ff-e0de-4bd4-90c1-17c2bb683a2", "63b4d3ff-e0de-4bd4-90c1-17c2bb683a2g",
            "63b4d3ffe-0de-4bd4-90c1-17c2bb683a2f",
        ] {
            #expect(ServerToken(text) == nil)
        }
    }

    @Test func answersAreReadStrictly() throws {
        func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
        let uuid = "63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f"
        #expect(
            try VerificationAnswer.registrationToken(bytes("{\"registrationToken\":\"\(uuid)\",\"responsePadding\":\"1\"}"))
                .text == uuid)
        #expect(try VerificationAnswer.tan(bytes("{\"tan\":\"\(uuid)\"}")).text == uuid)
        let report = try VerificationAnswer.report(bytes("{\"testResult\":7,\"sc\":1627403671,\"labId\":\"l\"}"))
        #expect(report.result == TestResult(.positive, isRapid: true) && report.sampleCollected == 1_627_403_671)
        #expect(try VerificationAnswer.report(bytes("{\"testResult\":0,\"sc\":0}")).sampleCollected == nil)
        #expect(throws: DiagnosisPlanError(.unknownResult)) { try VerificationAnswer.report(bytes("{\"testResult\":10}")) }
        for text in [
            "", "[]", "{}", "{\"testResult\":\"2\"}", "{\"testResult\":2,\"sc\":-1}", "{\"testResult\":2,\"testResult\":1}",
        ] {
            #expect(throws: DiagnosisPlanError(.malformedAnswer)) { try VerificationAnswer.report(bytes(text)) }
        }
        #expect(throws: DiagnosisPlanError(.malformedAnswer)) { try VerificationAnswer.tan(bytes("{\"tan\":\"1\"}")) }
        #expect(throws: DiagnosisPlanError(.malformedAnswer)) {
            try VerificationAnswer.tan([UInt8](repeating: 0x20, count: 10_001))
        }
    }

    /// cwa-app-configuration, `PresenceTracingPlausibleDeniabilityParameters`, as last published (specification cwa-protocols 6).
    @Test func fakeCheckInsAreTheOnesThatWerePublished() {
        let fakes = FakeCheckIns()
        #expect([fakes.p, fakes.q, fakes.r, fakes.s, fakes.t, fakes.u] == [100, 1.4, -1, 0.8, -1.5, 2])
        #expect([fakes.a, fakes.b, fakes.c] == [0, 0, 0] && fakes.range == -9_999...9_999 && fakes.sizes == [46])
        #expect(fakes.probabilityWithoutCheckIns == 0 && fakes.probabilityWithCheckIns == 0.01)
    }

    @Test func fakeCheckInsStayInBounds() {
        var random = SeededGenerator(seed: 5)
        var fakes = FakeCheckIns()
        #expect((0..<1_000).allSatisfy { _ in fakes.bytes(realCheckIns: 0, using: &random) == 0 })
        fakes.probabilityWithoutCheckIns = 1
        for value in [Double.nan, .infinity, -.infinity, 1e300, -1e300] {
            fakes.p = value
            let bytes = fakes.bytes(realCheckIns: 0, using: &random)
            #expect((0...46 * FakeCheckIns.maximumCount).contains(bytes))
        }
        fakes.sizes = [.max, .min]
        #expect(fakes.bytes(realCheckIns: 0, using: &random) <= 4_096 * FakeCheckIns.maximumCount)
    }
}
