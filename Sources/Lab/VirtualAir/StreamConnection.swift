// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One accepted connection, which must not block: its descriptor and what the other side has not taken yet. One thread.
package final class StreamConnection {
    /// Whoever does not read this much is not written to any more.
    private static let outputLimit = 4 << 20

    /// The connection's descriptor; owned by this object.
    package let descriptor: Int32
    private var output: [UInt8] = []
    private var sent = 0
    /// Lines that were not looked at yet, and the beginning of the next, on control connections.
    var input: [UInt8] = []
    /// Answers come in order: further lines wait for this one.
    var isWaiting = false
    /// Whether its owner closes it once everything is written.
    package var isEnding = false
    /// Whether nothing can be sent any more: the other side is gone, or has left 4 MiB unread.
    package private(set) var isBroken = false

    /// Takes over a connected descriptor that does not block.
    package init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Bytes that wait for the other side.
    package var pending: Int { output.count - sent }

    /// Sends what the system takes now and keeps the rest; dropped when broken.
    package func send(_ bytes: [UInt8]) {
        guard !isBroken, !bytes.isEmpty else { return }
        output += bytes
        flush()
        if pending > Self.outputLimit { isBroken = true }
    }

    /// Sends as much of the rest as the system takes now.
    package func flush() {
        while sent < output.count, !isBroken {
            let count = output.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                sent += count
            } else if count < 0, errno == EINTR {
                continue
            } else {
                isBroken = !(count < 0 && errno == EAGAIN)
                break
            }
        }
        if sent == output.count {
            output.removeAll(keepingCapacity: output.count < 65_536)
            sent = 0
        }
    }

    /// Bytes that have come, 64 KiB at most; empty when none have, `nil` at the end of the stream.
    package func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 { return Array(buffer.prefix(count)) }
            if count == 0 { return nil }
            if errno == EINTR { continue }
            return errno == EAGAIN ? [] : nil
        }
    }
}
