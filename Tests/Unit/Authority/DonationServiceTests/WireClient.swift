// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// One HTTP exchange over a socket, byte for byte.
struct WireAnswer {
    let bytes: [UInt8]
    let status: Int
    let headers: [String: String]
    let body: [UInt8]

    struct NoAnswer: Error {}

    /// Sends `request` to the loopback and reads until the other side closes.
    static func exchange(_ request: [UInt8], port: UInt16) throws -> WireAnswer {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
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
        try #require(connected == 0)
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
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
        // A server that ends closes without an answer.
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

    /// A POST with these headers; `Content-Length` unless the headers say how long the body is.
    static func post(
        _ path: String, _ body: [UInt8], type: String = "application/json", headers: [String: String] = [:], port: UInt16
    ) throws -> WireAnswer {
        var head = "POST \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: \(type)\r\n"
        if !headers.keys.contains("Transfer-Encoding") { head += "Content-Length: \(body.count)\r\n" }
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) { head += "\(name): \(value)\r\n" }
        return try exchange(Array((head + "\r\n").utf8) + body, port: port)
    }
}
