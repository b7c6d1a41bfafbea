// SPDX-License-Identifier: Apache-2.0

import Egress
import Glibc
import IPNetwork
import Interfaces
import JSON
import ProcessLink
import Socks
import Synchronization
import TestKit
import Testing
import Varlink
import VarlinkSocket

/// What the supervisor says, names that are slow, and proxies.
@Suite(.serialized) struct ControlTests {
    @Test func aliveStopAndTheEndOfTheSupervisor() throws {
        let bench = try Bench(heartbeat: .milliseconds(100))
        #expect(bench.heard() == "ALIVE")
        bench.control.send("START")
        #expect(bench.heard() == "ALIVE")
        bench.control.send("STOP")
        #expect(eventually { bench.end == .stopped })

        let other = try Bench()
        shutdown(other.control.descriptor, Int32(SHUT_RDWR))
        #expect(eventually { other.end == .abandoned })
    }

    @Test func stopLetsAnAnswerArrive() throws {
        let outside = try Outside { wire in
            _ = wire.readSome()
            usleep(300_000)
            wire.write("late")
        }
        let bench = try Bench()
        try bench.admit("sync", "127.0.0.1:\(outside.port)!")
        let (wire, _) = try bench.open("sync", "127.0.0.1", outside.port)
        wire.write("x")
        bench.control.send("STOP")
        #expect(wire.read(4) == Array("late".utf8))
        wire.finish()
        #expect(eventually { bench.end == .stopped })
    }

    @Test func whenTrafficCostsMoneyOnlyThoseWhoMayGoOn() throws {
        let outside = try Outside.echo()
        let bench = try Bench()
        try bench.admit("sync", "127.0.0.1:\(outside.port)!")
        try bench.admit("wake", "127.0.0.1:\(outside.port)!", ["metered": "1"])
        let (sync, _) = try bench.open("sync", "127.0.0.1", outside.port)
        let (wake, _) = try bench.open("wake", "127.0.0.1", outside.port)
        bench.control.send(ControlMessage("METERED", ["value": "1"]))
        #expect(eventually { sync.isClosed })
        wake.write("still")
        #expect(wake.read(5) == Array("still".utf8))
        #expect(try bench.open("sync", "127.0.0.1", outside.port).reply == 2)
        #expect(try bench.refusals("sync") == ["metered": 2])
        #expect(try bench.traffic().metered)
        bench.control.send(ControlMessage("METERED", ["value": "0"]))
        #expect(try eventually { try bench.open("sync", "127.0.0.1", outside.port).reply == 0 })
    }

    @Test func takenAwayMeansAtOnce() throws {
        let outside = try Outside.echo()
        let bench = try Bench()
        try bench.admit("sync", "127.0.0.1:\(outside.port)!")
        let (first, _) = try bench.open("sync", "127.0.0.1", outside.port)
        // The same rule and another: nothing is cut.
        try bench.admit("sync", "127.0.0.1:\(outside.port)!,127.0.0.1:1!")
        #expect(try bench.endpoints("sync").count == 2)
        #expect(!first.isClosed)
        // Private no more.
        try bench.admit("sync", "127.0.0.1:\(outside.port)")
        #expect(eventually { first.isClosed })
        #expect(try bench.open("sync", "127.0.0.1", outside.port).reply == 2)
        try bench.admit("sync", "127.0.0.1:\(outside.port)!")
        let (second, reply) = try bench.open("sync", "127.0.0.1", outside.port)
        #expect(reply == 0)
        bench.control.send(ControlMessage("UNSOCKS", ["caller": "sync"]))
        #expect(eventually { second.isClosed })
        #expect(throws: Unreachable.self) { try bench.wire("sync") }
        #expect(try bench.traffic().callers.first?.connectionCount == 2)
    }

    @Test func whatTheSupervisorSaysIsCheckedToo() throws {
        let bench = try Bench()
        bench.control.send("NONSENSE")
        bench.control.send(ControlMessage("SOCKS", ["caller": "sync", "allow": "127.1:80"]))
        bench.control.send(ControlMessage("SOCKS", ["caller": "sync", "allow": "a.example:80"]))
        bench.control.send(ControlMessage("SOCKS", ["allow": "a.example:80"]))
        let null = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
        bench.control.send(ControlMessage("SOCKS", ["caller": "sync", "allow": "a.example:80"]), descriptor: null)
        bench.control.send(ControlMessage("EDGE", ["caller": "webui", "grants": "nonsense"]), descriptor: null)
        close(null)
        bench.control.send(ControlMessage("EDGE", ["caller": "webui"]))
        #expect(try bench.traffic().callers == [])
        #expect(bench.lines.all.count { $0.hasPrefix("error") } == 5)
    }

    @Test func anEdgeAnswersWhatItWasGranted() throws {
        let bench = try Bench()
        try bench.admit("sync", "a.example:443")
        try bench.edge("donation", grants: "\(Egress1.name).GetTraffic") { client in
            let reply = try client.call("\(Egress1.name).GetTraffic")
            #expect(reply["callers"]?.array?.count == 1)
            let error = #expect(throws: VarlinkSocketError.self) { () throws in
                try client.call("\(Egress1.name).GetEndpoints", ["caller": "sync"])
            }
            #expect(error?.reply?.error == "org.varlink.service.PermissionDenied")
        }
        let error = #expect(throws: VarlinkSocketError.self) { try bench.endpoints("nobody") }
        #expect(error?.reply?.error == Egress1.Failure.unknownCaller)
    }

    /// A resolver that never answers takes one thread of each caller's, and two at most; names of others go on.
    @Test func aStuckResolverKeepsNobodyElseWaiting() throws {
        let outside = try Outside.echo()
        let running = Mutex((now: 0, most: 0))
        let released = Mutex(false)
        var limits = EgressLimits()
        limits.resolution = .seconds(5)
        let bench = try Bench(limits: limits) { name in
            running.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            defer { running.withLock { $0.now -= 1 } }
            while name.hasPrefix("stuck"), !released.withLock({ $0 }) { usleep(10_000) }
            return .success([Candidate(IPAddress(v4: 0x7F00_0001))])
        }
        let names = (0..<4).map { "stuck\($0).example:\(outside.port)!" } + ["good.example:\(outside.port)!"]
        try bench.admit("bad", names.joined(separator: ","))
        try bench.admit("good", "good.example:\(outside.port)!")
        let stuck = try (0..<4).map { number in
            let wire = try bench.wire("bad")
            wire.write([5, 1, 0] + Bench.request("stuck\(number).example", outside.port))
            return wire
        }
        #expect(eventually { running.withLock { $0.now > 0 } })
        let began = now()
        #expect(try bench.open("good", "good.example", outside.port).reply == 0)
        #expect(now() - began < .milliseconds(4_500))
        for wire in stuck { #expect(wire.readToEnd() == [5, 0, 5, 6, 0, 1, 0, 0, 0, 0, 0, 0]) }
        #expect(try bench.refusals("bad") == ["resolverTimeout": 4])
        // While its thread is still stuck, literal addresses and other callers go on; its own names wait.
        #expect(try bench.open("good", "good.example", outside.port).reply == 0)
        #expect(try bench.open("bad", "good.example", outside.port).reply == 6)
        released.withLock { $0 = true }
        #expect(try eventually { try bench.open("bad", "good.example", outside.port).reply == 0 })
        #expect(running.withLock { $0.most } == 2)
    }

    @Test func theSameNameIsLookedUpOnce() throws {
        let outside = try Outside.echo()
        let count = Mutex(0)
        let bench = try Bench { _ in
            count.withLock { $0 += 1 }
            usleep(200_000)
            return .success([Candidate(IPAddress(v4: 0x7F00_0001))])
        }
        try bench.admit("sync", "a.example:\(outside.port)!")
        let wires = try (0..<20).map { _ in
            let wire = try bench.wire("sync")
            wire.write([5, 1, 0] + Bench.request("a.example", outside.port))
            return wire
        }
        for wire in wires { #expect(wire.read(12).suffix(10).first == 5) }
        #expect(count.withLock { $0 } <= 2)
    }

    /// Through another egress, as the proxy; and through one that speaks CONNECT.
    @Test func everythingGoesThroughTheProxy() throws {
        let outside = try Outside.echo()
        let names = Names(["cdn.example": ["127.0.0.1"]])
        let far = try Bench(names: names.lookup)
        try far.admit("board", "cdn.example:\(outside.port)!", ["auth": "board:secret"])
        let bench = try Bench()
        try bench.admit("sync", "cdn.example:\(outside.port),10.0.0.1:80,other.example:80")
        bench.control.send(ControlMessage("PROXY", ["address": "127.0.0.1:\(try far.port("board")):board:secret"]))
        let (wire, reply) = try bench.open("sync", "cdn.example", outside.port)
        #expect(reply == 0)
        wire.write("through")
        #expect(wire.read(7) == Array("through".utf8))
        #expect(try bench.traffic().proxied)
        // Its own rules stay: an address is judged, a name that is not granted does not get as far as the proxy.
        #expect(try bench.open("sync", "10.0.0.1", 80).reply == 2)
        #expect(try bench.open("sync", "another.example", 80).reply == 2)
        // What the proxy refuses.
        #expect(try bench.open("sync", "other.example", 80).reply == 1)
        #expect(try bench.refusals("sync") == ["privateAddress": 1, "notListed": 1, "proxyFailed": 1])
        #expect(!bench.lines.all.joined().contains("secret"))

        let proxy = try Outside { wire in
            var head = ""
            while !head.hasSuffix("\r\n\r\n"), let more = wire.readSome(1), !more.isEmpty {
                head += String(decoding: more, as: UTF8.self)
            }
            guard head.hasPrefix("CONNECT cdn.example:") else { return }
            // The destination speaks first, in the same packet.
            wire.write("HTTP/1.1 200 OK\r\n\r\nfirst")
            while let bytes = wire.readSome(), !bytes.isEmpty { wire.write(bytes) }
        }
        bench.control.send(ControlMessage("PROXY", ["address": "http://127.0.0.1:\(proxy.port)"]))
        let (second, _) = try bench.open("sync", "cdn.example", outside.port)
        #expect(second.read(5) == Array("first".utf8))
        second.write("back")
        #expect(second.read(4) == Array("back".utf8))
    }

    @Test func aProxyThatDoesNotWorkIsNotGoneAround() throws {
        let outside = try Outside.echo()
        let mute = try Outside { wire in _ = wire.readToEnd() }
        let closing = try Outside { _ in }
        var limits = EgressLimits()
        limits.connection = .milliseconds(400)
        let bench = try Bench(limits: limits)
        try bench.admit("sync", "127.0.0.1:\(outside.port)!")
        for address in [
            "nonsense", "127.0.0.1:1", "127.0.0.1:\(mute.port)", "127.0.0.1:\(closing.port)", "proxy.example:1",
        ] {
            bench.control.send(ControlMessage("PROXY", ["address": address]))
            let reply = try bench.open("sync", "127.0.0.1", outside.port).reply
            #expect(reply == (address == "proxy.example:1" ? 4 : 1), "\(address)")
        }
        #expect(outside.accepted.withLock { $0 } == 0)
        bench.control.send(ControlMessage("PROXY", ["address": ""]))
        #expect(try bench.open("sync", "127.0.0.1", outside.port).reply == 0)
    }
}
