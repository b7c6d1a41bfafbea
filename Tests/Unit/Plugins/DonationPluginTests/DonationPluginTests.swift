// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DonationTrial
import HTTPClient
import Interfaces
import JSON
import PluginKit
import PluginTestKit
import PrivacyPass
import ProcessLink
import RandomValues
import Testing

@testable import DonationPlugin

/// What is carried when everything is as it should be, when it is asked for, and what nobody may learn.
@Suite struct DonationPluginTests {
    private let scene: Scene
    private var bench: PluginBench<DonationPlugin> { scene.bench }

    init() throws { scene = try Scene() }

    @Test func aBatchOfRequestsNeedsOneChallenge() throws {
        try scene.carry([scene.request(20_000), scene.request(20_001), scene.request(20_002)])
        let requests = scene.issuer.requests
        #expect(requests.map { Scene.evidence($0)?.first } == [nil, 1, 2, 3])
        #expect(requests.map(\.body.first) == [32, 32, 33, 34] && requests.allSatisfy { $0.body.count == 259 })
        #expect(requests.allSatisfy { $0.head.hasPrefix("POST /token-request HTTP/1.1\r\n") })
        // One connection for the batch.
        #expect(scene.issuer.connections == 1 && scene.server.connections == 0)
        #expect(scene.outcomes == ["token", "token", "token"])
        let taken = scene.told.filter { $0.method == "TakeToken" }
        #expect(taken.map { $0.parameters["day"] } == [20_000, 20_001, 20_002])
        #expect(taken.allSatisfy { $0.parameters["answer"]?.string == Base64.string(Scene.signature) })
        #expect(scene.told.filter { $0.method == "SignEvidence" }.map { $0.parameters["day"] } == [20_000, 20_001, 20_002])
        #expect(scene.provider.faults == [])
    }

    @Test func aDonationGoesOverAConnectionOfItsOwn() throws {
        try scene.carry([scene.donation(20_000), scene.donation(20_001), scene.request(20_002), scene.donation(20_003)])
        let sent = scene.server.requests
        #expect(sent.map(\.connection) == [1, 2, 3] && sent.allSatisfy { $0.body.count == 16_384 })
        #expect(sent.map { $0["Authorization"] } == [20_000, 20_001, 20_003].map { "PrivateToken token=\"\($0)\"" })
        #expect(sent.allSatisfy { $0.head.hasPrefix("POST /version/v1/device/dat HTTP/1.1\r\n") })
        #expect(scene.outcomes == ["taken", "taken", "token", "taken"])
    }

    /// One machine may have both servers: even then nothing of the one conversation is in the other.
    @Test func issuerAndServerOfOneAddressShareNoConnection() throws {
        let both = try ScriptedServer { $0.head.hasPrefix("POST /token-request ") ? Scene.issue($0) : .answer(200) }
        try scene.carry([
            scene.request(1, target: both.base), scene.donation(2, target: both.base), scene.request(3, target: both.base),
        ])
        let requests = both.requests
        #expect(requests.map(\.connection) == [1, 1, 2, 3, 3])
        // The nonce of before the donation is not used after it.
        #expect(requests.map { Scene.evidence($0)?.first } == [nil, 1, nil, nil, 1])
        #expect(scene.outcomes == ["token", "taken", "token"])
    }

    @Test func allBoardsAndAllRunsSendTheSameHeaders() throws {
        try scene.carry([scene.request(1), scene.donation(2)])
        let other = try Scene()
        try other.carry([other.request(1), other.donation(2)])
        // The second run of the first board, after cookies and nonces of the first one.
        try scene.carry([scene.request(1), scene.donation(2)])
        func heads(_ server: ScriptedServer) -> [String] {
            server.requests.map { request in
                request.head.split(separator: "\r\n").map { $0.hasPrefix("Host:") ? "Host" : String($0) }
                    .joined(separator: "\n")
            }
        }
        #expect(heads(scene.issuer) == heads(other.issuer) + heads(other.issuer))
        #expect(heads(scene.server) == heads(other.server) + heads(other.server))
        #expect(
            scene.issuer.requests[1].headers.map(\.name)
                == ["Host", "Accept", "Content-Type", "Authorization", "Content-Length"])
        #expect(
            scene.server.requests[0].headers.map(\.name)
                == ["Host", "Accept", "Content-Type", "Authorization", "Content-Length"])
        #expect(scene.issuer.requests[0]["Accept"] == "application/private-token-response")
        #expect(scene.issuer.requests[0]["Content-Type"] == "application/private-token-request")
        #expect(scene.server.requests[0]["Content-Type"] == "application/x-protobuf")
    }

    /// What `vigil-lab donations` gives an adversary as a board's requests is what a board sends, byte for byte.
    @Test func theLaboratorySendsTheSame() throws {
        try scene.carry([scene.request(1), scene.donation(2)])
        func host(_ server: ScriptedServer) -> String { "127.0.0.1:\(server.port)" }
        #expect(scene.issuer.requests.count == 2 && scene.server.requests.count == 1)
        for sent in scene.issuer.requests {
            let played = BoardWire.tokenRequest(
                host: host(scene.issuer), body: sent.body, authorization: sent["Authorization"])
            #expect(played.head == sent.head && played.body == sent.body)
        }
        for sent in scene.server.requests {
            let played = BoardWire.donation(
                host: host(scene.server), body: sent.body, authorization: sent["Authorization"] ?? "")
            #expect(played.head == sent.head && played.body == sent.body)
        }
    }

    // MARK: Rest

    @Test func withoutAnythingToDoItEndsAndSaysWhenItIsNeeded() throws {
        try scene.carry([])
        #expect(bench.host.startsAgainAfter == .seconds(7_200))
        #expect(scene.issuer.connections == 0 && scene.server.connections == 0)
        bench.advance(by: .seconds(6))
        #expect(bench.supervisor.messages.last { $0.verb == "IDLE" }?.values["after"] == "7200")
        #expect(bench.host.isStopping)
    }

    @Test(arguments: [(-5, 1), (0, 1), (1, 1), (86_400, 86_400), (Int64.max, 86_400)] as [(Int64, Int64)])
    func waitsAreBounded(_ said: Int64, _ rest: Int64) throws {
        scene.core.with { $0.seconds = said }
        try scene.carry([])
        #expect(bench.host.startsAgainAfter == .seconds(rest))
    }

    @Test func aStepThatIsDueBeforeItEndsIsCarried() throws {
        scene.core.with { $0.seconds = 2 }
        try scene.carry([])
        scene.core.with {
            $0.steps = [scene.donation(5)]
            $0.seconds = 900
        }
        bench.advance(by: .seconds(2))
        try bench.turn { scene.outcomes == ["taken"] }
        #expect(scene.server.requests.count == 1)
    }

    /// Who reads the log learns nothing of the wearer.
    @Test func theLogIsThatOfABoardWithoutAConsent() throws {
        let quiet = try Scene()
        try quiet.carry([])
        quiet.bench.advance(by: .seconds(6))
        let nobody = "http://127.0.0.1:\(try Unique.port())"
        let moves: [ScriptedServer.Script] = [
            { Scene.issue($0) }, { _ in .sendAndClose([]) }, { _ in .answer(500) },
            { _ in Scene.challenge(Scene.nonce(9)) },
            { _ in .sendAndClose(Array("no HTTP\r\n\r\n".utf8)) }, { _ in .answer(302, [("Location", "/x")]) },
        ]
        for move in moves {
            let busy = try Scene()
            busy.issuer.follow(move)
            busy.server.follow(move)
            busy.core.with { $0.steps = [busy.request(1), busy.donation(1), busy.donation(1, target: nobody)] }
            try busy.bench.start()
            try busy.bench.turn { busy.core.with { $0.steps.count < 3 } && busy.bench.plugin.isResting }
            busy.bench.advance(by: .seconds(6))
            #expect(busy.bench.host.isStopping)
            #expect(busy.bench.log == quiet.bench.log)
        }
        for error in ["TimeUnknown", "NoSuchStep"] {
            let unsure = try Scene()
            unsure.core.with { $0.errors["GetStep"] = "\(Donation1.name).\(error)" }
            try unsure.bench.start()
            try unsure.bench.turn { unsure.bench.plugin.isResting }
            unsure.bench.advance(by: .seconds(6))
            #expect(unsure.bench.log == quiet.bench.log && unsure.bench.host.startsAgainAfter == nil)
        }
    }
}
