// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import SystemCalls
import Varlink

/// One connection of a server. Closing is decided anywhere, and done by the server between two rounds: descriptors are numbers that
/// the kernel uses again.
final class Connection {
    /// Calls, or pulls of a stream, in a row before the others get their turn.
    private static let stepsInARow = 32
    /// Replies are collected up to this before they are sent, so that many small ones cost few calls of the system.
    private static let collectedByteCount = 16_384
    private static let readSize = 16_384

    let descriptor: Int32
    /// No other connection of the server has or had it.
    let identity: UInt64
    let edge: String
    let isPaced: Bool
    let peer: Peer
    /// Whether the kernel sees to it that nothing but bytes comes.
    let refusesDescriptors: Bool
    private unowned let server: VarlinkServer
    private var session: ServerSession
    private(set) var isClosed = false
    /// Something can be done without waiting for the descriptor.
    private(set) var hasWork = false
    /// Since when the end of a message is waited for.
    private(set) var unfinishedSince: Duration?
    /// The server's: the higher, the later it was served.
    var lastTurn: UInt64 = 0

    private var inputEnded = false
    private var isAdvancing = false
    private var number: UInt64 = 0
    private weak var current: IncomingCall?
    /// Keeps the call whose stream is going on.
    private var streaming: IncomingCall?
    private var streamIsIdle = false

    init(descriptor: Int32, identity: UInt64, edge: Edge, peer: Peer, server: VarlinkServer) {
        self.descriptor = descriptor
        refusesDescriptors = SystemCall.refusesDescriptors(descriptor)
        self.identity = identity
        self.edge = edge.name
        isPaced = edge.isPaced
        self.peer = peer
        self.server = server
        session = ServerSession(service: edge.description, grants: edge.grants, checksReplies: server.checksReplies)
    }

    deinit { SystemCall.closeReceiver(descriptor) }

    /// What to wait for.
    var events: Int16 {
        var events: Int32 = 0
        if !inputEnded && session.inputRoom > 0 { events |= POLLIN }
        if !session.output.isEmpty { events |= POLLOUT }
        return Int16(events)
    }

    /// Does what the descriptor is ready for.
    func serve(_ ready: Int16, at now: Duration) {
        let events = Int32(ready)
        if events & (POLLIN | POLLHUP | POLLERR) != 0 { read() }
        advance(at: now)
        // Without room nothing was read, so the hang-up would be reported for ever.
        if events & (POLLHUP | POLLERR) != 0, session.inputRoom == 0, session.pending != nil { isClosed = true }
    }

    /// Answers calls until there is none, the kernel takes no more bytes, or others should have their turn.
    func advance(at now: Duration) {
        hasWork = false
        isAdvancing = true
        let callsBefore = session.callCount
        let deniedBefore = session.deniedCallCount
        var steps = 0
        while !isClosed {
            if session.output.count >= Self.collectedByteCount || streaming != nil { flush() }
            guard !isClosed, session.output.count < Self.collectedByteCount else { break }
            guard steps < Self.stepsInARow, steps == 0 || server.shouldPause?() != true else {
                hasWork = true
                break
            }
            steps += 1
            let isProgress = if let streaming { pull(streaming) } else { takeCall() }
            guard isProgress else { break }
        }
        isAdvancing = false
        flush()
        server.counters.deniedCalls += session.deniedCallCount - deniedBefore
        if inputEnded {
            // Whoever hangs up takes back the call; what was sent before it is answered, as far as it can be at once.
            if session.pending != nil || session.output.isEmpty && !hasWork { isClosed = true }
        }
        if !session.hasUnfinishedMessage() {
            unfinishedSince = nil
        } else if unfinishedSince == nil || session.callCount != callsBefore {
            unfinishedSince = now
        }
    }

    /// Closes for a reason of the server's.
    func close() { isClosed = true }

    /// The last that is heard of it: its call is told.
    func bury() {
        isClosed = true
        let call = streaming ?? current
        let isUnanswered = session.pending != nil
        streaming = nil
        call?.pull = nil
        session.close()
        if isUnanswered, let onClose = call?.onClose {
            call?.onClose = nil
            onClose()
        }
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: Self.readSize)
        // A few times, so that a message and the end behind it come together; others have their turn after that.
        for _ in 0..<4 {
            let room = min(session.inputRoom, buffer.count)
            guard room > 0, !inputEnded else { break }
            let outcome = buffer.withUnsafeMutableBytes {
                SystemCall.receive(
                    descriptor, into: UnsafeMutableRawBufferPointer(rebasing: $0[..<room]),
                    refusesDescriptors: refusesDescriptors)
            }
            guard outcome != .wait else { break }
            if outcome == .failed(EBADMSG) {
                server.counters.protocolErrors += 1
                isClosed = true
            }
            guard case .done(let count) = outcome, count > 0 else {
                inputEnded = true
                break
            }
            buffer.withUnsafeBytes { _ = session.receive(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
        buffer.withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
        }
    }

    private func takeCall() -> Bool {
        guard session.pending == nil else { return false }
        do throws(VarlinkError) {
            guard let call = try session.nextCall() else {
                // More calls may lie behind what the session has answered itself.
                return session.output.count > ServerSession.outputBeforeNextCall
            }
            deliver(call)
            return true
        } catch {
            server.counters.protocolErrors += 1
            flush()
            isClosed = true
            return false
        }
    }

    private func deliver(_ call: Call) {
        number += 1
        server.counters.calls += 1
        let incoming = IncomingCall(call, number: number, edge: edge, peer: peer, connection: self)
        current = incoming
        do {
            try server.handler?(incoming)
        } catch let failure as CallFailure {
            incoming.fail(failure.name, parameters: failure.parameters)
        } catch {
            // The call is let go of, which answers it.
        }
    }

    /// Whether the stream gave something.
    private func pull(_ call: IncomingCall) -> Bool {
        guard session.output.isEmpty, !streamIsIdle else { return false }
        do {
            guard let (parameters, isLast) = try call.pull?() else {
                streamIsIdle = true
                return false
            }
            if !isLast && !call.wantsMore {
                call.fail(ServiceError.expectedMore)
            } else {
                call.reply(parameters, continues: !isLast)
            }
        } catch let failure as CallFailure {
            call.fail(failure.name, parameters: failure.parameters)
        } catch {
            abandon(number)
        }
        return true
    }

    private func flush() {
        while !isClosed, !session.output.isEmpty {
            switch SystemCall.send(descriptor, session.output) {
            case .done(let count): session.removeOutput(count)
            case .wait: return
            case .failed: isClosed = true
            }
        }
    }
}

/// What calls ask of their connection.
extension Connection {
    func isWaiting(_ number: UInt64) -> Bool { !isClosed && number == self.number && session.pending != nil }

    func reply(_ parameters: some Encodable, continues: Bool) -> Bool {
        let json: JSON
        do throws(JSONError) { json = try JSON(encoding: parameters) } catch { return refuse(VarlinkError(error)) }
        do throws(VarlinkError) {
            guard case .object(let object) = json else { throw VarlinkError(.notAnObject) }
            try session.reply(object, continues: continues)
        } catch {
            return refuse(error)
        }
        didReply()
        return true
    }

    func fail(_ error: String, parameters: JSON.Object) -> Bool {
        do throws(VarlinkError) {
            try session.fail(error, parameters: parameters)
        } catch {
            return refuse(error)
        }
        didReply()
        return true
    }

    func abandon(_ number: UInt64) {
        guard isWaiting(number) else { return }
        server.counters.unansweredCalls += 1
        endUnanswered()
    }

    func startStream(_ call: IncomingCall) {
        streaming = call
        streamIsIdle = false
        hasWork = true
    }

    func continueStream() {
        streamIsIdle = false
        hasWork = true
    }

    /// The handler gave what cannot be sent: a fault of the service, which its caller must not wait for.
    private func refuse(_ error: VarlinkError) -> Bool {
        server.counters.unsendableReplies += 1
        server.lastUnsendableReply = error
        endUnanswered()
        return false
    }

    private func endUnanswered() {
        let method = session.pending?.method ?? ""
        do throws(VarlinkError) {
            try session.fail(ServiceError.methodNotImplemented, parameters: ["method": .string(method)])
        } catch {
            isClosed = true
        }
        didReply()
    }

    private func didReply() {
        if session.pending == nil {
            streaming?.pull = nil
            streaming = nil
            // The next call may wait among the bytes already here; who advances looks anyway.
            if !isAdvancing { hasWork = true }
        }
        if !isAdvancing || session.output.count > VarlinkServer.outputLimit { flush() }
        if !isClosed, session.output.count > VarlinkServer.outputLimit {
            server.counters.slowReaders += 1
            isClosed = true
        }
    }
}
