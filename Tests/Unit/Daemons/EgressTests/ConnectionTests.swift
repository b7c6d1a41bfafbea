// SPDX-License-Identifier: Apache-2.0

import Egress
import Glibc
import Interfaces
import ProcessLink
import Socks
import TestKit
import Testing

/// What gets through, over real sockets on loopback.
@Suite(.serialized) struct ConnectionTests {
    @Test(arguments: [false, true]) func bytesGoBothWays(version6: Bool) throws {
        let outside = try Outside.echo(version6: version6)
        let bench = try Bench()
        let host = version6 ? "::1" : "127.0.0.1"
        try bench.admit("sync", version6 ? "[::1]:\(outside.port)!" : "127.0.0.1:\(outside.port)!")
        let (wire, reply) = try bench.open("sync", host, outside.port)
        #expect(reply == 0)
        let words = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        onThread {
            wire.write(words)
            wire.finish()
        }
        #expect(wire.readToEnd() == words)
        #expect(try eventually { try bench.traffic().callers.first?.openConnectionCount == 0 })
        let traffic = try #require(try bench.traffic().callers.first)
        #expect(traffic.sentByteCount == 100_000 && traffic.receivedByteCount == 100_000 && traffic.connectionCount == 1)
        let endpoint = try #require(try bench.endpoints("sync").first)
        #expect(endpoint.sentByteCount == 100_000 && endpoint.receivedByteCount == 100_000 && endpoint.mayBePrivate)
    }

    @Test func whatIsSentBeforeTheAnswerIsNotLost() throws {
        let outside = try Outside.echo()
        let bench = try Bench()
        try bench.admit("sync", "127.0.0.1:\(outside.port)!")
        let wire = try bench.wire("sync")
        wire.write([5, 1, 0] + Bench.request("127.0.0.1", outside.port) + Array("hello".utf8))
        wire.finish()
        #expect(wire.readToEnd() == [5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0] + Array("hello".utf8))
        #expect(try bench.traffic().callers.first?.sentByteCount == 5)
    }

    /// One side ends, the other goes on.
    @Test func halfOfAConnectionMayEnd() throws {
        let outside = try Outside { wire in
            let question = wire.readToEnd()
            usleep(50_000)
            wire.write(Array(question.reversed()))
        }
        let bench = try Bench()
        try bench.admit("sync", "127.0.0.1:\(outside.port)!")
        let (wire, reply) = try bench.open("sync", "127.0.0.1", outside.port)
        #expect(reply == 0)
        wire.write("abc")
        wire.finish()
        #expect(wire.readToEnd() == Array("cba".utf8))
    }

    @Test func aReaderThatDoesNotReadSlowsTheSenderDown() throws {
        let outside = try Outside { wire in
            for _ in 0..<1000 where !wire.write([UInt8](repeating: 7, count: 65_536)) { return }
        }
        let bench = try Bench()
        try bench.admit("sync", "127.0.0.1:\(outside.port)!")
        let (wire, _) = try bench.open("sync", "127.0.0.1", outside.port)
        // Until the kernel's buffers on the way are full and nothing moves any more, which must be long before 64 MB.
        var before: Int64 = -1
        var after: Int64 = 0
        for _ in 0..<300 where before != after || after == 0 {
            before = after
            usleep(200_000)
            after = Int64(try #require(try bench.traffic().callers.first?.receivedByteCount))
        }
        #expect(before == after && after > 0 && after < 20_000_000)
        var count = 0
        while let bytes = wire.readSome(1 << 20), !bytes.isEmpty { count += bytes.count }
        #expect(count == 1000 * 65_536)
    }

    @Test func theFirstAddressThatAnswersWins() throws {
        let outside = try Outside.echo()
        let silence = try Silence(port: outside.port)
        defer { withExtendedLifetime(silence) {} }
        let names = Names([
            "a.example": ["127.0.0.2", "::1", "127.0.0.1"], "slow.example": [Silence.address, "127.0.0.1"],
        ])
        let bench = try Bench(names: names.lookup)
        try bench.admit("sync", "a.example:\(outside.port)!,slow.example:\(outside.port)!")
        // Nobody listens at the first two: the third has its turn at once.
        var best = Duration.seconds(100)
        for _ in 0..<5 {
            let began = now()
            #expect(try bench.open("sync", "A.Example.", outside.port).reply == 0)
            best = min(best, now() - began)
        }
        // A turn that is waited for takes 250 ms, always; a busy machine is not busy five times.
        #expect(best < .milliseconds(200))
        // The first keeps silent: the second has its turn after 250 ms, and the first is let go of.
        let began = now()
        #expect(try bench.open("sync", "slow.example", outside.port).reply == 0)
        let took = now() - began
        #expect(took >= .milliseconds(240) && took < .seconds(19), "\(took)")
    }

    @Test func aThousandConnectionsAtATime() throws {
        let outside = try Outside.echo()
        var limits = EgressLimits()
        limits.connectionsPerCaller = 1_100
        limits.connections = 1_200
        let bench = try Bench(limits: limits)
        try bench.admit("sync", "127.0.0.1:\(outside.port)!")
        var wires: [Wire] = []
        for number in 0..<1_000 {
            let (wire, reply) = try bench.open("sync", "127.0.0.1", outside.port)
            try #require(reply == 0, "number \(number)")
            wires.append(wire)
        }
        #expect(try bench.traffic().callers.first?.openConnectionCount == 1_000)
        for (number, wire) in wires.enumerated() { wire.write("word \(number)") }
        for (number, wire) in wires.enumerated() {
            let word = Array("word \(number)".utf8)
            #expect(wire.read(word.count) == word)
        }
        wires = []
        #expect(try eventually { try bench.traffic().callers.first?.openConnectionCount == 0 })
    }

    @Test func callersHaveTheirOwnDestinationsAndCounters() throws {
        let outside = try Outside.echo()
        let bench = try Bench()
        try bench.admit("sync", "127.0.0.1:\(outside.port)!")
        try bench.admit("wake", "127.0.0.1:1!")
        #expect(try bench.open("sync", "127.0.0.1", outside.port).reply == 0)
        #expect(try bench.open("wake", "127.0.0.1", outside.port).reply == 2)
        #expect(try bench.refusals("sync") == [:])
        #expect(try bench.refusals("wake") == ["portNotListed": 1])
        #expect(try bench.endpoints("wake").map(\.destination) == ["127.0.0.1:1"])
    }

    @Test func aLoginIsAskedForWhereThereIsOne() throws {
        let outside = try Outside.echo()
        let bench = try Bench()
        try bench.admit("sync", "127.0.0.1:\(outside.port)!", ["auth": "sync:secret"])
        let good = try bench.wire("sync")
        good.write(
            [5, 1, 2, 1, 4] + Array("sync".utf8) + [6] + Array("secret".utf8) + Bench.request("127.0.0.1", outside.port))
        #expect(good.read(14) == [5, 2, 1, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        let bad = try bench.wire("sync")
        bad.write([5, 1, 2, 1, 4] + Array("sync".utf8) + [6] + Array("secreT".utf8))
        #expect(bad.readToEnd() == [5, 2, 1, 1])
        let none = try bench.wire("sync")
        none.write([5, 1, 0])
        #expect(none.readToEnd() == [5, 0xFF])
        #expect(try bench.refusals("sync") == ["wrongPassword": 1, "noCommonMethod": 1])
        #expect(!bench.lines.all.joined().contains("secre"))
    }
}
