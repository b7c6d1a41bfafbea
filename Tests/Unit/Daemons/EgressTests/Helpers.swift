// SPDX-License-Identifier: Apache-2.0

import Egress
import Glibc
import IPNetwork
import Interfaces
import JSON
import Logging
import ProcessLink
import Socks
import Synchronization
import TestKit
import Testing
import VarlinkSocket

/// A socket that is closed in the end. Waits at most ten seconds for anything.
final class Wire: Sendable {
    let descriptor: Int32

    init(adopting descriptor: Int32) {
        self.descriptor = descriptor
        var time = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Connects to a port of loopback.
    convenience init(port: UInt16) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.init(adopting: descriptor)
        var address = loopback(port)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Unreachable(error: errno) }
    }

    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    func write(_ text: String) { write(Array(text.utf8)) }

    /// Says that no more comes.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closes with a reset, as a process that dies does.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    /// What there is, at least a byte; empty at the end, `nil` after an error or two minutes.
    func readSome(_ limit: Int = 65_536) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &bytes, limit, 0)
        return count < 0 ? nil : Array(bytes[..<count])
    }

    /// So many bytes; fewer when the end comes before.
    func read(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let more = readSome(count - bytes.count), !more.isEmpty { bytes += more }
        return bytes
    }

    func readToEnd() -> [UInt8] {
        var bytes: [UInt8] = []
        while let more = readSome(), !more.isEmpty { bytes += more }
        return bytes
    }

    /// Whether the other side has closed, or reset.
    var isClosed: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT | MSG_PEEK))
        let error = errno
        return count == 0 || count < 0 && error != EAGAIN
    }
}

struct Unreachable: Error { let error: Int32 }

func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
}

/// A listening socket on loopback, and its port.
func listener(version6: Bool = false, backlog: Int32 = 1024) throws -> (descriptor: Int32, port: UInt16) {
    let family = version6 ? AF_INET6 : AF_INET
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try #require(descriptor >= 0)
    var port: UInt16 = 0
    if version6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0[15] = 1 }
        try #require(bound(descriptor, &address))
        port = UInt16(bigEndian: address.sin6_port)
    } else {
        var address = loopback(0)
        try #require(bound(descriptor, &address))
        port = UInt16(bigEndian: address.sin_port)
    }
    try #require(listen(descriptor, backlog) == 0)
    return (descriptor, port)
}

private func bound<Address>(_ descriptor: Int32, _ address: inout Address) -> Bool {
    var length = socklen_t(MemoryLayout<Address>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
        }
    }
}

/// A service somewhere outside: every connection gets a thread.
final class Outside: Sendable {
    let port: UInt16
    let accepted = Mutex(0)
    private let descriptor: Int32

    init(version6: Bool = false, _ serve: @escaping @Sendable (Wire) -> Void) throws {
        let (descriptor, port) = try listener(version6: version6)
        self.descriptor = descriptor
        self.port = port
        onThread { [weak self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { break }
                self?.accepted.withLock { $0 += 1 }
                let wire = Wire(adopting: connection)
                onThread { serve(wire) }
            }
            // Here, or this thread could take the connections of whoever gets the number next.
            close(descriptor)
        }
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    static func echo(version6: Bool = false) throws -> Outside {
        try Outside(version6: version6) { wire in
            while let bytes = wire.readSome(), !bytes.isEmpty { wire.write(bytes) }
        }
    }
}

/// Lines of the log.
final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}

struct LineHandler: LogHandler {
    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        lines.add("\(event.level) \(event.message)\(fields)")
    }
}

/// A running egress, with this test as its supervisor and its callers.
final class Bench {
    private final class Outcome: Sendable { let end = Mutex<EgressService.End?>(nil) }

    let control: ControlSocket
    let lines = Lines()
    private let outcome = Outcome()
    private var ports: [String: UInt16] = [:]

    init(
        limits: EgressLimits = EgressLimits(), heartbeat: Duration = .seconds(30),
        names: @escaping NameLookup = { _ in .failure(Refusal(.nameNotFound)) }
    ) throws {
        let (ours, theirs) = try ControlSocket.pair()
        control = ours
        let (lines, outcome) = (lines, outcome)
        onThread {
            let log = Logger(label: "egress") { _ in LineHandler(lines: lines) }
            let service = try? EgressService(
                control: ControlSocket(adopting: theirs), heartbeat: heartbeat, version: "0", limits: limits, lookup: names,
                log: log)
            let end = service?.run()
            outcome.end.withLock { $0 = end }
        }
        control.send("START")
        try #require(heard() == "READY")
    }

    deinit { control.send("STOP") }

    var end: EgressService.End? { outcome.end.withLock { $0 } }

    /// The next thing the service says.
    func heard(_ seconds: Double = 60) -> String? {
        for _ in 0..<Int(seconds * 200) {
            if case .message(let message, _) = control.receive() { return message.verb }
            usleep(5_000)
        }
        return nil
    }

    /// Lets a caller in, or changes what it may.
    func admit(_ caller: String, _ allow: String, _ more: [String: String] = [:]) throws {
        var values = more
        values["caller"] = caller
        values["allow"] = allow
        guard ports[caller] == nil else {
            #expect(control.send(ControlMessage("SOCKS", values)) == .sent)
            return
        }
        let (descriptor, port) = try listener()
        defer { close(descriptor) }
        ports[caller] = port
        #expect(control.send(ControlMessage("SOCKS", values), descriptor: descriptor) == .sent)
    }

    func port(_ caller: String) throws -> UInt16 { try #require(ports[caller]) }

    /// A connection of the caller's to egress itself.
    func wire(_ caller: String) throws -> Wire { try Wire(port: port(caller)) }

    /// Asks for a destination and gives the connection, and the reply's code; `nil` if it was closed without one.
    func open(_ caller: String, _ host: String, _ port: UInt16) throws -> (wire: Wire, reply: UInt8?) {
        let wire = try wire(caller)
        wire.write([5, 1, 0] + Self.request(host, port))
        try #require(wire.read(2) == [5, 0])
        let reply = wire.read(10)
        return (wire, reply.count == 10 ? reply[1] : nil)
    }

    static func request(_ host: String, _ port: UInt16) -> [UInt8] {
        let tail = [UInt8(port >> 8), UInt8(truncatingIfNeeded: port)]
        if let address = IPAddress(host) { return [5, 1, 0, address.version == .v4 ? 1 : 4] + address.bytes + tail }
        return [5, 1, 0, 3, UInt8(host.utf8.count)] + Array(host.utf8) + tail
    }

    /// What `org.vigil.egress1` says, over a socket of its own each time.
    func traffic() throws -> Egress1.TrafficReply {
        try ask("\(Egress1.name).GetTraffic", JSON.empty, as: Egress1.TrafficReply.self)
    }

    func endpoints(_ caller: String) throws -> [Egress1.Endpoint] {
        try ask("\(Egress1.name).GetEndpoints", Egress1.EndpointsCall(caller: caller), as: Egress1.EndpointsReply.self)
            .endpoints
    }

    func refusals(_ caller: String) throws -> [String: UInt64] {
        try traffic().callers.first { $0.name == caller }?.refusals ?? [:]
    }

    private func ask<Reply: Decodable>(_ method: String, _ call: some Encodable, as type: Reply.Type) throws -> Reply {
        try edge("webui", grants: "\(Egress1.name).GetTraffic,\(Egress1.name).GetEndpoints") { client in
            try client.call(method, call, as: type)
        }
    }

    func edge<Result>(_ name: String, grants: String, _ body: (VarlinkClient) throws -> Result) throws -> Result {
        var template = Array("/tmp/egress-XXXXXX".utf8CString)
        let folder = String(cString: try #require(mkdtemp(&template)))
        defer { rmdir(folder) }
        let listener = try VarlinkListener(path: "\(folder)/socket")
        let message = ControlMessage("EDGE", ["caller": name, "grants": grants])
        #expect(control.send(message, descriptor: listener.descriptor) == .sent)
        return try body(VarlinkClient(path: "\(folder)/socket", timeout: .seconds(60)))
    }
}

/// Names a test gives meaning to.
final class Names: Sendable {
    private let meanings: Mutex<[String: [String]]>
    let questions = Mutex<[String]>([])

    init(_ meanings: [String: [String]]) { self.meanings = Mutex(meanings) }

    func set(_ name: String, _ addresses: [String]) { meanings.withLock { $0[name] = addresses } }

    var lookup: NameLookup {
        { name in
            self.questions.withLock { $0.append(name) }
            guard let texts = self.meanings.withLock({ $0[name] }) else { return .failure(Refusal(.nameNotFound)) }
            return .success(texts.compactMap { IPAddress($0) }.map { Candidate($0) })
        }
    }
}

/// An address of loopback that keeps silent: its queue of connections is full, and Linux drops what asks for another.
final class Silence {
    static let address = "127.0.0.3"
    private var descriptors: [Int32] = []

    init(port: UInt16) throws {
        var address = loopback(port)
        address.sin_addr.s_addr = UInt32(0x7F00_0003).bigEndian
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let listener = socket(AF_INET, type, 0)
        descriptors.append(listener)
        try #require(withAddress(&address) { bind(listener, $0, $1) } == 0)
        try #require(listen(listener, 0) == 0)
        for _ in 0..<8 {
            let filler = socket(AF_INET, type | Int32(SOCK_NONBLOCK.rawValue), 0)
            descriptors.append(filler)
            _ = withAddress(&address) { connect(filler, $0, $1) }
        }
        usleep(50_000)
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    private func withAddress(_ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

func now() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
