// SPDX-License-Identifier: Apache-2.0

import Glibc
public import JSON
import SystemCalls
import Varlink

/// Calls a service and waits for its answer: for command line tools and tests, not for a thread that has other things to do. Not thread-safe.
public final class VarlinkClient {
    /// The default wait for an answer: 45 s, as systemd's clients have it.
    public static let defaultTimeout = Duration.seconds(45)

    private let descriptor: Int32
    private let timeout: Duration
    private var session = ClientSession()
    private var isBroken = false
    /// Whether the service ever answered on this connection.
    private var hasReplies = false

    /// Connects to the socket at `path`. Waits at most `timeout` for that, and for each reply. Throws `pathNotUsable`, `notThere`, `nobodyListens`,
    /// `notAllowed`, `notASocket` (no stream socket lies there), `timedOut` or `system`.
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

    /// Uses a connected UNIX stream socket, such as the one a plugin was started with, and closes it in the end. Throws `notASocket` for anything
    /// else and for the standard descriptors 0 to 2.
    ///
    /// A descriptor that is refused stays open: it may belong to somebody else. `timeout` is how long to wait for each reply.
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

    /// Calls and waits for the one reply, at most as long as the client's time limit. `parameters` must be an object (`notVarlink`). An error as the
    /// answer is thrown (``VarlinkSocketError/Code/errorReply``). Throws `notAllowed` if the service closes the connection before it ever answered.
    /// After `timedOut`, `closed` and other failures of the connection every later call throws `closed`.
    public func call(_ method: String, _ parameters: JSON = .empty) throws(VarlinkSocketError) -> JSON {
        try send(Call(method, parameters: try Self.object(parameters)))
        return .object(try receiveReply().parameters)
    }

    /// Calls with Swift types for parameters and reply, otherwise as ``call(_:_:)``. Throws `notVarlink` when one of them
    /// does not fit.
    public func call<Result: Decodable>(
        _ method: String, _ parameters: some Encodable, as type: Result.Type
    ) throws(VarlinkSocketError) -> Result {
        let encoded: JSON
        do throws(JSONError) { encoded = try JSON(encoding: parameters) } catch { throw .notVarlink(VarlinkError(error)) }
        let reply = try call(method, encoded)
        do throws(JSONError) { return try reply.decode(type) } catch { throw .notVarlink(VarlinkError(error)) }
    }

    /// Calls and hands each reply to `each` until the last, or until it returns false. If more would follow then, the connection is closed, which is
    /// how a caller takes back a call, and every later call throws `closed`. Throws as ``call(_:_:)``, and what `each` throws, which ends the call as
    /// false does.
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

    /// Sends a call that the service does not answer, not even with an error. Waits for no answer, but up to the client's
    /// time limit for room to send. Throws only when the call cannot be sent: `notVarlink`, `timedOut`, `closed`,
    /// `notAllowed` or `system`.
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
