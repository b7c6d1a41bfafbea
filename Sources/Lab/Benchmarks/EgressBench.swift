// SPDX-License-Identifier: Apache-2.0

import Egress
import Glibc
import Logging
import ProcessLink

/// A running egress with one caller, and a service for it to go to.
final class EgressBench {
    struct Failure: Error {
        /// errno
        let error: Int32
    }

    private let control: ControlSocket
    private let port: UInt16

    init(allowing destination: UInt16) throws {
        let (control, other) = try ControlSocket.pair()
        self.control = control
        var limits = EgressLimits()
        limits.connectionsPerCaller = 1_000
        limits.connections = 1_000
        try Self.onThread { [limits] in
            let log = Logger(label: "egress") { _ in SwiftLogNoOpLogHandler() }
            let service = try? EgressService(
                control: ControlSocket(adopting: other), heartbeat: .seconds(30), version: "0", limits: limits, log: log)
            _ = service?.run()
        }
        let (listener, port) = try Self.listen()
        self.port = port
        control.send(
            ControlMessage("SOCKS", ["caller": "bench", "allow": "127.0.0.1:\(destination)!"]), descriptor: listener)
        control.send("START")
        close(listener)
    }

    func stop() { control.send("STOP") }

    /// A connection through it.
    func open(to destination: UInt16) throws -> Int32 {
        let descriptor = try Self.connect(port)
        try Self.send(
            descriptor,
            [5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1, UInt8(destination >> 8), UInt8(truncatingIfNeeded: destination)])
        guard Self.receive(descriptor, 12) == 12 else { throw Failure(error: errno) }
        return descriptor
    }

    /// Swallows what comes after a first byte of 1, and says it again after any other.
    final class Server {
        let port: UInt16

        init() throws {
            let (listener, port) = try EgressBench.listen()
            self.port = port
            try EgressBench.onThread {
                while true {
                    let connection = accept(listener, nil, nil)
                    guard connection >= 0 else { return }
                    _ = try? EgressBench.onThread { Self.serve(connection) }
                }
            }
        }

        private static func serve(_ descriptor: Int32) {
            defer { close(descriptor) }
            EgressBench.hurry(descriptor)
            var kind: UInt8 = 0
            guard recv(descriptor, &kind, 1, 0) == 1 else { return }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                if kind != 1, (try? EgressBench.send(descriptor, Array(buffer[..<count]))) == nil { return }
            }
        }
    }

    static func microseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }

    static func connect(_ port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = loopback(port)
        guard with(&address, { Glibc.connect(descriptor, $0, $1) }) == 0 else { throw Failure(error: errno) }
        hurry(descriptor)
        return descriptor
    }

    static func send(_ descriptor: Int32, _ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                Glibc.send(descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(error: errno) }
            sent += count
        }
    }

    /// How many of so many bytes came before the end.
    static func receive(_ descriptor: Int32, _ count: Int) -> Int {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = recv(descriptor, &bytes, count, Int32(MSG_WAITALL))
        return max(0, got)
    }

    private static func hurry(_ descriptor: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// A listening socket of this machine on a free port; the caller closes it.
    static func listen() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = loopback(0)
        guard with(&address, { bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, 1024) == 0 else {
            throw Failure(error: errno)
        }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { throw Failure(error: errno) }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func with(_ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private static func onThread(_ body: @escaping @Sendable () -> Void) throws {
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let error = pthread_create(
            &thread, nil,
            { pointer in
                if let pointer { Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        guard error == 0 else {
            work.release()
            throw Failure(error: error)
        }
        pthread_detach(thread)
    }
}
