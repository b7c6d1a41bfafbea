// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import TestKit
import Testing
import Varlink

@testable import VarlinkSocket

struct VarlinkServerTests {
    private func echo(_ word: String, _ more: String = "") -> String {
        #"{"method":"org.example.site1.Echo","parameters":{"word":"\#(word)"}\#(more)}"#
    }

    @Test(arguments: [1, 7, 143]) func `Calls are answered however their bytes arrive`(size: Int) throws {
        let site = try Site()
        let caller = try site.caller()
        let stream = (0..<20).flatMap { Array(echo("word \($0)").utf8) + [UInt8(0)] }
        for start in stride(from: 0, to: stream.count, by: size) {
            #expect(caller.write(Array(stream[start..<min(start + size, stream.count)])) > 0)
            site.run()
        }
        #expect(try caller.replies().map { $0.parameters["word"] } == (0..<20).map { .string("word \($0)") })
        #expect(site.server.counters.calls == 20)
    }

    @Test func `A thousand calls at once are answered in their order`() throws {
        let site = try Site()
        let caller = try site.caller()
        var rest = (0..<1000).flatMap { Array(echo("\($0)").utf8) + [UInt8(0)] }
        var count = 0
        var heard: [UInt8] = []
        while count < 1000 {
            if !rest.isEmpty {
                let written = caller.write(rest)
                if written > 0 { rest.removeFirst(written) }
            }
            site.run()
            while case .bytes(let more) = caller.hear() {
                heard += more
                count += more.count { $0 == 0 }
            }
        }
        let replies = try heard.split(separator: 0).map { try Reply(message: JSON(parsing: $0)) }
        #expect(replies.map { $0.parameters["word"] } == (0..<1000).map { .string("\($0)") })
    }

    @Test func `A call may be answered later, and the next one waits for that`() throws {
        let site = try Site()
        let caller = try site.caller()
        caller.say(#"{"method":"org.example.site1.Later"}"#)
        caller.say(echo("second"))
        site.run()
        #expect(try caller.replies() == [])
        #expect(site.echoed == [])
        let call = try #require(site.kept.first)
        #expect(call.isOpen)
        #expect(call.peer.user == geteuid())
        #expect(call.edge == "main")
        #expect(call.reply(["word": "first"]))
        #expect(!call.isOpen)
        #expect(!call.reply(["word": "again"]))
        site.run()
        #expect(try caller.replies().map { $0.parameters["word"] } == ["first", "second"])
    }

    @Test func `Input of a caller who waits for an answer is bounded`() throws {
        let site = try Site()
        let caller = try site.caller()
        caller.say(#"{"method":"org.example.site1.Later"}"#)
        site.run()
        let noise = [UInt8](repeating: 0x20, count: 8192)
        var written = 0
        // As long as the kernel takes something.
        while case let count = caller.write(noise), count > 0 {
            written += count
            site.run()
        }
        #expect(written > MessageFramer.maximumMessageByteCount)
        let events = site.server.descriptors().filter { $0.fd != site.server.descriptors().last?.fd }.map(\.events)
        #expect(events == [0])
        // A hang-up is noticed all the same.
        shutdown(caller.descriptor, Int32(SHUT_RDWR))
        site.run()
        #expect(site.server.connectionCount == 0)
        #expect(site.kept.first?.isOpen == false)
    }

    @Test func `Oneway calls are done in silence`() throws {
        let site = try Site()
        let caller = try site.caller()
        for word in ["a", "wrong"] { caller.say(echo(word, #","oneway":true"#)) }
        caller.say(#"{"method":"org.example.site1.Nothing","oneway":true}"#)
        caller.say(#"{"method":"org.example.site1.Echo","oneway":true}"#)
        caller.say(#"{"method":"org.example.site1.Forget","oneway":true}"#)
        caller.say(echo("loud"))
        site.run()
        #expect(site.echoed == ["a", "wrong", "loud"])
        #expect(try caller.replies() == [Reply(["word": "loud"])])
    }

    @Test func `What was said before hanging up is done`() throws {
        let site = try Site()
        do {
            let caller = try site.caller()
            for index in 0..<100 { caller.say(echo("\(index)", #","oneway":true"#)) }
        }
        site.run()
        #expect(site.echoed.count == 100)
        #expect(site.server.connectionCount == 0)
    }

    @Test func `Errors of handlers are told`() throws {
        let site = try Site()
        let caller = try site.caller()
        caller.say(echo("wrong"))
        caller.say(#"{"method":"org.example.site1.Forget"}"#)
        site.run()
        #expect(
            try caller.replies() == [
                Reply(error: "org.example.site1.Wrong", parameters: ["reason": "it is"]),
                Reply(error: ServiceError.methodNotImplemented, parameters: ["method": "org.example.site1.Forget"]),
            ])
        #expect(site.server.counters.unansweredCalls == 1)
    }

    @Test func `A call that is let go of later is answered too`() throws {
        let site = try Site()
        let caller = try site.caller()
        caller.say(#"{"method":"org.example.site1.Later"}"#)
        caller.say(echo("next"))
        site.run()
        site.kept = []
        site.run()
        #expect(try caller.replies().map(\.error) == [ServiceError.methodNotImplemented, nil])
    }

    @Test func `A reply that cannot be sent ends the call and is counted`() throws {
        let site = try Site()
        let caller = try site.caller()
        let unsendable: [JSON] = [["word": 1], [1], ["word": .string(String(repeating: "x", count: 70_000))]]
        for (index, reply) in unsendable.enumerated() {
            caller.say(#"{"method":"org.example.site1.Later"}"#)
            site.run()
            #expect(site.kept.removeLast().reply(reply) == false)
            #expect(site.server.counters.unsendableReplies == UInt64(index + 1))
            #expect(try caller.replies().map(\.error) == [ServiceError.methodNotImplemented])
        }
        #expect(site.server.lastUnsendableReply?.code == .messageTooLong)
    }

    @Test(arguments: [
        "{", "[]", #"{"method":"org.example.site1.Echo","extra":1}"#, "", #"{"method":"a.b.C","more":true,"oneway":true}"#,
    ])
    func `What is not Varlink closes the connection and no other`(message: String) throws {
        let site = try Site()
        let (good, bad) = (try site.caller(), try site.caller())
        bad.say(echo("before"))
        bad.say(message)
        bad.say(echo("after"))
        good.say(echo("good"))
        site.run()
        #expect(try bad.replies() == [Reply(["word": "before"])])
        #expect(try good.replies() == [Reply(["word": "good"])])
        #expect(site.server.connectionCount == 1)
        #expect(site.server.counters.protocolErrors == 1)
    }

    @Test func `Grants are those of the edge`() throws {
        let site = try Site(grants: Grants(["org.example.site1.Echo"]))
        let caller = try site.caller()
        caller.say(#"{"method":"org.example.site1.Secret"}"#)
        caller.say(echo("a"))
        site.run()
        #expect(try caller.replies().map(\.error) == [ServiceError.permissionDenied, nil])
        #expect(site.server.counters.deniedCalls == 1)
    }

    @Test func `A message that takes too long ends its connection, an idle one stays`() throws {
        let site = try Site()
        let (slow, idle) = (try site.caller(), try site.caller())
        site.run()
        #expect(site.server.deadline == nil)
        slow.write(Array(#"{"meth"#.utf8))
        site.run()
        #expect(site.server.deadline == .seconds(130))
        // A byte now and then does not help.
        site.now = .seconds(129)
        slow.write([0x6F])
        site.run()
        #expect(site.server.connectionCount == 2)
        site.now = .seconds(130)
        site.run()
        #expect(slow.hear() == .end)
        #expect(idle.hear() == .nothing)
        #expect(site.server.counters.unfinishedMessages == 1)
        #expect(site.server.deadline == nil)
    }

    @Test func `The time of a message starts with it`() throws {
        let site = try Site()
        let caller = try site.caller()
        caller.write(Array(echo("a").utf8))
        site.run()
        site.now += .seconds(20)
        caller.write([0] + Array(echo("b").utf8))
        site.run()
        #expect(site.server.deadline == .seconds(150))
        caller.write([0])
        site.run()
        #expect(site.server.deadline == nil)
        #expect(try caller.replies().count == 2)
    }

    @Test func `A subscriber that does not read is closed`() throws {
        let site = try Site()
        let caller = try site.caller()
        caller.say(#"{"method":"org.example.site1.Watch","more":true}"#)
        site.run()
        let call = try #require(site.kept.first)
        var closed = 0
        call.onClose = { closed += 1 }
        var sent = 0
        while call.reply(["word": String(repeating: "x", count: 4000)], continues: true), sent < 10_000 { sent += 1 }
        #expect(!call.isOpen)
        site.run()
        #expect(closed == 1)
        #expect(site.server.counters.slowReaders == 1)
        #expect(site.server.connectionCount == 0)
        #expect(sent * 4000 > VarlinkServer.outputLimit)
        #expect(sent < 1000)
    }

    @Test func `A subscriber that goes is told to the handler`() throws {
        let site = try Site()
        var caller: RawCaller? = try site.caller()
        caller?.say(#"{"method":"org.example.site1.Watch","more":true}"#)
        site.run()
        let call = try #require(site.kept.first)
        var closed = 0
        call.onClose = { closed += 1 }
        #expect(call.wantsMore)
        #expect(call.reply(["word": "state"], continues: true))
        #expect(try caller?.replies() == [Reply(["word": "state"], continues: true)])
        caller = nil
        site.run()
        #expect(closed == 1)
        #expect(!call.isOpen)
        #expect(!call.reply(["word": "x"], continues: true))
    }

    @Test func `A long list is made as it is read`() throws {
        let site = try Site()
        let caller = try site.caller()
        caller.say(#"{"method":"org.example.site1.List","parameters":{"count":1500},"more":true}"#)
        caller.say(echo("after"))
        site.run()
        // What fits the kernel's buffers and no more.
        let first = site.pulled
        #expect(first < 1000)
        var count = 0
        var text: [UInt8] = []
        while count < 1501 {
            while case .bytes(let more) = caller.hear() {
                text += more
                count += more.count { $0 == 0 }
            }
            site.run()
        }
        let replies = try text.split(separator: 0).map { try Reply(message: JSON(parsing: $0)) }
        #expect(replies.dropLast(2).allSatisfy { $0.continues })
        #expect(!replies[1499].continues)
        #expect(replies[1500].parameters["word"] == "after")
        #expect(site.pulled == 1500)
    }

    @Test func `A list for somebody who takes one reply needs more`() throws {
        let site = try Site()
        let caller = try site.caller()
        caller.say(#"{"method":"org.example.site1.List","parameters":{"count":2}}"#)
        caller.say(#"{"method":"org.example.site1.List","parameters":{"count":1}}"#)
        site.run()
        #expect(try caller.replies().map(\.error) == [ServiceError.expectedMore, nil])
    }

    @Test func `A stream without anything for now goes on when told`() throws {
        let site = try Site()
        let caller = try site.caller()
        caller.say(#"{"method":"org.example.site1.Watch","more":true}"#)
        site.run()
        var words = ["a"]
        let call = site.kept.removeLast()
        weak let weakCall = call
        call.stream { words.popLast().map { (["word": .string($0)], isLast: $0 == "end") } }
        site.run()
        #expect(try caller.replies() == [Reply(["word": "a"], continues: true)])
        words = ["end", "b"]
        site.run()
        #expect(try caller.replies() == [])
        weakCall?.continueStream()
        site.run()
        #expect(try caller.replies() == [Reply(["word": "b"], continues: true), Reply(["word": "end"])])
        #expect(!call.isOpen)
    }

    @Test func `Who hammers at a full edge has its listener rest`() throws {
        let site = try Site()
        let callers = try (0..<60).map { _ in try site.caller() }
        site.run()
        // A few in each pause; without it the owner would be busy with nothing else.
        #expect(site.server.counters.refusedConnections < 60 - UInt64(VarlinkServer.connectionsPerEdge))
        #expect(site.server.deadline == site.now + VarlinkServer.refusalPause)
        site.runOn()
        #expect(site.server.counters.refusedConnections == 60 - UInt64(VarlinkServer.connectionsPerEdge))
        withExtendedLifetime(callers) {}
    }

    /// Each call takes 10 ms of the owner's time.
    @Test(arguments: [true, false]) func `Who never stops asking gets a share`(isPaced: Bool) throws {
        let site = try Site(isPaced: isPaced)
        site.server.clock = { [unowned site] in site.now }
        site.cost = .milliseconds(10)
        let began = site.now
        let caller = try site.caller()
        for index in 0..<200 { caller.say(echo("\(index)")) }
        site.run()
        guard isPaced else {
            #expect(site.echoed.count == 200)
            return
        }
        // One turn answers several calls, and is not cut short.
        let atOnce = site.echoed.count
        #expect((10...64).contains(atOnce))
        let rest = try #require(site.server.deadline)
        #expect(rest > site.now)
        #expect(!site.server.descriptors().contains { $0.events & Int16(POLLIN) != 0 })
        while site.echoed.count < 200, site.now < began + .seconds(60) {
            site.now = max(site.now + .milliseconds(1), site.server.deadline ?? site.now)
            site.run()
        }
        #expect(site.echoed.count == 200)
        // 2 s of work at a quarter of the time.
        #expect((.seconds(4)...(.seconds(9))).contains(site.now - began))
    }

    /// Whoever waits for answers to leave before the end waits for those of edges that rest, too.
    @Test func `Bytes for a caller whose edge rests are unsent`() throws {
        let site = try Site()
        site.server.clock = { [unowned site] in site.now }
        let (caller, other) = (try site.caller(), try site.caller())
        #expect(!site.server.hasUnsent)
        caller.say(#"{"method":"org.example.site1.List","parameters":{"count":2000},"more":true}"#)
        site.run()
        #expect(site.server.hasUnsent)
        // The other caller of the edge takes so much time that the edge rests.
        site.cost = .seconds(1)
        other.say(echo("a"))
        site.run()
        #expect(try #require(site.server.deadline) > site.now && site.server.descriptors().isEmpty)
        #expect(site.server.hasUnsent)
        site.cost = .zero
        var heard = 0
        while heard < 2000, site.now < .seconds(1_000) {
            while case .bytes(let bytes) = caller.hear() { heard += bytes.count { $0 == 0 } }
            site.now = max(site.now + .milliseconds(1), site.server.deadline ?? site.now)
            site.run()
        }
        #expect(!site.server.hasUnsent)
    }

    @Test func `A flood of callers is turned away cleanly`() throws {
        let site = try Site()
        var callers: [RawCaller] = []
        for index in 0..<333 {
            let caller = try site.caller()
            // They speak before they are accepted.
            caller.say(echo("\(index)"))
            callers.append(caller)
            if index % 50 == 49 { site.runOn() }
        }
        site.runOn()
        #expect(site.server.connectionCount == VarlinkServer.connectionsPerEdge)
        #expect(site.server.counters.refusedConnections == UInt64(333 - VarlinkServer.connectionsPerEdge))
        let heard = callers.map { $0.hear() }
        #expect(heard.count { $0 == .end } == 333 - VarlinkServer.connectionsPerEdge)
        #expect(heard.allSatisfy { if case .error = $0 { false } else { true } })
        callers = []
        site.run()
        #expect(site.server.connectionCount == 0)
        let late = try site.caller()
        late.say(echo("late"))
        site.run()
        #expect(try late.replies() == [Reply(["word": "late"])])
    }

    /// A caller closes what it has and opens as much again, after the server has asked what is ready and before it accepts.
    @Test(arguments: [1, 12, 16]) func `Who has hung up is not counted against who comes next`(count: Int) throws {
        let site = try Site()
        let full = VarlinkServer.connectionsPerEdge
        var callers = try (0..<full).map { _ in try site.caller() }
        site.run()
        #expect(site.server.connectionCount == full)
        var next = [try site.caller()]
        var ready = site.server.descriptors()
        #expect(poll(&ready, nfds_t(ready.count), 0) == 1)
        for caller in callers[..<count] { caller.say(echo("last word", #","oneway":true"#)) }
        callers.removeFirst(count)
        for _ in 1..<count { next.append(try site.caller()) }
        site.server.serve(ready, at: site.now)
        #expect(site.server.counters.refusedConnections == 0)
        #expect(site.server.connectionCount == full)
        // What was said before the hang-up is done all the same.
        #expect(site.echoed.count == count)
        for caller in next { caller.say(echo("here")) }
        site.run()
        #expect(try next.allSatisfy { try $0.replies() == [Reply(["word": "here"])] })
        // And nobody gets more than there is.
        let late = try site.caller()
        site.run()
        #expect(late.hear() == .end)
        #expect(site.server.counters.refusedConnections == 1)
        withExtendedLifetime(callers) {}
    }

    /// A child on its way to exec has copies of all descriptors of its parent. What the parent closed is over all the same.
    @Test func `A call is over for the service though a copy of its descriptor lives on`() throws {
        let site = try Site()
        let caller = VarlinkCaller(path: site.path)
        var heard = 0
        var faults: [VarlinkSocketError] = []
        let count = 5 * VarlinkCaller.connectionLimit
        for _ in 0..<count {
            caller.call("org.example.site1.Later", at: site.now) { outcome in
                switch outcome {
                case .success: heard += 1
                case .failure(let error): faults.append(error)
                }
            }
        }
        var copies: [Int32] = []
        defer { for copy in copies { close(copy) } }
        for _ in 0..<100 where heard + faults.count < count {
            var list = caller.descriptors()
            _ = poll(&list, nfds_t(list.count), 0)
            caller.serve(list, at: site.now)
            copies += caller.descriptors().map { dup($0.fd) }
            site.run()
            for call in site.kept { call.reply(["word": "now"] as JSON) }
            site.kept = []
        }
        #expect(heard == count)
        #expect(faults.isEmpty, "\(faults)")
        #expect(site.server.counters.refusedConnections == 0)
    }

    @Test func `All edges together have a limit`() throws {
        let site = try Site()
        var folders: [TemporaryFolder] = []
        var callers: [RawCaller] = []
        for index in 0..<9 {
            let folder = try TemporaryFolder()
            let path = folder.path + "/socket"
            site.server.add(
                Edge(
                    name: "edge \(index)", listener: try VarlinkListener(path: path), grants: .everything,
                    description: try Site.service()))
            for _ in 0..<20 { callers.append(try RawCaller(path: path)) }
            folders.append(folder)
            site.run()
        }
        #expect(site.server.connectionCount == VarlinkServer.connectionLimit)
        site.server.removeEdge(named: "edge 0")
        #expect(site.server.connectionCount == VarlinkServer.connectionLimit - VarlinkServer.connectionsPerEdge)
        #expect(callers[0].hear() == .end)
    }

    @Test func `Who is busy waits, and nobody is passed over`() throws {
        let site = try Site()
        let path = site.path + "2"
        defer { unlink(path) }
        site.server.add(
            Edge(
                name: "other", listener: try VarlinkListener(path: path), grants: .everything,
                description: try Site.service()))
        // Fifteen connections that always have more to say, and one of somebody else.
        let crowd = try (0..<15).map { _ in try site.caller() }
        let single = try RawCaller(path: path)
        site.run()
        let echo = #"{"method":"org.example.site1.Echo","parameters":{"word":"a"}}"#
        for caller in crowd { for _ in 0..<20 { caller.say(echo) } }
        single.say(#"{"method":"org.example.site1.Echo","parameters":{"word":"single"}}"#)
        site.server.shouldPause = { true }
        // Each round gives one turn; of two edges everybody's first comes before anybody's second.
        var rounds = 0
        while !site.echoed.contains("single"), rounds < 10 {
            var ready = site.server.descriptors()
            poll(&ready, nfds_t(ready.count), 0)
            site.server.serve(ready, at: site.now)
            rounds += 1
        }
        #expect(rounds <= 2)
        site.run()
        #expect(site.echoed.count == 301)
        for caller in crowd { #expect(try caller.replies().count == 20) }
        #expect(try single.replies().count == 1)
    }

    @Test func `Without anything more important everybody is served in one round`() throws {
        let site = try Site()
        let crowd = try (0..<10).map { _ in try site.caller() }
        site.run()
        for caller in crowd { caller.say(#"{"method":"org.example.site1.Echo","parameters":{"word":"a"}}"#) }
        site.server.shouldPause = { false }
        var ready = site.server.descriptors()
        poll(&ready, nfds_t(ready.count), 0)
        site.server.serve(ready, at: site.now)
        #expect(site.echoed.count == 10)
    }

    @Test func `The owner can give one turn after the other, and leave the rest for the next round`() throws {
        let site = try Site()
        let crowd = try (0..<3).map { _ in try site.caller() }
        site.run()
        for caller in crowd { caller.say(#"{"method":"org.example.site1.Echo","parameters":{"word":"a"}}"#) }
        func begin() {
            var ready = site.server.descriptors()
            poll(&ready, nfds_t(ready.count), 0)
            site.server.begin(ready, at: site.now)
        }
        begin()
        #expect(site.echoed.isEmpty)
        #expect(site.server.proceed(at: site.now))
        #expect(site.echoed.count == 1)
        // Cut short: the two others have their turns in this round, and who had one has none.
        begin()
        #expect(site.server.proceed(at: site.now) && site.server.proceed(at: site.now))
        #expect(site.echoed.count == 3)
        #expect(!site.server.proceed(at: site.now))
        for caller in crowd { #expect(try caller.replies().count == 1) }
    }

    @Test func `A connection that is closed between two turns has none, also under a number that is used again`() throws {
        let site = try Site()
        let path = site.path + "3"
        defer { unlink(path) }
        site.server.add(
            Edge(
                name: "other", listener: try VarlinkListener(path: path), grants: .everything,
                description: try Site.service()))
        let stays = try site.caller()
        let goes = try RawCaller(path: path)
        site.run()
        for caller in [stays, goes] { caller.say(#"{"method":"org.example.site1.Echo","parameters":{"word":"a"}}"#) }
        var ready = site.server.descriptors()
        poll(&ready, nfds_t(ready.count), 0)
        site.server.begin(ready, at: site.now)
        site.server.removeEdge(named: "other")
        while site.server.proceed(at: site.now) {}
        #expect(site.echoed.count == 1)
        #expect(try stays.replies().count == 1)
        #expect(site.server.connectionCount == 1)
        // What it said was not read, so it hears of a reset.
        #expect(goes.hear() == .error(ECONNRESET))
    }

    @Test func `A connection that is closed in its turn is gone when the round is over`() throws {
        let site = try Site()
        let caller = try site.caller()
        site.run()
        caller.say(#"{"method":"#)
        site.run()
        caller.say("no message at all")
        var ready = site.server.descriptors()
        poll(&ready, nfds_t(ready.count), 0)
        site.server.serve(ready, at: site.now)
        #expect(caller.hear() == .end)
    }

    @Test func `Users who may not connect are turned away and counted`() throws {
        let site = try Site(allowedUsers: [geteuid() + 1])
        let caller = try site.caller()
        caller.say(echo("a"))
        site.run()
        #expect(caller.hear() == .end)
        #expect(site.server.counters.refusedUsers == 1)
        let open = try Site(allowedUsers: [geteuid()])
        let guest = try open.caller()
        guest.say(echo("a"))
        open.run()
        #expect(try guest.replies().count == 1)
    }

    @Test func `Connected sockets can be adopted, others not`() throws {
        let site = try Site()
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        try site.server.adopt(pair[0], on: "main")
        let message = Array(echo("pair").utf8) + [0]
        #expect(send(pair[1], message, message.count, 0) == message.count)
        site.run()
        var buffer = [UInt8](repeating: 0, count: 100)
        #expect(recv(pair[1], &buffer, buffer.count, 0) > 0)
        #expect(throws: VarlinkSocketError.self) { try site.server.adopt(pair[1], on: "nobody") }
        let file = open("/dev/null", O_RDONLY)
        #expect(throws: VarlinkSocketError.self) { try site.server.adopt(file, on: "main") }
        for family in [AF_UNIX, AF_INET] {
            let lonely = socket(family, Int32(SOCK_STREAM.rawValue), 0)
            let socket = inode(of: lonely)
            #expect(throws: VarlinkSocketError.self) { try site.server.adopt(lonely, on: "main") }
            // Closed at once; another test may have the number by now.
            #expect(socket != nil && inode(of: lonely) != socket)
        }
    }

    private func inode(of descriptor: Int32) -> UInt64? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : nil
    }
}
