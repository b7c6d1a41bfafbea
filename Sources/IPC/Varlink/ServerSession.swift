// SPDX-License-Identifier: Apache-2.0

public import JSON

/// The service's side of a connection: it turns received bytes into calls, in strict order, and replies into bytes to send.
///
/// Calls are handed out one at a time: the next call remains as bytes until the one before has its last reply. The session
/// itself answers calls of `org.varlink.service`, and refuses unknown names, calls without a grant, and parameters that the
/// interface does not permit. It holds at most one message of maximum length as input.
///
/// After ``nextCall()`` has thrown, the connection must be closed; the rest of ``output`` may be sent first.
public struct ServerSession: Sendable {
    /// The number of bytes waiting to be sent above which no further call is handled, so that a caller who does not read
    /// cannot keep calling. Our own bound.
    public static let outputBeforeNextCall = 65_536

    private let service: ServiceDescription
    private let grants: Grants
    private let checksReplies: Bool
    private var framer = MessageFramer()
    private var hasFailed = false

    /// The call that is waiting for its next reply; `nil` if there is none.
    public private(set) var pending: Call?
    /// The bytes to send: complete messages in order, each with its final NUL, except that the first may be a rest after
    /// ``removeOutput(_:)``. Empty if nothing is waiting.
    public private(set) var output: [UInt8] = []
    /// The number of calls on this connection that were refused because they were not granted.
    public private(set) var deniedCallCount: UInt64 = 0
    /// The number of calls that were read on this connection, including those that the session answered itself.
    public private(set) var callCount: UInt64 = 0

    /// Creates the session of a new connection. By default all methods are granted.
    ///
    /// - Parameter checksReplies: Whether replies are compared with the interface as well, which takes time; for tests and
    ///   debug builds.
    public init(service: ServiceDescription, grants: Grants = .everything, checksReplies: Bool = false) {
        self.service = service
        self.grants = grants
        self.checksReplies = checksReplies
    }

    /// The number of bytes that ``receive(_:)-(UnsafeRawBufferPointer)`` accepts now, 0 or more; 0 after an error.
    public var inputRoom: Int { hasFailed ? 0 : framer.room }

    /// Accepts received bytes, at most ``inputRoom``, and returns how many it has accepted; 0 after an error. Cannot fail.
    public mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Int { hasFailed ? 0 : framer.receive(bytes) }

    /// Accepts the bytes of an array as ``receive(_:)-(UnsafeRawBufferPointer)`` does, and returns how many. Cannot fail.
    public mutating func receive(_ bytes: [UInt8]) -> Int {
        var count = 0
        bytes.withUnsafeBytes { count = receive($0) }
        return count
    }

    /// Returns whether the beginning of a message has arrived but not its end, and no call is waiting for a reply. `false`
    /// after an error.
    public mutating func hasUnfinishedMessage() -> Bool { pending == nil && !hasFailed && framer.hasUnfinishedMessage() }

    /// The number of received bytes that have not been handled, 0 or more.
    public var inputByteCount: Int { framer.pendingByteCount }

    /// Returns the next call that the service has to answer; `nil` if there is none, while one is unanswered, and while
    /// more than ``outputBeforeNextCall`` bytes wait to be sent. Throws if the caller broke a rule: `messageTooLong` or
    /// `json` for a message that cannot be parsed; `notAnObject`, `wrongType`, `unknownTopLevelKey`, `missingMethod`,
    /// `contradictoryFlags` or `upgradeRefused` for one that is not a valid call (``Call/init(message:)``).
    public mutating func nextCall() throws(VarlinkError) -> Call? {
        while pending == nil, !hasFailed, output.count <= Self.outputBeforeNextCall {
            let call: Call
            do throws(VarlinkError) {
                guard let message = try framer.next() else { return nil }
                call = try Call(message: message)
            } catch {
                hasFailed = true
                framer.removeAll()
                throw error
            }
            pending = call
            callCount += 1
            if let refusal = answerOrRefusal(call) { send(refusal) } else { return call }
        }
        return nil
    }

    /// Replies to the pending call; the reply is the last one unless `continues`. Nothing is sent for a one-way call.
    ///
    /// Throws `noCallWaiting` if no call is pending, `continuesWithoutMore` if the call did not ask for several replies,
    /// `messageTooLong` above ``MessageFramer/maximumMessageByteCount`` and, if replies are checked, `wrongType` for one
    /// that differs from the interface. Nothing is sent then.
    public mutating func reply(_ parameters: JSON.Object, continues: Bool = false) throws(VarlinkError) {
        guard let call = pending else { throw VarlinkError(.noCallWaiting) }
        guard !call.isOneway else {
            if !continues { pending = nil }
            return
        }
        guard !continues || call.wantsMore else { throw VarlinkError(.continuesWithoutMore) }
        if checksReplies { try checkReply(parameters, to: call) }
        try append(Reply(parameters, continues: continues))
        if !continues { pending = nil }
    }

    /// Ends the pending call with an error, `interface.Error`. Throws `noCallWaiting` if no call is pending,
    /// `malformedName` if the name has another form, `messageTooLong` above ``MessageFramer/maximumMessageByteCount`` and,
    /// if replies are checked, `malformedName` for an error that no interface of the service declares and `wrongType` for
    /// parameters that differ from the interface. Nothing is sent then.
    public mutating func fail(_ error: String, parameters: JSON.Object = JSON.Object()) throws(VarlinkError) {
        guard let call = pending else { throw VarlinkError(.noCallWaiting) }
        guard let name = Name.qualified(error) else { throw VarlinkError(.malformedName, at: .path(clipped(error))) }
        if checksReplies { try checkError(name, parameters) }
        if !call.isOneway { try append(Reply(error: error, parameters: parameters)) }
        pending = nil
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

    /// Wipes received bytes that have not been handled and discards everything else. After that nothing can be received or
    /// answered.
    public mutating func close() {
        framer.removeAll()
        hasFailed = true
        pending = nil
        output = []
    }

    private mutating func append(_ reply: Reply) throws(VarlinkError) {
        let bytes = reply.message.bytes
        guard bytes.count <= MessageFramer.maximumMessageByteCount else {
            throw VarlinkError(.messageTooLong, "at most \(MessageFramer.maximumMessageByteCount) bytes")
        }
        output += bytes
        output.append(0)
    }

    private mutating func send(_ reply: Reply) {
        defer { pending = nil }
        guard pending?.isOneway == false else { return }
        output += reply.message.bytes
        output.append(0)
    }

    /// What goes out in place of the service's own reply; `nil` when the service has to answer.
    private mutating func answerOrRefusal(_ call: Call) -> Reply? {
        guard let name = Name.qualified(call.method) else {
            return Reply(error: ServiceError.methodNotFound, parameters: ["method": .string(clipped(call.method))])
        }
        guard let interface = service.interface(named: name.interface) else {
            return Reply(
                error: ServiceError.interfaceNotFound, parameters: ["interface": .string(clipped(name.interface))])
        }
        guard let method = interface.method(named: name.member) else {
            return Reply(error: ServiceError.methodNotFound, parameters: ["method": .string(clipped(call.method))])
        }
        guard grants.allows(method.name, of: interface.name) else {
            deniedCallCount += 1
            let reason =
                "This caller was not granted \(call.method). Its grants name the methods it may call; add this one there."
            return Reply(
                error: ServiceError.permissionDenied,
                parameters: ["method": .string(call.method), "reason": .string(reason)])
        }
        guard method.streaming != .required || call.wantsMore else { return Reply(error: ServiceError.expectedMore) }
        if let fault = interface.fault(in: call.parameters, fields: method.parameters) {
            return Reply(error: ServiceError.invalidParameter, parameters: ["parameter": .string(fault.path)])
        }
        return interface.name == ServiceDescription.serviceInterface.name ? ownAnswer(method.name, call) : nil
    }

    private func ownAnswer(_ method: String, _ call: Call) -> Reply {
        guard method == "GetInfo" else {
            let name = call.parameters["interface"]?.string ?? ""
            guard let interface = service.interface(named: name), grants.allowsAny(of: interface) else {
                return Reply(error: ServiceError.interfaceNotFound, parameters: ["interface": .string(clipped(name))])
            }
            return Reply(["description": .string(interface.text)])
        }
        let names = service.interfaces.filter(grants.allowsAny).map { JSON.string($0.name) }
        return Reply([
            "vendor": .string(service.vendor), "product": .string(service.product), "version": .string(service.version),
            "url": .string(service.url), "interfaces": .array(names),
        ])
    }

    private func checkReply(_ parameters: JSON.Object, to call: Call) throws(VarlinkError) {
        guard let name = Name.qualified(call.method), let interface = service.interface(named: name.interface),
            let method = interface.method(named: name.member)
        else { return }
        if let fault = interface.fault(in: parameters, fields: method.results) {
            throw VarlinkError(.wrongType, at: .path(fault.path), fault.expected)
        }
    }

    private func checkError(
        _ name: (interface: String, member: String), _ parameters: JSON.Object
    ) throws(VarlinkError) {
        guard let interface = service.interface(named: name.interface),
            let error = interface.error(named: name.member)
        else { throw VarlinkError(.malformedName, at: .path("\(name.interface).\(name.member)"), "it is not declared") }
        guard interface.name != ServiceDescription.serviceInterface.name else { return }
        if let fault = interface.fault(in: parameters, fields: error.parameters) {
            throw VarlinkError(.wrongType, at: .path(fault.path), fault.expected)
        }
    }
}
