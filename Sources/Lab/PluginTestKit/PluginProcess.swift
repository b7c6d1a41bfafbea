// SPDX-License-Identifier: Apache-2.0

import Glibc
public import JSON
import PluginKit
import VarlinkSocket

/// Runs a plugin, written in any language, as a process that is started as the supervisor starts it, but not confined. Use
/// it on one thread at a time.
public final class PluginProcess {
    /// The supervisor's side: what the plugin is granted, and what it has reported.
    public let supervisor: SupervisorStandIn
    /// The text that the plugin has written to its standard error, read as UTF-8, up to the last wait or query of its
    /// status; may be empty.
    public private(set) var log = ""
    private let process: pid_t
    private let errors: Int32
    private var status: Int32?

    /// Starts the executable at the path `program` with the environment that a supervisor gives to a plugin, and
    /// hands it the other end of the control socket. `heartbeat` is the seconds within which the plugin must give a
    /// sign of life. Standard input and output are `/dev/null`. The process is killed together with the object.
    /// Throws ``TestKitError`` when it cannot be started.
    public init(_ program: String, _ arguments: [String] = [], supervisor: SupervisorStandIn, heartbeat: Int = 30) throws {
        self.supervisor = supervisor
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw TestKitError.system("no pipe") }
        let control = supervisor.takeOther()
        defer {
            close(ends[1])
            close(control)
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
        posix_spawn_file_actions_adddup2(&actions, control, 3)
        var variables = supervisor.variables(control: 3, heartbeat: heartbeat)
        variables["PATH"] = "/usr/local/bin:/usr/bin:/bin"
        if let libraries = getenv("LD_LIBRARY_PATH") { variables["LD_LIBRARY_PATH"] = String(cString: libraries) }
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { for word in words + environment { free(word) } }
        // The thread of a test blocks signals that the supervisor does not block.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var process = pid_t()
        let result = posix_spawn(&process, program, &actions, &attributes, &words, &environment)
        guard result == 0 else {
            close(ends[0])
            throw TestKitError("\(program) cannot be started: \(String(cString: strerror(result)))")
        }
        self.process = process
        errors = ends[0]
    }

    deinit {
        if status == nil {
            kill(process, SIGKILL)
            var raw: Int32 = 0
            waitpid(process, &raw, 0)
        }
        close(errors)
    }

    /// Waits until `done` returns `true`, for at most `limit`, and listens to the plugin meanwhile. Throws
    /// ``TestKitError``, with `what` and the log, when the time is over.
    public func wait(_ what: String, limit: Duration = TestKitError.patience, until done: () -> Bool) throws {
        let clock = SystemLoopClock()
        let end = clock.now + limit
        while true {
            supervisor.listenToPlugin()
            readLog()
            if done() { return }
            guard clock.now < end else {
                throw TestKitError("\(what) did not come. It was heard: \(supervisor.heard). The log:\n\(log)")
            }
            usleep(2_000)
        }
    }

    /// Completes the start, and waits until the plugin serves. Throws ``TestKitError`` when the plugin ends before that, or
    /// after ``TestKitError/patience``.
    public func start() throws {
        try supervisor.send("START")
        try wait("READY") { self.supervisor.heard.contains("READY") || self.exitStatus() != nil }
        guard supervisor.heard.contains("READY") else {
            throw TestKitError("the plugin ended with status \(status ?? -1) before it was ready. The log:\n\(log)")
        }
    }

    /// Calls the plugin through a socket from ``SupervisorStandIn/allow(_:_:)``, and returns the parameters of the reply.
    /// Blocks for up to ``TestKitError/patience``. Throws the error that the plugin answers, and the client's error when no answer comes.
    public func call(_ method: String, _ parameters: JSON = .empty, path: String) throws -> JSON {
        try VarlinkClient(path: path, timeout: TestKitError.patience).call(method, parameters)
    }

    /// Returns the exit status of the plugin, 0 to 255, once it has ended, or 128 plus the signal's number if a signal
    /// ended it; `nil` while it runs. Does not wait.
    public func exitStatus() -> Int32? {
        if let status { return status }
        var raw: Int32 = 0
        guard waitpid(process, &raw, WNOHANG) == process else { return nil }
        let ended = raw & 0x7F == 0 ? raw >> 8 & 0xFF : 128 + (raw & 0x7F)
        status = ended
        supervisor.listenToPlugin()
        readLog()
        return ended
    }

    /// Waits for at most `limit` of real time until the plugin ends, and returns its status as ``exitStatus()`` does.
    /// Throws ``TestKitError`` when the time is over.
    public func waitForEnd(limit: Duration = TestKitError.patience) throws -> Int32 {
        try wait("the end", limit: limit) { self.exitStatus() != nil }
        return status ?? -1
    }

    /// Kills the plugin at once with SIGKILL, as if it had crashed. Must not be called after ``exitStatus()`` has returned
    /// a status, because its process number may then belong to another process.
    public func crash() { kill(process, SIGKILL) }

    /// The plugin's share of memory in bytes (`Pss` of smaps_rollup, which divides shared pages among their users), 0 or
    /// more; `nil` if the kernel does not say, and after the plugin has ended.
    public var memory: Int? {
        guard let file = fopen("/proc/\(process)/smaps_rollup", "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = bytes.withUnsafeMutableBytes { fread($0.baseAddress, 1, $0.count, file) }
        for line in String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n") where line.hasPrefix("Pss:") {
            return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1_024 }
        }
        return nil
    }

    private func readLog() {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while case let count = buffer.withUnsafeMutableBytes({ read(errors, $0.baseAddress, $0.count) }), count > 0 {
            log += String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}
