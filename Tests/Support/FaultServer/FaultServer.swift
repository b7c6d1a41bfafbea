// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import RandomValues
import TestKit

/// The server that does wrong on demand, as a process of its own (fault-server.py has the list). Needs python3 and openssl.
public final class FaultServer {
    public struct Ports: Decodable, Sendable {
        public let plain, socks, socksWithLogin, good, expired, early, misnamed, unknown, asking: Int
    }

    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    public let folder: String
    public let ports: Ports
    private var process: pid_t = 0
    private var input: Int32 = -1

    /// Starts it in a new folder with certificates of its own; `files` is the folder behind `/file/`.
    public init(files: String? = nil) throws {
        folder = FileManager.default.temporaryDirectory.path + "/vigil-faults-\(Unique.name())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let home = URL(filePath: #filePath).deletingLastPathComponent().path
        let (maker, _, output) = try Self.start(["/bin/sh", home + "/make-certificates.sh", folder])
        close(output)
        var status: Int32 = 0
        guard waitpid(maker, &status, 0) == maker, status == 0 else {
            throw Failure(description: "certificates could not be made: is openssl installed?")
        }
        let started = try Self.start(
            ["/usr/bin/env", "python3", home + "/fault-server.py", folder] + (files.map { [$0] } ?? []))
        process = started.process
        input = started.input
        var text: [UInt8] = []
        var byte: UInt8 = 0
        while read(started.output, &byte, 1) == 1, byte != 0x0A { text.append(byte) }
        close(started.output)
        guard let ports = try? JSONDecoder().decode(Ports.self, from: Data(text)) else {
            throw Failure(description: "the server did not start: is python3 installed?")
        }
        self.ports = ports
    }

    deinit {
        close(input)
        var status: Int32 = 0
        kill(process, SIGKILL)
        waitpid(process, &status, 0)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The file of the authority that vouches for the good server.
    public var authority: String { folder + "/authority.pem" }

    /// The pin of `good` or of `stranger`.
    public func pin(_ name: String) throws -> String {
        let text = try String(contentsOf: URL(filePath: "\(folder)/\(name).pin"), encoding: .utf8)
        return String(text.prefix { !$0.isNewline })
    }

    private static func start(_ words: [String]) throws -> (process: pid_t, input: Int32, output: Int32) {
        var toChild: [Int32] = [-1, -1]
        var fromChild: [Int32] = [-1, -1]
        guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { throw Failure(description: "no pipe") }
        for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer {
            close(toChild[0])
            close(fromChild[1])
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        let values: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for value in values { free(value) } }
        var process: pid_t = 0
        guard startProgram(&process, words[0], &actions, values) == 0 else {
            close(toChild[1])
            close(fromChild[0])
            throw Failure(description: "\(words[0]) does not start")
        }
        return (process, toChild[1], fromChild[0])
    }
}
