// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Donation
import DonationService
import Glibc
import Interfaces
import JSON
import PluginTestKit
import PrivacyPass
import SyncKillTrial
import Synchronization

/// `vigil-plugins donation` as a process of its own, which carries a week's requests and a donation to the real issuer and the real donation server, and
/// then has nothing to do. Its core is a stand-in.
///
/// Those two servers speak http. TLS is in a last request, to a server that says nothing: by then the plugin has read the system's certificates.
enum DonationProcess {
    private static let patience: Int32 = 120

    /// What the stand-in of the core has to be carried, and has seen; used on its thread and on this one.
    private struct Facts: Sendable {
        var steps: [JSON]
        var process: pid_t = 0
        var highest = BoardProcess.Memory()
        var tokens = 0, donations = 0
        var rested: ContinuousClock.Instant?
    }

    private final class Core: Sendable {
        let facts: Mutex<Facts>
        init(_ steps: [JSON]) { facts = Mutex(Facts(steps: steps)) }

        /// Looks at the memory of the plugin, which waits meanwhile.
        func look() {
            facts.withLock {
                let now = BoardProcess.memory(of: $0.process)
                $0.highest.alone = max($0.highest.alone, now.alone)
                $0.highest.anonymous = max($0.highest.anonymous, now.anonymous)
                $0.highest.isSwiftDynamic = now.isSwiftDynamic
            }
        }
    }

    /// Measures; `body` is that of a donation, and `program` the path of `vigil-plugins`. Afterwards `servers` are used by other threads.
    static func figures(_ servers: DonationServers, body: [UInt8], program: String) throws -> [Figure] {
        var random = SystemRandomNumberGenerator()
        let key = try servers.key(of: DonationServers.today).publicKey
        let token = PrivateTokenScheme.authorization(try servers.token())
        let issuer = try DonationService(servers.issuer, address: "127.0.0.1", port: 0) { DonationServers.now }
        let server = try DonationService(servers.server, address: "127.0.0.1", port: 0) { DonationServers.now }
        let silent = try EgressBench.listen()
        defer { close(silent.descriptor) }
        func request(_ day: Int64, _ base: String) -> JSON {
            [
                "kind": "request", "day": .int(day), "target": .string("\(base)/token-request"),
                "body": .string(Base64.string(DonationCover.request(key, using: &random))),
            ]
        }
        var steps = (1...8).map { request($0, "http://127.0.0.1:\(issuer.port)") }
        steps.append([
            "kind": "donate", "day": 9, "target": .string("http://127.0.0.1:\(server.port)/version/v1/device/dat"),
            "body": .string(Base64.string(body)), "authorization": .string(token),
        ])
        steps.append(request(10, "https://127.0.0.1:\(silent.port)"))
        let core = Core(steps)
        let supervisor = try SupervisorStandIn(plugin: "donation", settings: ["plainHTTP": true])
        let provider = try supervisor.provide(InterfaceTexts.all[Donation1.name] ?? "")
        serve(provider, core)

        let control = supervisor.takeOther()
        defer { close(control) }
        let child = try Child(
            program, ["donation"], environment: supervisor.variables(control: 3, heartbeat: Int(patience)),
            control: control, log: "\(supervisor.folder.path)/donation.log")
        core.facts.withLock { $0.process = child.process }
        try supervisor.send("START")

        // The first bytes of TLS.
        var connection = pollfd(fd: silent.descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&connection, 1, patience * 1_000) == 1 else { throw TrialFailure("the plugin does not carry its steps") }
        let accepted = accept(silent.descriptor, nil, nil)
        var first = pollfd(fd: accepted, events: Int16(POLLIN), revents: 0)
        guard poll(&first, 1, patience * 1_000) == 1 else { throw TrialFailure("the plugin does not begin with TLS") }
        core.look()
        close(accepted)

        guard child.waits(seconds: Int(patience)) else { throw TrialFailure("the plugin does not end") }
        let end = ContinuousClock.now
        let facts = core.facts.withLock { $0 }
        guard facts.tokens == 8, facts.donations == 1, let rested = facts.rested, child.ended == 0 else {
            throw TrialFailure("the plugin of the benchmark did not get what it asked for")
        }
        withExtendedLifetime((issuer, server, provider)) {}
        let linking = facts.highest.isSwiftDynamic ? "Swift as libraries" : "Swift in the executable, as on boards"
        return [
            Figure("plugin, highest memory (PSS, \(linking))", facts.highest.alone, "MiB"),
            Figure("plugin, highest anonymous memory", facts.highest.anonymous, "MiB"),
            Figure("from the last answer to the plugin's end", (end - rested) / .seconds(1), "s"),
        ]
    }

    private static func serve(_ provider: ProviderStandIn, _ core: Core) {
        provider.on("GetStep") { _ in
            core.look()
            return core.facts.withLock { facts in
                guard let step = facts.steps.first else {
                    facts.rested = .now
                    return .reply(["seconds": 7_200])
                }
                return .reply(["seconds": 1, "step": step])
            }
        }
        provider.on("SignEvidence") { parameters in
            let nonce = Base64.bytes(parameters["challenge"]?.string ?? "") ?? []
            return .reply(["authorization": .string(EvidenceScheme.authorization(nonce))])
        }
        provider.on("TakeToken") { parameters in
            let isToken = parameters["answer"] != nil
            core.facts.withLock { facts in
                facts.steps = Array(facts.steps.dropFirst())
                if isToken { facts.tokens += 1 }
            }
            return .reply(["isToken": .bool(isToken)])
        }
        provider.on("EndDonation") { parameters in
            core.facts.withLock { facts in
                facts.steps = Array(facts.steps.dropFirst())
                if parameters["outcome"] == "taken" { facts.donations += 1 }
            }
            return .reply([:])
        }
    }
}
