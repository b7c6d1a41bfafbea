// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Glibc

/// Measures the least cost of a round trip over a UNIX socket, which is the least that a call to the core can take: one
/// thread, `poll`, and an answer of a given length for each NUL that arrives.
public enum EchoFloor {
    /// Serves one connection after the other at the UNIX socket `path` until the process is killed; returns when no more
    /// connections can be accepted. Only the first 107 bytes of `path` are used, and no file may be there. Each answer has
    /// `replyByteCount` bytes, its NUL included, and at least one. Throws `InputError` when the socket cannot be created.
    public static func serve(path: String, replyByteCount: Int) throws {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix(107)) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0, listen(listener, 4) == 0 else { throw InputError(file: path, "cannot be listened at") }
        let reply = [UInt8](repeating: 0x20, count: max(0, replyByteCount - 1)) + [0]
        while case let connection = accept(listener, nil, nil), connection >= 0 {
            echo(connection, reply)
            close(connection)
        }
    }

    private static func echo(_ connection: Int32, _ reply: [UInt8]) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var waiting = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, -1) == 1 {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            for byte in buffer[..<count] where byte == 0 {
                guard Glibc.send(connection, reply, reply.count, Int32(MSG_NOSIGNAL)) == reply.count else { return }
            }
        }
    }
}
