// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// One connection to a socket of the core, for callers who do not keep to the protocol. Waits at most a minute for anything.
final class CallClient {
    let descriptor: Int32
    private var input: [UInt8] = []

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix(107)) }
        let descriptor = descriptor
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0, "\(path): \(String(cString: strerror(errno)))")
    }

    deinit { close(descriptor) }

    static func message(_ method: String, _ parameters: String = "{}") -> [UInt8] {
        Array(#"{"method":"\#(method)","parameters":\#(parameters)}"#.utf8) + [0]
    }

    /// How many of the bytes were taken; fewer when the other end closed, or does not read and `waits` is false.
    @discardableResult
    func send(_ bytes: [UInt8], waits: Bool = true) -> Int {
        var sent = 0
        while sent < bytes.count {
            let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
            let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress! + sent, $0.count - sent, flags) }
            guard count > 0 else { break }
            sent += count
        }
        return sent
    }

    /// The next message, or `nil` when the connection has ended.
    func receive() -> String? {
        while true {
            if let message = nextMessage() { return message }
            guard fill() else { return nil }
        }
    }

    /// The next message if it is there already.
    func receiveWaiting() -> String? {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if let message = nextMessage() { return message }
        guard poll(&waiting, 1, 0) == 1, fill() else { return nil }
        return nextMessage()
    }

    func call(_ method: String, _ parameters: String = "{}") -> String? {
        send(Self.message(method, parameters))
        return receive()
    }

    private func nextMessage() -> String? {
        guard let end = input.firstIndex(of: 0) else { return nil }
        defer { input.removeFirst(end + 1) }
        return String(decoding: input[..<end], as: UTF8.self)
    }

    private func fill() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        input += buffer.prefix(count)
        return true
    }
}

extension String {
    /// What follows `"name":` in a line of JSON, without quotation marks.
    func member(_ name: String) -> String? {
        guard let range = firstRange(of: "\"\(name)\":") else { return nil }
        return String(self[range.upperBound...].prefix { $0 != "," && $0 != "}" }).replacing("\"", with: "")
    }
}
