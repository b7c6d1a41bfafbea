// SPDX-License-Identifier: Apache-2.0

public import JSON
import Varlink

/// A call that is waiting for its answer.
///
/// It may be answered now or any time later, on the thread of its server. If it is released without a last reply, the
/// caller gets `org.varlink.service.MethodNotImplemented`, so that it does not wait forever, and the call is counted
/// (``VarlinkServer/Counters/unansweredCalls``).
public final class IncomingCall {
    /// The name of the ``Edge`` through which the call came.
    public let edge: String
    /// The number of the call's connection, which is unique for this server.
    public let connectionNumber: UInt64
    /// The process at the other end of the connection, as reported by the kernel.
    public let peer: Peer
    /// The method as `interface.Method`. The edge has the interface, and the method is granted.
    public let method: String
    /// The parameters: always an object, which has been checked against the interface.
    public let parameters: JSON
    /// Whether the caller accepts several replies, so that ``reply(_:continues:)`` may announce more.
    public let wantsMore: Bool
    /// Whether the caller wants no reply; nothing is sent then.
    public let isOneway: Bool
    /// Called one time, on the server's thread, if the connection closes before the last reply, which means that the caller
    /// no longer wants it. `nil` by default.
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

    /// Whether the call is waiting for a reply: the last one has not been given, and the connection is open as far as
    /// known. Also true for one-way calls.
    public var isOpen: Bool { connection?.isWaiting(number) ?? false }

    /// Decodes the parameters into a Swift type. If that fails, answers `InvalidParameter` with the path and throws
    /// `notDecodable`, so that the handler only has to return.
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

    /// Sends a reply, which is the last one unless `continues`; that requires ``wantsMore``. Returns true for a one-way
    /// call, although nothing is sent.
    ///
    /// Returns `false` if the reply cannot be sent: because the call is no longer open, or because the reply is not a JSON
    /// object, is longer than ``MessageFramer/maximumMessageByteCount``, announces more although the caller did not ask for
    /// it or, if replies are checked, differs from the interface. Any case but the first is counted, and ends the call as
    /// if it had been released.
    @discardableResult
    public func reply(_ parameters: some Encodable, continues: Bool = false) -> Bool {
        guard let connection, isOpen else { return false }
        return connection.reply(parameters, continues: continues)
    }

    /// Sends an empty last reply. Returns `false` as ``reply(_:continues:)`` does.
    @discardableResult
    public func reply() -> Bool { reply(JSON.empty) }

    /// Ends the call with an error, `interface.Error`. Returns `false` if the error cannot be sent: because the call is no
    /// longer open, or because the name has another form, the error is longer than
    /// ``MessageFramer/maximumMessageByteCount`` or, if replies are checked, it differs from the interface. Any case but
    /// the first is counted, and ends the call as if it had been released.
    @discardableResult
    public func fail(_ error: String, parameters: JSON.Object = JSON.Object()) -> Bool {
        guard let connection, isOpen else { return false }
        return connection.fail(error, parameters: parameters)
    }

    /// Sends the replies that `next` returns. `next` is called again only when the caller's kernel has accepted all bytes
    /// before, so a long list needs the memory of one reply. Returns at once; does nothing if the call is not open.
    ///
    /// If `next` returns `nil`, there is no reply at present, and ``continueStream()`` has it called again. An error that
    /// `next` throws ends the call: a ``CallFailure`` as that error, any other as if the call had been released. The server
    /// keeps the call until the last reply. If the caller did not ask for several replies (``wantsMore``), the first must
    /// be the last, or the call is answered with `ExpectedMore`.
    public func stream(_ next: @escaping () throws -> (JSON, isLast: Bool)?) {
        guard let connection, isOpen else { return }
        pull = next
        connection.startStream(self)
    }

    /// Has `next` of a stream called again after it has returned `nil`. Does nothing if the call is not a stream or not
    /// open.
    public func continueStream() {
        guard isOpen, pull != nil else { return }
        connection?.continueStream()
    }
}
