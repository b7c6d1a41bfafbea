// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// Calls of the system as values: result or `errno`, and again when a signal interrupted them. For whatever waits on descriptors.
package enum SystemCall {
    /// The result of a call: `done` with its value (0 or more), `wait`, or `failed` with `errno`.
    package enum Outcome: Equatable {
        case done(Int)
        /// Would have to wait.
        case wait
        case failed(Int32)
    }

    // Not inlined: nothing of Swift's own may run between the call and the reading of errno.
    /// Makes a call that returns a negative number on failure, and repeats it when a signal interrupted it (`EINTR`). `EAGAIN` becomes `wait`.
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

    /// Makes it non-blocking and closed on exec; 0 or `errno`.
    package static func prepare(_ descriptor: Int32) -> Int32 {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) >= 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) >= 0
        else { return errno }
        return 0
    }

    // SO_PASSRIGHTS, which headers do not have yet.
    private static let passRights: Int32 = 83

    /// From now on nobody can hand a descriptor to this UNIX socket, or to one that is accepted from it: senders get EPERM. The last copy of
    /// a descriptor may take its time to close, and what is not taken is closed by whoever reads. `false` before Linux 6.16.
    @discardableResult
    package static func refuseDescriptors(_ descriptor: Int32) -> Bool {
        var none: Int32 = 0
        var inLine: Int32 = 1
        // A byte out of band is a byte like others: else it makes a socket ready from which, looked at, nothing can be read.
        setsockopt(descriptor, SOL_SOCKET, SO_OOBINLINE, &inLine, socklen_t(MemoryLayout<Int32>.size))
        return setsockopt(descriptor, SOL_SOCKET, passRights, &none, socklen_t(MemoryLayout<Int32>.size)) == 0
    }

    /// Whether the kernel refuses descriptors that others hand to this socket; also `false` for what is no UNIX socket.
    package static func refusesDescriptors(_ descriptor: Int32) -> Bool { option(passRights, descriptor) == 0 }

    /// Closes a UNIX socket that others send to. Where they can hand descriptors to it, its end takes as long as theirs: it is then waited for by
    /// a thread of its own.
    package static func closeReceiver(_ descriptor: Int32) {
        guard !refusesDescriptors(descriptor) else {
            close(descriptor)
            return
        }
        // The other side is told at once, whatever waits in line.
        shutdown(descriptor, Int32(SHUT_RDWR))
        vigil_close_aside(descriptor)
    }

    /// How many sockets ``closeReceiver(_:)`` is still closing on its thread, 0 or more; over the whole process.
    package static var closingCount: Int { Int(vigil_closing_count()) }

    /// An option of a socket (level `SOL_SOCKET`) that is a number; `nil` when it is no socket, or the kernel does not know the option.
    package static func option(_ name: Int32, _ descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }

    /// Writes all bytes, in as many steps as the kernel takes them; 0 or `errno`, and then some of them may be written. Blocks as the descriptor does.
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

    /// As for a buffer.
    package static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Int32 {
        bytes.withUnsafeBytes { writeAll(descriptor, $0) }
    }

    /// What a UNIX socket carries: bytes in a row, or packets in a row.
    package enum Carriage {
        case stream, packets

        fileprivate var type: Int32 { Int32((self == .stream ? SOCK_STREAM : SOCK_SEQPACKET).rawValue) }
    }

    /// Whether the descriptor is a UNIX socket of that kind with another end: neither a listening one nor one that was never connected.
    package static func isConnected(_ descriptor: Int32, _ carriage: Carriage) -> Bool {
        option(SO_DOMAIN, descriptor) == AF_UNIX && option(SO_TYPE, descriptor) == carriage.type && hasPeer(descriptor)
    }

    /// Whether the descriptor is a socket with another end, of whatever family.
    package static func hasPeer(_ descriptor: Int32) -> Bool {
        var name = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) == 0 }
        }
    }

    /// Waits until something can be read from the descriptor or it was hung up, and goes on waiting after a signal. False if the time passed first,
    /// or `poll` fails. Blocks: only for programs that have nothing else to do meanwhile; all others join an `EventLoop`.
    package static func waitToRead(_ descriptor: Int32, for limit: Duration) -> Bool {
        wait(descriptor, Int16(POLLIN), for: limit)
    }

    /// As ``waitToRead(_:for:)``, for other events (`POLLIN`, `POLLOUT`).
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

    /// Time since the machine started, without its sleep (`CLOCK_MONOTONIC`).
    package static func monotonicTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The system's text for an `errno`; "error" and the number when it has none.
    package static func text(_ error: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard strerror_r(error, &buffer, buffer.count) == 0 else { return "error \(error)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Makes a call that gives a descriptor, again after a signal; the descriptor, or `errno` as an error.
    package static func descriptor(_ call: () -> Int32) -> Result<Int32, SystemError> {
        switch retrying({ Int(call()) }) {
        case .done(let value): .success(Int32(value))
        case .wait: .failure(SystemError(number: EAGAIN))
        case .failed(let error): .failure(SystemError(number: error))
        }
    }
}

/// `errno` as an error.
package struct SystemError: Error, Equatable {
    /// The `errno` of the call that failed.
    package let number: Int32

    /// An error with that `errno`.
    package init(number: Int32) { self.number = number }

    /// The system's own words for it.
    package var text: String { SystemCall.text(number) }
}
