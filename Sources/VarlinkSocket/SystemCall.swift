// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Calls of the system as values: result or `errno`, and again when a signal interrupted them.
enum SystemCall {
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

    /// Sends what fits now. A peer that is gone is a value, not a signal.
    static func send(_ descriptor: Int32, _ bytes: [UInt8]) -> Outcome {
        bytes.withUnsafeBytes { bytes in
            retrying { Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
        }
    }

    static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        retrying { recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) }
    }

    /// Makes it non-blocking and closed on exec; 0 or `errno`.
    static func prepare(_ descriptor: Int32) -> Int32 {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) >= 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) >= 0
        else { return errno }
        return 0
    }

    /// An option of a socket that is a number; `nil` when it is no socket.
    static func option(_ name: Int32, _ descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }

    /// Since the machine started, without its sleep.
    static func monotonicTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// What `strerror` says; with the number when it says nothing.
    static func text(_ error: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard strerror_r(error, &buffer, buffer.count) == 0 else { return "error \(error)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
