// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import Testing

/// A connection to one of the core's sockets that keeps every byte of both directions.
final class RecordedSocket {
    private let descriptor: Int32
    private(set) var record: [UInt8] = []
    /// Of these what came.
    private(set) var received: [UInt8] = []
    private var input: [UInt8] = []

    init(_ path: String, timeout: Int = 20) throws {
        descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
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
        try #require(status == 0, "\(path)")
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) {
        record += bytes
        _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// One message; `nil` when the other end is gone or silent.
    func receive() -> JSON? {
        while true {
            if let end = input.firstIndex(of: 0) {
                defer { input.removeFirst(end + 1) }
                return try? JSON(parsing: Array(input[..<end]))
            }
            var piece = [UInt8](repeating: 0, count: 16_384)
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            record += piece.prefix(count)
            received += piece.prefix(count)
            input += piece.prefix(count)
        }
    }

    /// Calls and gives the last reply; `replies` bounds those of a call that never ends.
    @discardableResult
    func call(_ method: String, _ parameters: JSON = .empty, more: Bool = false, replies: Int = 100) -> JSON? {
        var call: JSON = ["method": .string(method), "parameters": parameters]
        if more { call = ["method": .string(method), "parameters": parameters, "more": true] }
        send(call.bytes + [0])
        var last: JSON?
        for _ in 0..<replies {
            guard let reply = receive() else { return last }
            last = reply
            if reply["continues"]?.bool != true { break }
        }
        return last
    }
}
