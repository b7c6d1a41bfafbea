// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import PluginTestKit
import Testing
import Varlink
import VarlinkSocket
import WebSafety

@testable import WebUIPlugin

/// Pages of a device with the plugin that knows venues: a technician starts an event that begins now, and a stranger asks for the screen.
@Suite struct StartEventTests {
    /// What the stand-in says, and has heard.
    private final class Core {
        /// Unix milliseconds of the core's clock; `nil` while it is not known.
        var now: Int64?
        var started: [Checkin1.StartCall] = []
        /// The device's role.
        var role = "person"
        /// Calls of the plugin's screen.
        var screens = 0
    }

    private let bench: PluginBench<WebUI>
    private let port: UInt16
    private let core: Core
    private let standIn: StandIn

    init() throws {
        bench = try PluginBench<WebUI>.page()
        let core = Core()
        standIn = try StandIn(bench.supervisor.folder.path + "/run/", signedIn: .technician) { standIn, call in
            switch call.method {
            case "\(Device1.name).GetTime":
                var time: JSON.Object = ["state": core.now == nil ? "untrusted" : "authenticated", "sentence": "x"]
                time["now"] = core.now.map(JSON.int)
                call.reply(["time": .object(time)] as JSON)
            case "\(Exposure1.name).GetStatus":
                var status = standIn.sample(call.method)["status"]?.object ?? JSON.Object()
                status["role"] = .string(core.role)
                call.reply(["status": .object(status)] as JSON)
            default:
                if call.method == "\(Checkin1.name).GetScreen" { core.screens += 1 }
                if call.method == "\(Checkin1.name).Start" { core.started.append(try call.decode(Checkin1.StartCall.self)) }
                return false
            }
            return true
        }
        self.core = core
        port = try bench.supervisor.listen("web")
        try bench.start()
    }

    /// No page was shown by this process before, so it knows nothing of the core's clock, which is years behind the system's.
    @Test func anEventThatBeginsNowBeginsByTheCoresClock() throws {
        let token = try bench.plugin.router.tokens.token(for: PluginBench<WebUI>.session)
        func start() throws -> String {
            let body = "form=\(token)&act=startEvent&event=&eventKind=culture&hours=2&date=&time="
            return try bench.fetch(
                "POST /tech/places/1 HTTP/1.1\r\nOrigin: http://127.0.0.1:\(port)\r\n"
                    + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)", port,
                body: body, from: standIn)
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
        func get(_ path: String) throws -> String {
            try bench.fetch("GET \(path) HTTP/1.1", port, isSignedIn: false, from: standIn)
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
