// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Calls of the system on sockets, as values.
enum Socket {
    enum Outcome: Equatable {
        case done(Int)
        /// Would have to wait.
        case wait
        case failed(Int32)
    }

    // Not inlined: nothing of Swift's own may run between the call and the reading of errno.
    @inline(never)
    static func retrying(_ call: () -> Int) -> Outcome {
        while true {
            let result = call()
            if result >= 0 { return .done(result) }
            let error = errno
            if error == EINTR { continue }
            return error == EAGAIN || error == EWOULDBLOCK ? .wait : .failed(error)
        }
    }

    static func receive(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        retrying { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
    }

    /// A peer that is gone is a value, not a signal.
    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Outcome {
        retrying { Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    /// The next connection, prepared as ``prepare(_:)`` does.
    static func accept(_ listener: Int32) -> Outcome {
        let outcome = retrying { Int(Glibc.accept(listener, nil, nil)) }
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

    /// An option of a socket that is a number; `nil` when it is no socket.
    static func option(_ name: Int32, _ descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }

    /// A clock that does not go back.
    static func time() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
