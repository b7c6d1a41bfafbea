// SPDX-License-Identifier: Apache-2.0

import Interfaces
import PluginKit
import PluginTestKit
import Testing
import Varlink

@testable import WebUIPlugin

/// Nothing but the part of the page that asks.
private final class Asking: Plugin {
    struct Settings: Decodable {}
    let client: InterfaceClient

    init(_ host: Host<Settings>) throws { client = InterfaceClient(host) }
}

/// Other plugins know no sessions: what the law says of their methods, the page holds to, whatever route leads to the call.
struct AskerTests {
    @Test(arguments: [nil, .wearer, .technicianReadOnly, .technician] as [Access1.Role?])
    func aMethodOfAnotherPluginIsAskedForARoleOfTheLaw(role: Access1.Role?) throws {
        var sync: ProviderStandIn?
        let bench = try PluginBench<Asking> {
            sync = try $0.provide(Sync1.text, granted: Sync1.Method.allCases.map(\.rawValue))
        }
        let provider = try #require(sync)
        provider.on(Sync1.Method.syncNow.rawValue, reply: [:])
        provider.on(Sync1.Method.getFreshness.rawValue, reply: ["freshness": ["sources": [], "running": false]])
        try bench.start()
        for method in [Sync1.Method.syncNow, .getFreshness] {
            var answer: InterfaceClient.Answer?
            bench.plugin.client.ask(.init(method), session: nil, role: role) { answer = $0 }
            try bench.turn { answer != nil }
            let mayAsk = method.law.roles.contains(Law.Holder(role))
            switch try #require(answer) {
            case .success: #expect(mayAsk, "\(method)")
            case .failure(let error):
                #expect(!mayAsk, "\(method): \(error)")
                #expect(Problem(error) == Problem(403, "WrongRole"))
            }
        }
    }

    /// What is the wearer's at another plugin is asked for with a proof that the core made for that session, and for nobody else.
    @Test(arguments: [nil, .wearer, .technicianReadOnly, .technician] as [Access1.Role?])
    func whatIsTheWearersIsAskedForWithAProof(role: Access1.Role?) throws {
        var core: ProviderStandIn?
        var diagnosis: ProviderStandIn?
        let bench = try PluginBench<Asking> {
            core = try $0.provide(Access1.text, granted: ["UseSession", "MakeProof"])
            diagnosis = try $0.provide(Diagnosis1.text, granted: Diagnosis1.Method.allCases.map(\.rawValue))
        }
        try #require(core).on("UseSession", reply: role.map { ["role": .string($0.rawValue)] } ?? .empty)
        try #require(core).on("MakeProof", reply: ["proof": "of this session"])
        // `Watch` answers several times; the open page asks for it by itself.
        let methods = Diagnosis1.Method.allCases.filter { InterfaceClient.needsProof($0) && $0 != .watch }
        #expect(methods.count >= 7)
        let provider = try #require(diagnosis)
        func shape(_ method: Diagnosis1.Method) throws -> InterfaceDescription.Method {
            try #require(provider.interface.method(named: method.rawValue))
        }
        for method in methods {
            provider.on(method.rawValue, reply: SampleAnswer.of(try shape(method).results, provider.interface))
        }
        try bench.start()
        for method in methods {
            var answer: InterfaceClient.Answer?
            let fields = try shape(method).parameters.filter { $0.name != "proof" }
            let question = InterfaceClient.Question(method, parameters: SampleAnswer.of(fields, provider.interface))
            bench.plugin.client.ask(question, session: "session", role: role) { answer = $0 }
            try bench.turn { answer != nil }
            if case .failure(let error) = try #require(answer) {
                #expect(role != .wearer, "\(method): \(error)")
            } else {
                #expect(role == .wearer, "\(method)")
                #expect(provider.calls.last?.parameters["proof"] == "of this session", "\(method)")
            }
        }
        #expect(role == .wearer || provider.calls.isEmpty)
    }

    /// Of a plugin that has a wearer's half and a host's, both need a proof for each method; what anybody may ask, and what no page may, need none.
    @Test func bothHalvesOfCheckInNeedProofs() {
        let proven = Checkin1.Method.allCases.filter { InterfaceClient.needsProof($0) }
        #expect(
            proven.count { $0.law.roles == [.wearer] } == 11 && proven.count { $0.law.roles.contains(.technician) } == 10)
        let others = Checkin1.Method.allCases.filter { !InterfaceClient.needsProof($0) }
        #expect(others.allSatisfy { $0.law.roles.isEmpty || $0.law.roles.contains(.nobody) } && others.contains(.getScreen))
    }
}
