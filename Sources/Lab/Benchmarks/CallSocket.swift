// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Glibc

/// A caller with nothing between it and the socket: bytes out, bytes in up to the NUL that ends a message. What a benchmark times must
/// not be its own library.
final class CallSocket {
    private let descriptor: Int32
    private var input: [UInt8] = []
    /// Where the next message begins.
    private var begin = 0

    /// Waits up to ten seconds for somebody to listen at `path`, and a minute for each message.
    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        for _ in 0..<1_000 {
            if Self.connect(descriptor, path) { return }
            usleep(10_000)
        }
        throw InputError(file: path, "nobody listens there")
    }

    deinit { close(descriptor) }

    private static func connect(_ descriptor: Int32, _ path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix(107)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    /// A call as it goes over the wire. `rest` are more members, such as `"more":true`.
    static func message(_ method: String, _ parameters: String = "{}", _ rest: String = "") -> [UInt8] {
        Array(#"{"method":"\#(method)","parameters":\#(parameters)\#(rest.isEmpty ? "" : "," + rest)}"#.utf8) + [0]
    }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else {
                throw InputError(file: "the socket", "took no more: \(String(cString: strerror(errno)))")
            }
            sent += count
        }
    }

    /// Bytes of the next message without its NUL.
    func receive() throws -> [UInt8] {
        while true {
            if let message = nextMessage() { return message }
            guard fill() else { throw InputError(file: "the socket", "ended before the answer") }
        }
    }

    /// A message that is there already, without waiting.
    func receiveWaiting() -> [UInt8]? {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            if let message = nextMessage() { return message }
            guard poll(&waiting, 1, 0) == 1, fill() else { return nil }
        }
    }

    private func nextMessage() -> [UInt8]? {
        guard let end = input[begin...].firstIndex(of: 0) else { return nil }
        defer {
            begin = end + 1
            if begin == input.count {
                input.removeAll(keepingCapacity: true)
                begin = 0
            }
        }
        return Array(input[begin..<end])
    }

    private func fill() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return false }
            input += UnsafeRawBufferPointer(rebasing: buffer[..<count])
            return true
        }
    }

    /// Sends and waits for the answer; an error as the answer is thrown.
    @discardableResult
    func call(_ method: String, _ parameters: String = "{}") throws -> String {
        try send(Self.message(method, parameters))
        let answer = String(decoding: try receive(), as: UTF8.self)
        guard !answer.contains(#""error":""#) else { throw InputError(file: method, answer) }
        return answer
    }
}
