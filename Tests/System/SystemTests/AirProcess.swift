// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

/// A running `vigil-lab air` with its sockets in a folder of its own.
final class AirProcess {
    private let own: TemporaryFolder
    private let process: pid_t
    private var isRunning = true

    var folder: String { own.path }
    var socket: String { folder + "/air" }
    var control: String { folder + "/ctl" }

    /// Returns once it says that it is ready.
    init(_ arguments: String...) throws {
        own = try TemporaryFolder()
        let folder = own.path
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { for end in ends { close(end) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        let path = Program.folder + "/vigil-lab"
        let words = [path, "air", folder + "/air", "--ctl", folder + "/ctl"] + arguments
        let values: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for value in values { free(value) } }
        var process: pid_t = 0
        try #require(startProgram(&process, path, &actions, values) == 0)
        self.process = process
        close(ends[1])
        ends[1] = -1
        var text: [UInt8] = []
        var byte: UInt8 = 0
        while read(ends[0], &byte, 1) == 1, byte != 0x0A { text.append(byte) }
        try #require(String(decoding: text, as: UTF8.self) == "ready")
    }

    /// Its exit status.
    func end(_ number: Int32 = SIGTERM) -> Int32 {
        guard isRunning else { return -1 }
        isRunning = false
        if number != 0 { kill(process, number) }
        var status: Int32 = 0
        let deadline = ContinuousClock().now + .seconds(60)
        while waitpid(process, &status, WNOHANG) == 0 {
            // A process that does not end must not keep the tests from ending.
            if ContinuousClock().now > deadline { kill(process, SIGKILL) }
            usleep(2_000)
        }
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }

    deinit { _ = end(SIGKILL) }
}

/// A client of one of the sockets. Waits at most two minutes for anything.
final class StreamClient {
    private let descriptor: Int32
    private var input: [UInt8] = []

    init(_ path: String) throws {
        descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix(107)) }
        let descriptor = descriptor
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0)
    }

    deinit { close(descriptor) }

    /// `false` when the other end is gone.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } == bytes.count
    }

    /// `nil` at the end of the stream.
    func take(_ count: Int) -> [UInt8]? {
        while input.count < count { guard fill() else { return nil } }
        defer { input.removeFirst(count) }
        return Array(input.prefix(count))
    }

    /// One line of JSON as members and values in text form; empty at the end of the stream.
    func ask(_ line: String) -> String {
        send(Array((line + "\n").utf8))
        return nextLine()
    }

    func nextLine() -> String {
        while true {
            if let end = input.firstIndex(of: 0x0A) {
                defer { input.removeFirst(end + 1) }
                return String(decoding: input[..<end], as: UTF8.self)
            }
            guard fill() else { return "" }
        }
    }

    /// One HCI event: code and parameters; `nil` at the end of the stream.
    func event() -> (code: UInt8, parameters: [UInt8])? {
        guard let header = take(3), header[0] == 4, let parameters = take(Int(header[2])) else { return nil }
        return (header[1], parameters)
    }

    /// Status of a command; `nil` at the end of the stream.
    func command(_ opcode: Int, _ parameters: [UInt8] = []) -> UInt8? {
        send([1, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(parameters.count)] + parameters)
        while let event = event() {
            if event.code == 0x0E, Int(event.parameters[1]) | Int(event.parameters[2]) << 8 == opcode {
                return event.parameters[3]
            }
        }
        return nil
    }

    private func fill() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return false }
        input += buffer.prefix(count)
        return true
    }
}
