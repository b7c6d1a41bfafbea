// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
package import Glibc

/// Answers the requests of a ``HTTPLoopServer`` on the thread of its loop. No method may block.
package protocol HTTPLoopHandler: AnyObject {
    /// Returns the most bytes of a body that are accepted for this request, or the refusal to send before any of
    /// the body is read. Not called for a head that is too large (431) or does not say one length and one host
    /// (400): the server refuses these itself.
    func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal>
    /// Answers now, or keeps the exchange and answers later. An exchange that is released without an answer closes
    /// its connection.
    func answer(_ exchange: HTTPExchange)
    /// Returns the answer to a body with more bytes than ``begin(_:)`` accepted. `request` comes without the body.
    func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse
}

/// An HTTP and HTTPS server on listening sockets that the caller has opened. It runs on the thread of the `poll(2)` loop in
/// which it takes part, and is not thread-safe. For boards, where a thread costs memory and a handler has to ask other
/// processes before it can answer.
package final class HTTPLoopServer {
    /// The limits for clients, fixed when the server was created.
    package let limits: HTTPLimits
    private unowned let handler: any HTTPLoopHandler
    private var isEnding = false
    private let clock: () -> Int64
    private var listeners: [Listener] = []
    private var daemons: [Daemon] = []
    private var slots: [Int32: HTTPSlot] = [:]
    private var isRunWanted = false
    private var sweepAt: Duration?
    private var now = Duration.zero

    // For each connection: a request's head, and what of the answer is on its way.
    private static let connectionMemory = 32 << 10
    private static let acceptsPerTurn = 64

    private struct Listener {
        let name: String
        let descriptor: Int32
        let daemon: Daemon
    }

    private final class Daemon {
        let handle: OpaquePointer
        let isSecure: Bool

        init(_ handle: OpaquePointer, isSecure: Bool) {
            self.handle = handle
            self.isSecure = isSecure
        }
    }

    /// Creates a server without sockets, with the default `limits` for a board;
    /// ``add(name:descriptor:key:certificate:)`` adds them. `clock` returns Unix seconds for the `Date` of the
    /// answers. `handler` is not retained; it must be there whenever this server is served, and may end before it.
    package init(limits: HTTPLimits = HTTPLimits(), clock: @escaping () -> Int64, handler: any HTTPLoopHandler) {
        self.limits = limits
        self.clock = clock
        self.handler = handler
    }

    deinit {
        // Answers that are there are sent. The handler is asked nothing any more: it may be gone.
        isEnding = true
        // libmicrohttpd does not end while a connection is suspended.
        for slot in slots.values { slot.letGo() }
        for daemon in daemons {
            MHD_run(daemon.handle)
            MHD_stop_daemon(daemon.handle)
        }
        for listener in listeners { close(listener.descriptor) }
    }

    /// Serves `descriptor`, a listening socket, which is made non-blocking and closed on exec. The server owns the
    /// socket from then on, even if this throws. With both `key` and `certificate` (PEM) it serves HTTPS.
    /// ``HTTPRequest/listener`` contains `name`.
    ///
    /// Throws ``HTTPListenError`` if only one of `key` and `certificate` is given, or if libmicrohttpd does not
    /// start, for instance because the key or the certificate is damaged; the socket is closed then.
    package func add(
        name: String, descriptor: Int32, key: String? = nil, certificate: String? = nil
    ) throws(HTTPListenError) {
        guard (key == nil) == (certificate == nil) else {
            close(descriptor)
            throw HTTPListenError(
                detail: "\(name): a key and its certificate go together; without one of them it would be plain HTTP")
        }
        let isSecure = key != nil
        // A certificate belongs to a daemon; plain listeners share theirs.
        let known = isSecure ? nil : daemons.first { !$0.isSecure }
        guard let daemon = known ?? start(key: isSecure ? key : nil, certificate: certificate) else {
            close(descriptor)
            throw HTTPListenError(
                detail:
                    "\(name): the HTTP library does not start\(isSecure ? "; its key or certificate may be damaged" : "")")
        }
        if known == nil { daemons.append(daemon) }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        listeners.append(Listener(name: name, descriptor: descriptor, daemon: daemon))
    }

    private func start(key: String?, certificate: String?) -> Daemon? {
        let handle = vigil_http_join(
            { context, connection, url, method, _, data, count, state in
                guard let context, let connection, let url, let method, let count, let state else { return vigil_http_no() }
                return Unmanaged<HTTPLoopServer>.fromOpaque(context).takeUnretainedValue()
                    .handle(connection, url, method, data, count, state)
            },
            { context, connection, state, _ in
                guard let context, let connection, let state else { return }
                let pending = state.pointee.map { Unmanaged<HTTPPending>.fromOpaque($0).takeRetainedValue() }
                state.pointee = nil
                Unmanaged<HTTPLoopServer>.fromOpaque(context).takeUnretainedValue()
                    .didComplete(pending, vigil_http_socket(connection))
            },
            { context, connection, _, code in
                guard let context, let connection, vigil_http_has_closed(code) != 0 else { return }
                Unmanaged<HTTPLoopServer>.fromOpaque(context).takeUnretainedValue()
                    .didClose(vigil_http_socket(connection))
            }, Unmanaged.passUnretained(self).toOpaque(), UInt32(limits.connections * 2), UInt32(limits.headSeconds),
            Self.connectionMemory, key, certificate)
        return handle.map { Daemon($0, isSecure: key != nil) }
    }

    // MARK: Taking part in a loop

    /// Closes the listening sockets. New connections wait for the next process that listens there; existing ones continue.
    package func stopListening() {
        for listener in listeners { close(listener.descriptor) }
        listeners = []
    }

    /// Whether no client is connected.
    package var isIdle: Bool { slots.isEmpty }
    /// Whether a request is in progress: its body is arriving, or its answer is being made or sent. Streams do not count.
    package var isAnswering: Bool { slots.values.contains { $0.step == .body || $0.step == .answer } }
    /// The number of connections: 0 to twice ``HTTPLimits/connections``, because connections that are being dropped close a
    /// little later.
    package var connectionCount: Int { slots.count }
    /// Whether another stream may begin on this connection; notes for whom.
    func beginsStream(at descriptor: Int32, toStranger isStranger: Bool) -> Bool {
        let streaming = slots.values.filter { $0.step == .streaming }
        guard streaming.count < limits.streams, let slot = slots[descriptor] else { return false }
        if isStranger {
            let strangers = streaming.filter(\.isStranger)
            let same = slot.address.map { address in strangers.count { $0.address == address } } ?? 0
            guard strangers.count < limits.strangerStreams, same < limits.strangerStreamsPerAddress else { return false }
        }
        slot.isStranger = isStranger
        return true
    }

    /// Returns the descriptors to watch for reading: the listening sockets and those that libmicrohttpd waits with.
    package func descriptors() -> [pollfd] {
        (listeners.map(\.descriptor) + daemons.map { vigil_http_descriptor($0.handle) }).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
    }

    /// The time at which ``serve(_:at:)`` has to be called even if no descriptor is ready, on the clock of its `moment`;
    /// zero for immediately, `nil` for never.
    package var deadline: Duration? {
        if isRunWanted { return .zero }
        let dues = daemons.compactMap { daemon -> Duration? in
            let milliseconds = vigil_http_timeout(daemon.handle)
            return milliseconds < 0 ? nil : now + .milliseconds(milliseconds)
        }
        return (dues + [sweepAt].compactMap { $0 }).min()
    }

    /// Does the work that is due and calls the handler. `ready` are those of ``descriptors()`` that are ready. `moment`
    /// comes from a clock that never goes back, the same in every call. Does not block.
    package func serve(_ ready: [pollfd], at moment: Duration) {
        now = moment
        for listener in listeners where ready.contains(where: { $0.fd == listener.descriptor }) { accept(listener) }
        // In every round: who asks less often would need to know why libmicrohttpd wants to be called.
        let isDue =
            isRunWanted || ready.contains { entry in daemons.contains { vigil_http_descriptor($0.handle) == entry.fd } }
        if isDue || daemons.contains(where: { vigil_http_timeout($0.handle) == 0 }) {
            isRunWanted = false
            for daemon in daemons { MHD_run(daemon.handle) }
        }
        if let sweepAt, sweepAt <= moment { sweep() }
        if slots.isEmpty { sweepAt = nil } else if sweepAt == nil { sweepAt = moment + .seconds(1) }
    }

    func wantsRun() { isRunWanted = true }

    // MARK: Connections

    private func accept(_ listener: Listener) {
        for _ in 0..<Self.acceptsPerTurn {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let descriptor = withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.accept(listener.descriptor, $0, &length)
                }
            }
            guard descriptor >= 0 else { return }
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let peer = HTTPSlot.peer(&storage)
            let address = HTTPSlot.address(peer)
            guard makeRoom(for: address) else {
                close(descriptor)
                continue
            }
            var one: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
            slots[descriptor] = HTTPSlot(
                descriptor: descriptor, address: address, source: HTTPSlot.source(peer), listener: listener.name,
                isSecure: listener.daemon.isSecure,
                since: now)
            let status = withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    MHD_add_connection(listener.daemon.handle, descriptor, $0, length)
                }
            }
            // It has closed the socket itself.
            if status != vigil_http_yes() { slots[descriptor] = nil }
            isRunWanted = true
        }
    }

    /// Whether one more may come. Whoever has said nothing for longest goes for whoever comes, at once after an answer and after a second before the first:
    /// neither connections alone nor those that ask without a pause keep anybody out. Silent ones of the address that has most go first, then other
    /// silent ones, then whatever that address does but streams, and last a body or a reader that is slow: neither forms that never end nor answers that
    /// nobody takes keep anybody out, and no request under way is cut while there is a silent connection.
    private func makeRoom(for address: [UInt8]?) -> Bool {
        var rivals = slots.values.filter { !$0.isEvicted }
        if let address {
            let same = rivals.filter { $0.address == address }
            if same.count >= limits.connectionsPerAddress {
                rivals = same
            } else if rivals.count < limits.connections {
                return true
            }
        } else if rivals.count < limits.connections {
            return true
        }
        let crowd = HTTPCrowd(rivals.map(\.address))
        let many = crowd.giving(to: address)
        let giving = rivals.filter { many.contains($0.address) }
        rivals = rivals.filter { crowd.mayGo($0.address, for: address) }
        // So many have gone and are not closed yet: not more than twice the limit in all.
        guard slots.count < limits.connections * 2 - 8,
            let oldest = oldest(of: giving, where: isSilent) ?? oldest(of: rivals, where: isSilent)
                ?? oldest(of: giving, where: { $0.step != .streaming }) ?? oldest(of: rivals, where: isSlow)
        else { return false }
        oldest.evict()
        return true
    }

    private func oldest(of slots: [HTTPSlot], where isMeant: (HTTPSlot) -> Bool) -> HTTPSlot? {
        slots.filter(isMeant).min { $0.since < $1.since }
    }

    private func isSilent(_ slot: HTTPSlot) -> Bool { slot.step == .head && (slot.wasAnswered || isOver(1, slot)) }

    private func isOver(_ seconds: Int, _ slot: HTTPSlot) -> Bool { now - slot.since >= .seconds(seconds) }

    private func isSlow(_ slot: HTTPSlot) -> Bool {
        switch slot.step {
        case .body: isOver(limits.crowdedBodySeconds, slot)
        case .answer: isOver(limits.crowdedAnswerSeconds, slot)
        case .head, .streaming: false
        }
    }

    private func sweep() {
        sweepAt = now + .seconds(1)
        for slot in slots.values where !slot.isEvicted {
            let timeout: Int? =
                switch slot.step {
                case .head: limits.headSeconds
                case .body: limits.bodySeconds
                case .answer: limits.answerSeconds
                case .streaming: nil
                }
            if let timeout, now - slot.since > .seconds(timeout) {
                slot.evict()
            } else if slot.step == .streaming {
                if slot.hasGone {
                    slot.pending?.stream?.end()
                } else if now - slot.since >= .seconds(limits.heartbeatSeconds) {
                    slot.since = now
                    slot.pending?.stream?.beat()
                }
            }
        }
        isRunWanted = true
    }

    private func didClose(_ descriptor: Int32) {
        guard let slot = slots.removeValue(forKey: descriptor) else { return }
        slot.pending?.stream?.didClose()
        slot.pending?.connection = nil
    }

    // MARK: Requests

    private func handle(
        _ connection: OpaquePointer, _ url: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>,
        _ data: UnsafePointer<CChar>?, _ count: UnsafeMutablePointer<Int>,
        _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        guard let known = state.pointee else {
            return isEnding ? vigil_http_no() : begin(connection, url, method, state)
        }
        let pending = Unmanaged<HTTPPending>.fromOpaque(known).takeUnretainedValue()
        guard count.pointee == 0 else {
            defer { count.pointee = 0 }
            return take(data, count.pointee, pending)
        }
        if let answer = pending.answer { return send(answer, pending, connection) }
        if pending.isAbandoned || isEnding { return vigil_http_no() }
        if pending.isAsked {
            // Woken without a reason: on it sleeps.
            pending.isSuspended = true
            MHD_suspend_connection(connection)
            return vigil_http_yes()
        }
        pending.isAsked = true
        enter(.answer, pending.descriptor)
        if pending.isTooLarge { return send(handler.refuseTooLarge(pending.request), pending, connection) }
        // Given away whole: an exchange that is dropped at once must be able to say so.
        ask(pending)
        if let answer = pending.answer { return send(answer, pending, connection) }
        if pending.isAbandoned { return vigil_http_no() }
        pending.isSuspended = true
        MHD_suspend_connection(connection)
        return vigil_http_yes()
    }

    private func ask(_ pending: HTTPPending) { handler.answer(HTTPExchange(pending)) }

    private func begin(
        _ connection: OpaquePointer, _ path: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>,
        _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        let descriptor = vigil_http_socket(connection)
        guard let slot = slots[descriptor] else { return vigil_http_no() }
        var (request, isText) = HTTPWire.head(connection, method: method, path: path)
        request.listener = slot.listener
        request.source = slot.source
        request.ownAddress = HTTPSlot.ownAddress(descriptor)
        request.isSecure = slot.isSecure
        let size = request.headers.reduce(request.path.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count + 4 }
        enter(.body, descriptor)
        let refusal: HTTPResponse
        if size > limits.headBytes {
            refusal = .text(431, "the head of the request is larger than anything that is taken here")
        } else if let unclear = HTTPFraming.refusal(request, isText: isText) {
            refusal = unclear
        } else {
            switch handler.begin(request) {
            case .success(let limit):
                let pending = HTTPPending(
                    request, limit: limit, descriptor: descriptor, connection: connection, server: self)
                slot.pending = pending
                state.pointee = Unmanaged.passRetained(pending).toOpaque()
                return vigil_http_yes()
            case .failure(let found): refusal = found.response
            }
        }
        enter(.answer, descriptor)
        return HTTPWire.queue(refusal, clock(), connection)
    }

    private func take(_ data: UnsafePointer<CChar>?, _ count: Int, _ pending: HTTPPending) -> MHD_Result {
        if pending.isTooLarge || pending.request.body.count + count > pending.limit {
            // A little of the rest is read and dropped, or the answer would be lost with the connection; not more.
            pending.isTooLarge = true
            pending.request.body = []
            pending.excess += count
            return pending.excess > HTTPLimits.droppedBytes ? vigil_http_no() : vigil_http_yes()
        }
        if let data { pending.request.body += UnsafeRawBufferPointer(start: data, count: count) }
        return vigil_http_yes()
    }

    private func send(_ answer: HTTPResponse, _ pending: HTTPPending, _ connection: OpaquePointer) -> MHD_Result {
        guard let stream = pending.stream else { return HTTPWire.queue(answer, clock(), connection) }
        enter(.streaming, pending.descriptor)
        stream.connection = connection
        let response = vigil_http_stream(
            { context, _, buffer, room in
                guard let context, let buffer else { return vigil_http_end() }
                return Unmanaged<HTTPEventStream>.fromOpaque(context).takeUnretainedValue().next(into: buffer, room: room)
            }, Unmanaged.passRetained(stream).toOpaque(),
            { context in if let context { Unmanaged<HTTPEventStream>.fromOpaque(context).release() } })
        return HTTPWire.queue(response, answer, clock(), connection)
    }

    private func enter(_ step: HTTPSlot.Step, _ descriptor: Int32) {
        slots[descriptor]?.step = step
        slots[descriptor]?.since = now
    }

    private func didComplete(_ pending: HTTPPending?, _ descriptor: Int32) {
        pending?.connection = nil
        pending?.stream?.didClose()
        slots[descriptor]?.pending = nil
        slots[descriptor]?.wasAnswered = true
        enter(.head, descriptor)
    }
}
