// SPDX-License-Identifier: Apache-2.0

import Socks
import Testing

@Suite struct ProxyTests {
    /// Talks a handshake through, the answers one after the other, and gives what was said.
    private func talk(
        _ proxy: String, to target: String, answers: [[UInt8]], chunk: Int = 1
    ) throws -> (
        said: [[UInt8]], state: ProxyHandshake.State, left: Int
    ) {
        var handshake = try UpstreamProxy(parsing: proxy).handshake(to: try #require(Destination(target)))
        var said = [handshake.takeOutput()]
        var left = 0
        for answer in answers {
            var rest = answer[...]
            while !rest.isEmpty {
                let count = handshake.receive(rest.prefix(chunk))
                guard count > 0 else { break }
                rest = rest.dropFirst(count)
            }
            left += rest.count
            said.append(handshake.takeOutput())
        }
        return (said, handshake.state, left)
    }

    @Test func goesThroughSocks() throws {
        for chunk in [1, 4, 100] {
            let (said, state, left) = try talk(
                "proxy.example:1080:me:secret", to: "cdn.example:443",
                answers: [[5, 2], [1, 0], [5, 0, 0, 3, 1, 97, 0, 80, 0x16, 3]], chunk: chunk)
            #expect(said[0] == [5, 2, 0, 2])
            #expect(said[1] == [1, 2, 109, 101, 6] + Array("secret".utf8))
            #expect(said[2] == [5, 1, 0, 3, 11] + Array("cdn.example".utf8) + [1, 187])
            #expect(state == .open)
            #expect(left == 2)
        }
        let plain = try talk(
            "socks5://[2606::1]:1080", to: "192.0.2.1:80", answers: [[5, 0], [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]])
        #expect(plain.said == [[5, 1, 0], [5, 1, 0, 1, 192, 0, 2, 1, 0, 80], []])
        #expect(plain.state == .open)
    }

    @Test(arguments: [
        ([[4]], Refusal.Rule.proxyFailed), ([[5, 0xFF]], .proxyFailed), ([[5, 2]], .proxyFailed),
        ([[5, 0], [4]], .proxyFailed),
        ([[5, 0], [5, 2, 0, 1, 0, 0, 0, 0, 0, 0]], .proxyFailed),
        ([[5, 0], [5, 3, 0, 1, 0, 0, 0, 0, 0, 0]], .unreachable),
        ([[5, 0], [5, 4, 0, 1, 0, 0, 0, 0, 0, 0]], .unreachable),
        ([[5, 0], [5, 5, 0, 1, 0, 0, 0, 0, 0, 0]], .connectionRefused),
        ([[5, 0], [5, 6, 0, 1, 0, 0, 0, 0, 0, 0]], .connectTimeout), ([[5, 0], [5, 0, 0, 9, 0]], .proxyFailed),
        ([[5, 0], [5, 77, 0, 1, 0, 0, 0, 0, 0, 0]], .proxyFailed),
    ])
    func isRefusedBySocks(answers: [[UInt8]], rule: Refusal.Rule) throws {
        #expect(try talk("proxy.example:1080", to: "a.example:1", answers: answers).state == .refused(rule))
    }

    @Test func goesThroughHTTP() throws {
        let head = Array("HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n".utf8)
        for chunk in [1, 7, 1000] {
            let (said, state, left) = try talk(
                "http://proxy.example:3128:Aladdin:open sesame", to: "[2606::1]:443", answers: [head + [0x16]], chunk: chunk
            )
            // The header is RFC 7617's own example.
            let expected =
                "CONNECT [2606::1]:443 HTTP/1.1\r\nHost: [2606::1]:443\r\n"
                + "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n\r\n"
            #expect(String(decoding: said[0], as: UTF8.self) == expected)
            #expect(state == .open)
            #expect(left == 1)
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", Refusal.Rule.proxyFailed),
        ("HTTP/1.0 504 Gateway Timeout\r\n\r\n", .connectTimeout), ("HTTP/1.1 2000 Yes\r\n\r\n", .proxyFailed),
        ("HTTP/2 200\r\n\r\n", .proxyFailed), ("SSH-2.0-x\r\n\r\n", .proxyFailed), ("\r\n\r\n", .proxyFailed),
        ("HTTP/1.1 200 " + String(repeating: "x", count: 9000), .proxyFailed),
    ])
    func isRefusedByHTTP(answer: String, rule: Refusal.Rule) throws {
        #expect(
            try talk("http://p.example:1", to: "a.example:1", answers: [Array(answer.utf8)]).state == .refused(rule))
    }

    @Test(arguments: [
        "", "proxy", "proxy:", "http://", "proxy:1:", "proxy:1:user", "proxy:1:user:", "[::1:1", "https://p:1", "p:0",
        "http://socks5://p:1", "socks5://http://p:1", "socks5://socks5://p:1",
    ])
    func isNoProxy(text: String) {
        let error = #expect(throws: SocksError.self) { try UpstreamProxy(parsing: text) }
        #expect(error?.code == .malformedProxy || error?.code == .malformedCredentials)
    }
}
