// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import RandomValues
import TestKit
import Testing

/// The real `vigil-authority`, with its output in files.
final class Program {
    let process: pid_t
    private let base = "\(PortalScene.base)/vigil-portal-program-\(Unique.name())"
    private var status: Int32?

    static let path: String = {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = buffer.withUnsafeMutableBytes {
            $0.bindMemory(to: CChar.self).baseAddress.map { readlink("/proc/self/exe", $0, Int(PATH_MAX)) } ?? 0
        }
        let own = URL(filePath: String(decoding: buffer.prefix(max(0, length)), as: UTF8.self)).deletingLastPathComponent()
        // Swift Testing may run inside a helper of the toolchain.
        let path = own.path + "/vigil-authority"
        return FileManager.default.isExecutableFile(atPath: path) ? path : root + "/.build/debug/vigil-authority"
    }()

    /// Of this package.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    init(_ arguments: [String], input: String = "", program path: String = Program.path) throws {
        try Data(input.utf8).write(to: URL(filePath: base + ".in"))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, base + ".in", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, base + ".out", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, base + ".err", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let values: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for value in values { free(value) } }
        var process: pid_t = 0
        try #require(startProgram(&process, path, &actions, values) == 0, "\(path) cannot be started")
        self.process = process
    }

    deinit {
        if status == nil {
            kill(process, SIGTERM)
            _ = wait()
        }
        for ending in [".in", ".out", ".err"] { unlink(base + ending) }
    }

    /// Exit status, 128 + number for a signal.
    func wait() -> Int32 {
        if let status { return status }
        var raw: Int32 = 0
        while waitpid(process, &raw, 0) < 0, errno == EINTR {}
        let code = raw & 0x7f == 0 ? raw >> 8 & 0xff : 128 + raw & 0x7f
        status = code
        return code
    }

    private func text(_ ending: String) -> String {
        FileManager.default.contents(atPath: base + ending).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
    var output: String { text(".out") }
    var errors: String { text(".err") }

    /// The ports of the line a service says when it is ready.
    func ports() throws -> [String: UInt16] {
        let deadline = ContinuousClock().now + .seconds(60)
        while !output.contains("\n") {
            var raw: Int32 = 0
            let ended = waitpid(process, &raw, WNOHANG)
            // Its number may be another's from now on.
            if ended == process { status = raw >> 8 & 0xff }
            try #require(ended == 0, "it ended: \(errors)")
            try #require(ContinuousClock().now < deadline, "not ready: \(errors)")
            usleep(20_000)
        }
        var ports: [String: UInt16] = [:]
        for word in output.prefix(while: { $0 != "\n" }).split(separator: " ").dropFirst() {
            let parts = word.split(separator: "=")
            ports[String(parts[0])] = UInt16(parts[1])
        }
        return ports
    }

    /// Runs to the end.
    static func run(
        _ arguments: [String], input: String = "", program path: String = Program.path
    ) throws -> (status: Int32, output: String, errors: String) {
        let program = try Program(arguments, input: input, program: path)
        let status = program.wait()
        return (status, program.output, program.errors)
    }
}
