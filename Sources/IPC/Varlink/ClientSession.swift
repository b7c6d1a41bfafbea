// SPDX-License-Identifier: Apache-2.0

import JSON

/// The caller's side of a connection: it turns calls into bytes to send, and received bytes into replies, each to the
/// oldest waiting call.
///
/// After ``nextReply()`` has thrown, the connection must be closed, because replies can no longer be assigned to calls.
public struct ClientSession: Sendable {
    /// The largest number of calls that may wait for their replies: our own bound on memory.
    public static let maximumWaitingCallCount = 1024

    private var framer = MessageFramer()
    /// Whether each waiting call takes several replies; the oldest is last.
    private var waiting: [Bool] = []
    private var hasFailed = false

    /// The bytes to send: complete messages in order, each with its final NUL, except that the first may be a rest after
    /// ``removeOutput(_:)``. Empty if nothing is waiting.
    public private(set) var output: [UInt8] = []

    /// Creates the session of a new connection.
    public init() {}

    /// The number of calls whose last reply has not arrived, 0 to ``maximumWaitingCallCount``. One-way calls do not count.
    public var waitingCallCount: Int { waiting.count }

    /// The number of bytes that ``receive(_:)-(UnsafeRawBufferPointer)`` accepts now, 0 or more; 0 after an error.
    public var inputRoom: Int { hasFailed ? 0 : framer.room }

    /// Queues a call for sending. Throws `malformedName` if its method is not `interface.Method`, `contradictoryFlags` if
    /// it is one-way and wants several replies, `tooManyCalls` if ``maximumWaitingCallCount`` calls are waiting, and
    /// `messageTooLong` above ``MessageFramer/maximumMessageByteCount``; nothing is queued then.
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

    /// Accepts received bytes, at most ``inputRoom``, and returns how many it has accepted; 0 after an error. Cannot fail.
    public mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Int { hasFailed ? 0 : framer.receive(bytes) }

    /// Accepts the bytes of an array as ``receive(_:)-(UnsafeRawBufferPointer)`` does, and returns how many. Cannot fail.
    public mutating func receive(_ bytes: [UInt8]) -> Int {
        var count = 0
        bytes.withUnsafeBytes { count = receive($0) }
        return count
    }

    /// Returns the next reply, which belongs to the oldest waiting call; `nil` if it has not arrived, and after an error.
    /// Throws if the other side broke a rule: `messageTooLong` or `json` for a message that cannot be parsed;
    /// `notAnObject`, `wrongType`, `unknownTopLevelKey` or `errorWithContinues` for one that is not a reply
    /// (``Reply/init(message:)``); `replyWithoutCall` if no call is waiting; `continuesWithoutMore` if the reply announces
    /// another one that the call did not ask for.
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

    /// Removes the first `count` bytes of ``output``, which have been sent. `count` must be 0 to the number of these bytes,
    /// or the program stops.
    public mutating func removeOutput(_ count: Int) {
        if count == output.count { output = [] } else { output.removeFirst(count) }
    }

    /// Returns all bytes of ``output``, of which there may be none, and leaves it empty.
    public mutating func takeOutput() -> [UInt8] {
        let taken = output
        output = []
        return taken
    }
}
