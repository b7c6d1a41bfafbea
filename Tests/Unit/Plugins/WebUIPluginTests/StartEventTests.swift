// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import JSON
import PluginKit
import PluginTestKit
import Testing
import Varlink
import VarlinkSocket
import WebSafety

@testable import WebUIPlugin

/// Pages of a device with the plugin that knows venues: a technician starts an event that begins now, and a stranger asks for the screen.
@Suite struct StartEventTests {
    private static let session = String(repeating: "5e", count: 32)

    /// Stands in for the core and for the plugin that knows venues.
    private final class Core {
        private var standIn: StandIn?
        /// Unix milliseconds of the core's clock; `nil` while it is not known.
        var now: Int64?
        private(set) var started: [Checkin1.StartCall] = []
        /// The device's role, and whether anybody has signed in.
        var role = "person"
        /// Calls of the plugin's screen.
        private(set) var screens = 0

        init(_ folder: String) throws {
            standIn = try StandIn(folder, InterfaceTexts.all) { [unowned self] in try take($0) }
        }

        private func take(_ call: IncomingCall) throws {
            switch call.method {
            case "\(Access1.name).UseSession": call.reply(Access1.UseSessionReply(role: .technician))
            case "\(Device1.name).GetTime":
                var time: JSON.Object = ["state": now == nil ? "untrusted" : "authenticated", "sentence": "x"]
                time["now"] = now.map(JSON.int)
                call.reply(["time": .object(time)] as JSON)
            default:
                if call.method == "\(Checkin1.name).GetScreen" { screens += 1 }
                if call.method == "\(Exposure1.name).GetStatus", let sample = standIn?.sample(call.method) {
                    var status = sample["status"]?.object ?? JSON.Object()
                    status["role"] = .string(role)
                    call.reply(["status": .object(status)] as JSON)
                    return
                }
                if call.method == "\(Checkin1.name).Start" { started.append(try call.decode(Checkin1.StartCall.self)) }
                call.reply(standIn?.sample(call.method) ?? .empty, continues: call.method.hasSuffix(".Watch"))
            }
        }

        func turn(at now: Duration) { standIn?.turn(at: now) }
    }

    /// No page was shown by this process before, so it knows nothing of the core's clock, which is years behind the system's.
    @Test func anEventThatBeginsNowBeginsByTheCoresClock() throws {
        let bench = try PluginBench<WebUI>.page()
        let core = try Core(bench.supervisor.folder.path + "/run/")
        let port = try bench.supervisor.listen("web")
        try bench.start()
        let token = try bench.plugin.router.tokens.token(for: Self.session)
        func start() throws -> String {
            let body = "form=\(token)&act=startEvent&event=&eventKind=culture&hours=2&date=&time="
            let tab = try LocalStream(
                port,
                "POST /tech/places/1 HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: __Host-vigil-session=\(Self.session)\r\n"
                    + "Origin: http://127.0.0.1:\(port)\r\nConnection: close\r\n"
                    + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
            try bench.turn {
                core.turn(at: bench.clock.now)
                tab.listen()
                return tab.isOver
            }
            return tab.heard
        }
        core.now = 1_614_850_000_000
        let answer = try start()
        #expect(answer.hasPrefix("HTTP/1.1 303 ") && answer.contains("/tech/codes/1"), "\(answer.prefix(400))")
        #expect(core.started.map(\.begins) == [1_614_850_000] && core.started.map(\.ends) == [1_614_857_200])
        // While the time is not known nothing begins, and the page says why.
        core.now = nil
        let refusal = try start()
        #expect(refusal.hasPrefix("HTTP/1.1 4"), "\(refusal.prefix(400))")
        #expect(core.started.count == 1)
    }

    /// Whoever has not signed in starts no plugin of a wearer's device: neither by the page nor by the interface for scripts.
    @Test func aStrangerStartsNoPluginOfAPersonsDevice() throws {
        let bench = try PluginBench<WebUI>.page()
        let core = try Core(bench.supervisor.folder.path + "/run/")
        let port = try bench.supervisor.listen("web")
        try bench.start()
        func get(_ path: String) throws -> String {
            let tab = try LocalStream(
                port, "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
            try bench.turn {
                core.turn(at: bench.clock.now)
                tab.listen()
                return tab.isOver
            }
            return tab.heard
        }
        for path in ["/screen", "/api/v1/screen"] {
            core.role = "person"
            let before = core.screens
            let refused = try get(path)
            #expect(core.screens == before && !refused.isEmpty, "\(path)")
            core.role = "place"
            _ = try get(path)
            // Scripts have a token.
            #expect(core.screens == before + (path == "/screen" ? 1 : 0), "\(path)")
        }
    }
}
