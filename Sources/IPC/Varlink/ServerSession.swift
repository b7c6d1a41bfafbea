// SPDX-License-Identifier: Apache-2.0

public import JSON

/// The service's side of one connection: bytes in, calls out in strict order; replies in, bytes out.
///
/// One call at a time: the next one is handed out when the last has its final reply, and waits as bytes until then. What can be
/// answered without the service is answered here: `org.varlink.service`, unknown names, missing grants, and parameters
/// that the interface does not allow. Holds at most one longest message of input.
///
/// After ``nextCall()`` has thrown, the connection must be closed; what is left in ``output`` may be sent before.
public struct ServerSession: Sendable {
    /// Bytes waiting to be sent above which no further call is looked at: a caller who does not read does not get to ask.
    /// Our own bound.
    public static let outputBeforeNextCall = 65_536

    private let service: ServiceDescription
    private let grants: Grants
    private let checksReplies: Bool
    private var framer = MessageFramer()
    private var hasFailed = false

    /// The call that waits for its (next) reply; `nil` when none does.
    public private(set) var pending: Call?
    /// Bytes to be sent, in order: messages, each with its NUL at the end, 0 or more. The first may be the rest of one
    /// whose beginning ``removeOutput(_:)`` took away. Empty if nothing waits.
    public private(set) var output: [UInt8] = []
    /// The number of calls refused because they were not granted, since the connection was made; 0 or more.
    public private(set) var deniedCallCount: UInt64 = 0
    /// The number of calls that were read since the connection was made, by whatever part answered; 0 or more.
    public private(set) var callCount: UInt64 = 0

    /// A new connection on which nothing was called. `grants` are ``Grants/everything`` by default.
    ///
    /// - Parameter checksReplies: Whether replies are compared with the interface as well. Costs time; for tests and debug builds.
    public init(service: ServiceDescription, grants: Grants = .everything, checksReplies: Bool = false) {
        self.service = service
        self.grants = grants
        self.checksReplies = checksReplies
    }

    /// The number of bytes that can be received now, 0 or more; 0 after an error.
    public var inputRoom: Int { hasFailed ? 0 : framer.room }

    /// Takes at most ``inputRoom`` of the bytes, and says how many; 0 after a fault. Cannot fail.
    public mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Int { hasFailed ? 0 : framer.receive(bytes) }

    /// Takes bytes of an array, as ``receive(_:)-(UnsafeRawBufferPointer)`` does; gives how many were taken. Cannot fail.
    public mutating func receive(_ bytes: [UInt8]) -> Int {
        var count = 0
        bytes.withUnsafeBytes { count = receive($0) }
        return count
    }

    /// Whether a message has begun whose end has not arrived, while nothing but its end is waited for.
    public mutating func hasUnfinishedMessage() -> Bool { pending == nil && !hasFailed && framer.hasUnfinishedMessage() }

    /// The number of bytes that were received and not looked at yet, 0 or more.
    public var inputByteCount: Int { framer.pendingByteCount }

    /// The next call the service has to answer; `nil` while there is none, one is unanswered, or too much waits to be sent.
    /// Throws the rule that the caller broke: `messageTooLong`, `json`, `notAnObject`, `wrongType`, `unknownTopLevelKey`,
    /// `missingMethod`, `contradictoryFlags` or `upgradeRefused`.
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

    /// Sends a reply to the pending call; the last one unless `continues`.
    ///
    /// Nothing goes out for oneway calls. Throws, and sends nothing: `noCallWaiting`, `continuesWithoutMore` when the call did not ask for several
    /// replies, `messageTooLong`, and `wrongType` if replies are checked.
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

    /// Ends the pending call with an error, `interface.Error`. Throws, and sends nothing: `noCallWaiting`, `malformedName`, `messageTooLong`, and if
    /// replies are checked `wrongType`, and `malformedName` for an error that no interface of the service declares.
    public mutating func fail(_ error: String, parameters: JSON.Object = JSON.Object()) throws(VarlinkError) {
        guard let call = pending else { throw VarlinkError(.noCallWaiting) }
        guard let name = Name.qualified(error) else { throw VarlinkError(.malformedName, at: .path(clipped(error))) }
        if checksReplies { try checkError(name, parameters) }
        if !call.isOneway { try append(Reply(error: error, parameters: parameters)) }
        pending = nil
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

    /// Wipes what was received and not looked at, and forgets the rest. Nothing can be received or answered afterwards.
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
