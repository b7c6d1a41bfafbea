// SPDX-License-Identifier: Apache-2.0

import JSON

/// The caller's side of one connection: calls in, bytes out; bytes in, replies out, each to the oldest call that waits.
///
/// After ``nextReply()`` has thrown, the connection must be closed: nobody knows any more which reply belongs to which call.
public struct ClientSession: Sendable {
    /// The most calls that may wait for their replies at once: our own bound on memory.
    public static let maximumWaitingCallCount = 1024

    private var framer = MessageFramer()
    /// Whether each waiting call takes several replies; the oldest is last.
    private var waiting: [Bool] = []
    private var hasFailed = false

    /// Bytes to be sent, in order: messages, each with its NUL at the end, 0 or more. The first may be the rest of one
    /// whose beginning ``removeOutput(_:)`` took away. Empty if nothing waits.
    public private(set) var output: [UInt8] = []

    /// A new connection on which nothing was called or received.
    public init() {}

    /// Calls whose last reply has not come, 0 to ``maximumWaitingCallCount``; oneway calls do not count.
    public var waitingCallCount: Int { waiting.count }

    /// The number of bytes that can be received now, 0 or more; 0 after an error.
    public var inputRoom: Int { hasFailed ? 0 : framer.room }

    /// Queues a call behind those that wait. Throws, and queues nothing: `malformedName`, `contradictoryFlags`, `tooManyCalls` or `messageTooLong`.
    public mutating func send(_ call: Call) throws(VarlinkError) {
        guard Name.qualified(call.method) != nil else {
            throw VarlinkError(.malformedName, at: .path(clipped(call.method)), "expected interface.Method")
        }
        guard !(call.wantsMore && call.isOneway) else { throw VarlinkError(.contradictoryFlags) }
        guard waiting.count < Self.maximumWaitingCallCount else { throw VarlinkError(.tooManyCalls) }
        let bytes = call.message.bytes
        guard bytes.count <= MessageFramer.maximumMessageByteCount else {
            throw VarlinkError(.messageTooLong, "at most \(MessageFramer.maximumMessageByteCount) bytes")
        }
        output += bytes
        output.append(0)
        if !call.isOneway { waiting.insert(call.wantsMore, at: 0) }
    }

    /// Takes at most ``inputRoom`` of the bytes, and says how many; 0 after a fault. Cannot fail.
    public mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Int { hasFailed ? 0 : framer.receive(bytes) }

    /// Takes bytes of an array, as ``receive(_:)-(UnsafeRawBufferPointer)`` does; gives how many were taken. Cannot fail.
    public mutating func receive(_ bytes: [UInt8]) -> Int {
        var count = 0
        bytes.withUnsafeBytes { count = receive($0) }
        return count
    }

    /// The next reply to the oldest call that waits; `nil` when it has not arrived, and after an error. Throws the rule
    /// that the other side broke: `messageTooLong`, `json`, `notAnObject`, `wrongType`, `unknownTopLevelKey`,
    /// `errorWithContinues`, `replyWithoutCall` or `continuesWithoutMore`.
    public mutating func nextReply() throws(VarlinkError) -> Reply? {
        guard !hasFailed else { return nil }
        do throws(VarlinkError) {
            guard let message = try framer.next() else { return nil }
            let reply = try Reply(message: message)
            guard let takesMore = waiting.last else { throw VarlinkError(.replyWithoutCall) }
            guard takesMore || !reply.continues else { throw VarlinkError(.continuesWithoutMore) }
            if !reply.continues { waiting.removeLast() }
            return reply
        } catch {
            hasFailed = true
            framer.removeAll()
            throw error
        }
    }

    /// Forgets the first `count` bytes of ``output``, which were sent: 0 to as many as there are, or the program stops.
    public mutating func removeOutput(_ count: Int) {
        if count == output.count { output = [] } else { output.removeFirst(count) }
    }

    /// Takes everything that waits to be sent, perhaps no bytes; ``output`` is empty afterwards.
    public mutating func takeOutput() -> [UInt8] {
        let taken = output
        output = []
        return taken
    }
}
