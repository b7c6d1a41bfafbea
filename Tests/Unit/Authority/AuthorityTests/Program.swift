// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import RandomValues
import TestKit
import Testing

/// A real program, started with its output in files.
final class Program {
    let process: pid_t
    private let base: String
    private var status: Int32?

    /// The executable of this package.
    static let authority: String = {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = buffer.withUnsafeMutableBytes {
            readlink("/proc/self/exe", $0.bindMemory(to: CChar.self).baseAddress!, $0.count)
        }
        let own = URL(filePath: String(decoding: buffer.prefix(max(0, length)), as: UTF8.self)).deletingLastPathComponent()
        // Swift Testing may run inside a helper of the toolchain.
        let path = own.path + "/vigil-authority"
        if FileManager.default.isExecutableFile(atPath: path) { return path }
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return root.path + "/.build/debug/vigil-authority"
    }()

    init(_ path: String, _ arguments: [String]) throws {
        base = "\(Scene.base)/vigil-program-\(Unique.name())"
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
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
            // A server that is killed outright leaves its workers behind.
            kill(process, SIGTERM)
            let deadline = ContinuousClock().now + .seconds(60)
            var raw: Int32 = 0
            while waitpid(process, &raw, WNOHANG) == 0 {
                if ContinuousClock().now > deadline { kill(process, SIGKILL) }
                usleep(5_000)
            }
        }
        unlink(base + ".out")
        unlink(base + ".err")
    }

    /// Exit status, 128 + number for a signal.
    @discardableResult
    func wait() -> Int32 {
        if let status { return status }
        var raw: Int32 = 0
        while waitpid(process, &raw, 0) < 0, errno == EINTR {}
        let code = raw & 0x7f == 0 ? raw >> 8 & 0xff : 128 + raw & 0x7f
        status = code
        return code
    }

    func stop() -> Int32 {
        kill(process, SIGTERM)
        return wait()
    }

    private func text(_ ending: String) -> String {
        FileManager.default.contents(atPath: base + ending).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
    var output: String { text(".out") }
    var errors: String { text(".err") }
    var bytes: [UInt8] { FileManager.default.contents(atPath: base + ".out").map { [UInt8]($0) } ?? [] }

    /// Runs to the end.
    static func run(_ path: String, _ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
        let program = try Program(path, arguments)
        let status = program.wait()
        return (status, program.output, program.errors)
    }
}

/// A certificate authority of openssl's in a folder, a server's certificate for 127.0.0.1 and a client's.
struct Certificates {
    let folder: String
    var authority: String { folder + "/ca.pem" }

    init(in folder: String) throws {
        self.folder = folder
        let script = """
            set -e; cd "$1"
            key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key" 2>/dev/null; }
            key ca; openssl req -new -x509 -key ca.key -subj /CN=ca -days 30 -out ca.pem -addext keyUsage=critical,keyCertSign
            for name in server client; do
                key $name
                openssl req -new -key $name.key -subj "/CN=$name" -out $name.csr
                echo 'subjectAltName=IP:127.0.0.1,DNS:localhost' > $name.ext
                openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -extfile $name.ext \
                    -out $name.pem 2>/dev/null
            done
            chmod 644 *.key
            """
        try #require(try Program.run("/bin/sh", ["-c", script, "sh", folder]).status == 0, "openssl is needed")
    }
}
