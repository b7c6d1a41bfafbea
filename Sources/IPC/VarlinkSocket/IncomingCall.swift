// SPDX-License-Identifier: Apache-2.0

public import JSON
import Varlink

/// A call that waits for its answer, for as long as somebody keeps it.
///
/// It may be answered at once or any time later, on the thread of its server. Letting go of it without a last reply answers
/// `org.varlink.service.MethodNotImplemented`, so that nobody waits for ever, and is counted
/// (``VarlinkServer/Counters/unansweredCalls``).
public final class IncomingCall {
    /// Name of the ``Edge`` it came through.
    public let edge: String
    /// The number of the connection it came by, which no other connection of this server has or had.
    public let connectionNumber: UInt64
    /// The process at the other end, as the kernel saw it.
    public let peer: Peer
    /// The method, `interface.Method`; one of the edge's interfaces, and granted.
    public let method: String
    /// The call's parameters: always an object, checked against the interface.
    public let parameters: JSON
    /// Whether ``reply(_:continues:)`` may say that more follows.
    public let wantsMore: Bool
    /// Whether the caller takes no reply: nothing is sent whatever is replied.
    public let isOneway: Bool
    /// Called once if the connection closes before the last reply, on the server's thread: the caller does not want it any more. `nil` for nothing to
    /// call.
    public var onClose: (() -> Void)?

    private weak var connection: Connection?
    private let number: UInt64
    var pull: (() throws -> (JSON, isLast: Bool)?)?

    init(_ call: Call, number: UInt64, edge: String, peer: Peer, connection: Connection) {
        self.edge = edge
        connectionNumber = connection.identity
        self.peer = peer
        method = call.method
        parameters = .object(call.parameters)
        wantsMore = call.wantsMore
        isOneway = call.isOneway
        self.number = number
        self.connection = connection
    }

    deinit { connection?.abandon(number) }

    /// Whether the call waits for a reply: the last one was not given, and the connection is open as far as is known. True of one-way calls, too.
    public var isOpen: Bool { connection?.isWaiting(number) ?? false }

    /// The parameters as a Swift type. When they are not of it, answers `InvalidParameter` with the path and throws `notDecodable`; the handler only
    /// has to return.
    public func decode<Value: Decodable>(_ type: Value.Type) throws(JSONError) -> Value {
        do throws(JSONError) {
            return try parameters.decode(type)
        } catch {
            var path = ""
            if case .path(let place)? = error.place { path = place }
            fail(ServiceError.invalidParameter, parameters: ["parameter": .string(path)])
            throw error
        }
    }

    /// Replies, for the last time unless `continues`, which needs ``wantsMore``. `true` for a one-way call, of which nothing is sent.
    ///
    /// `false` when it does not go out: the call is no longer open, or what the handler gave cannot be sent (not an object, not JSON, too long, more
    /// than was asked for, or not as the interface has it where replies are checked). The latter is counted and ends the call as if it had been let
    /// go of.
    @discardableResult
    public func reply(_ parameters: some Encodable, continues: Bool = false) -> Bool {
        guard let connection, isOpen else { return false }
        return connection.reply(parameters, continues: continues)
    }

    /// Replies for the last time, with nothing to say; false as ``reply(_:continues:)``.
    @discardableResult
    public func reply() -> Bool { reply(JSON.empty) }

    /// Ends the call with an error, `interface.Error`. `false` when it does not go out: the call is no longer open, or the error cannot be sent (no
    /// such name, too long, or not as the interface has it where replies are checked). The latter is counted and ends the call as if it had been let
    /// go of.
    @discardableResult
    public func fail(_ error: String, parameters: JSON.Object = JSON.Object()) -> Bool {
        guard let connection, isOpen else { return false }
        return connection.fail(error, parameters: parameters)
    }

    /// Replies with what `next` gives, which is asked again only when everything before was taken by the caller's kernel: a long list needs the
    /// memory of one reply. Returns at once; does nothing for a call that is not open.
    ///
    /// `nil` from `next` means nothing for now; ``continueStream()`` has it asked again. What it throws ends the call (``CallFailure`` as that
    /// error). The server keeps the call until its last reply. A call without ``wantsMore`` is answered `ExpectedMore` unless the first reply is the
    /// last.
    public func stream(_ next: @escaping () throws -> (JSON, isLast: Bool)?) {
        guard let connection, isOpen else { return }
        pull = next
        connection.startStream(self)
    }

    /// Has a stream that gave `nil` asked again; does nothing for a call that is no stream, or not open.
    public func continueStream() {
        guard isOpen, pull != nil else { return }
        connection?.continueStream()
    }
}
