// SPDX-License-Identifier: Apache-2.0

public import Varlink
public import VarlinkSocket

/// An interface that the plugin provides, with a handler for each method. Belongs to the loop's thread.
public final class ServedInterface {
    /// The interface as its text describes it.
    public let description: InterfaceDescription
    private(set) var handlers: [String: (IncomingCall) throws -> Void] = [:]

    init(_ description: InterfaceDescription) { self.description = description }

    /// Methods without a handler; they are answered `MethodNotImplemented`.
    var missing: [String] { description.methods.map(\.name).filter { handlers[$0] == nil }.sorted() }

    /// Adds a handler that answers a method at once. `Parameters` and `Result` hold the fields of the interface's text; a
    /// call whose parameters do not fit `Parameters` ends with `InvalidParameter`.
    ///
    /// An error that the handler throws ends the call: `CallFailure` as that error of the interface, any other error as
    /// `MethodNotImplemented`.
    /// - Throws: `StartError.badHandler` if the interface has no such method, or if the method has a handler
    ///   already, which then stays.
    public func on<Parameters: Decodable, Result: Encodable>(
        _ method: String, _ handler: @escaping (Parameters) throws -> Result
    ) throws(StartError) { try onCall(method, MethodHandler.reply(handler).handle) }

    /// Adds a handler for every method of the interface: `handler` returns the one for each case. A `switch` over the cases
    /// has to be complete, so a method without a handler does not compile.
    /// - Throws: `StartError.badHandler` if `Method` belongs to another interface, or if one of its methods is not in the
    ///   interface's text or has a handler already; the methods before that one then have their handlers.
    public func answer<Method: InterfaceMethod>(
        _ methods: Method.Type, by handler: (Method) -> MethodHandler
    ) throws(StartError) {
        guard Method.interface == description.name else {
            throw StartError(.badHandler, "\(description.name) is served, and these are the methods of \(Method.interface)")
        }
        for method in Method.allCases { try onCall(method.rawValue, handler(method).handle) }
    }

    /// Adds a handler that may answer later, on the loop: it keeps the call, and replies to it once or several
    /// times. An error that the handler throws ends the call, as with ``on(_:_:)``; a call that it releases without
    /// a last reply ends as `MethodNotImplemented`.
    /// - Throws: `StartError.badHandler` if the interface has no such method, or if the method has a handler
    ///   already, which then stays.
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

/// The parameters of a call, or its result, without fields.
public struct NoFields: Codable, Sendable, Equatable {
    /// Creates a value without fields; cannot fail.
    public init() {}
}
