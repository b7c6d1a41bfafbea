// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One accepted connection: its descriptor and what it has not taken yet.
package final class StreamConnection {
    /// Whoever does not read this much is not written to any more.
    private static let outputLimit = 4 << 20

    package let descriptor: Int32
    private var output: [UInt8] = []
    private var sent = 0
    /// Lines that were not looked at yet, and the beginning of the next, on control connections.
    var input: [UInt8] = []
    /// Answers come in order: further lines wait for this one.
    var isWaiting = false
    /// To be closed once everything is written.
    package var isEnding = false
    package private(set) var isBroken = false

    package init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    package var pending: Int { output.count - sent }

    package func send(_ bytes: [UInt8]) {
        guard !isBroken, !bytes.isEmpty else { return }
        output += bytes
        flush()
        if pending > Self.outputLimit { isBroken = true }
    }

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

    /// What has come; `nil` at the end of the stream.
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
