// SPDX-License-Identifier: Apache-2.0

import RandomValues
import Socks
import Testing

@Suite struct SocksServerTests {
    static let greeting: [UInt8] = [5, 1, 0]
    static func request(_ name: String, _ port: UInt16) -> [UInt8] {
        [5, 1, 0, 3, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(port >> 8), UInt8(truncatingIfNeeded: port)]
    }

    /// Everything that shows from outside, for bytes that arrive in pieces.
    struct Run: Equatable {
        var outcome: SocksServer.Outcome?
        var output: [UInt8] = []
        var taken = 0

        init(_ bytes: [UInt8], chunk: Int, credentials: Credentials? = nil) {
            var server = SocksServer(credentials: credentials)
            for start in stride(from: 0, to: bytes.count, by: chunk) {
                let piece = bytes[start..<min(start + chunk, bytes.count)]
                let count = server.receive(piece)
                output += server.takeOutput()
                taken += count
                if count < piece.count { break }
            }
            outcome = server.outcome
        }
    }

    @Test(arguments: [
        (request("CDN.example.", 443), "cdn.example:443"), (request("127.0.0.1", 80), "127.0.0.1:80"),
        (request("::1", 80), "[::1]:80"), ([5, 1, 0, 1, 192, 0, 2, 1, 1, 187], "192.0.2.1:443"),
        ([5, 1, 0, 4, 0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 80], "[2001:db8::1]:80"),
    ])
    func understandsARequest(bytes: [UInt8], destination: String) {
        let behind: [UInt8] = [0x16, 3, 1]
        for chunk in [1, 2, 3, 1000] {
            let run = Run(Self.greeting + bytes + behind, chunk: chunk)
            #expect(run.outcome == Destination(destination).map { .request($0) })
            #expect(run.output == [5, 0])
            #expect(run.taken == Self.greeting.count + bytes.count)
        }
    }

    @Test func answersOnce() {
        for reply in SocksReply.allCases {
            var server = SocksServer()
            _ = server.receive(Self.greeting + Self.request("a.example", 1))
            _ = server.takeOutput()
            server.answer(reply)
            #expect(server.takeOutput() == [5, reply.rawValue, 0, 1, 0, 0, 0, 0, 0, 0])
            server.answer(reply)
            #expect(server.takeOutput() == [])
        }
        var early = SocksServer()
        early.answer(.succeeded)
        #expect(early.takeOutput() == [])
    }

    @Test(arguments: [
        ([4], Refusal.Rule.malformedRequest, []), (Array("GET / HTTP/1.1\r\n\r\n".utf8), .malformedRequest, []),
        ([0x16, 3, 1], .malformedRequest, []), ([5, 0], .noCommonMethod, [5, 0xFF]),
        ([5, 2, 1, 2], .noCommonMethod, [5, 0xFF]),
        (greeting + [4], .malformedRequest, [5, 0, 5, 1, 0, 1, 0, 0, 0, 0, 0, 0]),
        (greeting + [5, 1, 1], .malformedRequest, [5, 0, 5, 1, 0, 1, 0, 0, 0, 0, 0, 0]),
        (greeting + [5, 1, 0, 2, 0], .malformedRequest, [5, 0, 5, 8, 0, 1, 0, 0, 0, 0, 0, 0]),
        (greeting + [5, 2, 0, 1, 1, 1, 1, 1, 0, 80], .commandNotSupported, [5, 0, 5, 7, 0, 1, 0, 0, 0, 0, 0, 0]),
        (greeting + [5, 3, 0, 1, 1, 1, 1, 1, 0, 80], .commandNotSupported, [5, 0, 5, 7, 0, 1, 0, 0, 0, 0, 0, 0]),
        (greeting + request("", 80), .malformedHost, [5, 0, 5, 2, 0, 1, 0, 0, 0, 0, 0, 0]),
        (greeting + request("127.1", 80), .malformedHost, [5, 0, 5, 2, 0, 1, 0, 0, 0, 0, 0, 0]),
        (greeting + request("a.example\u{0}.cdn.example", 80), .malformedHost, [5, 0, 5, 2, 0, 1, 0, 0, 0, 0, 0, 0]),
        (greeting + request("a.example", 0), .malformedHost, [5, 0, 5, 2, 0, 1, 0, 0, 0, 0, 0, 0]),
        (greeting + [5, 1, 0, 3, 2, 0xC3, 0x28, 0, 80], .malformedHost, [5, 0, 5, 2, 0, 1, 0, 0, 0, 0, 0, 0]),
    ])
    func refuses(bytes: [UInt8], rule: Refusal.Rule, output: [UInt8]) {
        for chunk in [1, 3, 1000] {
            let run = Run(bytes, chunk: chunk)
            #expect(run.outcome == .refused(Refusal(rule)))
            #expect(run.output == output)
        }
    }

    @Test func logsIn() throws {
        let credentials = try Credentials(parsing: "sync:secret")
        let login = { (user: String, password: String) -> [UInt8] in
            [1, UInt8(user.utf8.count)] + Array(user.utf8) + [UInt8(password.utf8.count)] + Array(password.utf8)
        }
        let offer: [UInt8] = [5, 3, 0, 1, 2]
        let request = Self.request("a.example", 443)
        for chunk in [1, 5, 1000] {
            let good = Run(offer + login("sync", "secret") + request, chunk: chunk, credentials: credentials)
            #expect(good.outcome == Destination("a.example:443").map { .request($0) })
            #expect(good.output == [5, 2, 1, 0])
            for (user, password) in [("sync", "secreT"), ("sync", "secret2"), ("syn", "secret"), ("", ""), ("sync", "")] {
                let bad = Run(offer + login(user, password) + request, chunk: chunk, credentials: credentials)
                #expect(bad.outcome == .refused(Refusal(.wrongPassword)))
                #expect(bad.output == [5, 2, 1, 1])
            }
            #expect(
                Run([5, 1, 0] + request, chunk: chunk, credentials: credentials).outcome
                    == .refused(Refusal(.noCommonMethod)))
            #expect(
                Run(offer + [5, 1], chunk: chunk, credentials: credentials).outcome == .refused(Refusal(.malformedRequest)))
        }
    }

    /// Whatever comes, in whatever pieces: the same outcome, and at most two replies.
    @Test func doesNotDependOnPieces() throws {
        let credentials = try Credentials(parsing: "a:b")
        let pieces: [[UInt8]] = [
            [5, 1, 0], [5, 2, 0, 2], [1, 1, 97, 1, 98], Self.request("a.example", 1), [5, 1, 0, 1, 127, 0, 0, 1, 0, 80],
            [5], [0],
            [1], [255], [5, 1, 0, 4],
        ]
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            var bytes = (0..<Int.random(in: 1...5, using: &generator)).flatMap { _ in
                pieces.randomElement(using: &generator) ?? []
            }
            if Bool.random(using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            for credentials in [nil, credentials] {
                let whole = Run(bytes, chunk: bytes.count, credentials: credentials)
                #expect(Run(bytes, chunk: Int.random(in: 1...9, using: &generator), credentials: credentials) == whole)
                #expect(whole.output.count <= 14)
            }
        }
    }
}
