// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import JSON
import Testing
import TimeTrust
import Varlink
import VarlinkSocket

@testable import Core

/// The core's interfaces behind a real server on real sockets, with a page and a console, in time that the test makes.
final class AccessDesk {
    let bench: ExposureServiceBench
    let server = VarlinkServer(checksReplies: true)
    let interfaces: CoreInterfaces

    /// A connection, as a caller has it.
    final class Line {
        let descriptor: Int32
        fileprivate var input: [UInt8] = []
        init(_ descriptor: Int32) { self.descriptor = descriptor }
        deinit { close(descriptor) }
    }

    init(_ bench: ExposureServiceBench? = nil) throws {
        let bench = try bench ?? ExposureServiceBench(access: AccessControl(data: nil, iterations: 600))
        self.bench = bench
        let callers = [
            Caller(name: "ctl", reading: .windows, spool: nil, presence: Caller.console, isBoundToSessions: true),
            Caller(name: "page", reading: .windows, spool: nil, presence: "caller", isBoundToSessions: true),
            Caller(name: "otherPage", reading: .windows, spool: nil, presence: "caller", isBoundToSessions: true),
            Caller(name: "sync", reading: .nothing, spool: nil, presence: "caller"),
            Caller(name: "diagnosis", spool: nil, presence: "caller") { $0.hasPrefix("org.vigil.release1.") },
        ]
        interfaces = CoreInterfaces(bench.service, callers: callers, clock: { bench.now })
        interfaces.serve(on: server)
        for caller in callers {
            server.add(
                Edge(name: caller.name, listener: nil, grants: .everything, description: try CoreSockets.service()))
        }
    }

    func connect(_ name: String = "page") throws -> Line {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        try server.adopt(ends[0], on: name)
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        return Line(ends[1])
    }

    func send(_ line: Line, _ method: String, _ parameters: JSON = .empty, more: Bool = false) {
        var call: JSON = ["method": .string(method), "parameters": parameters]
        if more { call = ["method": .string(method), "parameters": parameters, "more": true] }
        let bytes = call.bytes + [0]
        _ = bytes.withUnsafeBytes { Glibc.send(line.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// One turn of the core, as its service makes them. Gives whether anything is to be hashed.
    func turn() {
        var descriptors = server.descriptors()
        _ = poll(&descriptors, nfds_t(descriptors.count), 0)
        server.serve(descriptors, at: bench.now.duration)
        bench.service.signIn.advance(at: bench.now, in: bench.beacon.workWindow)
    }

    /// The next message, if one comes within so many turns.
    func receive(_ line: Line, turns: Int = 3_000) -> JSON? {
        for _ in 0..<turns {
            if let end = line.input.firstIndex(of: 0) {
                defer { line.input.removeFirst(end + 1) }
                return try? JSON(parsing: Array(line.input[..<end]))
            }
            turn()
            var piece = [UInt8](repeating: 0, count: 65_536)
            let count = recv(line.descriptor, &piece, piece.count, 0)
            if count > 0 { line.input += piece[..<count] }
        }
        return nil
    }

    @discardableResult
    func call(_ line: Line, _ method: String, _ parameters: JSON = .empty, more: Bool = false) -> JSON? {
        send(line, method, parameters, more: more)
        return receive(line)
    }

    /// What the console makes for a role.
    func makeSecret(_ role: Access1.Role) throws -> String {
        let reply = try call(connect("ctl"), "org.vigil.access1.MakeSecret", ["role": .string(role.rawValue)])
        return try #require(reply?["parameters"]?["secret"]?.string)
    }

    func signIn(_ role: Access1.Role, _ secret: String) throws -> JSON? {
        try call(
            connect(), "org.vigil.access1.SignIn", ["role": .string(role.rawValue), "secret": .string(secret)])
    }

    /// A connection that acts for a fresh session.
    func connect(as role: Access1.Role, at page: String = "page") throws -> Line {
        let line = try connect(page)
        let session = bench.service.signIn.access.makeSession(role, at: bench.now.duration).session
        let reply = call(line, "org.vigil.access1.UseSession", ["session": .string(session)])
        #expect(reply?["parameters"]?["role"]?.string == role.rawValue)
        return line
    }

    func kinds() throws -> [String] { try bench.service.audit(after: nil).records.map(\.kind) }
}
