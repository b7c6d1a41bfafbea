// SPDX-License-Identifier: Apache-2.0

import CTracer
import ForeignText
import Glibc
import HTTPFields
import Synchronization

/// A small web server of this process, on a thread of its own: what it has, by path, with tags, over connections that stay open. May be used on any
/// thread.
package final class PackageServer: Sendable {
    private struct Shared {
        var content: [String: [UInt8]] = [:]
        var headers: [String: [String]] = [:]
        var requests: [String] = []
    }

    /// The port of 127.0.0.1 on which it listens.
    package let port: UInt16
    private let listener: Int32
    private let shared: Mutex<Shared>

    /// Listens on a free port of 127.0.0.1 until the process ends. Throws ``TrialFailure`` without a socket or a thread.
    package init() throws(TrialFailure) {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        shared = Mutex(Shared())
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isListening else { throw TrialFailure("no socket to serve packages on: \(String(cString: strerror(errno)))") }
        port = UInt16(bigEndian: address.sin_port)
        try start()
    }

    /// Everything there is, by path with its slash and its query.
    package var content: [String: [UInt8]] {
        get { shared.withLock { $0.content } }
        set { shared.withLock { $0.content = newValue } }
    }

    /// Lines of further headers of an answer, such as `x-tag: 5`, by path as in ``content``.
    package var headers: [String: [String]] {
        get { shared.withLock { $0.headers } }
        set { shared.withLock { $0.headers = newValue } }
    }

    /// Returns the paths that were asked for since the last call, in order.
    package func takeRequests() -> [String] {
        shared.withLock { shared in
            defer { shared.requests = [] }
            return shared.requests
        }
    }

    // MARK: The thread

    private func start() throws(TrialFailure) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let result = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<PackageServer>.fromOpaque(context).takeUnretainedValue().serve() }
                return nil
            }, context.toOpaque())
        guard result == 0 else { throw TrialFailure("no thread to serve packages on") }
        pthread_detach(thread)
    }

    private func serve() {
        var waiting: [(descriptor: Int32, input: [UInt8])] = []
        while true {
            var list = ([listener] + waiting.map(\.descriptor)).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&list, nfds_t(list.count), -1) > 0 else { continue }
            for place in waiting.indices.reversed() where list[place + 1].revents != 0 {
                var buffer = [UInt8](repeating: 0, count: 8_192)
                let count = recv(waiting[place].descriptor, &buffer, buffer.count, 0)
                waiting[place].input += buffer[..<max(0, count)]
                if count <= 0 || !answer(&waiting[place].input, waiting[place].descriptor) {
                    close(waiting[place].descriptor)
                    waiting.remove(at: place)
                }
            }
            if list[0].revents != 0 {
                let descriptor = vigil_tracer_accept(listener)
                if descriptor >= 0 { waiting.append((descriptor, [])) }
            }
        }
    }

    /// Answers what has come whole; whether the connection goes on. What somebody posts is not looked at.
    private func answer(_ input: inout [UInt8], _ descriptor: Int32) -> Bool {
        let end = Array("\r\n\r\n".utf8)
        while let place = input.indices.first(where: { input[$0...].starts(with: end) }) {
            let lines = String(decoding: input[..<place], as: UTF8.self).split(separator: "\r\n")
            let lengths = lines.filter { $0.lowercased().hasPrefix("content-length:") }
            let length = lengths.first?.split(separator: " ").last.flatMap { Int($0) } ?? 0
            guard (0...65_536).contains(length) else { return false }
            guard input.count >= place + 4 + length else { return input.count < 131_072 }
            input.removeSubrange(..<(place + 4 + length))
            let words = lines.first?.split(separator: " ") ?? []
            guard words.count == 3, words[0] == "GET" || words[0] == "POST" else { return false }
            let path = String(words[1])
            let (body, headers) = shared.withLock { shared in
                shared.requests.append(path)
                return (shared.content[path], shared.headers[path] ?? [])
            }
            guard send(response(body, headers), on: descriptor) else { return false }
        }
        return input.count < 65_536
    }

    private func response(_ body: [UInt8]?, _ headers: [String]) -> [UInt8] {
        let date = HTTPDate.text(unixSeconds: Int64(time(nil))) ?? ""
        guard let body else {
            return Array("HTTP/1.1 404 Not Found\r\nDate: \(date)\r\nContent-Length: 0\r\n\r\n".utf8)
        }
        let tag = "\"\(String(TextMark.of(body), radix: 16))\""
        let more = headers.map { "\($0)\r\n" }.joined()
        let head = "HTTP/1.1 200 OK\r\nDate: \(date)\r\nETag: \(tag)\r\nContent-Length: \(body.count)\r\n\(more)\r\n"
        return Array(head.utf8) + body
    }

    private func send(_ bytes: [UInt8], on descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
