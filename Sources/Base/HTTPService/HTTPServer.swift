// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Glibc
import Synchronization

/// An HTTP server on a listening socket of its own, with one thread, for servers; a process with an event loop uses
/// ``HTTPLoopServer``. Accepts at most 256 connections and closes one that is silent for 15 seconds (our own
/// choices). Releasing it waits for the handler and for a calculation in progress.
package final class HTTPServer {
    private let daemon: OpaquePointer
    private let context: Unmanaged<Context>
    /// The port of the listening socket: the port asked for, or the free one that the system chose.
    package let port: UInt16

    // For each connection; a request's headers must fit.
    private static let connectionMemory = 16 << 10
    private static let connectionLimit: UInt32 = 256
    private static let idleSeconds: UInt32 = 15

    private final class Context {
        let handler: any HTTPHandler
        let clock: () -> Int64
        let delays = HTTPDelays()
        let calculator = HTTPCalculator()
        init(_ handler: any HTTPHandler, _ clock: @escaping () -> Int64) {
            self.handler = handler
            self.clock = clock
        }
    }

    /// One request while its body comes in.
    private final class Pending {
        var request: HTTPRequest
        let limit: Int
        var isTooLarge = false
        var excess = 0
        /// Waits for its time.
        var answer: HTTPResponse?
        /// Waits for its turn.
        var calculation: HTTPCalculator.Entry?
        init(_ request: HTTPRequest, limit: Int) {
            self.request = request
            self.limit = limit
        }
    }

    /// Listens on `address` (a numeric IP address) and `port` until the server is released; port 0 selects a free port.
    /// `clock` returns Unix seconds for the `Date` of the answers. `handler` and `clock` are called on the server's thread.
    ///
    /// Throws ``HTTPListenError`` if `address` is not an IP address, if the port cannot be listened on, or if libmicrohttpd
    /// does not start.
    package init(
        address: String, port: UInt16, clock: @escaping () -> Int64, handler: any HTTPHandler
    ) throws(HTTPListenError) {
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
                guard let state, let known = state.pointee else { return }
                let pending = Unmanaged<Pending>.fromOpaque(known).takeRetainedValue()
                state.pointee = nil
                // Whoever asked is gone; the handler hears what came of it all the same.
                if let entry = pending.calculation {
                    _ = entry.calculation.finish(entry.isCalculated.load(ordering: .acquiring))
                }
            }, Self.connectionLimit, Self.idleSeconds, Self.connectionMemory)
        guard let started else {
            context.release()
            close(descriptor)
            throw HTTPListenError(detail: "\(address):\(port)")
        }
        daemon = started
        self.port = bound
    }

    deinit {
        // The library does not end while somebody waits.
        context.takeUnretainedValue().calculator.stop()
        context.takeUnretainedValue().delays.stop()
        // Waits for the thread, which may be using the context.
        MHD_stop_daemon(daemon)
        context.release()
    }

    /// Whether a text is a whole IP address, perhaps with an interface behind it. The C library takes more for one: "*" and "0"
    /// are every address of the machine, and 127.1 is 127.0.0.1.
    private static func isAddress(_ text: String) -> Bool {
        let number = String(text.prefix { $0 != "%" })
        var (four, six) = (in_addr(), in6_addr())
        return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, number, &six) == 1
    }

    private static func listen(_ address: String, _ port: UInt16) throws(HTTPListenError) -> (Int32, UInt16) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard isAddress(address), getaddrinfo(address, "\(port)", &hints, &list) == 0, let first = list else {
            throw HTTPListenError(detail: "\(address) is no IP address")
        }
        defer { freeaddrinfo(list) }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(first.pointee.ai_family, kind, 0)
        var one: Int32 = 1
        guard descriptor >= 0 else { throw HTTPListenError(detail: "\(address):\(port)") }
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0, Glibc.listen(descriptor, 128) == 0
        else {
            let reason = strerror(errno).map { String(cString: $0) } ?? ""
            close(descriptor)
            throw HTTPListenError(detail: "\(address):\(port): \(reason)")
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
            let (request, isText) = HTTPWire.head(connection, method: method, path: url)
            if let refusal = HTTPFraming.refusal(request, isText: isText) {
                return HTTPWire.queue(refusal, context.clock(), connection)
            }
            switch context.handler.begin(request) {
            case .success(let limit):
                state.pointee = Unmanaged.passRetained(Pending(request, limit: limit)).toOpaque()
                return vigil_http_yes()
            case .failure(let refusal):
                return HTTPWire.queue(refusal.response, context.clock(), connection)
            }
        }
        let pending = Unmanaged<Pending>.fromOpaque(known).takeUnretainedValue()
        guard count.pointee == 0 else {
            if pending.request.body.count + count.pointee > pending.limit {
                // A little of the rest is read and dropped: an answer before the end of the body would be lost with the connection.
                pending.isTooLarge = true
                pending.request.body = []
                pending.excess += count.pointee
                if pending.excess > HTTPLimits.droppedBytes { return vigil_http_no() }
            } else if !pending.isTooLarge, let data {
                pending.request.body += UnsafeRawBufferPointer(start: data, count: count.pointee)
            }
            count.pointee = 0
            return vigil_http_yes()
        }
        if let answer = pending.answer { return HTTPWire.queue(answer, context.clock(), connection) }
        let answer: HTTPResponse
        if pending.isTooLarge {
            answer = context.handler.refuseTooLarge(pending.request)
        } else if let entry = pending.calculation {
            pending.calculation = nil
            answer = entry.calculation.finish(entry.isCalculated.load(ordering: .acquiring))
        } else {
            switch context.handler.outcome(of: pending.request) {
            case .answer(let given): answer = given
            case .calculation(let calculation):
                let entry = HTTPCalculator.Entry(calculation, connection)
                pending.calculation = entry
                // Asked again, without a body, when it goes on.
                MHD_suspend_connection(connection)
                if !context.calculator.add(entry) { MHD_resume_connection(connection) }
                return vigil_http_yes()
            }
        }
        guard answer.delayMilliseconds > 0 else { return HTTPWire.queue(answer, context.clock(), connection) }
        pending.answer = answer
        MHD_suspend_connection(connection)
        if !context.delays.resume(connection, afterMilliseconds: answer.delayMilliseconds) {
            MHD_resume_connection(connection)
        }
        return vigil_http_yes()
    }
}
