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

/// A technician loads pages before and after the wearer does something on the same device: nothing of it reaches the technician.
@Suite struct TwinPageTests {
    private static let sessions: [(role: Access1.Role, digits: String)] = [
        (.technicianReadOnly, String(repeating: "5e", count: 32)), (.wearer, String(repeating: "a7", count: 32)),
    ]

    private static func digits(_ role: Access1.Role) -> String { sessions.first { $0.role == role }?.digits ?? "" }

    /// A script's request, and what comes back.
    private static func ask(
        _ port: UInt16, _ method: String, _ path: String, as role: Access1.Role
    ) throws -> LocalStream {
        let body = method == "GET" ? "" : "Content-Type: application/json\r\nContent-Length: 2\r\n"
        return try LocalStream(
            port,
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(digits(role))\r\n"
                + "Connection: close\r\n\(body)\r\n" + (method == "GET" ? "" : "{}"))
    }

    /// Stands in for the core, with all its interfaces on one socket: answers as the interface says.
    private final class Core {
        private var standIn: StandIn?

        init(_ folder: String) throws {
            standIn = try StandIn(folder, InterfaceTexts.core) { [unowned self] in try take($0) }
        }

        private func take(_ call: IncomingCall) throws {
            if call.method == "\(Access1.name).UseSession" {
                let use = try call.decode(Access1.UseSessionCall.self)
                guard let role = TwinPageTests.sessions.first(where: { $0.digits == use.session })?.role else {
                    throw CallFailure("\(Access1.name).NotSignedIn")
                }
                call.reply(Access1.UseSessionReply(role: role))
                return
            }
            call.reply(standIn?.sample(call.method) ?? .empty, continues: call.method.hasSuffix(".Watch"))
        }

        func turn(at now: Duration) { standIn?.turn(at: now) }
    }

    private let bench: PluginBench<WebUI>
    private let core: Core
    private let port: UInt16

    init() throws {
        bench = try PluginBench<WebUI>.page()
        core = try Core(bench.supervisor.folder.path + "/run/")
        port = try bench.supervisor.listen("web")
        try bench.start()
    }

    private func turn(_ tabs: [LocalStream], until done: () throws -> Bool) throws {
        var failure: (any Error)?
        try bench.turn {
            core.turn(at: bench.clock.now)
            for tab in tabs { tab.listen() }
            do { return try done() } catch {
                failure = error
                return true
            }
        }
        if let failure { throw failure }
    }

    /// The whole answer, without the moment at which it was made and what is drawn by chance.
    private func load(_ method: String, _ path: String, as role: Access1.Role) throws -> String {
        let tab = try Self.ask(port, method, path, as: role)
        try turn([tab]) { tab.isOver }
        return tab.heard.split(separator: "\r\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("Date:") }
            .joined(separator: "\r\n").replacing(/[0-9a-f]{32,}/) { "\($0.output.count) random digits" }
    }

    /// Every page and answer that a technician can load is the same, header by header, before and after the wearer did all that a wearer can do.
    @Test func whatTheWearerDidIsOnNoTechniciansPage() throws {
        var paths: [String] = []
        for route in bench.plugin.router.routes {
            guard let action = route.action("GET"), action.roles?.contains(.technicianReadOnly) ?? true else { continue }
            let parts = route.pattern.map { part in
                if case .word(let word) = part { word } else { "1" }
            }
            if parts != ["events"] { paths.append("/" + parts.joined(separator: "/")) }
        }
        #expect(paths.count > 40, "\(paths)")
        // Twice: what only the first visit sees.
        for path in paths { _ = try load("GET", path, as: .technicianReadOnly) }
        let before = try paths.map { try load("GET", $0, as: .technicianReadOnly) }
        let actions = Operation.all.filter { $0.method != "GET" && $0.roles == [.wearer] }
        #expect(actions.count >= 5)
        for action in actions {
            let path = OpenAPIText.base + action.path.replacing("{number}", with: "1").replacing("{name}", with: "1")
            let answer = try load(action.method, path, as: .wearer)
            #expect(
                answer.hasPrefix("HTTP/1.1 ") && !answer.hasPrefix("HTTP/1.1 401"), "\(action.id): \(answer.prefix(40))")
        }
        for (path, text) in zip(paths, before) {
            let after = try load("GET", path, as: .technicianReadOnly)
            #expect(after == text, "\(path)")
        }
    }
}
