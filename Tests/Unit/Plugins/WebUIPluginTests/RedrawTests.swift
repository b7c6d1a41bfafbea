// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import JSON
import PluginKit
import PluginTestKit
import Testing
import Varlink
import VarlinkSocket

@testable import WebUIPlugin

/// Pages that are left open draw themselves anew when there is news: the wearer's for the wearer's, a technician's never for them. That it was drawn
/// would tell already, whatever stands there.
@Suite struct RedrawTests {
    private static let sessions: [(role: Access1.Role, digits: String)] = [
        (.technicianReadOnly, String(repeating: "5e", count: 32)), (.technician, String(repeating: "c4", count: 32)),
        (.wearer, String(repeating: "a7", count: 32)),
    ]

    /// A page's stream of events.
    private final class Stream {
        private let connection: LocalStream
        var events: Int { connection.heard.ranges(of: "event: ").count }
        var heard: String { connection.heard }

        init(_ port: UInt16, _ path: String, _ digits: String) throws {
            connection = try LocalStream(
                port, "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: __Host-vigil-session=\(digits)\r\n\r\n")
        }

        func listen() { connection.listen() }
    }

    /// Stands in for the core and for sync and diagnosis: who watches is kept, with the role that the connection showed.
    private final class Core {
        private var standIn: StandIn?
        private var roles: [UInt64: Access1.Role] = [:]
        private(set) var watching: [(method: String, role: Access1.Role?, call: IncomingCall)] = []

        init(_ folder: String) throws {
            standIn = try StandIn(folder, InterfaceTexts.all) { [unowned self] in try take($0) }
        }

        private func take(_ call: IncomingCall) throws {
            if call.method == "\(Access1.name).UseSession" {
                let use = try call.decode(Access1.UseSessionCall.self)
                guard let role = RedrawTests.sessions.first(where: { $0.digits == use.session })?.role else {
                    throw CallFailure("\(Access1.name).NotSignedIn")
                }
                roles[call.connectionNumber] = role
                call.reply(Access1.UseSessionReply(role: role))
                return
            }
            if call.method == "\(Access1.name).MakeProof" {
                // As the core: only the wearer has one.
                guard roles[call.connectionNumber] == .wearer else { throw CallFailure("\(Access1.name).WrongRole") }
                call.reply(Access1.MakeProofReply(proof: "of the wearer"))
                return
            }
            let isWatch = call.method.hasSuffix(".Watch")
            if isWatch {
                let role = call.parameters["proof"] == nil ? roles[call.connectionNumber] : .wearer
                watching.append((call.method, role, call))
            }
            call.reply(sample(call.method), continues: isWatch)
        }

        private func sample(_ name: String) -> JSON { standIn?.sample(name) ?? .empty }

        /// News of those that the wearer alone is told of.
        func tellTheWearer() {
            for watcher in watching where watcher.role == .wearer {
                watcher.call.reply(sample(watcher.method), continues: true)
            }
        }

        /// News for everybody.
        func tellAll() { for watcher in watching { watcher.call.reply(sample(watcher.method), continues: true) } }

        func turn(at now: Duration) { standIn?.turn(at: now) }
    }

    @Test func newsOfTheWearerRedrawNoTechniciansPage() throws {
        let bench = try PluginBench<WebUI>.page()
        let core = try Core(bench.supervisor.folder.path + "/run/")
        let port = try bench.supervisor.listen("web")
        try bench.start()
        // The clock stands still, so nothing is drawn because it is time for it.
        var streams = try Self.sessions.map { try Stream(port, "/events?of=today,sync,overview", $0.digits) }
        func turn(until done: () -> Bool) throws {
            try bench.turn {
                core.turn(at: bench.clock.now)
                for stream in streams { stream.listen() }
                return done()
            }
        }
        /// Everything that is under way comes to its end.
        func settle() {
            for _ in 0..<60 {
                bench.host.turn(until: .zero)
                core.turn(at: bench.clock.now)
                for stream in streams { stream.listen() }
                usleep(500)
            }
        }
        // The page's streams end before the page does.
        defer {
            streams = []
            bench.advance(by: .seconds(2))
            settle()
        }
        // All draw themselves once, and everything is watched that each may watch.
        func isWatched(_ method: String, _ role: Access1.Role?) -> Bool {
            core.watching.contains { $0.method == method && $0.role == role }
        }
        try turn {
            streams.allSatisfy { $0.events > 0 } && isWatched("\(Risk1.name).Watch", .wearer)
                && isWatched("\(Diagnosis1.name).Watch", .wearer)
                && Self.sessions.allSatisfy { isWatched("\(Exposure1.name).Watch", $0.role) }
        }
        settle()
        #expect(!isWatched("\(Risk1.name).Watch", .technicianReadOnly) && !isWatched("\(Risk1.name).Watch", .technician))
        let before = streams.map(\.events)
        let (technicianReadOnly, technician, wearer) = (streams[0], streams[1], streams[2])
        for round in 1...3 {
            let count = wearer.events
            core.tellTheWearer()
            try turn { wearer.events > count }
            settle()
            #expect(technicianReadOnly.events == before[0] && technician.events == before[1], "round \(round)")
        }
        // They do draw themselves anew: for what everybody is told.
        core.tellAll()
        try turn { technicianReadOnly.events > before[0] && technician.events > before[1] }
    }
}
