// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

/// A running program with a terminal for its input, output and errors, and hands that type. Waits at most two minutes for anything.
final class TerminalProcess {
    /// TIOCSPTLCK and TIOCGPTN, alike on amd64 and arm64.
    private static let lockTerminal: UInt = 0x4004_5431
    private static let terminalNumber: UInt = 0x8004_5430

    private let terminal: Int32
    private let process: pid_t
    private var isOver = false
    /// All that was shown so far.
    private(set) var shown = ""
    private var seen = 0

    init(_ path: String, _ words: [String]) throws {
        // As posix_openpt, unlockpt and ptsname do it (ioctl_tty(2)), which Swift's Glibc does not have.
        terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (lock, number): (Int32, Int32) = (0, -1)
        try #require(
            terminal >= 0 && ioctl(terminal, Self.lockTerminal, &lock) == 0
                && ioctl(terminal, Self.terminalNumber, &number) == 0)
        let name = "/dev/pts/\(number)"
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in 0...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_addopen(&actions, descriptor, name, O_RDWR | O_NOCTTY, 0)
        }
        let values: [UnsafeMutablePointer<CChar>?] = ([path] + words).map { strdup($0) } + [nil]
        defer { for value in values { free(value) } }
        var process: pid_t = 0
        try #require(startProgram(&process, path, &actions, values) == 0)
        self.process = process
    }

    deinit {
        if !isOver { _ = end(SIGKILL) }
        close(terminal)
    }

    /// Waits until one of `texts` is shown that was not seen yet; gives which. `nil` at the end of the program, or in vain.
    func wait(for texts: [String]) -> String? {
        let deadline = ContinuousClock().now + .seconds(120)
        while true {
            let new = String(shown.dropFirst(seen))
            if let found = texts.first(where: { strstr(new, $0) != nil }) {
                seen = shown.count
                return found
            }
            guard ContinuousClock().now < deadline, fill() else { return nil }
        }
    }

    func type(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(terminal, $0.baseAddress, $0.count) }
    }

    /// Sends a signal if `number` is not 0, and waits for the end; gives the exit status, 128 and more for a signal.
    func end(_ number: Int32 = 0) -> Int32 {
        if number != 0 { kill(process, number) }
        let deadline = ContinuousClock().now + .seconds(120)
        while fill() { if ContinuousClock().now > deadline { kill(process, SIGKILL) } }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        isOver = true
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }

    /// Takes what was shown meanwhile, after a wait of a second at most; `false` when the program has gone.
    private func fill() -> Bool {
        var wanted = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
        guard poll(&wanted, 1, 1_000) > 0 else { return true }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(terminal, &buffer, buffer.count)
        // EIO when nobody has the other end any more.
        guard count > 0 else { return false }
        shown += String(decoding: buffer.prefix(count), as: UTF8.self)
        return true
    }
}
