// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import PluginKit
import PluginTestKit
import Testing
import Varlink
import VarlinkSocket

/// A plugin with one method that is the wearer's.
private final class Door: Plugin {
    struct Settings: Decodable {}
    enum Method: String, InterfaceMethod {
        case enter = "Enter"
        static let interface = "org.example.door1"
    }
    static let text = """
        # A door.
        interface org.example.door1
        # Enters.
        method Enter(proof: ?string) -> (seconds: ?int)
        # Nobody was behind it.
        error NotSignedIn ()
        """

    init(_ host: Host<Settings>) throws {
        let gate = ProofGate(host)
        try host.serve(Self.text).answer(Method.self) { method in
            .call { call in
                gate.prove(call, method) { life in
                    call.reply(["seconds": life.map { .int($0.components.seconds) } ?? .null] as JSON)
                }
            }
        }
    }
}

@Suite struct ProofGateTests {
    private func bench(_ answer: ProviderStandIn.Answer?) throws -> (PluginBench<Door>, core: ProviderStandIn?) {
        var core: ProviderStandIn?
        let bench = try PluginBench<Door>(name: "door", settings: [:]) { supervisor in
            guard let answer else { return }
            let access = try supervisor.provide(InterfaceTexts.all[Access1.name] ?? "", granted: ["RedeemProof"])
            // For the method that was called, and no other.
            access.on("RedeemProof") { parameters in
                parameters["proof"] == "good" && parameters["method"] == "org.example.door1.Enter"
                    ? answer : .failure("\(Access1.name).NotSignedIn", [:])
            }
            core = access
        }
        return (bench, core)
    }

    private func enter(_ bench: PluginBench<Door>, _ parameters: JSON, as caller: String = "page") throws -> JSON? {
        try bench.call(Door.Method.enter.path, parameters, as: caller)["seconds"]
    }

    @Test func whoeverHasAGoodProofPasses() throws {
        for (seconds, life) in [(60, 60), (-1, 0), (Int64.max, 3_600)] as [(Int64, Int64)] {
            let (bench, core) = try bench(.reply(["seconds": .int(seconds)]))
            try bench.start()
            #expect(try enter(bench, ["proof": "good"]) == .int(life))
            // The console is the operator's, and has no proof.
            #expect(try enter(bench, [:], as: ProofGate.console) == .null)
            for bad in [[:], ["proof": "bad"], ["proof": ""]] as [JSON] {
                let error = #expect(throws: VarlinkSocketError.self) { try enter(bench, bad) }
                #expect(error?.reply?.error == "org.example.door1.NotSignedIn", "\(bad)")
            }
            #expect(core?.calls.count == 3)
        }
    }

    @Test func withoutTheCoresWordNobodyPasses() throws {
        let (bench, _) = try bench(nil)
        try bench.start()
        #expect(throws: VarlinkSocketError.self) { try enter(bench, ["proof": "good"]) }
        #expect(try enter(bench, [:], as: ProofGate.console) == .null)
    }
}
