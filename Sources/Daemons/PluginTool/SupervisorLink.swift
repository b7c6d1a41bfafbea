// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import PluginManifest

/// The supervisor of a run folder, as files show it.
struct SupervisorLink {
    /// What it says of one process; unknown fields are passed over, as it may be of another version.
    struct Process {
        let name: String
        let json: JSON

        var state: String { json["state"]?.string ?? "unknown" }
        var reason: String? { json["reason"]?.string }
        var process: Int64? { json["pid"]?.int }
        var memory: Int64? { json["memory"]?.int }
        var restarts: Int64 { json["restarts"]?.int ?? 0 }
        var sinceSeconds: Int64? { json["sinceSeconds"]?.int }
        var lastExit: String? { json["lastExit"]?.string }
    }

    private static let mostBytes = 1_048_576

    let run: String

    /// The process that holds the run folder's lock; `nil` when there is none.
    var process: pid_t? {
        let file = open("\(run)/supervisor.pid", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
        guard count > 0 else { return nil }
        let digits = bytes[..<count].prefix { $0 >= 48 && $0 <= 57 }
        guard let number = pid_t(String(decoding: digits, as: UTF8.self)), number > 1 else { return nil }
        guard kill(number, 0) == 0 || errno == EPERM else { return nil }
        // The supervisor keeps a lock on it for as long as it lives: a number without a lock may be anybody's by now. Tried last, because
        // a supervisor that starts just then would find it taken.
        guard flock(file, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
        return number
    }

    /// What it has written about itself and the processes, while it runs.
    func state() throws(PluginFailure) -> (whole: JSON, processes: [Process])? {
        guard process != nil, let file = try OpenFile.folder(run).file("supervisor.json"),
            let bytes = try file.readAll(most: Self.mostBytes), let json = try? JSON(parsing: bytes)
        else { return nil }
        let processes = (json["processes"]?.array ?? []).compactMap { process in
            process["name"]?.string.map { Process(name: $0, json: process) }
        }
        return (json, processes)
    }

    /// What became of telling it.
    enum Answer {
        /// No supervisor runs.
        case nobody
        /// It was told. Whether it has read the change is not known: it is busy, or of a version that does not say.
        case told
        /// It has read the change, and sockets and processes are as the change wants them, or on their way.
        case read
    }

    /// Has it read plugins, grants and wishes again, and waits up to `patience` seconds for it to say so.
    func tell(patience: Double = 10) throws(PluginFailure) -> Answer {
        guard let process else { return .nobody }
        let before = try readCount()
        guard kill(process, SIGHUP) == 0 else {
            if errno == ESRCH { return .nobody }
            throw .system("The supervisor cannot be told; what was changed holds from its next start")
        }
        guard let before else { return .told }
        let hasRead = try waits(seconds: patience) { () throws(PluginFailure) in
            (try readCount()).map { $0 > before } ?? false
        }
        return hasRead ? .read : .told
    }

    /// Waits until `isSo`, `seconds` at most; whether it has become so. It looks twenty times a second: the supervisor serves no interface that could
    /// tell (docs/decisions/0014-how-processes-are-joined.md), and whoever typed the command waits for it.
    func waits(seconds: Double, until isSo: () throws(PluginFailure) -> Bool) throws(PluginFailure) -> Bool {
        for _ in 0..<Int(seconds * 20) {
            if try isSo() { return true }
            usleep(50_000)
        }
        return try isSo()
    }

    /// How often it has read plugins and grants; `nil` when it does not say.
    private func readCount() throws(PluginFailure) -> Int64? { try state()?.whole["reads"]?.int }

    /// Leaves a wish for it to find.
    func wish(_ name: String) throws(PluginFailure) {
        let folder = try OpenFile.folder(run)
        if mkdirat(folder.number, "wishes", 0o700) != 0, errno != EEXIST { throw .system("\(run)/wishes cannot be made") }
        guard let wishes = try folder.folder("wishes") else {
            throw PluginFailure(.system, "\(run)/wishes is not there.")
        }
        let file = openat(wishes.number, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system("\(run)/wishes/\(name) cannot be made") }
        close(file)
    }
}
