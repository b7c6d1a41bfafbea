// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Glibc

/// What came.
struct HTTPRequest {
    let method: String
    /// Without query, percent signs decoded.
    let path: String
    let ifNoneMatch: String?
    let authorization: String?
    /// Empty until all of it is there.
    var body: [UInt8] = []
}

/// What goes back.
struct HTTPResponse {
    enum Body {
        case bytes([UInt8])
        /// A file open for reading, handed over.
        case file(descriptor: Int32, byteCount: UInt64)
    }
    var status: UInt32
    var headers: [(String, String)] = []
    var body: Body = .bytes([])

    /// A sentence for a person or a log.
    static func text(_ status: UInt32, _ text: String) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
            body: .bytes(Array((text + "\n").utf8)))
    }
}

/// Answers requests; called on the server's one thread.
protocol HTTPHandler: AnyObject {
    /// Bytes of a body it takes for this request, or what to answer before any of the body was read.
    func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal>
    func answer(_ request: HTTPRequest) -> HTTPResponse
}

/// An answer that needs no body.
struct HTTPRefusal: Error { let response: HTTPResponse }

/// libmicrohttpd on a listening socket, with one thread. The only Swift here that talks to it.
final class HTTPServer {
    private let daemon: OpaquePointer
    private let context: Unmanaged<Context>
    /// The port, when any free one was asked for.
    let port: UInt16

    // For each connection; a request's headers must fit.
    private static let connectionMemory = 16 << 10
    private static let connectionLimit: UInt32 = 256
    private static let idleSeconds: UInt32 = 15

    private final class Context {
        let handler: any HTTPHandler
        let clock: AuthorityClock
        init(_ handler: any HTTPHandler, _ clock: AuthorityClock) {
            self.handler = handler
            self.clock = clock
        }
    }

    /// One request while its body comes in.
    private final class Pending {
        var request: HTTPRequest
        let limit: Int
        var isTooLarge = false
        init(_ request: HTTPRequest, limit: Int) {
            self.request = request
            self.limit = limit
        }
    }

    /// Listens on `address` (numeric) and `port` until it is released.
    init(
        address: String, port: UInt16, clock: AuthorityClock, handler: any HTTPHandler
    ) throws(AuthorityError) {
        let (descriptor, bound) = try Self.listen(address, port)
        context = Unmanaged.passRetained(Context(handler, clock))
        let started = vigil_http_start(
            descriptor,
            { context, connection, url, method, _, data, count, state in
                guard let context, let connection, let url, let method, let count, let state else { return vigil_http_no() }
                return HTTPServer.handle(
                    Unmanaged<Context>.fromOpaque(context).takeUnretainedValue(), connection, url, method, data, count,
                    state)
            }, context.toOpaque(),
            { _, _, state, _ in
                guard let state, let pending = state.pointee else { return }
                Unmanaged<Pending>.fromOpaque(pending).release()
                state.pointee = nil
            }, Self.connectionLimit, Self.idleSeconds, Self.connectionMemory)
        guard let started else {
            context.release()
            close(descriptor)
            throw AuthorityError(.listenFailed, "\(address):\(port)")
        }
        daemon = started
        self.port = bound
    }

    deinit {
        // Waits for the thread, which may be using the context.
        MHD_stop_daemon(daemon)
        context.release()
    }

    private static func listen(_ address: String, _ port: UInt16) throws(AuthorityError) -> (Int32, UInt16) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, "\(port)", &hints, &list) == 0, let first = list else {
            throw AuthorityError(.listenFailed, "\(address) is no IP address")
        }
        defer { freeaddrinfo(list) }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(first.pointee.ai_family, kind, 0)
        var one: Int32 = 1
        guard descriptor >= 0 else { throw AuthorityError(.listenFailed, "\(address):\(port)") }
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0, Glibc.listen(descriptor, 128) == 0
        else {
            let reason = strerror(errno).map { String(cString: $0) } ?? ""
            close(descriptor)
            throw AuthorityError(.listenFailed, "\(address):\(port): \(reason)")
        }
        return (descriptor, boundPort(descriptor) ?? port)
    }

    private static func boundPort(_ descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard status == 0 else { return nil }
        // The port stands at the same place in both families.
        return withUnsafeBytes(of: &storage) { UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) }
    }

    private static func handle(
        _ context: Context, _ connection: OpaquePointer, _ url: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>,
        _ data: UnsafePointer<CChar>?, _ count: UnsafeMutablePointer<Int>,
        _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        guard let known = state.pointee else {
            let request = HTTPRequest(
                method: String(cString: method), path: String(cString: url),
                ifNoneMatch: header("If-None-Match", connection), authorization: header("Authorization", connection))
            switch context.handler.begin(request) {
            case .success(let limit):
                state.pointee = Unmanaged.passRetained(Pending(request, limit: limit)).toOpaque()
                return vigil_http_yes()
            case .failure(let refusal):
                return send(refusal.response, context, connection)
            }
        }
        let pending = Unmanaged<Pending>.fromOpaque(known).takeUnretainedValue()
        guard count.pointee == 0 else {
            if pending.request.body.count + count.pointee > pending.limit {
                // The rest is read and dropped: an answer before the end of the body would be lost with the connection.
                pending.isTooLarge = true
                pending.request.body = []
            } else if !pending.isTooLarge, let data {
                pending.request.body += UnsafeRawBufferPointer(start: data, count: count.pointee)
            }
            count.pointee = 0
            return vigil_http_yes()
        }
        if pending.isTooLarge {
            return send(.text(413, "\(AuthorityError(.submissionTooLarge))"), context, connection)
        }
        return send(context.handler.answer(pending.request), context, connection)
    }

    private static func header(_ name: String, _ connection: OpaquePointer) -> String? {
        vigil_http_header(connection, name).map { String(cString: $0) }
    }

    private static func send(_ answer: HTTPResponse, _ context: Context, _ connection: OpaquePointer) -> MHD_Result {
        let response: OpaquePointer?
        switch answer.body {
        case .bytes(let bytes):
            response = vigil_http_copy(bytes, bytes.count)
        case .file(let descriptor, let byteCount):
            response = MHD_create_response_from_fd64(byteCount, descriptor)
            if response == nil { close(descriptor) }
        }
        guard let response else { return vigil_http_no() }
        defer { MHD_destroy_response(response) }
        MHD_add_response_header(response, "Date", HTTPDate.text(context.clock.seconds()))
        for (name, value) in answer.headers { MHD_add_response_header(response, name, value) }
        return MHD_queue_response(connection, answer.status, response)
    }
}

/// "Sat, 21 Nov 2026 06:07:08 GMT" (RFC 9110, 5.6.7).
enum HTTPDate {
    static func text(_ time: Int64) -> String {
        let date = Hour.date(ofDay: time / 86_400).split(separator: "-")
        guard date.count == 3, let month = Int(date[1]), (1...12).contains(month) else { return "" }
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let clock = Hour.text(time).dropFirst(11).dropLast()
        return "\(days[Int(time / 86_400 % 7)]), \(date[2]) \(months[month - 1]) \(date[0]) \(clock) GMT"
    }
}
