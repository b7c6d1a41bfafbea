// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls

/// Calls of the system on sockets, as values.
enum Socket {
    static func receive(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> SystemCall.Outcome {
        SystemCall.retrying { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
    }

    /// A peer that is gone is a value, not a signal.
    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> SystemCall.Outcome {
        SystemCall.retrying { Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    /// The next connection, prepared as ``prepare(_:)`` does.
    static func accept(_ listener: Int32) -> SystemCall.Outcome {
        let outcome = SystemCall.retrying { Int(Glibc.accept(listener, nil, nil)) }
        if case .done(let descriptor) = outcome { prepare(Int32(descriptor)) }
        return outcome
    }

    /// Non-blocking, closed on exec, small writes at once, and peers that are gone without a word noticed some day.
    static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // Not for sockets that are not of TCP; those do without.
        set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
