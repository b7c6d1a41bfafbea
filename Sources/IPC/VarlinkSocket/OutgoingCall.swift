// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import SystemCalls
import Varlink

/// One call of a ``VarlinkCaller`` on its way, with the connection that is its own.
final class OutgoingCall {
    /// How long before a service whose queue of connections is full is tried again.
    private static let pause = Duration.milliseconds(20)

    private(set) var descriptor: Int32 = -1
    private(set) var isDone = false
    private(set) var isConnected = false
    /// The time when it may be begun.
    private(set) var triesAgain = Duration.zero
    /// The time when it is given up; `nil` for never.
    private(set) var deadline: Duration?
    /// The reason why it cannot even be begun.
    var fault: VarlinkSocketError?
    private let timeout: Duration?
    private var session = ClientSession()
    private var hasReplies = false
    /// Replies that belong to what goes before the call itself.
    private var unheardCount = 0
    private var reply: ((VarlinkCaller.Outcome) -> Void)?

    init(
        _ method: String, _ parameters: JSON, wantsMore: Bool, timeout: Duration?, first: Call? = nil, at now: Duration,
        reply: @escaping (VarlinkCaller.Outcome) -> Void
    ) {
        self.timeout = timeout
        self.reply = reply
        deadline = timeout.map { now + $0 }
        guard case .object(let object) = parameters else {
            fault = .notVarlink(VarlinkError(.notAnObject))
            return
        }
        do throws(VarlinkError) {
            if let first {
                try session.send(first)
                unheardCount = 1
            }
            try session.send(Call(method, parameters: object, wantsMore: wantsMore))
        } catch {
            fault = .notVarlink(error)
        }
    }

    deinit { hangUp() }

    var events: Int16 {
        Int16((session.output.isEmpty ? 0 : POLLOUT) | (session.inputRoom > 0 ? POLLIN : 0))
    }

    /// Connects and sends what can be sent at once.
    func begin(_ path: String, at now: Duration) {
        if let fault { return fail(fault) }
        guard var address = UnixAddress(path: path) else { return fail(.unusable(path)) }
        if descriptor < 0 { descriptor = UnixAddress.makeSocket() }
        guard descriptor >= 0 else { return fail(.system("There is no socket to be had", errno)) }
        switch SystemCall.retrying({ Int(address.with { connect(descriptor, $0, $1) }) }) {
        case .done:
            isConnected = true
            serve(at: now)
        case .wait: triesAgain = now + Self.pause
        case .failed(let error): fail(.unreachable(path, error))
        }
    }

    /// Sends and receives what it can without waiting.
    func serve(at now: Duration) {
        while !isDone, !session.output.isEmpty {
            switch SystemCall.send(descriptor, session.output) {
            case .done(let count): session.removeOutput(count)
            case .wait: return
            case .failed: return fail(.closed(hadReply: hasReplies))
            }
        }
        receive(at: now)
    }

    func expire(at now: Duration) {
        if let deadline, deadline <= now, !isDone { fail(.nobodyAnswers(timeout ?? .zero)) }
    }

    /// Nothing more is heard of it.
    func end() {
        isDone = true
        reply = nil
        hangUp()
    }

    /// Closing alone ends nothing as long as somebody else holds the descriptor, such as a child that another thread has started and that has not
    /// come to its exec yet: the service would count the connection as open, beside those that are opened in its place.
    private func hangUp() {
        guard descriptor >= 0 else { return }
        shutdown(descriptor, Int32(SHUT_RDWR))
        SystemCall.closeReceiver(descriptor)
        descriptor = -1
    }

    private func receive(at now: Duration) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let refuses = SystemCall.refusesDescriptors(descriptor)
        while !isDone {
            do throws(VarlinkError) {
                if let next = try session.nextReply() {
                    take(next, at: now)
                    continue
                }
            } catch {
                return fail(.notVarlink(error))
            }
            let room = min(session.inputRoom, buffer.count)
            let outcome = buffer.withUnsafeMutableBytes {
                SystemCall.receive(
                    descriptor, into: UnsafeMutableRawBufferPointer(rebasing: $0[..<room]), refusesDescriptors: refuses)
            }
            switch outcome {
            case .done(0), .failed(ECONNRESET): return fail(.closed(hadReply: hasReplies))
            case .done(let count): _ = session.receive(Array(buffer[..<count]))
            case .wait: return
            case .failed(let error): return fail(.system("Receiving failed", error))
            }
        }
    }

    private func take(_ next: Reply, at now: Duration) {
        hasReplies = true
        guard next.error == nil else { return fail(.errorReply(next)) }
        if unheardCount > 0 {
            unheardCount -= 1
            return
        }
        let reply = reply
        if next.continues { deadline = timeout.map { now + $0 } } else { end() }
        reply?(.success((.object(next.parameters), next.continues)))
    }

    private func fail(_ error: VarlinkSocketError) {
        let reply = reply
        end()
        reply?(.failure(error))
    }
}
