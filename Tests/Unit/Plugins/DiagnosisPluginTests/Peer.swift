// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import Glibc
import HTTPClient
import JSON
import RandomValues
import TestKit

/// A stand-in for another authority's servers (Tests/System/Peers), as a process of its own. Needs Debian's python3-cryptography.
final class Peer {
    struct Failure: Error, CustomStringConvertible { let description: String }

    /// What it said when it was ready.
    let facts: JSON
    let folder: String
    private let admin: String
    private var process: pid_t = 0
    private let client: HTTPClient

    /// `program` is a path below Tests/System/Peers.
    init(_ program: String, _ arguments: [String] = []) throws {
        let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : FileManager.default.temporaryDirectory.path
        folder = "\(base)/vigil-peer-\(Unique.name())"
        try FileManager.default.createDirectory(atPath: folder + "/state", withIntermediateDirectories: true)
        let home =
            URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path + "/System/Peers"
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(description: "no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        let words = ["/usr/bin/python3", "-B", "\(home)/\(program)", "--state", folder + "/state"] + arguments
        let values: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for value in values { free(value) } }
        let isStarted = startProgram(&process, words[0], &actions, values) == 0
        close(ends[1])
        defer { close(ends[0]) }
        var text: [UInt8] = []
        var byte: UInt8 = 0
        while isStarted, read(ends[0], &byte, 1) == 1, byte != 0x0A { text.append(byte) }
        guard let json = try? JSON(parsing: text),
            let port = json["adminPort"]?.int ?? json["ports"]?["admin"]?.int
        else { throw Failure(description: "\(program) did not start: is Debian's python3-cryptography installed?") }
        facts = json
        admin = "http://127.0.0.1:\(port)"
        client = try HTTPClient(HTTPConfiguration(allowsPlainHTTP: true))
    }

    deinit {
        var status: Int32 = 0
        if process > 0 {
            kill(process, SIGKILL)
            waitpid(process, &status, 0)
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// A call of its administration.
    @discardableResult
    func call(_ path: String, _ body: JSON? = nil) throws -> JSON {
        let request = HTTPRequest(
            admin + path, method: body == nil ? .get : .post, headers: [("content-type", "application/json")],
            body: body?.bytes ?? [])
        let response = try client.send(request)
        return response.body.isEmpty ? .empty : try JSON(parsing: response.body)
    }

    /// The requests it had, without those of its administration.
    func requests(_ query: String = "") throws -> [JSON] {
        let answer = try call("/requests" + query)
        return answer.array ?? answer["requests"]?.array ?? []
    }
}
