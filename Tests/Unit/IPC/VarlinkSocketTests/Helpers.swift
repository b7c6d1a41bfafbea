// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import TestKit
import Testing
import Varlink
import VarlinkSocket

/// A caller that says what it likes, byte by byte.
final class RawCaller {
    let descriptor: Int32

    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    /// A program that another test starts holds a copy of each descriptor until it executes: only `shutdown` ends the connection at once.
    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// How many bytes the kernel took.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Int { send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    @discardableResult
    func say(_ message: String) -> Int { write(Array(message.utf8) + [0]) }

    enum Heard: Equatable {
        case bytes([UInt8])
        case end
        case nothing
        case error(Int32)
    }

    func hear() -> Heard {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        let error = errno
        switch count {
        case 0: return .end
        case 1...: return .bytes(Array(buffer[..<count]))
        default: return error == EAGAIN ? .nothing : .error(error)
        }
    }

    /// All replies that are here.
    func replies() throws -> [Reply] {
        var bytes: [UInt8] = []
        while case .bytes(let more) = hear() { bytes += more }
        return try bytes.split(separator: 0).map { try Reply(message: JSON(parsing: $0)) }
    }
}

/// A server on a socket of its own, and the loop around it, in time that the test makes.
final class Site {
    static let interface = """
        interface org.example.site1
        method Echo(word: string) -> (word: string)
        method Later() -> (word: string)
        # [Supports 'more' flag]
        method List(count: int) -> (word: string)
        # [Requires 'more' flag]
        method Watch() -> (word: string)
        method Forget() -> ()
        method Secret() -> ()
        error Wrong (reason: string)
        """

    let folder = try? TemporaryFolder()
    let path: String
    let server: VarlinkServer
    var now = Duration.seconds(100)
    /// Calls that wait for the test.
    var kept: [IncomingCall] = []
    var echoed: [String] = []
    /// What each call takes of the clock.
    var cost = Duration.zero
    var pulled = 0

    static func service() throws -> ServiceDescription {
        try ServiceDescription(
            vendor: "V", product: "P", version: "1", url: "u", interfaces: [InterfaceDescription(parsing: interface)])
    }

    init(grants: Grants = .everything, allowedUsers: Set<uid_t>? = nil, isPaced: Bool = true) throws {
        path = try #require(folder).path + "/socket"
        server = VarlinkServer(checksReplies: true)
        server.add(
            Edge(
                name: "main", listener: try VarlinkListener(path: path, allowedUsers: allowedUsers), grants: grants,
                description: try Self.service(), isPaced: isPaced))
        server.handler = { [unowned self] in try handle($0) }
    }

    private struct Words: Codable { var word: String }
    private struct Count: Codable { var count: Int }

    private func handle(_ call: IncomingCall) throws {
        now += cost
        switch call.method {
        case "org.example.site1.Echo":
            let words = try call.decode(Words.self)
            echoed.append(words.word)
            if words.word == "wrong" { throw CallFailure("org.example.site1.Wrong", ["reason": "it is"]) }
            call.reply(words)
        case "org.example.site1.List":
            let count = try call.decode(Count.self).count
            var next = 0
            call.stream { [unowned self] in
                pulled += 1
                next += 1
                return (["word": .string(String(repeating: "x", count: 1000))], isLast: next == count)
            }
        case "org.example.site1.Forget": break
        default: kept.append(call)
        }
    }

    /// Goes round until nothing is ready and nothing is due.
    func run() {
        for _ in 0..<100_000 {
            var ready = server.descriptors()
            let isDue = server.deadline.map { $0 <= now } ?? false
            let count = poll(&ready, nfds_t(ready.count), 0)
            if count == 0 && !isDue { return }
            server.serve(ready, at: now)
        }
        Issue.record("the server has no rest")
    }

    /// As ``run()``, and on while the server only waits for a moment of the next second.
    func runOn() {
        run()
        let end = now + .seconds(1)
        while let due = server.deadline, due <= end {
            now = max(now, due)
            run()
        }
    }

    func caller() throws -> RawCaller { try RawCaller(path: path) }
}

/// What a thread runs.
private final class ThreadBody {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
}

/// Runs a server while `body` calls it from another thread, with the path of its socket.
func serving(_ site: Site, _ body: @escaping @Sendable (String) -> Void) throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let (path, done) = (site.path, ends[1])
    let threadBody = ThreadBody {
        body(path)
        close(done)
    }
    var thread = pthread_t()
    pthread_create(
        &thread, nil,
        { argument in
            if let argument { Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run() }
            return nil
        }, Unmanaged.passRetained(threadBody).toOpaque())
    while true {
        var ready = site.server.descriptors() + [pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)]
        let isDue = site.server.deadline.map { $0 <= site.now } ?? false
        poll(&ready, nfds_t(ready.count), isDue ? 0 : 1000)
        if ready.last?.revents != 0 { break }
        site.server.serve(ready, at: site.now)
    }
    pthread_join(thread, nil)
    close(ends[0])
}
