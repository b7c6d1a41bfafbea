// SPDX-License-Identifier: Apache-2.0

public import Varlink
public import VarlinkSocket

/// An interface that the plugin provides, and what it does when it is called. Belongs to the loop's thread.
public final class ServedInterface {
    /// The interface as its text describes it.
    public let description: InterfaceDescription
    private(set) var handlers: [String: (IncomingCall) throws -> Void] = [:]

    init(_ description: InterfaceDescription) { self.description = description }

    /// Methods without a handler; they are answered `MethodNotImplemented`.
    var missing: [String] { description.methods.map(\.name).filter { handlers[$0] == nil }.sorted() }

    /// Answers a method at once. `Parameters` and `Result` hold the fields of the interface's text; parameters that do not fit end the call as
    /// `InvalidParameter`.
    ///
    /// What the handler throws ends the call: `CallFailure` as that error of the interface, anything else as `MethodNotImplemented`.
    /// - Throws: `StartError.badHandler` if the interface has no such method, or the method has a handler already, which stays.
    public func on<Parameters: Decodable, Result: Encodable>(
        _ method: String, _ handler: @escaping (Parameters) throws -> Result
    ) throws(StartError) { try onCall(method, MethodHandler.reply(handler).handle) }

    /// Answers every method of the interface, each by what `handler` gives for it. A switch over the cases has to be complete, so that a method
    /// without a handler does not compile.
    /// - Throws: `StartError.badHandler` if `Method` belongs to another interface, or one of its methods is not in the text or has a handler already;
    ///   methods before it have theirs then.
    public func answer<Method: InterfaceMethod>(
        _ methods: Method.Type, by handler: (Method) -> MethodHandler
    ) throws(StartError) {
        guard Method.interface == description.name else {
            throw StartError(.badHandler, "\(description.name) is served, and these are the methods of \(Method.interface)")
        }
        for method in Method.allCases { try onCall(method.rawValue, handler(method).handle) }
    }

    /// Answers a method whenever the handler likes, on the loop: it keeps the call and replies later, or streams.
    /// - Throws: `StartError.badHandler` if the interface has no such method, or the method has a handler already, which stays.
    public func onCall(_ method: String, _ handler: @escaping (IncomingCall) throws -> Void) throws(StartError) {
        guard description.method(named: method) != nil else {
            throw StartError(.badHandler, "\(description.name) has no method \(method)")
        }
        guard handlers[method] == nil else {
            throw StartError(.badHandler, "\(description.name).\(method) has a handler already")
        }
        handlers[method] = handler
    }
}

/// Parameters or a result without fields.
public struct NoFields: Codable, Sendable, Equatable {
    /// A value without fields; cannot fail.
    public init() {}
}
