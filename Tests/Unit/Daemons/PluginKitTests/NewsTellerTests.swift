// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import JSON
import PluginKit
import PluginTestKit
import Testing
import Varlink
import VarlinkSocket

/// Tells of its news.
private final class Telling: Plugin {
    struct Settings: Decodable {}
    static let version = "1"
    let teller: NewsTeller
    let book = Book()

    final class Book { var hasNews = false }

    init(_ host: Host<Settings>) throws {
        let book = book
        teller = NewsTeller(host) { book.hasNews }
    }
}

/// A core that answers when the test says so. Calls that are there at the same time could be taken in any order.
@Suite struct NewsTellerTests {
    private let bench: PluginBench<Telling>
    private let server = VarlinkServer()
    private let core: Core

    private final class Core {
        var waiting: [IncomingCall] = []
        var heard: [Bool] = []
    }

    init() throws {
        bench = try PluginBench<Telling>()
        let core = Core()
        self.core = core
        server.handler = { call in
            core.heard.append(try call.decode(Indicator1.NewsCall.self).news)
            core.waiting.append(call)
        }
        server.add(
            Edge(
                name: "core", listener: try VarlinkListener(path: "\(bench.supervisor.folder.path)/run/\(Indicator1.name)"),
                grants: .everything,
                description: try ServiceDescription(
                    vendor: "Vigil", product: "stand-in", version: "0", url: "",
                    interfaces: [InterfaceDescription(parsing: InterfaceTexts.core[Indicator1.name] ?? "")])))
        try bench.start()
    }

    private func turn(line: UInt = #line, until done: () -> Bool) throws {
        try bench.turn(line: line) {
            var ready = server.descriptors()
            _ = poll(&ready, nfds_t(ready.count), 0)
            server.serve(ready, at: bench.clock.now)
            return done()
        }
    }

    private func tell(_ news: Bool) {
        bench.plugin.book.hasNews = news
        bench.plugin.teller.tell()
    }

    @Test func oneCallAtATimeAndTheLastWordIsTheLatest() throws {
        tell(true)
        for _ in 0..<20 { tell(true) }
        tell(false)
        try turn { core.waiting.count == 1 }
        // Room for others, had there been any.
        var rounds = 0
        try turn {
            rounds += 1
            return rounds > 50
        }
        #expect(core.heard == [true] && server.counters.connections == 1)
        core.waiting.removeFirst().reply(Nothing())
        try turn { core.waiting.count == 1 }
        #expect(core.heard == [true, false])
        // It has changed again while the second one is under way.
        tell(true)
        core.waiting.removeFirst().reply(Nothing())
        try turn { core.waiting.count == 1 }
        #expect(core.heard == [true, false, true])
        core.waiting.removeFirst().reply(Nothing())
        try turn { server.connectionCount == 0 }
        #expect(core.heard.count == 3)
    }

    /// What was not taken is no reason to be silent from then on.
    @Test func aRefusalOrSilenceEndsACall() throws {
        tell(true)
        try turn { core.waiting.count == 1 }
        core.waiting.removeFirst().fail("org.varlink.service.PermissionDenied", parameters: [:])
        try turn { server.connectionCount == 0 }
        tell(true)
        try turn { core.waiting.count == 1 }
        tell(false)
        bench.advance(by: VarlinkClient.defaultTimeout + .seconds(1))
        try turn { core.heard.count == 3 }
        #expect(core.heard == [true, true, false])
    }
}
