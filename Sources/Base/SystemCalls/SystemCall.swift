// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// System calls that return a result or `errno` and are repeated after a signal, for code that works with
/// descriptors.
package enum SystemCall {
    /// The result of a system call: `done` with its value (0 or more), `wait`, or `failed` with its `errno`.
    package enum Outcome: Equatable {
        /// The result of the call, 0 or more.
        case done(Int)
        /// The call would have to wait (`EAGAIN`).
        case wait
        /// The call failed with this `errno`, which is neither `EINTR` nor `EAGAIN`.
        case failed(Int32)
    }

    // Not inlined: nothing of Swift's own may run between the call and the reading of errno.
    /// Makes a call that returns a negative number on failure, and repeats it as long as a signal interrupts it (`EINTR`).
    /// `EAGAIN` and `EWOULDBLOCK` become `wait`.
    @inline(never)
    package static func retrying(_ call: () -> Int) -> Outcome {
        while true {
            let result = call()
            if result >= 0 { return .done(result) }
            let error = errno
            if error == EINTR { continue }
            return error == EAGAIN || error == EWOULDBLOCK ? .wait : .failed(error)
        }
    }

    /// Makes a descriptor non-blocking and has it closed on exec. Returns 0 or `errno`.
    package static func prepare(_ descriptor: Int32) -> Int32 {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) >= 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) >= 0
        else { return errno }
        return 0
    }

    // SO_PASSRIGHTS, which headers do not have yet.
    private static let passRights: Int32 = 83

    /// Makes a UNIX socket, and those accepted from it, refuse descriptors that other processes pass: senders get
    /// `EPERM`. Without this, a passed descriptor that is not received is closed by the reader, and closing its
    /// last copy may take long. Returns `false` if the kernel cannot do that (before Linux 6.16), or if the
    /// descriptor is not a UNIX socket. In any case, bytes out of band are received in line from then on
    /// (`SO_OOBINLINE`).
    @discardableResult
    package static func refuseDescriptors(_ descriptor: Int32) -> Bool {
        var none: Int32 = 0
        var inLine: Int32 = 1
        // A byte out of band is a byte like others: else it makes a socket ready from which, looked at, nothing can be read.
        setsockopt(descriptor, SOL_SOCKET, SO_OOBINLINE, &inLine, socklen_t(MemoryLayout<Int32>.size))
        return setsockopt(descriptor, SOL_SOCKET, passRights, &none, socklen_t(MemoryLayout<Int32>.size)) == 0
    }

    /// Returns whether the kernel refuses descriptors that other processes pass to this socket; `false` if it is
    /// not a UNIX socket, or before Linux 6.16.
    package static func refusesDescriptors(_ descriptor: Int32) -> Bool { option(passRights, descriptor) == 0 }

    /// Closes a UNIX socket on which other processes send. If they could have passed descriptors to it, closing may
    /// take as long as closing those; the socket is then shut down at once and closed on another thread, or here if
    /// there is none.
    ///
    /// One that another process holds as well (`isShared`), as the supervisor holds its plugins' listeners, is not shut down: that would end
    /// it for whoever holds it.
    package static func closeReceiver(_ descriptor: Int32, isShared: Bool = false) {
        guard !refusesDescriptors(descriptor) else {
            close(descriptor)
            return
        }
        // The other side is told at once, whatever waits in line.
        if !isShared { shutdown(descriptor, Int32(SHUT_RDWR)) }
        vigil_close_aside(descriptor)
    }

    /// The number of sockets in this process that ``closeReceiver(_:)`` has handed to the other thread and that are
    /// not closed yet, 0 or more.
    package static var closingCount: Int { Int(vigil_closing_count()) }

    /// Returns the value of a numeric socket option (level `SOL_SOCKET`); `nil` if the descriptor is not a socket or the
    /// kernel does not know the option.
    package static func option(_ name: Int32, _ descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }

    /// Blocks SIGPIPE in the calling thread: from now on, its writes to a pipe without a reader fail with `EPIPE`, whatever
    /// the process does with that signal. For threads that may outlive the reader of what they write.
    package static func blockBrokenPipe() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Writes all bytes, in as many calls as needed. Returns 0, or `errno` after part of the bytes may have been written:
    /// `EAGAIN` if a non-blocking descriptor is full, `ENOSPC` if it accepts no bytes. Blocks if the descriptor does.
    package static func writeAll(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int32 {
        var rest = bytes
        while !rest.isEmpty {
            switch retrying({ write(descriptor, rest.baseAddress, rest.count) }) {
            // What takes nothing and complains of nothing would be asked for ever.
            case .done(0): return ENOSPC
            case .done(let count): rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            case .wait: return EAGAIN
            case .failed(let error): return error
            }
        }
        return 0
    }

    /// Writes all bytes of an array; otherwise the same as for a buffer.
    package static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Int32 {
        bytes.withUnsafeBytes { writeAll(descriptor, $0) }
    }

    /// The kind of a UNIX socket: a stream of bytes, or a sequence of packets.
    package enum Carriage {
        /// `stream`: `SOCK_STREAM`, which does not keep the borders of messages. `packets`: `SOCK_SEQPACKET`, which
        /// does.
        case stream, packets

        fileprivate var type: Int32 { Int32((self == .stream ? SOCK_STREAM : SOCK_SEQPACKET).rawValue) }
    }

    /// Returns whether the descriptor is a connected UNIX socket of this kind; `false` also if it is not open.
    package static func isConnected(_ descriptor: Int32, _ carriage: Carriage) -> Bool {
        option(SO_DOMAIN, descriptor) == AF_UNIX && option(SO_TYPE, descriptor) == carriage.type && hasPeer(descriptor)
    }

    /// Returns whether the descriptor is a connected socket of any family.
    package static func hasPeer(_ descriptor: Int32) -> Bool {
        var name = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) == 0 }
        }
    }

    /// Waits until the descriptor can be read, is hung up or is in error, which includes a number that is not open;
    /// a signal does not end the wait. With a `limit` of zero or less it only checks. Returns `false` if `limit`
    /// passed first or `poll` fails. Blocks: only for programs without other work; all others join an `EventLoop`.
    package static func waitToRead(_ descriptor: Int32, for limit: Duration) -> Bool {
        wait(descriptor, Int16(POLLIN), for: limit)
    }

    /// Waits for other events (`POLLIN`, `POLLOUT`); otherwise the same as ``waitToRead(_:for:)``.
    package static func wait(_ descriptor: Int32, _ events: Int16, for limit: Duration) -> Bool {
        let end = monotonicTime() + limit
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        while true {
            let left = (max(.zero, end - monotonicTime()) / .milliseconds(1)).rounded(.up)
            let count = poll(&entry, 1, Int32(min(left, 1e9)))
            if count > 0 { return true }
            if left == 0 { return false }
            guard count == 0 || errno == EINTR else { return false }
        }
    }

    /// Returns the time since the machine started, without time asleep (`CLOCK_MONOTONIC`).
    package static func monotonicTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Returns the system's text for an `errno`, or "error" and the number if there is none.
    package static func text(_ error: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard strerror_r(error, &buffer, buffer.count) == 0 else { return "error \(error)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Makes a call that returns a descriptor, and repeats it after a signal. Returns the descriptor, or `errno` as an
    /// error.
    package static func descriptor(_ call: () -> Int32) -> Result<Int32, SystemError> {
        switch retrying({ Int(call()) }) {
        case .done(let value): .success(Int32(value))
        case .wait: .failure(SystemError(number: EAGAIN))
        case .failed(let error): .failure(SystemError(number: error))
        }
    }
}

/// An `errno` as an error.
package struct SystemError: Error, Equatable {
    /// The `errno` of the call that failed.
    package let number: Int32

    /// Creates an error with this `errno`.
    package init(number: Int32) { self.number = number }

    /// The system's text for the error.
    package var text: String { SystemCall.text(number) }
}
