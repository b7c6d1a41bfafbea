// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization

/// A server on the loopback that keeps each request byte for byte, and answers it as the test says: also wrongly, in part, or not at all.
final class ScriptedServer: Sendable {
    /// One request.
    struct Request: Sendable, Equatable {
        /// The number of the connection that it came over, from 1.
        let connection: Int
        /// Everything before the body, as it came.
        let head: String
        let body: [UInt8]

        /// The names and values of its header lines, in their order.
        var headers: [(name: String, value: String)] {
            head.split(separator: "\r\n").dropFirst().map { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                return (String(parts[0]), parts[1].drop { $0 == " " }.description)
            }
        }

        subscript(name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
    }

    /// What is done with a request.
    enum Move: Sendable {
        /// Sends these bytes, and waits for the next request.
        case send([UInt8])
        /// Sends these bytes, and closes the connection.
        case sendAndClose([UInt8])
        /// Says nothing until the client closes the connection.
        case silence

        /// A whole answer.
        static func answer(_ status: Int, _ headers: [(String, String)] = [], body: [UInt8] = []) -> Move {
            let lines = ["HTTP/1.1 \(status) X", "Content-Length: \(body.count)"] + headers.map { "\($0): \($1)" }
            return .send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
        }
    }

    typealias Script = @Sendable (Request) -> Move

    private struct State {
        var requests: [Request] = []
        var open: [Int32] = []
        var connections = 0
        var isOver = false
        var script: Script
    }

    let port: UInt16
    private let listener: Int32
    private let state: Mutex<State>

    init(_ script: @escaping Script) throws {
        state = Mutex(State(script: script))
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isThere = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        struct NoPort: Error {}
        guard isThere else { throw NoPort() }
        port = UInt16(bigEndian: address.sin_port)
        DispatchQueue(label: "listener").async { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                guard let number = self?.add(connection) else {
                    close(connection)
                    break
                }
                DispatchQueue(label: "connection").async { [weak self] in
                    Self.serve(connection, number) { self?.move($0) }
                    self?.remove(connection)
                    close(connection)
                }
            }
            close(listener)
        }
    }

    deinit {
        // Whoever reads or accepts returns, and closes.
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in state.withLock({ $0.open }) { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    var base: String { "http://127.0.0.1:\(port)" }
    var requests: [Request] { state.withLock { $0.requests } }
    var connections: Int { state.withLock { $0.connections } }

    /// From now on it answers like this.
    func follow(_ script: @escaping Script) { state.withLock { $0.script = script } }

    private func add(_ connection: Int32) -> Int {
        state.withLock {
            $0.open.append(connection)
            $0.connections += 1
            return $0.connections
        }
    }

    private func remove(_ connection: Int32) { state.withLock { $0.open.removeAll { $0 == connection } } }

    private func move(_ request: Request) -> Move {
        let script = state.withLock {
            $0.requests.append(request)
            return $0.script
        }
        return script(request)
    }

    private static func serve(_ connection: Int32, _ number: Int, _ move: (Request) -> Move?) {
        var got: [UInt8] = []
        while let request = next(connection, number, &got), let move = move(request) {
            switch move {
            case .send(let bytes): write(bytes, connection)
            case .sendAndClose(let bytes):
                write(bytes, connection)
                return
            case .silence:
                var byte: UInt8 = 0
                while read(connection, &byte, 1) > 0 {}
                return
            }
        }
    }

    private static func next(_ connection: Int32, _ number: Int, _ got: inout [UInt8]) -> Request? {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let text = String(decoding: got, as: UTF8.self)
            if let end = text.firstRange(of: "\r\n\r\n") {
                let head = String(text[..<end.lowerBound])
                let start = head.utf8.count + 4
                let bare = Request(connection: number, head: head, body: [])
                let length = bare["Content-Length"].flatMap { Int($0) } ?? 0
                if got.count >= start + length {
                    defer { got.removeFirst(start + length) }
                    return Request(connection: number, head: head, body: Array(got[start..<start + length]))
                }
            }
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return nil }
            got += buffer[..<count]
        }
    }

    private static func write(_ bytes: [UInt8], _ connection: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
