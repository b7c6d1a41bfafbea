// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import JSON
import Synchronization
import TestKit
import Testing

/// A running `vigil run` on a simulated air: core, egress and whatever plugins a test installs, confined as this machine and user allow.
final class BoardProcess {
    let folder: String
    private let socket: String
    private(set) var process: pid_t = 0
    var arguments: [String] = []
    var environment: [String: String] = [:]

    /// Scans for half a second every two; everything else as on a token.
    private static let profile =
        #"{"name": "test", "scan": {"duration": 500, "period": 2000, "spread": 0}, "controllerCheck": 5000}"#

    private static let count = Atomic(0)
    /// User numbers of this board alone: the kernel counts processes and what is in flight by user, whichever board on this machine they are of.
    private let firstUser =
        1_000_000
        + 64 * (Int(getpid()) % 30_000 * 64 + count.wrappingAdd(1, ordering: .relaxed).oldValue % 64)

    init(_ name: String, on air: AirProcess) throws {
        folder = air.folder + "/" + name
        socket = air.socket
        for part in ["", "/run", "/data", "/plugins"] {
            try FileManager.default.createDirectory(atPath: folder + part, withIntermediateDirectories: true)
        }
        // Processes of other users have to get to what is theirs below.
        for path in [air.folder, folder] { chmod(path, 0o755) }
        try Data(Self.profile.utf8).write(to: URL(filePath: folder + "/profile.json"))
        try Data(#"{"firstUser": \#(firstUser)}"#.utf8).write(to: URL(filePath: folder + "/users.json"))
    }

    var run: String { folder + "/run" }

    /// Puts a plugin's manifest and files into its place; what is executable is said by `programs`.
    func install(_ name: String, manifest: String, files: [String: String] = [:], programs: Set<String> = []) throws {
        let place = "\(folder)/plugins/\(name)"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        for (file, text) in files {
            let path = "\(place)/\(file)"
            let parent = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            if programs.contains(file) {
                try ProgramFile.write(text, to: path)
            } else {
                unlink(path)
                try Data(text.utf8).write(to: URL(filePath: path))
                chmod(path, 0o644)
            }
        }
        try Data(manifest.utf8).write(to: URL(filePath: "\(place)/plugin.json"))
    }

    func grant(_ json: String) throws { try Data(json.utf8).write(to: URL(filePath: folder + "/grants.json")) }

    func start() throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, folder + "/out", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, folder + "/log", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let path = Program.folder + "/vigil"
        let words =
            [
                path, "run", "--enable", "--transport", "h4:unix:" + socket, "--data", folder + "/data", "--run", run,
                "--profile", folder + "/profile.json", "--plugins", folder + "/plugins", "--grants",
                folder + "/grants.json",
                "--level", "debug",
            ] + (geteuid() == 0 ? [] : ["--unconfined"])
            + (arguments.contains("--config") ? [] : ["--config", folder + "/users.json"]) + arguments
        let values: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for value in values { free(value) } }
        unlink(run + "/supervisor.json")
        for (name, value) in environment { setenv(name, value, 1) }
        defer { for name in environment.keys { unsetenv(name) } }
        try #require(startProgram(&process, path, &actions, values) == 0)
    }

    func signal(_ number: Int32) { if process != 0 { kill(process, number) } }

    /// Sends `number` and waits for the end; gives its exit status, 128 and more for a signal.
    @discardableResult
    func end(_ number: Int32 = SIGTERM, unmounting: Bool = true) -> Int32 {
        guard process != 0 else { return -1 }
        kill(process, number)
        var status: Int32 = 0
        let deadline = ContinuousClock().now + .seconds(60)
        while waitpid(process, &status, WNOHANG) == 0 {
            if ContinuousClock().now > deadline { kill(process, SIGKILL) }
            usleep(2_000)
        }
        process = 0
        // A spool's filesystem outlives a supervisor that is killed; the folder could not be removed.
        if unmounting, geteuid() == 0 { _ = try? Program.run("/usr/bin/umount", ["-l", run + "/spool"]) }
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }

    deinit { end(SIGKILL) }

    var log: String { text("log") }

    func text(_ name: String) -> String {
        (try? Data(contentsOf: URL(filePath: folder + "/" + name))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// What `supervisor.json` says of a process; empty while it says nothing.
    func process(_ name: String) -> JSON {
        guard let bytes = try? Data(contentsOf: URL(filePath: run + "/supervisor.json")),
            let state = try? JSON(parsing: Array(bytes))
        else { return .empty }
        return state["processes"]?.array?.first { $0["name"]?.string == name } ?? .empty
    }

    func state(_ name: String) -> String { process(name)["state"]?.string ?? "" }

    func number(_ name: String) -> pid_t { pid_t(process(name)["pid"]?.int ?? 0) }

    /// A number of the core's own state file.
    func coreNumber(_ field: String) -> Int {
        let line = text("run/core/state.json").split(separator: "\n").first { $0.contains("\"\(field)\" :") }
        return line.flatMap { Int($0.drop { $0 != ":" }.dropFirst(2).filter { $0.isNumber }) } ?? 0
    }

    /// Waits at most two minutes: all tests run at once, on two cores perhaps, beside other work.
    func waits(seconds: Int = 120, _ holds: () -> Bool) -> Bool {
        let deadline = ContinuousClock().now + .seconds(seconds)
        while !holds() {
            if ContinuousClock().now > deadline { return false }
            usleep(20_000)
        }
        return true
    }
}
