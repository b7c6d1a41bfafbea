// SPDX-License-Identifier: Apache-2.0

import Glibc

@testable import Sandbox

/// A process under way, and what was heard of it.
final class Confined {
    let process: SandboxedProcess
    private(set) var news: [SandboxedProcess.News] = []
    private(set) var end: SandboxedProcess.End?
    private let log: Pipe
    private let control: Int32

    convenience init(_ plan: SandboxPlan, jail: String, extra: [Int32] = []) throws {
        try self.init { control, log throws in
            try SandboxedProcess.start(plan, jail: jail, control: control, log: log, extra: extra)
        }
    }

    /// A plan as vigil-jail gets it, whatever it says.
    convenience init(text: String, jail: String) throws {
        try self.init { control, log throws in
            try SandboxedProcess.start(text: text, usesNamespaces: true, jail: jail, control: control, log: log, extra: [])
        }
    }

    private init(_ start: (_ control: Int32, _ log: Int32) throws -> SandboxedProcess) throws {
        var ends: (Int32, Int32) = (-1, -1)
        let result = withUnsafeMutableBytes(of: &ends) {
            socketpair(
                AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | O_CLOEXEC, 0, $0.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        guard result == 0 else { throw SceneProblem(description: "no socket") }
        control = ends.0
        let pipe = try Pipe()
        log = pipe
        // A descriptor somebody forgot to close on exec.
        let leak = fcntl(pipe.write, F_DUPFD, 301)
        defer {
            close(leak)
            close(ends.1)
            pipe.closeWrite()
        }
        process = try start(ends.1, pipe.write)
    }

    deinit {
        process.kill()
        waitForEnd()
        close(control)
    }

    var report: SandboxReport? {
        for item in news {
            switch item {
            case .confined(let report), .refused(let report): return report
            default: continue
            }
        }
        return nil
    }

    /// Waits until the program runs, or will not.
    func waitForNews() {
        let deadline = ContinuousClock().now + .seconds(120)
        while process.reportDescriptor >= 0, ContinuousClock().now < deadline {
            if let item = process.takeNews() {
                news.append(item)
            } else if process.reportDescriptor >= 0 {
                var wanted = pollfd(fd: process.reportDescriptor, events: Int16(POLLIN), revents: 0)
                poll(&wanted, 1, 100)
            }
        }
    }

    /// What it says up to `done`.
    func lines() throws -> [String] {
        waitForNews()
        return try log.readAll(within: 120)
    }

    /// Whether it said READY on the control socket.
    func saidReady() -> Bool {
        var packet = [UInt8](repeating: 0, count: 64)
        let count = recv(control, &packet, packet.count, Int32(MSG_DONTWAIT))
        return count == 5 && packet.starts(with: Array("READY".utf8))
    }

    func hasEnded() -> Bool {
        if end == nil { end = process.takeEnd() }
        return end != nil
    }

    @discardableResult
    func waitForEnd() -> SandboxedProcess.End? {
        let deadline = ContinuousClock().now + .seconds(120)
        while !hasEnded(), ContinuousClock().now < deadline { usleep(2_000) }
        return end
    }
}
