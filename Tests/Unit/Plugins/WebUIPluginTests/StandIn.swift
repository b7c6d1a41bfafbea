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

/// Stands in for those whom the page calls, with all their interfaces on one socket.
final class StandIn {
    private let server = VarlinkServer()
    private let interfaces: [InterfaceDescription]

    /// - Parameters:
    ///   - folder: The plugin's run folder, with a slash at its end.
    ///   - texts: Interface texts by name.
    ///   - take: Answers a call.
    init(_ folder: String, _ texts: [String: String], take: @escaping (IncomingCall) throws -> Void) throws {
        let names = texts.keys.sorted()
        interfaces = try names.map { try InterfaceDescription(parsing: texts[$0] ?? "") }
        server.add(
            Edge(
                name: "webui", listener: try VarlinkListener(path: folder + names[0]), grants: .everything,
                description: try ServiceDescription(
                    vendor: "Vigil", product: "stand-in", version: "0", url: "", interfaces: interfaces)))
        // As the supervisor does.
        for name in names.dropFirst() { try #require(symlink(names[0], folder + name) == 0) }
        server.handler = take
    }

    /// Stands in for all interfaces, with somebody of `role` signed in whatever the session; what `take` leaves (`false`) is
    /// answered as the interface says.
    convenience init(
        _ folder: String, signedIn role: Access1.Role, take: @escaping (StandIn, IncomingCall) throws -> Bool
    ) throws {
        try self.init(folder, InterfaceTexts.all) { _ in }
        server.handler = { [unowned self] call in
            if call.method == "\(Access1.name).UseSession" {
                call.reply(Access1.UseSessionReply(role: role))
            } else if try !take(self, call) {
                call.reply(sample(call.method), continues: call.method.hasSuffix(".Watch"))
            }
        }
    }

    /// A reply to `interface.Method`, as the interface says; empty for an unknown one.
    func sample(_ name: String) -> JSON {
        for interface in interfaces {
            guard let method = interface.methods.first(where: { "\(interface.name).\($0.name)" == name }) else { continue }
            return SampleAnswer.of(method.results, interface)
        }
        return .empty
    }

    func turn(at now: Duration) {
        var ready = server.descriptors()
        _ = poll(&ready, nfds_t(ready.count), 0)
        server.serve(ready, at: now)
    }
}

extension PluginBench<WebUI> {
    /// The page with the texts of this tree.
    static func page() throws -> PluginBench<WebUI> {
        try PluginBench<WebUI>(name: "webui", settings: [:]) { $0.installed = root + "/Plugins/WebUI" }
    }

    /// A session that a stand-in knows.
    static var session: String { String(repeating: "5e", count: 32) }

    /// All that comes back for the lines of `request`, to which this adds the rest of its head, and for `body`. `isSignedIn` says
    /// whether a session goes along.
    func fetch(
        _ request: String, _ port: UInt16, isSignedIn: Bool = true, body: String = "", from standIn: StandIn
    ) throws -> String {
        let cookie = isSignedIn ? "Cookie: __Host-vigil-session=\(Self.session)\r\n" : ""
        let tab = try LocalStream(
            port, "\(request)\r\nHost: 127.0.0.1:\(port)\r\n\(cookie)Connection: close\r\n\r\n\(body)")
        try turn {
            standIn.turn(at: clock.now)
            tab.listen()
            return tab.isOver
        }
        return tab.heard
    }

    private static var root: String {
        let parts = #filePath.split(separator: "/").dropLast(5)
        return "/" + parts.joined(separator: "/")
    }
}
