// SPDX-License-Identifier: Apache-2.0

import Glibc
import RandomValues
import Synchronization
import TestKit
import Testing

/// Programs of the system.
enum Command {
    struct Failed: Error { let status: Int32 }

    static func start(_ program: String, _ arguments: [String], output: String = "/dev/null") throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in [1, 2] {
            posix_spawn_file_actions_addopen(&actions, descriptor, output, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        }
        var process: pid_t = 0
        let words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        try #require(
            startProgram(&process, program, &actions, words) == 0, "\(program) cannot be started")
        return process
    }

    static func run(_ program: String, _ arguments: [String], output: String = "/dev/null") throws {
        let process = try start(program, arguments, output: output)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw Failed(status: status) }
    }
}

func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
}

private func with(_ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Int32) -> Int32
{
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
    }
}

/// A listening socket on loopback.
func listen(_ port: UInt16 = 0) throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = loopback(port)
    guard with(&address, { bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, 100) == 0 else {
        close(descriptor)
        throw Command.Failed(status: errno)
    }
    try #require(with(&address) { getsockname(descriptor, $0, &$1) } == 0)
    return (descriptor, UInt16(bigEndian: address.sin_port))
}

/// A way to a port that can be cut: what is open breaks off, and nothing new gets through until it is mended.
final class Cable: Sendable {
    private struct State {
        var isCut = false
        var open: [Int32] = []
    }

    let port: UInt16
    private let listener: Int32
    private let state = Mutex(State())

    init(to target: UInt16) throws {
        let (listener, port) = try listen()
        self.listener = listener
        self.port = port
        onThread { [weak self] in
            while true {
                let near = accept(listener, nil, nil)
                guard near >= 0, let self else { return }
                let far = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
                var address = loopback(target)
                let isCut = self.state.withLock { $0.isCut }
                guard !isCut, with(&address, { connect(far, $0, $1) }) == 0 else {
                    close(near)
                    close(far)
                    continue
                }
                self.state.withLock { $0.open += [near, far] }
                Self.copy(near, far)
                Self.copy(far, near)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    func cut() {
        state.withLock { state in
            state.isCut = true
            for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
            state.open = []
        }
    }

    func mend() { state.withLock { $0.isCut = false } }

    private static func copy(_ source: Int32, _ sink: Int32) {
        onThread {
            var buffer = [UInt8](repeating: 0, count: 16_384)
            while true {
                let count = recv(source, &buffer, buffer.count, 0)
                guard count > 0, send(sink, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
            }
            shutdown(sink, Int32(SHUT_RDWR))
        }
    }
}
