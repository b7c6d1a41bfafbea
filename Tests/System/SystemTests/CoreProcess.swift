// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import TestKit
import Testing

/// A running `vigil core` on a simulated air, with its folders and its log.
final class CoreProcess {
    let folder: String
    private let socket: String
    private(set) var process: pid_t = 0
    /// More of its command line.
    var arguments: [String] = []

    /// Scans for half a second every two; everything else as on a token.
    private static func profile(role: String) -> String {
        #"{"name": "test", "role": "\#(role)", "scan": {"duration": 500, "period": 2000, "spread": 0}, "controllerCheck": 5000}"#
    }

    /// - Parameter role: Whose board it is: `person` or `place`.
    init(_ name: String, on air: AirProcess, _ arguments: [String] = [], role: String = "person") throws {
        self.arguments = arguments
        folder = air.folder + "/" + name
        socket = air.socket
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(Self.profile(role: role).utf8).write(to: URL(filePath: folder + "/profile.json"))
    }

    func setTime() throws { try #require(try Program.vigil("time", "set", "now", "--run", folder).status == 0) }

    func start() throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, folder + "/out", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, folder + "/log", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let path = Program.folder + "/vigil"
        let words =
            [
                path, "core", "--enable", "--transport", "h4:unix:" + socket, "--data", folder + "/data", "--run", folder,
                "--profile",
                folder + "/profile.json", "--level", "trace", "--log", "json",
            ] + arguments
        let values: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for value in values { free(value) } }
        try? FileManager.default.removeItem(atPath: folder + "/state.json")
        try #require(startProgram(&process, path, &actions, values) == 0)
    }

    func signal(_ number: Int32) { if process != 0 { kill(process, number) } }

    /// Sends `number` and waits for the end; gives its exit status, 128 and more for a signal.
    @discardableResult
    func end(_ number: Int32 = SIGTERM) -> Int32 {
        guard process != 0 else { return -1 }
        kill(process, number)
        var status: Int32 = 0
        let deadline = ContinuousClock().now + .seconds(60)
        while waitpid(process, &status, WNOHANG) == 0 {
            if ContinuousClock().now > deadline { kill(process, SIGKILL) }
            usleep(2_000)
        }
        process = 0
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }

    deinit { end(SIGKILL) }

    var log: String { text("log") }
    var state: String { text("state.json") }

    /// A line of the kernel's account in MiB: `VmRSS` for now, `VmHWM` for the most ever.
    func mebibytes(_ name: String) -> Int {
        let status =
            (try? Data(contentsOf: URL(filePath: "/proc/\(process)/status"))).map { String(decoding: $0, as: UTF8.self) }
            ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return (line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0) / 1_024
    }

    private func text(_ name: String) -> String {
        (try? Data(contentsOf: URL(filePath: folder + "/" + name))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// A number or word of the state file; leaf names are unique in it.
    func field(_ name: String) -> String? {
        guard let line = state.split(separator: "\n").first(where: { $0.contains("\"\(name)\" :") }) else { return nil }
        return String(line.drop { $0 != ":" }.dropFirst(2)).replacing(",", with: "")
    }

    func number(_ name: String) -> Int { field(name).flatMap { Int($0) } ?? 0 }

    /// Waits at most two minutes: all tests run at once, on two cores perhaps, beside other work.
    func waits(_ holds: () -> Bool) -> Bool {
        let deadline = ContinuousClock().now + .seconds(120)
        while !holds() {
            if ContinuousClock().now > deadline { return false }
            usleep(20_000)
        }
        return true
    }
}
