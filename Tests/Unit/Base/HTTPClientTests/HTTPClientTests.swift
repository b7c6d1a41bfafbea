// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Dispatch
import FaultServer
import Glibc
import Testing

@testable import HTTPClient

/// Against a real server that does wrong on demand, over loopback.
@Suite(.serialized) struct HTTPClientTests {
    private let server: FaultServer
    private let limits = HTTPLimits(connectSeconds: 3, totalSeconds: 4, slowBytesPerSecond: 64, slowSeconds: 2)

    init() throws { server = try FaultServer() }

    private func client(pins: [String] = [], authority: Bool = true, proxy: String? = nil) throws -> HTTPClient {
        try HTTPClient(
            HTTPConfiguration(
                socksProxy: proxy, authorityFile: authority ? server.authority : nil, publicKeyPins: pins,
                allowsPlainHTTP: true))
    }

    private func plain(_ path: String) -> String { "http://localhost:\(server.ports.plain)/\(path)" }
    private func secure(_ port: Int, _ path: String = "ok/16") -> String { "https://localhost:\(port)/\(path)" }

    /// What a request ends with: nil for an answer.
    private func failure(
        _ url: String, _ client: HTTPClient, _ change: (inout HTTPRequest) -> Void = { _ in }
    ) -> HTTPError? {
        var request = HTTPRequest(url, limits: limits)
        change(&request)
        do {
            _ = try client.send(request)
            return nil
        } catch { return error }
    }

    @Test func fetchesIntoMemoryAndIntoAFile() throws {
        let client = try client()
        for count in [0, 1, 16_384, 1_000_000] {
            let answer = try client.send(HTTPRequest(plain("ok/\(count)"), limits: limits))
            #expect(answer.status == 200 && answer.body.count == count)
            #expect(answer.body == (0..<count).map { UInt8($0 % 256) })
            #expect(answer.date == 1_598_954_400 && answer.maximumAge == 300)
        }
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let answer = try client.send(HTTPRequest(plain("ok/4000"), sink: .descriptor(ends[1])))
        close(ends[1])
        var buffer = [UInt8](repeating: 0, count: 5_000)
        #expect(read(ends[0], &buffer, 5_000) == 4_000 && answer.body.isEmpty && answer.bodyByteCount == 4_000)
        close(ends[0])
        // A descriptor that takes nothing.
        let full = open("/dev/full", O_WRONLY)
        #expect(failure(plain("ok/100000"), client) { $0.sink = .descriptor(full) }?.code == .cannotWrite)
        close(full)
    }

    /// Tags, dates, cookies and sessions of TLS that a server gave are not given back: the same question again is the same bytes.
    @Test func nothingOfAnEarlierAnswerIsSent() throws {
        let client = try client()
        for url in [plain("tag/abc"), secure(server.ports.good, "tag/abc")] {
            let first = try client.send(HTTPRequest(url))
            let second = try client.send(HTTPRequest(url))
            #expect(first.entityTag == "abc" && !first.body.isEmpty)
            #expect(String(decoding: first.body, as: UTF8.self) == String(decoding: second.body, as: UTF8.self))
            #expect(String(decoding: second.body, as: UTF8.self).hasSuffix("false]"))
        }
        #expect(failure(plain("status/304"), client)?.status == 304)
    }

    @Test func bodies() throws {
        let client = try client()
        let echo = try client.send(HTTPRequest(plain("echo"), method: .put, body: Array("hello".utf8)))
        #expect(String(decoding: echo.body, as: UTF8.self) == "PUT hello")
        let empty = try client.send(HTTPRequest(plain("echo"), method: .post))
        #expect(String(decoding: empty.body, as: UTF8.self) == "POST ")
        // And the next GET is one.
        #expect(try client.send(HTTPRequest(plain("ok/3"))).body.count == 3)
    }

    /// Cut at every byte of a short answer: never taken for complete.
    @Test func truncationAtEveryByte() throws {
        let client = try client()
        let whole =
            "HTTP/1.1 200 X\r\nDate: Tue, 01 Sep 2020 10:00:00 GMT\r\nCache-Control: public, max-age=300\r\nContent-Length: 16\r\n\r\n"
        let total = whole.utf8.count + 16
        for cut in 0..<total {
            let error = try #require(failure(plain("cut-all/16/\(cut)"), client), "cut at \(cut)")
            #expect([.truncated, .badAnswer, .connectionLost].contains(error.code), "cut at \(cut): \(error)")
        }
        #expect(failure(plain("cut-all/16/\(total)"), client) == nil)
        for cut in [0, 1, 255, 16_383, 16_384, 99_999] {
            #expect(failure(plain("cut/100000/\(cut)"), client)?.code == .truncated)
            #expect(failure(plain("chunked-cut/\(cut)"), client)?.code == .truncated)
        }
        #expect(failure(plain("nothing"), client)?.code == .truncated)
        #expect(failure(plain("garbage"), client)?.code == .badAnswer)
        // More than announced: what was announced is the answer, and the rest does not become the next one.
        #expect(try client.send(HTTPRequest(plain("more/16/60"))).body.count == 16)
        #expect(try client.send(HTTPRequest(plain("ok/5"))).body.count == 5)
    }

    @Test func limitsHold() throws {
        let client = try client()
        #expect(failure(plain("ok/1000"), client) { $0.limits.maximumBodyBytes = 999 }?.code == .bodyTooLarge)
        #expect(failure(plain("ok/1000"), client) { $0.limits.maximumBodyBytes = 1_000 } == nil)
        #expect(failure(plain("headers/30000"), client)?.code == .headersTooLarge)
        #expect(failure(plain("headers/2000"), client) == nil)
        let clock = ContinuousClock().now
        #expect(failure(plain("drip/1000/0.1"), client)?.code == .tooSlow)
        #expect(ContinuousClock().now - clock < .seconds(90), "all of it takes a hundred")
        #expect(failure(plain("drip/1000/0.01"), client) { $0.limits.totalSeconds = 2 }?.code == .timeout)
        #expect([.tooSlow, .timeout].contains(failure(plain("stall"), client)?.code))
        #expect([.tooSlow, .timeout].contains(failure(plain("silent"), client)?.code))
    }

    /// Those that were asked for, however they are written; of two with one name nobody knows which is meant.
    @Test func namedHeadersAreHandedOut() throws {
        let client = try client()
        let request = HTTPRequest(
            plain("headers/700"), limits: limits, answerHeaders: ["x-0", "X-5", "Content-Length", "x-99"])
        let answer = try client.send(request)
        let value = String(repeating: "y", count: 90)
        #expect(answer.headers == ["x-0": value, "X-5": value, "Content-Length": "0"])
        #expect(try client.send(HTTPRequest(plain("headers/700"), limits: limits)).headers == [:])
        let five = HTTPRequest(plain("headers/700"), answerHeaders: ["a", "b", "c", "d", "x-0"])
        #expect(try client.send(five).headers == [:], "four are handed out at most")
        let twice = try client.send(HTTPRequest(plain("twice"), limits: limits, answerHeaders: ["signature", "x-long"]))
        #expect(twice.headers == [:])
    }

    /// All three forms of dates that there are, and what is none.
    @Test func theServersDateIsReadInEachForm() {
        func collected(_ lines: [String]) -> HeaderCollector {
            // 2026: years with two digits are of this century up to 76.
            var headers = HeaderCollector(wanted: ["Signature"], now: 1_795_000_000)
            for line in lines { Array((line + "\r\n").utf8).withUnsafeBytes { headers.take($0) } }
            return headers
        }
        func date(_ text: String) -> Int64? { collected(["HTTP/1.1 200 X", "Date: \(text)", ""]).date }
        for text in [
            "Fri, 06 Nov 2026 08:49:37 GMT", "Friday, 06-Nov-26 08:49:37 GMT", "Fri Nov  6 08:49:37 2026",
            " \tFri, 06 Nov 2026 08:49:37 GMT ",
        ] {
            #expect(date(text) == 1_793_954_977, "\(text)")
        }
        for text in [
            "", "Fri, 06 Nov 2026 08:49:37", "Fri, 06 Nov 2026 08:49:37 CET", "Freitag, 6. November 2026", "1793954977",
            "2026-11-06T08:49:37Z",
        ] {
            #expect(date(text) == nil, "\(text)")
        }
        #expect(collected(["HTTP/1.1 200 X", "ETag: \"a\"", ""]).date == nil)
        // Another answer before it, and what comes behind the body, are not this answer's headers.
        let all = collected([
            "HTTP/1.1 103 X", "Date: Fri, 06 Nov 2026 08:49:37 GMT", "Signature: a", "", "HTTP/1.1 200 X", "Signature: b",
            "",
            "Signature: c", "Date: Fri, 06 Nov 2026 08:49:37 GMT", "ETag: \"d\"", "",
        ])
        #expect(all.date == nil && all.entityTag == nil && all.headers == ["Signature": "b"] && all.isComplete)
    }

    @Test func cancellationEndsARequestUnderWay() throws {
        let cancellation = HTTPCancellation()
        let url = plain("silent")
        // A thread of its own: those of the tests may all be waiting for something.
        var killer = pthread_t()
        let started = pthread_create(
            &killer, nil,
            { argument in
                usleep(300_000)
                if let argument { Unmanaged<HTTPCancellation>.fromOpaque(argument).takeUnretainedValue().cancel() }
                return nil
            }, Unmanaged.passUnretained(cancellation).toOpaque())
        try #require(started == 0)
        defer { pthread_join(killer, nil) }
        let client = try client()
        let clock = ContinuousClock().now
        let error = #expect(throws: HTTPError.self) {
            try client.send(
                HTTPRequest(url, limits: HTTPLimits(totalSeconds: 600, slowSeconds: 300)), cancellation: cancellation)
        }
        #expect(error?.code == .cancelled)
        #expect(ContinuousClock().now - clock < .seconds(120), "it gives up by itself after five minutes")
        #expect(throws: HTTPError(.cancelled)) { try client.send(HTTPRequest(url), cancellation: cancellation) }
    }

    @Test func statusesAreErrorsWithWhatTheServerAskedFor() throws {
        let client = try client()
        for (status, text, seconds) in [
            (429, "120", 120), (503, "Tue, 01 Sep 2020 11:00:00 GMT", 3_600), (503, "Mon, 31 Aug 2020 11:00:00 GMT", 0),
            (500, "soon", nil), (404, "-5", nil), (403, "99999999999999999999", Int64.max),
        ] as [(Int, String, Int64?)] {
            let escaped = text.split(separator: " ").joined(separator: "%20")
            let error = try #require(failure(plain("status/\(status)/\(escaped)"), client))
            #expect(error.code == .status && error.status == status && error.retryAfter == seconds)
            #expect(error.date == 1_598_954_400)
        }
        #expect(failure(plain("status/418"), client)?.retryAfter == nil)
    }

    @Test func redirectsStayWhereTheyMay() throws {
        let client = try client()
        #expect(failure(plain("redirect/2"), client) == nil)
        #expect(failure(plain("redirect/3"), client)?.code == .tooManyRedirects)
        #expect(failure(plain("loop"), client)?.code == .tooManyRedirects)
        #expect(failure(plain("redirect/1"), client) { $0.method = .post }?.code == .redirectNotPermitted)
        // To no other host or port: headers may hold a secret of the first.
        #expect(failure(plain("to/127.0.0.1:\(server.ports.plain)/http"), client)?.code == .redirectNotPermitted)
        #expect(failure(plain("to/localhost:1/http"), client)?.code == .redirectNotPermitted)
        let port = secure(server.ports.good, "to/localhost:\(server.ports.expired)/https")
        #expect(failure(port, client)?.code == .redirectNotPermitted)
        #expect(failure(secure(server.ports.good, "to/localhost:\(server.ports.good)/https"), client) == nil)
        // From http to https of the same host, never the other way.
        #expect(failure(plain("to/localhost:\(server.ports.good)/https"), client) == nil)
        let down = secure(server.ports.good, "to/localhost:\(server.ports.plain)/http")
        #expect(failure(down, client)?.code == .redirectNotPermitted)
        for scheme in ["file", "ftp", "gopher", "javascript"] {
            #expect(failure(plain("to/localhost:1/\(scheme)"), client)?.code == .redirectNotPermitted)
        }
    }

    @Test func certificatesAreJudged() throws {
        let client = try client()
        #expect(failure(secure(server.ports.good), client) == nil)
        #expect(failure(secure(server.ports.expired), client)?.code == .certificateExpired)
        #expect(failure(secure(server.ports.early), client)?.code == .certificateNotYetValid)
        #expect(failure(secure(server.ports.misnamed), client)?.code == .wrongName)
        #expect(failure(secure(server.ports.unknown), client)?.code == .unknownIssuer)
        #expect(failure("https://127.0.0.1:\(server.ports.good)/ok/1", client)?.code == .wrongName)
        #expect(failure(secure(server.ports.plain), client)?.code == .tlsFailed)
        // Only the system's authorities.
        #expect(failure(secure(server.ports.good), try self.client(authority: false))?.code == .unknownIssuer)
        // For signed content only: any certificate, but still the pinned key.
        for port in [server.ports.expired, server.ports.early, server.ports.unknown] {
            #expect(failure(secure(port), client) { $0.ignoresCertificate = true } == nil)
            let pinned = try self.client(pins: [server.pin("good")])
            #expect(failure(secure(port), pinned) { $0.ignoresCertificate = true }?.code == .pinMismatch)
            // And the request after it is judged again.
            #expect(failure(secure(port), client) != nil)
        }
    }

    /// A server that lets nobody in without a certificate of its authority sees the one that is shown, and no other.
    @Test func aCertificateIsShownToWhoeverAsks() throws {
        func file(_ name: String) throws -> [UInt8] {
            let stream = try #require(fopen("\(server.folder)/\(name)", "r"))
            defer { fclose(stream) }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = fread(&bytes, 1, bytes.count, stream)
            return Array(bytes[..<count])
        }
        func client(_ certificate: [UInt8], _ key: [UInt8]) throws -> HTTPClient {
            try HTTPClient(
                HTTPConfiguration(
                    authorityFile: server.authority,
                    identity: HTTPIdentity(certificate: certificate, key: SecretBytes(copying: key))))
        }
        func peer(_ client: HTTPClient, _ port: Int) throws -> String {
            String(decoding: try client.send(HTTPRequest(secure(port, "peer"), limits: limits)).body, as: UTF8.self)
        }
        let (certificate, key) = (try file("misnamed.pem"), try file("misnamed.key"))
        let known = try client(certificate, key)
        #expect(try peer(known, server.ports.asking) == "elsewhere.example")
        // On the connection that was kept, and where nobody asks.
        #expect(try peer(known, server.ports.asking) == "elsewhere.example")
        #expect(try peer(known, server.ports.good) == "")
        // Without one, with one of another authority, with another's key, with none that can be read.
        #expect(failure(secure(server.ports.asking), try self.client()) != nil)
        #expect(failure(secure(server.ports.asking), try client(file("unknown.pem"), file("unknown.key"))) != nil)
        for (certificate, key) in [
            (certificate, try file("good.key")), (Array("x".utf8), key), (certificate, Array("x".utf8)),
        ] {
            #expect(failure(secure(server.ports.asking), try client(certificate, key))?.code == .tlsFailed)
        }
        #expect(!"\(known) \(HTTPIdentity(certificate: certificate, key: SecretBytes(copying: key)))".contains("BEGIN"))
    }

    @Test func pinsWithSpares() throws {
        let good = try server.pin("good")
        let other = try server.pin("stranger")
        #expect(failure(secure(server.ports.good), try client(pins: [good])) == nil)
        #expect(failure(secure(server.ports.good), try client(pins: [other, good])) == nil)
        #expect(failure(secure(server.ports.good), try client(pins: [other]))?.code == .pinMismatch)
        // A right key does not excuse a wrong certificate.
        #expect(failure(secure(server.ports.expired), try client(pins: [good]))?.code != nil)
        #expect(throws: HTTPError(.badConfiguration)) { try client(pins: ["sha256//" + good]) }
        #expect(throws: HTTPError(.badConfiguration)) { try client(pins: [good + "\r\nX"]) }
        #expect(throws: HTTPError(.badConfiguration)) {
            try HTTPClient(HTTPConfiguration(authorityFile: "/nowhere/ca.pem"))
        }
    }

    /// Names go through the proxy as names; what it refuses is said in plain words.
    @Test func throughSOCKS() throws {
        let proxy = "127.0.0.1:\(server.ports.socks)"
        let client = try client(proxy: proxy)
        #expect(failure(secure(server.ports.good), client) == nil)
        #expect(failure("https://forbidden.example/x", client)?.code == .refusedByRule)
        #expect(failure("https://unknown.example/x", client)?.code == .nameNotResolved)
        #expect(failure("https://closed.example/x", client)?.code == .connectionRefused)
        #expect(failure("https://far.example/x", client)?.code == .unreachable)
        let login = "127.0.0.1:\(server.ports.socksWithLogin)"
        #expect(failure(secure(server.ports.good), try self.client(proxy: "sync:secret@" + login)) == nil)
        #expect(failure(secure(server.ports.good), try self.client(proxy: "sync:wrong@" + login))?.code == .refusedByRule)
        #expect(failure(secure(server.ports.good), try self.client(proxy: login))?.code == .refusedByRule)
        #expect(failure(secure(1), try self.client(proxy: "127.0.0.1:1")) != nil)
        #expect(failure("https://localhost:1/", try self.client())?.code == .connectionRefused)
        #expect(failure("https://no.such.name.invalid/", try self.client())?.code == .nameNotResolved)
    }

    @Test func onlyAddressesOfTheRightKind() throws {
        let client = try client()
        let strict = try HTTPClient(HTTPConfiguration(authorityFile: server.authority))
        #expect(failure(plain("ok/1"), strict)?.code == .badURL)
        for url in [
            "", "localhost", "file:///etc/passwd", "ftp://localhost/", "https://user:password@localhost/", "https:///x",
            "https://local host/", "https://localhost/\r\nX: y", "https://localhost:99999/",
            String(repeating: "a", count: 5_000),
        ] { #expect(failure(url, client)?.code == .badURL, "\(url.prefix(40))") }
        #expect(failure(plain("ok/1"), client) { $0.headers = [("X", "a\r\nY: b")] }?.code == .badURL)
        #expect(WebAddress("https://Example.ORG/x")?.host == "example.org")
        #expect(WebAddress("https://Example.ORG/x")?.port == 443)
    }

    @Test func everyErrorHasItsSentence() {
        var sentences = Set<String>()
        for code in HTTPError.Code.allCases where code != .status {
            let text = HTTPError(code).description
            #expect(text.hasSuffix("[\(code.rawValue)]") && text.count > 40)
            sentences.insert(text)
        }
        #expect(sentences.count == HTTPError.Code.allCases.count - 1)
    }

    /// A connection that was kept dies with a request unanswered, and nobody listens any more: the request has left all the same, so nobody may
    /// read that nothing was sent.
    @Test func aRequestThatLeftIsLostThoughConnectingAnewFails() throws {
        // The guard keeps the port when nobody listens any more: another test could get it otherwise.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let (guarding, door) = (socket(AF_INET, type, 0), socket(AF_INET, type, 0))
        defer { close(guarding) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        for descriptor in [guarding, door] {
            var yes: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
                }
            }
            try #require(isBound)
        }
        try #require(listen(door, 4) == 0)
        let port = UInt16(bigEndian: address.sin_port)
        let ended = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            let connection = accept(door, nil, nil)
            var buffer = [UInt8](repeating: 0, count: 65_536)
            _ = recv(connection, &buffer, buffer.count, 0)
            let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)
            _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
            // The second is read, and then everything is gone at once.
            _ = recv(connection, &buffer, buffer.count, 0)
            // `shutdown`, because a program that another test starts holds copies until it executes.
            for descriptor in [door, connection] {
                shutdown(descriptor, Int32(SHUT_RDWR))
                close(descriptor)
            }
            ended.signal()
        }
        let client = try client()
        let address2 = "http://127.0.0.1:\(port)/x"
        func post() -> HTTPError? { failure(address2, client) { ($0.method, $0.body) = (.post, [1, 2, 3]) } }
        #expect(post() == nil)
        let error = post()
        ended.wait()
        #expect(error?.code == .connectionLost, "\(String(describing: error))")
        // And what never left is told from it.
        let refused = failure(address2, try self.client()) { ($0.method, $0.body) = (.post, [1]) }
        #expect(refused?.code == .connectionRefused && refused?.code.isBeforeSending == true)
    }
}
