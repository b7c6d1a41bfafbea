// SPDX-License-Identifier: Apache-2.0

import Glibc
public import JSON
import SystemCalls
import Varlink

/// Calls a service and blocks until it answers; for command line tools and tests. Not thread-safe.
public final class VarlinkClient {
    /// The default limit for the wait for an answer: 45 s, as in systemd's clients.
    public static let defaultTimeout = Duration.seconds(45)

    private let descriptor: Int32
    private let timeout: Duration
    private var session = ClientSession()
    private var isBroken = false
    /// Whether the service ever answered on this connection.
    private var hasReplies = false

    /// Connects to the socket at `path`. Blocks for at most `timeout`, which also limits the wait for each reply. Throws
    /// `pathNotUsable` if the path is empty, longer than 107 bytes or contains a NUL; `notThere` if there is no socket;
    /// `nobodyListens` if no process listens on it; `notAllowed` if this user may not connect; `notASocket` if it is not a
    /// stream socket; `timedOut` if the service accepts no connection in time; and `system` for any other failure.
    public init(path: String, timeout: Duration = VarlinkClient.defaultTimeout) throws(VarlinkSocketError) {
        guard var address = UnixAddress(path: path) else { throw .unusable(path) }
        let descriptor = UnixAddress.makeSocket()
        guard descriptor >= 0 else { throw .system("There is no socket to be had", errno) }
        self.descriptor = descriptor
        self.timeout = timeout
        // From here on deinit closes it.
        let end = SystemCall.monotonicTime() + timeout
        while true {
            switch SystemCall.retrying({ Int(address.with { connect(descriptor, $0, $1) }) }) {
            case .done: return
            case .failed(let error): throw .unreachable(path, error)
            case .wait:
                // The queue of those who wait to be accepted is full, and no descriptor says when it is not.
                guard SystemCall.monotonicTime() < end else { throw .nobodyAnswers(timeout) }
                usleep(10_000)
            }
        }
    }

    /// Takes over a connected UNIX stream socket, such as the one with which a plugin was started, and closes it when the
    /// client is released. `timeout` limits the wait for each reply. Throws `notASocket` for anything else and for the
    /// standard descriptors 0 to 2.
    ///
    /// A descriptor that is refused stays open, because it may belong to somebody else.
    public init(adopting descriptor: Int32, timeout: Duration = VarlinkClient.defaultTimeout) throws(VarlinkSocketError) {
        guard descriptor > STDERR_FILENO, SystemCall.isConnected(descriptor, .stream), SystemCall.prepare(descriptor) == 0
        else {
            throw VarlinkSocketError(
                .notASocket, "Descriptor \(descriptor) is no connected UNIX stream socket",
                advice: "Start this program with one, or give it the path of the service's socket")
        }
        self.descriptor = descriptor
        self.timeout = timeout
        SystemCall.refuseDescriptors(descriptor)
    }

    deinit {
        // As in OutgoingCall: a copy in a child that has not come to its exec must not keep the connection up.
        shutdown(descriptor, Int32(SHUT_RDWR))
        SystemCall.closeReceiver(descriptor)
    }

    /// Calls a method and blocks until its single reply arrives, for at most the client's time limit to send the
    /// call, and as long again to receive the reply. Throws `notVarlink` if `parameters` is not an object, if the
    /// call cannot be sent as a message, or if the service breaks a rule of Varlink;
    /// ``VarlinkSocketError/Code/errorReply`` if the service answers with an error; `timedOut` if there is no reply
    /// in time; `notAllowed` or `closed` if the service closes the connection before or after its first reply on
    /// it; and `system` for any other failure. After any of these but `errorReply`, and `notVarlink` for a call
    /// that was not sent, every later call throws `closed`.
    public func call(_ method: String, _ parameters: JSON = .empty) throws(VarlinkSocketError) -> JSON {
        try send(Call(method, parameters: try Self.object(parameters)))
        return .object(try receiveReply().parameters)
    }

    /// Calls a method with Swift types for parameters and reply; otherwise the same as ``call(_:_:)``. Also throws
    /// `notVarlink` if the parameters cannot be encoded or the reply cannot be decoded; the client can be used
    /// further after that.
    public func call<Result: Decodable>(
        _ method: String, _ parameters: some Encodable, as type: Result.Type
    ) throws(VarlinkSocketError) -> Result {
        let encoded: JSON
        do throws(JSONError) { encoded = try JSON(encoding: parameters) } catch { throw .notVarlink(VarlinkError(error)) }
        let reply = try call(method, encoded)
        do throws(JSONError) { return try reply.decode(type) } catch { throw .notVarlink(VarlinkError(error)) }
    }

    /// Calls a method and passes each reply to `each`, until the last one or until `each` returns `false`. If further
    /// replies would follow, the connection is then closed, which cancels the call, and the client cannot be used again.
    /// Throws the errors of ``call(_:_:)`` and what `each` throws. After an error of `each` the client must not be used
    /// again, because the remaining replies may still arrive.
    public func callMore(
        _ method: String, _ parameters: JSON = .empty, each: (JSON) throws -> Bool
    ) throws {
        try send(Call(method, parameters: try Self.object(parameters), wantsMore: true))
        while true {
            let reply = try receiveReply()
            var wantsMore = false
            // Replies that nobody reads would answer the next call.
            defer { if reply.continues, !wantsMore { breakOff() } }
            wantsMore = try each(.object(reply.parameters))
            guard wantsMore, reply.continues else { return }
        }
    }

    /// Sends a call that the service does not answer, not even with an error. Does not wait for an answer, but blocks for
    /// up to the client's time limit until there is room to send. Throws `notVarlink` if `parameters` is not an object or
    /// the call cannot be sent as a message, `timedOut` if there is no room in time, `notAllowed` or `closed` if the
    /// connection is closed, and `system` for any other failure.
    public func callOneway(_ method: String, _ parameters: JSON = .empty) throws(VarlinkSocketError) {
        try send(Call(method, parameters: try Self.object(parameters), isOneway: true))
    }

    private func send(_ call: Call) throws(VarlinkSocketError) {
        guard !isBroken else { throw .closed(hadReply: true) }
        do throws(VarlinkError) { try session.send(call) } catch { throw .notVarlink(error) }
        let end = SystemCall.monotonicTime() + timeout
        while !session.output.isEmpty {
            switch SystemCall.send(descriptor, session.output) {
            case .done(let count): session.removeOutput(count)
            case .wait: try wait(POLLOUT, until: end)
            case .failed(let error):
                // A service that turns callers away closes first, and what it wrote before may say why.
                guard error == EPIPE || error == ECONNRESET else { throw breaking(.system("Sending failed", error)) }
                throw breaking(.closed(hadReply: hasReplies))
            }
        }
    }

    private func receiveReply() throws(VarlinkSocketError) -> Reply {
        let end = SystemCall.monotonicTime() + timeout
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let refuses = SystemCall.refusesDescriptors(descriptor)
        while true {
            let next: Reply?
            do throws(VarlinkError) {
                next = try session.nextReply()
            } catch {
                throw breaking(.notVarlink(error))
            }
            if let next {
                hasReplies = true
                guard next.error == nil else { throw .errorReply(next) }
                return next
            }
            let room = min(session.inputRoom, buffer.count)
            let outcome = buffer.withUnsafeMutableBytes {
                SystemCall.receive(
                    descriptor, into: UnsafeMutableRawBufferPointer(rebasing: $0[..<room]), refusesDescriptors: refuses)
            }
            switch outcome {
            case .done(0), .failed(ECONNRESET): throw breaking(.closed(hadReply: hasReplies))
            case .done(let count): _ = session.receive(Array(buffer[..<count]))
            case .wait: try wait(POLLIN, until: end)
            case .failed(let error): throw breaking(.system("Receiving failed", error))
            }
        }
    }

    private func wait(_ events: Int32, until end: Duration) throws(VarlinkSocketError) {
        let left = end - SystemCall.monotonicTime()
        guard left > .zero, SystemCall.wait(descriptor, Int16(events), for: left) else {
            throw breaking(.nobodyAnswers(timeout))
        }
    }

    private func breaking(_ error: VarlinkSocketError) -> VarlinkSocketError {
        breakOff()
        return error
    }

    private func breakOff() {
        isBroken = true
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private static func object(_ parameters: JSON) throws(VarlinkSocketError) -> JSON.Object {
        guard case .object(let object) = parameters else { throw .notVarlink(VarlinkError(.notAnObject)) }
        return object
    }
}
