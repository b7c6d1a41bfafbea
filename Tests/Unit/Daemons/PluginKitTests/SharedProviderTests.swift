// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import PluginKit
import PluginTestKit
import Testing
import Varlink
import VarlinkSocket

/// Asks one provider by two of its names.
private final class Asking: Plugin {
    struct Settings: Decodable {}
    static let version = "1"
    let host: Host<Settings>
    init(_ host: Host<Settings>) throws { self.host = host }
}

@Suite struct SharedProviderTests {
    private static func text(_ name: String) -> String {
        """
        # Answers.
        interface \(name)
        # Waits.
        method Wait() -> (name: string)
        """
    }

    /// A provider's interfaces are one socket with several names, and what may be open there is counted together.
    @Test func callsOfAllInterfacesOfAProviderShareItsConnections() throws {
        let bench = try PluginBench<Asking>()
        try bench.start()
        let names = ["org.example.one1", "org.example.other1", "org.example.third1"]
        let folder = bench.supervisor.folder.path + "/run/"
        let server = VarlinkServer()
        var waiting: [IncomingCall] = []
        server.handler = { waiting.append($0) }
        server.add(
            Edge(
                name: "asking", listener: try VarlinkListener(path: folder + names[0]), grants: .everything,
                description: try ServiceDescription(
                    vendor: "Vigil", product: "stand-in", version: "0", url: "",
                    interfaces: names.map { try InterfaceDescription(parsing: Self.text($0)) })))
        // As the supervisor does.
        for name in names.dropFirst() { try #require(symlink(names[0], folder + name) == 0) }
        var answers: [String] = []
        var faults: [CallError] = []
        for round in 0..<20 {
            for name in names {
                bench.host.call("\(name).Wait", as: JSON.self) { result in
                    switch result {
                    case .success(let reply): answers.append(reply["name"]?.string ?? "")
                    case .failure(let error): faults.append(error)
                    }
                }
            }
            if round == 0 { #expect(answers.isEmpty) }
        }
        var most = 0
        func turn() {
            var ready = server.descriptors()
            _ = poll(&ready, nfds_t(ready.count), 0)
            server.serve(ready, at: bench.clock.now)
            most = max(most, server.connectionCount)
        }
        try bench.turn {
            turn()
            return waiting.count == VarlinkCaller.connectionLimit
        }
        // As many as there may be, and all the others have their turn.
        for _ in 0..<50 {
            bench.host.turn(until: .zero)
            turn()
        }
        #expect(waiting.count == VarlinkCaller.connectionLimit)
        try bench.turn {
            turn()
            for call in waiting { call.reply(["name": .string(call.method)] as JSON) }
            waiting = []
            return answers.count + faults.count == 60
        }
        #expect(faults.isEmpty, "\(faults)")
        #expect(names.allSatisfy { name in answers.count { $0 == "\(name).Wait" } == 20 })
        #expect(server.counters.refusedConnections == 0)
        #expect(most <= VarlinkServer.connectionsPerEdge)
    }
}
