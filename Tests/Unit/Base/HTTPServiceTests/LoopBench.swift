// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTPService
import Testing

/// A ``HTTPLoopServer`` on a free port, its loop turned by the test, on a clock that the test can move.
final class LoopBench: HTTPLoopHandler {
    private(set) var server: HTTPLoopServer!
    private(set) var port: UInt16 = 0
    /// Added to the real time.
    var skipped = Duration.zero
    var bodyLimit = 1_024
    var onAnswer: (HTTPExchange) -> Void = { $0.send(.text(200, "hello")) }
    private(set) var requests: [HTTPRequest] = []
    /// The number of heads that were read to their end.
    private(set) var begunCount = 0
    private let started = ContinuousClock().now

    init(_ limits: HTTPLimits = HTTPLimits(), key: String? = nil, certificate: String? = nil) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(isBound)
        port = UInt16(bigEndian: place.sin_port)
        server = HTTPLoopServer(limits: limits, clock: { 1_795_327_628 }, handler: self)
        try server.add(name: "test", descriptor: descriptor, key: key, certificate: certificate)
    }

    func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> {
        begunCount += 1
        if request.headers["content-length"].flatMap(Int.init).map({ $0 > bodyLimit }) == true {
            return .failure(HTTPRefusal(response: .text(413, "too large")))
        }
        return .success(bodyLimit)
    }

    func answer(_ exchange: HTTPExchange) {
        requests.append(exchange.request)
        onAnswer(exchange)
    }

    func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse { .text(413, "too large") }

    var now: Duration { ContinuousClock().now - started + skipped }

    func turn() {
        var list = server.descriptors()
        let due = server.deadline.map { max(.zero, $0 - now) }
        let wait = due.map { $0 < .milliseconds(5) ? Int32(0) : 5 } ?? 5
        poll(&list, nfds_t(list.count), wait)
        server.serve(list.filter { $0.revents != 0 }, at: now)
    }

    /// For at most two minutes.
    func turn(until done: () -> Bool) -> Bool {
        let end = ContinuousClock().now + .seconds(120)
        while !done() {
            if ContinuousClock().now > end { return false }
            turn()
        }
        return true
    }

    func connect() throws -> Client { try Client(port) }

    /// Sends and reads until the answer is whole.
    func ask(_ text: String) throws -> String {
        let client = try connect()
        client.send(text)
        _ = turn { client.isOver || client.isWhole }
        return client.text
    }

    /// One connection, which never waits.
    final class Client {
        private let descriptor: Int32
        private(set) var text = ""
        private(set) var hasEnded = false

        init(_ port: UInt16) throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var place = sockaddr_in()
            place.sin_family = sa_family_t(AF_INET)
            place.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            place.sin_port = port.bigEndian
            let isConnected = withUnsafePointer(to: &place) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            try #require(isConnected)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        }

        deinit { close(descriptor) }

        @discardableResult
        func send(_ text: String) -> Int {
            let bytes = Array(text.utf8)
            return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }

        var isOver: Bool {
            read()
            return hasEnded
        }

        /// Head and as much of a body as it says.
        var isWhole: Bool {
            read()
            guard let end = text.firstRange(of: "\r\n\r\n") else { return false }
            let length = text[..<end.lowerBound].split(separator: "\r\n").first {
                $0.lowercased().hasPrefix("content-length:")
            }
            let count = length.flatMap { Int($0.dropFirst(15).trimmingPrefix(" ")) } ?? 0
            return text[end.upperBound...].utf8.count >= count
        }

        private func read() {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while !hasEnded {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count == 0 || count < 0 && errno != EAGAIN { hasEnded = true }
                guard count > 0 else { return }
                text += String(decoding: buffer[..<count], as: UTF8.self)
            }
        }
    }
}
