// SPDX-License-Identifier: Apache-2.0

import Cryptography
import HTTPClient
import Interfaces
import JSON
import PluginKit
import PluginTestKit
import PrivacyPass
import Synchronization
import Varlink

@testable import DonationPlugin

/// The plugin in this process, a core that keeps a list of steps, and both servers.
struct Scene {
    /// What the core has to be carried, and was told.
    struct Facts: Sendable {
        var steps: [JSON] = []
        /// The core says the first step again, whatever it was told.
        var isStuck = false
        /// Errors by method, in the place of answers.
        var errors: [String: String] = [:]
        var seconds: Int64 = 7_200
        /// How often it had nothing to be carried.
        var rests = 0
        /// Happens when evidence is asked for.
        var onEvidence: (@Sendable (inout Facts) -> Void)?
    }

    final class Core: Sendable {
        private let facts = Mutex(Facts())
        func with<Result: Sendable>(_ body: (inout sending Facts) -> sending Result) -> sending Result {
            facts.withLock(body)
        }
    }

    let core = Core()
    let bench: PluginBench<DonationPlugin>
    let provider: ProviderStandIn
    let issuer: ScriptedServer
    let server: ScriptedServer

    init(settings: JSON = ["plainHTTP": true]) throws {
        var provided: ProviderStandIn?
        let core = core
        bench = try PluginBench(name: "donation", settings: settings) { supervisor in
            let provider = try supervisor.provide(
                InterfaceTexts.all[Donation1.name] ?? "",
                granted: ["GetStep", "SignEvidence", "TakeToken", "EndDonation"])
            provided = provider
            Self.answer(provider, core)
        }
        guard let provided else { throw TestKitError("no core") }
        provider = provided
        issuer = try ScriptedServer { Self.issue($0) }
        server = try ScriptedServer { _ in .answer(200) }
    }

    private static func answer(_ provider: ProviderStandIn, _ core: Core) {
        @Sendable func failure(_ method: String) -> ProviderStandIn.Answer? {
            core.with { $0.errors[method] }.map { .failure($0, $0.hasSuffix("Unknown") ? ["reason": "x"] : [:]) }
        }
        @Sendable func isTaken(_ parameters: JSON) -> Bool {
            core.with { facts in
                guard let first = facts.steps.first, first["day"] == parameters["day"] else { return false }
                if !facts.isStuck { facts.steps.removeFirst() }
                return true
            }
        }
        provider.on("GetStep") { _ in
            if let failure = failure("GetStep") { return failure }
            return core.with { facts in
                if facts.steps.isEmpty { facts.rests += 1 }
                var reply: JSON.Object = ["seconds": .int(facts.steps.isEmpty ? facts.seconds : 1)]
                reply["step"] = facts.steps.first
                return .reply(.object(reply))
            }
        }
        provider.on("SignEvidence") { parameters in
            core.with { $0.onEvidence?(&$0) }
            if let failure = failure("SignEvidence") { return failure }
            let isWanted = core.with { $0.steps.first?["day"] == parameters["day"] }
            let nonce = Base64.bytes(parameters["challenge"]?.string ?? "") ?? []
            guard isWanted, nonce.count == 32 else { return .failure("\(Donation1.name).NoSuchStep") }
            return .reply(["authorization": .string(EvidenceScheme.authorization(nonce))])
        }
        provider.on("TakeToken") { parameters in
            if let failure = failure("TakeToken") { return failure }
            guard isTaken(parameters) else { return .failure("\(Donation1.name).NoSuchStep") }
            return .reply(["isToken": .bool(parameters["answer"] != nil)])
        }
        provider.on("EndDonation") { parameters in
            if let failure = failure("EndDonation") { return failure }
            return isTaken(parameters) ? .reply([:]) : .failure("\(Donation1.name).NoSuchStep")
        }
    }

    // MARK: What is to be carried

    static func nonce(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }
    static let signature = (0..<256).map { UInt8($0) }
    static let firstNonce = nonce(1)

    func request(_ day: Int64, body: [UInt8]? = nil, target: String? = nil) -> JSON {
        let body = body ?? [UInt8](repeating: UInt8(truncatingIfNeeded: day), count: 259)
        return [
            "kind": "request", "day": .int(day), "target": .string((target ?? issuer.base) + "/token-request"),
            "body": .string(Base64.string(body)),
        ]
    }

    func donation(_ day: Int64, target: String? = nil) -> JSON {
        [
            "kind": "donate", "day": .int(day), "target": .string((target ?? server.base) + "/version/v1/device/dat"),
            "body": .string(Base64.string([UInt8](repeating: UInt8(truncatingIfNeeded: day), count: 16_384))),
            "authorization": .string("PrivateToken token=\"\(day)\""),
        ]
    }

    /// An issuer as it should be: its nonce first, and with evidence a signature and the next nonce.
    static func issue(_ request: ScriptedServer.Request) -> ScriptedServer.Move {
        guard let evidence = evidence(request) else { return challenge(firstNonce) }
        let next = nonce(evidence.first.map { $0 + 1 } ?? 0)
        return .answer(
            200, [("Vigil-Next-Nonce", EvidenceScheme.nextNonce(next)), ("Set-Cookie", "who=you; Path=/")], body: signature)
    }

    static func challenge(_ nonce: [UInt8]) -> ScriptedServer.Move {
        .answer(
            401,
            [("WWW-Authenticate", EvidenceScheme.wwwAuthenticate(nonce: nonce, maximumAge: 600)), ("Set-Cookie", "a=b")])
    }

    /// The nonce that the core of this scene made evidence with.
    static func evidence(_ request: ScriptedServer.Request) -> [UInt8]? {
        request["Authorization"].flatMap { EvidenceScheme.evidence(inAuthorization: $0) }
    }

    // MARK: Runs

    /// Has these steps carried, and waits until the core has nothing more: in a first run, or in one more of the plugin that runs.
    func carry(_ steps: [JSON]) throws {
        let before = core.with {
            $0.steps = steps
            return $0.rests
        }
        if bench.supervisor.heard.contains("READY") { bench.host.onStart?() } else { try bench.start() }
        try bench.turn { core.with { $0.rests } > before && bench.plugin.isResting }
    }

    /// The calls of the core that are no `GetStep`, as `Method` and parameters.
    var told: [ProviderStandIn.Received] { provider.calls.filter { $0.method != "GetStep" } }

    /// What it was told of tokens and donations, in brief.
    var outcomes: [String] {
        told.compactMap { call in
            switch call.method {
            case "TakeToken":
                call.parameters["answer"] == nil ? call.parameters["refusal"]?.string ?? "nothing" : "token"
            case "EndDonation": call.parameters["outcome"]?.string ?? "again"
            default: nil
            }
        }
    }
}
