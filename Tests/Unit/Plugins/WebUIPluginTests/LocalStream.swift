// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// A connection to a page on this machine: one request, and all that comes back. Nothing waits; the caller asks with ``listen()``.
final class LocalStream {
    private let descriptor: Int32
    /// All that has come so far.
    private(set) var heard = ""
    /// Whether the other side has ended the connection.
    private(set) var isOver = false

    init(_ port: UInt16, _ request: String) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        place.sin_port = port.bigEndian
        let descriptor = descriptor
        let result = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let bytes = Array(request.utf8)
        try #require(send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    }

    deinit { close(descriptor) }

    /// Takes what has come since.
    func listen() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else {
                isOver = isOver || count == 0
                return
            }
            heard += String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}
