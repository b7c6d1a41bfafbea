// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTPService
import Testing

/// HTTP on somebody's loop: who connects takes up no more than the limits say, whatever they send or do not.
struct LoopServerTests {
    private static let get = "GET /a%20b?x=1&y=%26 HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nX-A: 2\r\n\r\n"

    /// In each part of a head: to compare such a text takes the square of its length.
    @Test(arguments: [
        "GET /# HTTP/1.1\r\n", "GET /?#=1 HTTP/1.1\r\n", "GET /?a=# HTTP/1.1\r\n", "GET / HTTP/1.1\r\nX-A: #\r\n",
        "GET / HTTP/1.1\r\nX-#: 1\r\n",
    ])
    func endlessMarksAreRefused(line: String) throws {
        let bench = try LoopBench()
        for (mark, isEscaped) in [("\u{301}", false), ("%CC%81", true)] {
            for (count, status) in [(30, "200"), (31, "400")] {
                // A name of a header is ASCII, and what is escaped in a header stays as it is.
                let expected =
                    line.contains("X-") ? isEscaped || (count == 30 && !line.contains("X-#")) ? "200" : "400" : status
                let answer = try bench.ask(
                    line.replacing("#", with: String(repeating: mark, count: count)) + "Host: h\r\n\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 \(expected) "), "\(count) \(isEscaped) \(answer)")
            }
        }
    }

    /// A certificate without its key, or a key without its certificate, is no reason to serve in the clear.
    @Test(arguments: [("a key", nil), (nil, "a certificate")] as [(String?, String?)])
    func halfOfASecureListenerIsNone(key: String?, certificate: String?) {
        #expect(throws: HTTPListenError.self) { _ = try LoopBench(key: key, certificate: certificate) }
    }

    @Test func aRequestIsAnswered() throws {
        let bench = try LoopBench()
        let answer = try bench.ask(Self.get)
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        #expect(answer.hasSuffix("hello\n"))
        #expect(answer.contains("Date: "))
        let request = try #require(bench.requests.first)
        #expect(request.path == "/a b")
        #expect(request.query.map(\.name) == ["x", "y"] && request.query.map(\.value) == ["1", "&"])
        #expect(request.headers["x-a"] == "1, 2")
        #expect(request.listener == "test" && !request.isSecure)
    }

    /// A request that two servers in a row could divide differently is refused, and nothing after it on its connection is read.
    @Test(arguments: [
        "Host: h\r\nContent-Length: 0\r\nContent-Length: 27\r\n", "Host: h\r\nContent-Length: 27\r\nContent-Length: 0\r\n",
        "Host: h\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n", "Host: h\r\nContent-Length: 0, 0\r\n",
        "Host: h\r\nContent-Length: +0\r\n", "Host: h\r\nTransfer-Encoding: identity\r\n",
        "Host: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "Host: h\r\nHost: i\r\n", "",
    ])
    func whatIsSaidTwiceIsRefused(lines: String) throws {
        let bench = try LoopBench()
        let answer = try bench.ask("POST /a HTTP/1.1\r\n\(lines)\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
        #expect(bench.requests.isEmpty)
    }

    @Test func anAnswerMayComeLaterAndSeveralOverOneConnection() throws {
        let bench = try LoopBench()
        var waiting: [HTTPExchange] = []
        bench.onAnswer = { waiting.append($0) }
        let client = try bench.connect()
        client.send(Self.get)
        #expect(bench.turn { waiting.count == 1 })
        #expect(!client.isWhole)
        waiting.removeFirst().send(.text(201, "first"))
        #expect(bench.turn { client.isWhole })
        #expect(client.text.hasPrefix("HTTP/1.1 201 "))
        client.send(Self.get)
        #expect(bench.turn { waiting.count == 1 })
        waiting.removeFirst().send(.text(202, "second"))
        #expect(
            bench.turn {
                _ = client.isWhole; return client.text.contains("HTTP/1.1 202 ")
            })
    }

    @Test func anExchangeThatIsForgottenClosesItsConnection() throws {
        let bench = try LoopBench()
        var waiting: [HTTPExchange] = []
        bench.onAnswer = { waiting.append($0) }
        let client = try bench.connect()
        client.send(Self.get)
        #expect(bench.turn { waiting.count == 1 })
        waiting = []
        #expect(bench.turn { client.isOver })
        #expect(client.text.isEmpty)
        // And at once.
        bench.onAnswer = { _ in }
        let other = try bench.connect()
        other.send(Self.get)
        #expect(bench.turn { other.isOver })
    }

    /// What comes while a plugin ends: its handler may be gone before its server is. Nobody is asked, and the connection is closed.
    @Test(arguments: [
        "G", "GET / HT", "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nfour",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nfour",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "nothing of HTTP\r\n\r\n",
    ]) func whatComesAtTheEndIsAskedOfNobody(text: String) throws {
        var bench: LoopBench? = try LoopBench()
        let client = try #require(try bench?.connect())
        #expect(bench?.turn { bench?.server.connectionCount == 1 } == true)
        client.send(text)
        var server = bench?.server
        #expect(server != nil)
        bench = nil
        server = nil
        #expect(client.isOver && !client.text.contains("200 OK"))
    }

    /// A head was taken, and its body or its answer is still to come when the handler ends; an answer that has been made is sent.
    @Test(arguments: [nil, false, true]) func whatWasBegunAtTheEnd(isAnswered: Bool?) throws {
        var bench: LoopBench? = try LoopBench()
        var exchange: HTTPExchange?
        bench?.onAnswer = { exchange = $0 }
        let client = try #require(try bench?.connect())
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n" + (isAnswered == nil ? "" : "four"))
        #expect(bench?.turn { isAnswered == nil ? bench?.begunCount == 1 : exchange != nil } == true)
        if isAnswered == nil { client.send("four") }
        if isAnswered == true { exchange?.send(.text(200, "hello")) }
        var server = bench?.server
        #expect(server != nil)
        bench = nil
        server = nil
        #expect(client.isOver && client.text.contains("hello") == (isAnswered == true))
        exchange = nil
    }

    @Test func bodiesAreBounded() throws {
        let bench = try LoopBench()
        bench.onAnswer = { $0.send(.text(200, "\($0.request.body.count)")) }
        #expect(try bench.ask("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabcde").hasSuffix("5\n"))
        let refused = try bench.ask("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 104857600\r\n\r\n")
        #expect(refused.hasPrefix("HTTP/1.1 413 "))
        // Without a length: in pieces.
        let piece = String(repeating: "x", count: 1_000)
        let client = try bench.connect()
        client.send(
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n\(piece)\r\n3e8\r\n\(piece)\r\n0\r\n\r\n"
        )
        #expect(bench.turn { client.isWhole })
        #expect(client.text.hasPrefix("HTTP/1.1 413 "))
        // For ever: it is closed.
        let endless = try bench.connect()
        endless.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        var sent = 0
        let isClosed = bench.turn {
            let count = endless.send("3e8\r\n\(piece)\r\n")
            if count > 0 { sent += count }
            return endless.isOver || (count < 0 && errno == EPIPE)
        }
        #expect(isClosed && sent < 8 << 20)
    }

    @Test func headsAreBounded() throws {
        let bench = try LoopBench()
        let long = String(repeating: "a", count: 17 << 10)
        #expect(try bench.ask("GET / HTTP/1.1\r\nHost: h\r\nX-Long: \(long)\r\n\r\n").hasPrefix("HTTP/1.1 431 "))
        #expect(bench.requests.isEmpty)
    }

    @Test func whoDripsIsClosed() throws {
        let bench = try LoopBench()
        let client = try bench.connect()
        var sent = Array(Self.get.utf8)[...]
        // A byte a second: never silent for long.
        for _ in 0..<20 where !client.isOver {
            if let byte = sent.popFirst() { client.send(String(UnicodeScalar(byte))) }
            for _ in 0..<3 { bench.turn() }
            bench.skipped += .seconds(1)
        }
        #expect(bench.turn { client.isOver })
        #expect(bench.turn { bench.server.isIdle })
        #expect(bench.requests.isEmpty)
    }

    @Test func connectionsThatSayNothingKeepNobodyOut() throws {
        var limits = HTTPLimits()
        limits.connections = 16
        let bench = try LoopBench(limits)
        var silent: [LoopBench.Client] = []
        for _ in 0..<100 {
            silent.append(try bench.connect())
            bench.turn()
        }
        #expect(bench.server.connectionCount <= 32)
        bench.skipped += .seconds(2)
        #expect(try bench.ask(Self.get).hasPrefix("HTTP/1.1 200 "))
        bench.skipped += .seconds(20)
        #expect(bench.turn { bench.server.connectionCount <= 1 })
    }

    /// Forms that never end, and answers that are never made or taken. All come from this machine, so that only the number of all counts.
    @Test(arguments: [
        (text: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab", seconds: 601), (text: get, seconds: 901),
    ])
    func slowFormsAndReadersKeepNobodyOut(text: String, seconds: Int) throws {
        var limits = HTTPLimits()
        limits.connections = 16
        // Minutes, so that a machine that stands still for some seconds is not what makes room.
        (limits.crowdedBodySeconds, limits.crowdedAnswerSeconds) = (600, 900)
        (limits.bodySeconds, limits.answerSeconds) = (3_000, 3_000)
        let bench = try LoopBench(limits)
        var kept: [HTTPExchange] = []
        bench.onAnswer = { kept.append($0) }
        let slow = try (0..<16).map { _ in try bench.connect() }
        for client in slow { client.send(text) }
        // What comes too soon finds no room.
        #expect(bench.turn { bench.begunCount == 16 })
        let early = try bench.connect()
        #expect(bench.turn { early.isOver })
        bench.skipped += .seconds(seconds)
        bench.onAnswer = { $0.send(.text(200, "hello")) }
        #expect(try bench.ask(Self.get).hasPrefix("HTTP/1.1 200 "))
        withExtendedLifetime((slow, kept)) {}
    }

    /// Strangers that hold streams open keep nobody who is known from one.
    @Test func strangersDoNotTakeTheStreamsOfOthers() throws {
        let bench = try LoopBench()
        var (streams, refused, isStranger): ([HTTPEventStream], Int, Bool) = ([], 0, true)
        bench.onAnswer = { exchange in
            guard let stream = exchange.stream([], toStranger: isStranger) else {
                refused += 1
                return exchange.send(.text(503, "full"))
            }
            streams.append(stream)
        }
        let limits = HTTPLimits()
        let crowd = try (0..<16).map { _ in try bench.connect() }
        for client in crowd { client.send(Self.get) }
        #expect(bench.turn { streams.count + refused == 16 })
        #expect(streams.count == limits.strangerStreams)
        isStranger = false
        let known = try (0..<limits.streams).map { _ in try bench.connect() }
        for client in known { client.send(Self.get) }
        #expect(bench.turn { streams.count + refused == 32 })
        #expect(streams.count == limits.streams, "the others are for those who are known")
        withExtendedLifetime((crowd, known)) {}
    }

    @Test func eventsGoOutAndReadersAreMissedWhenTheyLeave() throws {
        let bench = try LoopBench()
        var streams: [HTTPEventStream] = []
        var ended = 0
        bench.onAnswer = { exchange in
            guard let stream = exchange.stream([]) else { return exchange.send(.text(503, "full")) }
            stream.onEnd = { ended += 1 }
            streams.append(stream)
        }
        var client: LoopBench.Client? = try bench.connect()
        client?.send(Self.get)
        #expect(bench.turn { streams.count == 1 })
        streams[0].send(event: "changed", data: "to\nda\ry")
        #expect(
            bench.turn {
                _ = client?.isOver; return client?.text.contains("event: changed\ndata: to\ndata: day\n\n") == true
            })
        #expect(client?.text.contains("Content-Type: text/event-stream") == true)
        // A sign of life.
        bench.skipped += .seconds(16)
        #expect(
            bench.turn {
                _ = client?.isOver; return client?.text.contains(":\n\n") == true
            })
        client = nil
        bench.skipped += .seconds(2)
        #expect(bench.turn { ended == 1 })
        #expect(!streams[0].isOpen)
        #expect(bench.turn { bench.server.isIdle })
    }

    @Test func thereAreOnlySoManyStreamsAndSlowReadersAreDropped() throws {
        var limits = HTTPLimits()
        limits.streams = 2
        let bench = try LoopBench(limits)
        var streams: [HTTPEventStream] = []
        bench.onAnswer = { exchange in
            guard let stream = exchange.stream([]) else { return exchange.send(.text(503, "full")) }
            streams.append(stream)
        }
        let clients = try (0..<2).map { _ in try bench.connect() }
        for client in clients { client.send(Self.get) }
        #expect(bench.turn { streams.count == 2 })
        #expect(try bench.ask(Self.get).hasPrefix("HTTP/1.1 503 "))
        // Nobody turns the loop meanwhile: it piles up, to the limit.
        for _ in 0..<4_000 { streams[0].send(event: "changed", data: "today") }
        #expect(!streams[0].isOpen && streams[1].isOpen)
    }

    @Test func aServerCanGoWhileSomebodyWaits() throws {
        var exchanges: [HTTPExchange] = []
        var streams: [HTTPEventStream] = []
        do {
            let bench = try LoopBench()
            bench.onAnswer = { exchange in
                if exchanges.isEmpty {
                    exchanges.append(exchange)
                } else if let stream = exchange.stream([]) {
                    streams.append(stream)
                }
            }
            let clients = try (0..<2).map { _ in try bench.connect() }
            for client in clients { client.send(Self.get) }
            #expect(bench.turn { exchanges.count == 1 && streams.count == 1 })
        }
        #expect(!exchanges[0].isOpen && !streams[0].isOpen)
    }
}
