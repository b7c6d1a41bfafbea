// SPDX-License-Identifier: Apache-2.0

import Egress
import Glibc
import Socks
import Testing

/// Clients that others wrote: curl, and Python's own sockets.
@Suite(.serialized) struct ClientTests {
    private struct Outcome {
        let output: String
        let status: Int32
    }

    private func run(_ command: String) throws -> Outcome {
        let stream = try #require(popen(command, "r"))
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = fread(&buffer, 1, buffer.count, stream)
            guard count > 0 else { break }
            output += buffer[..<count]
        }
        let status = pclose(stream)
        return Outcome(output: String(decoding: output, as: UTF8.self), status: status >> 8 & 0xFF)
    }

    private func page() throws -> Outside {
        try Outside { wire in
            var head = ""
            while !head.hasSuffix("\r\n\r\n"), let more = wire.readSome(1), !more.isEmpty {
                head += String(decoding: more, as: UTF8.self)
            }
            let body = String(repeating: "page ", count: 100_000)
            wire.write("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
        }
    }

    @Test func curl() throws {
        let page = try page()
        let names = Names(["cdn.example": ["127.0.0.1"]])
        let bench = try Bench(names: names.lookup)
        try bench.admit("sync", "cdn.example:\(page.port)!")
        try bench.admit("login", "cdn.example:\(page.port)!", ["auth": "login:secret"])
        let options = "curl -sS --noproxy '' --max-time 10 -o /dev/null -w '%{http_code} %{size_download}'"
        let url = "http://cdn.example:\(page.port)/"
        let good = try run("\(options) --socks5-hostname 127.0.0.1:\(bench.port("sync")) \(url) 2>&1")
        #expect(good.output == "200 500000")
        let login = try run(
            "\(options) --socks5-hostname 127.0.0.1:\(bench.port("login")) --proxy-user login:secret \(url) 2>&1")
        #expect(login.output == "200 500000")
        // curl's word for a refusal: CURLE_PROXY, with the reply's code in its text.
        let refused = try run(
            "\(options) --socks5-hostname 127.0.0.1:\(bench.port("sync")) http://other.example/ 2>&1")
        #expect(refused.status == 97)
        #expect(refused.output.contains("(2)"), "\(refused.output)")
        let wrong = try run(
            "\(options) --socks5-hostname 127.0.0.1:\(bench.port("login")) --proxy-user login:wrong \(url) 2>&1")
        #expect(wrong.status == 97)
        #expect(!wrong.output.contains("200"))
    }

    @Test func python() throws {
        let outside = try Outside.echo()
        let bench = try Bench()
        try bench.admit("sync", "127.0.0.1:\(outside.port)!")
        let script = """
            import socket, struct, sys
            s = socket.create_connection(('127.0.0.1', int(sys.argv[1])), 10)
            s.sendall(bytes([5, 2, 0, 2]))
            assert s.recv(2) == bytes([5, 0])
            s.sendall(bytes([5, 1, 0, 1]) + socket.inet_aton('127.0.0.1') + struct.pack('!H', int(sys.argv[2])))
            f = s.makefile('rb')
            assert f.read(10)[:2] == bytes([5, 0])
            s.sendall(b'x' * 200000)
            s.shutdown(socket.SHUT_WR)
            print(len(f.read()))
            """
        let outcome = try run("python3 -c \"\(script)\" \(bench.port("sync")) \(outside.port) 2>&1")
        #expect(outcome.output == "200000\n")
    }
}
