// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An accepted connection that does not block, with the bytes that the other side has not yet taken. Use it on one thread.
package final class StreamConnection {
    /// Whoever does not read this much is not written to any more.
    private static let outputLimit = 4 << 20

    /// The descriptor of the connection; owned by this object.
    package let descriptor: Int32
    private var output: [UInt8] = []
    private var sent = 0
    /// Lines that were not looked at yet, and the beginning of the next, on control connections.
    var input: [UInt8] = []
    /// Answers come in order: further lines wait for this one.
    var isWaiting = false
    /// Whether the owner closes the connection once everything is written; `false` unless set.
    package var isEnding = false
    /// Whether nothing can be sent any more, because the other side is gone or has left 4 MiB unread.
    package private(set) var isBroken = false

    /// Creates a connection that takes over a connected, non-blocking descriptor.
    package init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// The number of bytes that wait for the other side, 0 or more.
    package var pending: Int { output.count - sent }

    /// Sends the bytes that the system takes now, and keeps the rest for ``flush()``. Does nothing when the connection is
    /// broken.
    package func send(_ bytes: [UInt8]) {
        guard !isBroken, !bytes.isEmpty else { return }
        output += bytes
        flush()
        if pending > Self.outputLimit { isBroken = true }
    }

    /// Sends as many of the waiting bytes as the system takes now.
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

    /// Returns the bytes that have arrived, 64 KiB at most; empty if there are none, `nil` at the end of the stream or
    /// after an error.
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
