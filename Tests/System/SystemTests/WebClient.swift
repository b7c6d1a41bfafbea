// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// A browser's worth of HTTP over a plain socket: says exactly what a test wants it to.
struct WebClient {
    struct Answer {
        let status: Int
        /// Lines as they came.
        let head: [String]
        let bytes: [UInt8]
        var body: String { String(decoding: bytes, as: UTF8.self) }

        func header(_ name: String) -> String? {
            head.first { $0.lowercased().hasPrefix(name.lowercased() + ":") }.map {
                String($0.dropFirst(name.utf8.count + 1).drop { $0 == " " })
            }
        }
    }

    let port: UInt16
    /// By name, as a browser keeps them.
    var cookies: [String: String] = [:]
    var origin: String { "http://127.0.0.1:\(port)" }

    init(port: UInt16) { self.port = port }

    static func connect(_ port: UInt16) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        place.sin_port = port.bigEndian
        // Not how long a page takes, but how long a test hangs if none comes: plugins yield to everybody.
        var timeout = timeval(tv_sec: 240, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let isConnected = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isConnected { return descriptor }
        close(descriptor)
        return -1
    }

    /// Sends bytes as they are; what comes until the end.
    static func raw(_ port: UInt16, _ text: String) -> String { String(decoding: rawBytes(port, text), as: UTF8.self) }

    private static func rawBytes(_ port: UInt16, _ text: String) -> [UInt8] {
        let descriptor = connect(port)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return answer }
            answer += buffer[..<count]
        }
    }

    /// `headers` replace the standard ones of the same name; an empty value leaves one out.
    mutating func ask(
        _ method: String, _ path: String, _ headers: [String: String] = [:], body: String? = nil
    ) throws -> Answer {
        var all = ["Host": "127.0.0.1:\(port)", "Connection": "close", "Accept": "text/html"]
        if !cookies.isEmpty {
            all["Cookie"] = cookies.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: "; ")
        }
        if let body {
            all["Content-Length"] = "\(body.utf8.count)"
            all["Content-Type"] = "application/x-www-form-urlencoded"
            all["Origin"] = origin
        }
        for (name, value) in headers { all[name] = value }
        let lines = all.filter { !$0.value.isEmpty }.map { "\($0): \($1)\r\n" }.joined()
        let bytes = Self.rawBytes(port, "\(method) \(path) HTTP/1.1\r\n\(lines)\r\n\(body ?? "")")
        let end = try #require(bytes.firstRange(of: Array("\r\n\r\n".utf8)), "\(method) \(path): \(bytes.count) bytes")
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n").map(String.init)
        let status = try #require(head.first.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") })
        for line in head where line.lowercased().hasPrefix("set-cookie: ") {
            let parts = line.dropFirst(12).split(separator: ";")[0].split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            cookies[String(parts[0])] = parts[1].isEmpty ? nil : String(parts[1])
        }
        return Answer(status: status, head: head, bytes: Array(bytes[end.upperBound...]))
    }

    /// The token of the page's forms.
    mutating func formToken(_ path: String) throws -> String {
        let page = try ask("GET", path)
        let start = try #require(page.body.firstRange(of: #"name="form" value=""#), "\(path): \(page.body)")
        return String(page.body[start.upperBound...].prefix { $0 != "\"" })
    }

    mutating func signIn(_ role: String, _ secret: String) throws -> Answer {
        let token = try formToken("/sign-in")
        return try ask("POST", "/sign-in", body: "form=\(token)&act=signIn&role=\(role)&secret=\(secret)")
    }
}
