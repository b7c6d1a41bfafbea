// SPDX-License-Identifier: Apache-2.0

import Cryptography
import HTTPClient
import Interfaces
import JSON
import PluginKit
import PluginTestKit
import PrivacyPass
import RandomValues
import Testing

@testable import DonationPlugin

/// What servers may answer, and what the core is told then.
@Suite struct AnswerTests {
    private let scene: Scene
    private var bench: PluginBench<DonationPlugin> { scene.bench }

    init() throws { scene = try Scene() }

    private static func error(_ code: String) -> [UInt8] {
        JSON.object(["errorCode": .string(code)]).bytes + [UInt8](repeating: 32, count: 300)
    }

    /// Has the issuer answer this to evidence, for one request each.
    private func say(_ answers: [ScriptedServer.Move], line: UInt = #line) throws -> [String] {
        let before = scene.outcomes.count
        for (index, move) in answers.enumerated() {
            scene.issuer.follow { Scene.evidence($0) == nil ? Scene.challenge(Scene.firstNonce) : move }
            scene.core.with { $0.steps = [scene.request(Int64(index))] }
            if !bench.supervisor.heard.contains("READY") { try bench.start() } else { bench.host.onStart?() }
            let count = before + index + 1
            try bench.turn(line: line) { scene.outcomes.count == count && bench.plugin.isResting }
        }
        return Array(scene.outcomes[before...])
    }

    @Test func refusalsOfTheIssuer() throws {
        #expect(
            try say([
                .answer(403, body: Self.error("DEVICE_BLOCKED")), .answer(403, body: Self.error("EVIDENCE_POLICY")),
                .answer(403, body: Self.error("FLEET_TOO_SMALL")), .answer(422, body: Self.error("WRONG_KEY")),
                .answer(429, body: Self.error("DEVICE_QUOTA_EXCEEDED")), .answer(422), .answer(429),
            ]) == ["deviceRefused", "deviceRefused", "notYet", "notThisDay", "notThisDay", "notThisDay", "notThisDay"])
        #expect(scene.provider.faults == [])
    }

    @Test func everythingElseIsNoAnswer() throws {
        let statuses = [201, 202, 204, 206, 301, 302, 304, 307, 308, 400, 402, 404, 405, 408, 413, 418, 500, 502, 503, 599]
        let odd: [ScriptedServer.Move] =
            [
                .answer(200), .answer(200, body: [UInt8](repeating: 1, count: 255)),
                .answer(200, body: [UInt8](repeating: 1, count: 257)),
                .answer(200, body: [UInt8](repeating: 1, count: 5_000)),
                .answer(403), .answer(403, body: Self.error("OTHER")), .answer(403, body: Array("[".utf8)),
                .answer(403, body: Array(#"{"errorCode":["FLEET_TOO_SMALL"]}"#.utf8)),
                .answer(403, body: [0xFF, 0xFE, 0]),
                .answer(403, body: Self.error("FLEET_TOO_SMALL") + [UInt8](repeating: 32, count: 4_096)),
                .answer(200, [("X", String(repeating: "y", count: 9_000))], body: Scene.signature),
                .sendAndClose([]), .sendAndClose(Array("HTTP/1.1 200 X\r\n".utf8)),
                .sendAndClose(Array("HTTP/1.1 200 X\r\nContent-Length: 256\r\n\r\n".utf8) + Scene.signature.dropLast()),
                .sendAndClose(Array("nothing of HTTP\r\n\r\n".utf8)), .sendAndClose([UInt8](repeating: 0, count: 1_000)),
                .sendAndClose(Array("HTTP/1.1 200 X\r\nContent-Length: 99999999999999999999\r\n\r\n".utf8)),
                .sendAndClose(Array("HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".utf8)),
            ]
            + statuses.map {
                .answer($0, [("Location", "/token-request")], body: $0 == 204 || $0 == 304 ? [] : Scene.signature)
            }
        #expect(try say(odd) == odd.map { _ in "unreachable" })
        // Nothing was followed: two requests each, one of them for the nonce.
        #expect(scene.issuer.requests.count == 2 * odd.count)
    }

    @Test func challengesThatCannotBeUsed() throws {
        let good = EvidenceScheme.wwwAuthenticate(nonce: Scene.firstNonce, maximumAge: 600)
        let headers: [[(String, String)]] = [
            [], [("WWW-Authenticate", "")], [("WWW-Authenticate", "Basic realm=\"x\"")],
            [("WWW-Authenticate", "VigilEvidence")],
            [("WWW-Authenticate", "VigilEvidence nonce=\"AAAA\"")], [("WWW-Authenticate", "VigilEvidence nonce=\"****\"")],
            [("WWW-Authenticate", good + ", nonce=\"AAAA\"")], [("WWW-Authenticate", good + ", " + good)],
            [("WWW-Authenticate", good), ("WWW-Authenticate", good)],
            [("WWW-Authenticate", good + ", x=" + String(repeating: "y", count: 6_000))],
            [("Vigil-Next-Nonce", EvidenceScheme.nextNonce(Scene.firstNonce))],
        ]
        for headers in headers {
            scene.issuer.follow { _ in .answer(401, headers) }
            try scene.carry([scene.request(7), scene.donation(8)])
        }
        #expect(scene.outcomes == headers.flatMap { _ in ["unreachable", "taken"] })
        #expect(!scene.told.contains { $0.method == "SignEvidence" })
        #expect(scene.issuer.requests.count == headers.count)
    }

    @Test func aNextNonceThatCannotBeUsedIsNone() throws {
        for value in ["", "AAAA", "****", String(repeating: "A", count: 5_000)] {
            scene.issuer.follow {
                Scene.evidence($0) == nil
                    ? Scene.challenge(Scene.firstNonce)
                    : .answer(200, [("Vigil-Next-Nonce", value)], body: Scene.signature)
            }
            let before = scene.issuer.requests.count
            try scene.carry([scene.request(1), scene.request(2)])
            #expect(scene.issuer.requests[before...].map { Scene.evidence($0)?.first } == [nil, 1, nil, 1])
        }
        #expect(scene.outcomes == Array(repeating: "token", count: 8))
    }

    /// An issuer that refuses the evidence with its own nonce refuses the device. The run goes on: where it ended, the network would tell who shows evidence.
    @Test func evidenceIsSignedAnewOnceAndTheRunGoesOn() throws {
        scene.issuer.follow { _ in Scene.challenge(Scene.nonce(9)) }
        try scene.carry([scene.request(1), scene.request(2)])
        #expect(scene.outcomes == ["deviceRefused", "deviceRefused"] && scene.issuer.requests.count == 4)
        #expect(scene.core.with { $0.steps.isEmpty })
    }

    /// A next nonce that has become too old is replaced by the one of the 401.
    @Test func anOldNextNonceIsReplaced() throws {
        scene.issuer.follow { request in
            switch Scene.evidence(request)?.first {
            case nil: Scene.challenge(Scene.nonce(1))
            case 2: Scene.challenge(Scene.nonce(7))
            default: Scene.issue(request)
            }
        }
        try scene.carry([scene.request(1), scene.request(2)])
        #expect(scene.issuer.requests.map { Scene.evidence($0)?.first } == [nil, 1, 2, 7])
        #expect(scene.outcomes == ["token", "token"])
    }

    @Test func outcomesOfADonation() throws {
        let expected: [(ScriptedServer.Move, String)] = [
            (.answer(200), "taken"), (.answer(200, body: [1, 2]), "taken"), (.answer(400), "refused"),
            (.answer(401, [("WWW-Authenticate", "PrivateToken challenge=\"x\"")]), "refused"),
            (.answer(403, body: Self.error("TOKEN_REDEEMED")), "refused"), (.answer(201), "again"), (.answer(204), "again"),
            (.answer(302, [("Location", "/version/v1/device/dat")]), "again"), (.answer(404), "again"),
            (.answer(429), "again"), (.answer(500), "again"), (.answer(503, [("Retry-After", "1")]), "again"),
            (.answer(200, body: [UInt8](repeating: 1, count: 5_000)), "again"), (.sendAndClose([]), "again"),
            (.sendAndClose(Array("HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\n".utf8)), "again"),
            (.sendAndClose(Array("HTTP/1.1 200".utf8)), "again"), (.sendAndClose(Array("\r\n\r\n".utf8)), "again"),
        ]
        for (move, _) in expected {
            scene.server.follow { _ in move }
            try scene.carry([scene.donation(3)])
        }
        #expect(scene.outcomes == expected.map(\.1))
        // Each was sent once, whatever came.
        #expect(scene.server.requests.count == expected.count && scene.server.connections == expected.count)
    }

    @Test func silenceEnds() throws {
        bench.plugin.courier.limits.totalSeconds = 1
        scene.issuer.follow { _ in .silence }
        scene.server.follow { _ in .silence }
        try scene.carry([scene.request(1), scene.donation(2)])
        #expect(scene.outcomes == ["unreachable", "again"])
    }

    /// The end of the plugin does not wait for a server.
    @Test func silenceDoesNotHoldTheEndUp() throws {
        scene.issuer.follow { _ in .silence }
        scene.core.with { $0.steps = [scene.request(1)] }
        try bench.start()
        try bench.turn { scene.issuer.requests.count == 1 }
        bench.host.stop()
        #expect(bench.host.finish() == 0 && bench.plugin.courier.cancellation.isCancelled)
    }

    @Test func targetsThatCannotBeReached() throws {
        let nobody = "http://127.0.0.1:\(try Unique.port())"
        try scene.carry([
            scene.request(1, target: "ftp://127.0.0.1"), scene.request(2, target: "no address"),
            scene.request(3, target: "http://user@127.0.0.1"), scene.donation(4, target: ""),
            scene.donation(5, target: nobody),
        ])
        #expect(scene.outcomes == ["unreachable", "unreachable", "unreachable", "again", "again"])
    }

    @Test func withoutPermissionForHTTPNothingLeaves() throws {
        let strict = try Scene(settings: [:])
        try strict.carry([strict.request(1), strict.donation(2)])
        #expect(strict.outcomes == ["unreachable", "again"])
        #expect(strict.issuer.connections == 0 && strict.server.connections == 0)
    }
}
