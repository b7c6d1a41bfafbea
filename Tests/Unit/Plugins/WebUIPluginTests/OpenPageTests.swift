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

/// A page that is left open asks by itself, which must not look as if somebody were there.
@Suite struct OpenPageTests {
    private static let session = String(repeating: "5e", count: 32)

    /// A browser's connection that stays.
    private static func tab(_ port: UInt16, _ path: String) throws -> LocalStream {
        try LocalStream(
            port, "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: __Host-vigil-session=\(session)\r\n\r\n")
    }

    /// Stands in for the core, with all its interfaces on one socket: notes what is asked, and whether somebody was behind it.
    private final class Core {
        private var standIn: StandIn?
        var isOver = false
        /// `interface.Method`, and whether its connection was said to be unattended; `nil` for nobody's.
        private(set) var asked: [(method: String, isUnattended: Bool?)] = []
        private var connections: [UInt64: Bool] = [:]
        private var watching: [IncomingCall] = []

        init(_ folder: String) throws {
            standIn = try StandIn(folder, InterfaceTexts.core) { [unowned self] in try take($0) }
        }

        private func take(_ call: IncomingCall) throws {
            guard call.method == "\(Access1.name).UseSession" else {
                asked.append((call.method, connections[call.connectionNumber]))
                guard call.method.hasSuffix(".Watch") else { throw CallFailure("org.varlink.service.MethodNotImplemented") }
                return watching.append(call)
            }
            let use = try call.decode(Access1.UseSessionCall.self)
            #expect(use.session == OpenPageTests.session)
            asked.append((call.method, use.unattended ?? false))
            connections[call.connectionNumber] = use.unattended ?? false
            guard !isOver else { throw CallFailure("\(Access1.name).NotSignedIn") }
            call.reply(Access1.UseSessionReply(role: .technicianReadOnly))
        }

        func turn(at now: Duration) { standIn?.turn(at: now) }
    }

    /// A page that is not there has around it what the others have, for whoever has signed in; and keeps no session from ending.
    @Test func aPageThatIsNotThereHasTheFrameOfTheOthers() throws {
        let bench = try PluginBench<WebUI>.page()
        let core = try Core(bench.supervisor.folder.path + "/run/")
        let port = try bench.supervisor.listen("web")
        try bench.start()
        func get(_ path: String) throws -> String {
            let tab = try Self.tab(port, path)
            try bench.turn {
                core.turn(at: bench.clock.now)
                tab.listen()
                return tab.heard.contains("</html>") || tab.heard.contains("\"code\"")
            }
            return tab.heard
        }
        let known = try get("/help")
        let frame = ["action=\"/sign-out\"", "href=\"/tech\"", "class=\"main-nav\""]
        #expect(known.hasPrefix("HTTP/1.1 200 ") && frame.allSatisfy(known.contains))
        let before = core.asked.count
        for path in ["/nowhere", "/tech/nowhere", "/history/x/y", "//"] {
            let lost = try get(path)
            #expect(lost.hasPrefix("HTTP/1.1 404 "), "\(path): \(lost.prefix(20))")
            #expect(frame.allSatisfy(lost.contains) && !lost.contains("href=\"/sign-in\""), "\(path)")
            #expect(!lost.contains("nowhere"))
        }
        #expect(core.asked.dropFirst(before).allSatisfy { $0.isUnattended == true }, "\(core.asked.dropFirst(before))")
        // Scripts are told in their own form, and nobody is asked for them.
        let count = core.asked.count
        #expect(try get("/api/v1/nowhere").contains("application/problem+json") && core.asked.count == count)
        // The session is over.
        core.isOver = true
        let strange = try get("/nowhere")
        #expect(strange.hasPrefix("HTTP/1.1 404 ") && strange.contains("href=\"/sign-in\""))
        #expect(!strange.contains("action=\"/sign-out\"") && !strange.contains("href=\"/tech\""))
    }

    /// A body where none is taken is not too large: it is one too many.
    @Test func aBodyWhereNoneIsTakenIsToldSo() throws {
        let bench = try PluginBench<WebUI>.page()
        let core = try Core(bench.supervisor.folder.path + "/run/")
        let port = try bench.supervisor.listen("web")
        try bench.start()
        func ask(_ request: String) throws -> String {
            let script = try LocalStream(port, request)
            try bench.turn {
                core.turn(at: bench.clock.now)
                script.listen()
                return script.heard.contains("}")
            }
            return script.heard
        }
        let head =
            "HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(Self.session)\r\nContent-Type: application/json\r\n"
        for rest in ["Content-Length: 2\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"] {
            let answer = try ask("POST /api/v1/tests/1/result \(head)\(rest)")
            #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("Send this without a body."), "\(answer)")
        }
        let large = try ask("POST /api/v1/tests \(head)Content-Length: 70000\r\n\r\n")
        #expect(large.hasPrefix("HTTP/1.1 413 ") && large.contains("At most 65536 bytes"), "\(large)")
    }

    @Test func whatAnOpenPageAsksIsUnattended() throws {
        let bench = try PluginBench<WebUI>(name: "webui", settings: [:])
        let core = try Core(bench.supervisor.folder.path + "/run/")
        let port = try bench.supervisor.listen("web")
        try bench.start()
        func turn(_ tab: LocalStream, until done: () -> Bool) throws {
            try bench.turn {
                core.turn(at: bench.clock.now)
                tab.listen()
                return done()
            }
        }

        // A person opens a page: who that is, and what stands there.
        let page = try Self.tab(port, "/tech/radio")
        try turn(page) { page.heard.hasPrefix("HTTP/1.1 ") }
        let radio = "\(Device1.name).GetRadio"
        #expect(core.asked.contains { $0.method == radio && $0.isUnattended == false }, "\(core.asked)")
        #expect(core.asked.allSatisfy { $0.isUnattended != true }, "\(core.asked)")

        // The page opens its stream, which watches and asks from then on.
        let before = core.asked.count
        let stream = try Self.tab(port, "/events?of=radio,overview")
        try turn(stream) { stream.heard.contains("text/event-stream") }
        #expect(stream.heard.hasPrefix("HTTP/1.1 200 "))
        for _ in 0..<20 {
            let count = core.asked.count
            bench.advance(by: .seconds(5))
            try turn(stream) { core.asked.count >= count + 4 }
        }
        let asked = core.asked.dropFirst(before)
        for method in ["\(Access1.name).UseSession", radio, "\(Exposure1.name).Watch"] {
            #expect(asked.contains { $0.method == method }, "\(method)")
        }
        #expect(asked.allSatisfy { $0.isUnattended == true }, "\(asked.filter { $0.isUnattended != true })")
        #expect(!stream.heard.contains("event: ended"))

        // The session is over: the page is told to load itself anew, and so is one that comes with it later.
        core.isOver = true
        for _ in 0..<8 where !stream.heard.contains("event: ended") {
            let count = core.asked.count
            bench.advance(by: .seconds(5))
            try turn(stream) { core.asked.count >= count + 2 }
            for _ in 0..<20 {
                bench.host.turn(until: .zero)
                core.turn(at: bench.clock.now)
                stream.listen()
                usleep(500)
            }
        }
        #expect(stream.heard.contains("event: ended"))
        let late = try Self.tab(port, "/events?of=radio")
        try turn(late) { late.heard.contains("event: ended") }
    }
}
