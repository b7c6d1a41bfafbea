// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Tells systemd how this service is, if systemd started it (sd_notify(3)); does nothing otherwise.
struct SystemdNotifier {
    /// Half of what systemd waits for; `nil` when it does not watch.
    let watchdogInterval: Duration?
    /// When systemd is to hear next that this service lives; `nil` when it does not watch.
    private(set) var watchdogAt: Duration?
    private let path: [UInt8]?

    /// Reads `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`, and takes them out of the environment: they are not for children.
    init() {
        func value(_ name: String) -> String? {
            defer { unsetenv(name) }
            return getenv(name).map { String(cString: $0) }
        }
        let socket = value("NOTIFY_SOCKET")
        let watched = value("WATCHDOG_USEC").flatMap { UInt64($0) }
        let process = value("WATCHDOG_PID").flatMap { pid_t($0) }
        if let socket, let first = socket.utf8.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"),
            (2...107).contains(socket.utf8.count)
        {
            var bytes = Array(socket.utf8)
            // An @ stands for the zero byte of an abstract address.
            if first == UInt8(ascii: "@") { bytes[0] = 0 }
            path = bytes
        } else {
            path = nil
        }
        if path != nil, let watched, watched > 0, process == nil || process == getpid() {
            watchdogInterval = .microseconds(Int64(clamping: watched / 2))
        } else {
            watchdogInterval = nil
        }
    }

    /// From now on systemd counts.
    mutating func begin(at now: Duration) { watchdogAt = watchdogInterval.map { now + $0 } }

    /// Tells that this service lives.
    mutating func tellAlive(at now: Duration) {
        tell("WATCHDOG=1")
        begin(at: now)
    }

    /// `READY=1`, `WATCHDOG=1`, `STOPPING=1`, `STATUS=…`, several by line feeds.
    func tell(_ state: String) {
        guard let path else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + path.count)
        let bytes = Array(state.utf8)
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                // Never waits: systemd that does not read is systemd's trouble.
                sendto(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }
}
