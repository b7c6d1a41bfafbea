// SPDX-License-Identifier: Apache-2.0

import Egress
import Glibc
import IPNetwork
import Interfaces
import ProcessLink
import RandomValues
import Socks
import Synchronization
import TestKit
import Testing
import VarlinkSocket

/// What does not get through, and what is said about it.
@Suite(.serialized) struct RefusalTests {
    @Test func theAuthorIsToldWhichRule() throws {
        let outside = try Outside.echo()
        let names = Names(["inner.example": ["127.0.0.1"], "mixed.example": ["10.0.0.1", "127.0.0.1", "fe80::1"]])
        let bench = try Bench(names: names.lookup)
        let port = outside.port
        try bench.admit(
            "sync", "inner.example:\(port),127.0.0.1:\(port),mixed.example:\(port),nobody.example:1,127.0.0.1:1!")
        let cases: [(String, UInt16, UInt8, String)] = [
            ("other.example", port, 2, "notListed"), ("inner.example", 80, 2, "portNotListed"),
            ("inner.example", port, 2, "privateAddress"), ("127.0.0.1", port, 2, "privateAddress"),
            ("mixed.example", port, 2, "privateAddress"), ("nobody.example", 1, 4, "nameNotFound"),
            ("127.0.0.1", 1, 5, "connectionRefused"), ("127.1", port, 2, "malformedHost"),
        ]
        var expected: [String: UInt64] = [:]
        for (host, port, reply, rule) in cases {
            let (wire, got) = try bench.open("sync", host, port)
            #expect(got == reply, "\(host)")
            #expect(wire.readToEnd() == [])
            expected[rule, default: 0] += 1
            #expect(try bench.refusals("sync") == expected)
            let said = try #require(try bench.traffic().callers.first?.lastRefusal)
            if rule != "malformedHost" { #expect(said.contains(host)) }
            #expect(bench.lines.all.contains { $0.contains("rule=\(rule)") && $0.contains("caller=sync") })
        }
        #expect(outside.accepted.withLock { $0 } == 0)
        // A name that is not granted is not even looked up: asking for it would tell the name server.
        #expect(Set(names.questions.withLock { $0 }) == ["inner.example", "mixed.example", "nobody.example"])
        #expect(try bench.endpoints("sync").first { $0.destination == "inner.example:\(port)" }?.failedConnectionCount == 1)
        #expect(try bench.traffic().callers.first?.connectionCount == 0)
        #expect(try bench.traffic().callers.first?.openConnectionCount == 0)
    }

    /// A name that means something else each time it is asked for: judged is what is connected to.
    @Test func aNameThatChangesItsMeaningIsJudgedEachTime() throws {
        let outside = try Outside.echo()
        let asked = Mutex(0)
        let bench = try Bench { _ in
            let count = asked.withLock {
                $0 += 1
                return $0
            }
            // First in public, where nobody answers in a moment; then in private.
            return .success([Candidate(IPAddress(count == 1 ? "240.0.0.1" : "127.0.0.1") ?? IPAddress(v4: 0))])
        }
        try bench.admit("sync", "evil.example:\(outside.port)")
        for _ in 0..<5 { #expect(try bench.open("sync", "evil.example", outside.port).reply == 2) }
        #expect(try bench.refusals("sync") == ["privateAddress": 5])
        #expect(outside.accepted.withLock { $0 } == 0)
    }

    @Test func onlyConnectIsDone() throws {
        let bench = try Bench()
        try bench.admit("sync", "")
        for command: UInt8 in [2, 3] {
            let wire = try bench.wire("sync")
            wire.write([5, 1, 0, 5, command, 0, 1, 1, 1, 1, 1, 0, 80])
            #expect(wire.readToEnd() == [5, 0, 5, 7, 0, 1, 0, 0, 0, 0, 0, 0])
        }
        #expect(try bench.refusals("sync") == ["commandNotSupported": 2])
    }

    @Test func aSilentAddressIsGivenUp() throws {
        let outside = try Outside.echo()
        let silence = try Silence(port: outside.port)
        defer { withExtendedLifetime(silence) {} }
        var limits = EgressLimits()
        limits.connection = .milliseconds(400)
        let bench = try Bench(limits: limits)
        try bench.admit("sync", "\(Silence.address):\(outside.port)!")
        #expect(try bench.open("sync", Silence.address, outside.port).reply == 6)
        #expect(try bench.refusals("sync") == ["connectTimeout": 1])
    }

    @Test func whoDoesNotSayWhereToIsClosed() throws {
        var limits = EgressLimits()
        limits.request = .milliseconds(300)
        let bench = try Bench(limits: limits)
        try bench.admit("sync", "")
        let silent = try bench.wire("sync")
        let slow = try bench.wire("sync")
        slow.write([5, 1])
        #expect(silent.readToEnd() == [])
        #expect(slow.readToEnd() == [])
        #expect(try bench.refusals("sync") == ["slowRequest": 2])
    }

    @Test func idleAndStalledConnectionsEnd() throws {
        let outside = try Outside.echo()
        let flood = try Outside { wire in
            for _ in 0..<1000 where !wire.write([UInt8](repeating: 7, count: 65_536)) { return }
        }
        var limits = EgressLimits()
        limits.idle = .milliseconds(300)
        limits.stall = .milliseconds(300)
        let bench = try Bench(limits: limits)
        try bench.admit("sync", "127.0.0.1:\(outside.port)!,127.0.0.1:\(flood.port)!")
        let (idle, _) = try bench.open("sync", "127.0.0.1", outside.port)
        let (stalled, _) = try bench.open("sync", "127.0.0.1", flood.port)
        for _ in 0..<5 {
            usleep(100_000)
            idle.write("x")
        }
        #expect(idle.read(5).count == 5)
        #expect(idle.readToEnd() == [])
        #expect(try eventually { try bench.traffic().callers.first?.openConnectionCount == 0 })
        withExtendedLifetime(stalled) {}
    }

    @Test func tooManyAreToldSo() throws {
        let outside = try Outside.echo()
        var limits = EgressLimits()
        limits.connectionsPerCaller = 3
        let bench = try Bench(limits: limits)
        try bench.admit("sync", "127.0.0.1:\(outside.port)!")
        try bench.admit("wake", "127.0.0.1:\(outside.port)!")
        var wires: [Wire] = []
        for _ in 0..<3 { wires.append(try bench.open("sync", "127.0.0.1", outside.port).wire) }
        #expect(try bench.open("sync", "127.0.0.1", outside.port).reply == 1)
        #expect(try bench.refusals("sync") == ["tooManyConnections": 1])
        #expect(try bench.open("wake", "127.0.0.1", outside.port).reply == 0)
        wires.removeLast()
        #expect(try eventually { try bench.open("sync", "127.0.0.1", outside.port).reply == 0 })
    }

    /// A caller that opens connections as fast as it can and says nothing: it waits for itself, others do not.
    @Test func aFloodHurtsItsSenderOnly() throws {
        let outside = try Outside.echo()
        let bench = try Bench()
        try bench.admit("bad", "")
        try bench.admit("good", "127.0.0.1:\(outside.port)!")
        var flood: [Wire] = []
        for _ in 0..<300 { flood.append(try bench.wire("bad")) }
        let began = now()
        for _ in 0..<50 { #expect(try bench.open("good", "127.0.0.1", outside.port).reply == 0) }
        #expect(now() - began < .seconds(20))
        // And it has not stopped being served: once the flood ebbs, so is its caller.
        flood = []
        #expect(try bench.open("bad", "127.0.0.1", 1).reply == 2)
    }

    @Test func hostileBytesDoNothing() throws {
        let outside = try Outside.echo()
        let bench = try Bench()
        try bench.admit("sync", "127.0.0.1:\(outside.port)!")
        var generator = SeededGenerator(seed: 1)
        for round in 0..<400 {
            let wire = try bench.wire("sync")
            var bytes = generator.bytes(.random(in: 1...600, using: &generator))
            if round % 2 == 0 { bytes = [5, 1, 0, 5, 1, 0, [1, 3, 4][round % 3]] + bytes }
            wire.write(bytes)
            if round % 3 == 0 { wire.reset() } else { wire.finish() }
        }
        #expect(try eventually { try bench.open("sync", "127.0.0.1", outside.port).reply == 0 })
    }

    @Test func theLogIsNotFilled() throws {
        let bench = try Bench()
        try bench.admit("sync", "")
        for number in 0..<100 { #expect(try bench.open("sync", "secret\(number).example", 443).reply == 2) }
        #expect(bench.lines.all.count { $0.contains("rule=notListed") } == 8)
        #expect(try bench.refusals("sync") == ["notListed": 100])
    }
}
