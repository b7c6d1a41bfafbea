// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One HTTP exchange over a socket, byte for byte: what a library would put right is left as it is.
public struct WireAnswer: Sendable {
    /// All that came.
    public let bytes: [UInt8]
    /// The status; 0 if there is none.
    public let status: Int
    /// By name in lower case.
    public let headers: [String: String]
    /// What follows the headers.
    public let body: [UInt8]

    /// The server could not be reached, or closed without an answer.
    public struct NoAnswer: Error {}

    /// Sends `request` to the loopback and reads until the other side closes. Throws ``NoAnswer`` without headers of an answer.
    public static func exchange(_ request: [UInt8], port: UInt16) throws -> WireAnswer {
        let bytes = try read(request, port: port)
        guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: Array("\r\n\r\n".utf8)) }) else {
            throw NoAnswer()
        }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : ""
        }
        let status = lines.first.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) } ?? 0
        return WireAnswer(bytes: bytes, status: status, headers: headers, body: Array(bytes[(end + 4)...]))
    }

    /// A POST with these headers; `Content-Length` unless the headers say how long the body is. Throws as ``exchange(_:port:)``.
    public static func post(
        _ path: String, _ body: [UInt8], type: String = "application/json", headers: [String: String] = [:], port: UInt16
    ) throws -> WireAnswer {
        var head = "POST \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: \(type)\r\n"
        if !headers.keys.contains("Transfer-Encoding") { head += "Content-Length: \(body.count)\r\n" }
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) { head += "\(name): \(value)\r\n" }
        return try exchange(Array((head + "\r\n").utf8) + body, port: port)
    }

    /// Sends `request` to the loopback and returns all that comes until the other side closes, or says nothing for a minute. Throws ``NoAnswer`` if nobody
    /// listens.
    public static func read(_ request: [UInt8], port: UInt16) throws -> [UInt8] {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw NoAnswer() }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw NoAnswer() }
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var sent = 0
        while sent < request.count {
            let count = request.withUnsafeBytes {
                send(descriptor, $0.baseAddress?.advanced(by: sent), request.count - sent, Int32(MSG_NOSIGNAL))
            }
            // A refusal may come before the end of the body.
            if count <= 0 { break }
            sent += count
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 { bytes += buffer.prefix(count) }
        return bytes
    }
}
