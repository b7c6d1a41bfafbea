// SPDX-License-Identifier: Apache-2.0

import Glibc
public import JSON
import PluginKit
import Synchronization
public import Varlink
import VarlinkSocket

/// Stands in for the core, or for another plugin, and answers calls with handlers, on a thread and a socket of its own, so
/// that a plugin may wait for it.
///
/// Calls are checked against the interface's text before a handler sees them, and replies before they are sent; ``faults``
/// lists what did not fit.
public final class ProviderStandIn: Sendable {
    /// The answer of a handler to one call.
    public enum Answer: Sendable {
        /// One reply with these parameters.
        case reply(JSON)
        /// Several replies in this order, of which the last is marked as the last; an empty list sends no reply.
        case replies([JSON])
        /// An error, given by its full name `interface.Error` and its parameters.
        case failure(String, JSON.Object = JSON.Object())
        /// No answer at all; the connection stays open.
        case silence
    }

    /// Answers one call, given its parameters. It runs on the provider's own thread.
    public typealias Handler = @Sendable (_ parameters: JSON) -> Answer

    /// A call that was received, was granted, and fits the interface.
    public struct Received: Sendable, Equatable {
        /// The name of the method, without its interface.
        public let method: String
        /// The parameters of the call, as they were received.
        public let parameters: JSON
    }

    private struct State {
        var handlers: [String: Handler] = [:]
        var calls: [Received] = []
        var answered = 0
        var faults: [String] = []
    }

    /// The interface that is served, read from its text.
    public let interface: InterfaceDescription
    /// The path of the listening UNIX socket.
    public let path: String
    private let state = Mutex(State())
    private let stopping: Cancellation

    /// Serves the interface with this text at `path`, on a thread of its own, until the object is released. Throws when the
    /// text cannot be parsed, and when a socket or thread cannot be created.
    ///
    /// - Parameter methods: The names of the methods that the plugin is granted; all methods if `nil`.
    public init(_ text: String, path: String, granted methods: [String]? = nil) throws {
        interface = try InterfaceDescription(parsing: text)
        self.path = path
        stopping = Cancellation()
        let listener = try VarlinkListener(path: path)
        let grants = try methods.map { names in try Grants(names.map { [name = interface.name] in "\(name).\($0)" }) }
        let service = try ServiceDescription(
            vendor: "Vigil", product: "stand-in", version: "0", url: "", interfaces: [interface])
        let edge = Edge(name: "plugin", listener: listener, grants: grants ?? .everything, description: service)
        let part = Part(edge: edge, owner: self, stopping: stopping)
        var thread = pthread_t()
        let context = Unmanaged.passRetained(part)
        let result = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Part>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, context.toOpaque())
        guard result == 0 else {
            context.release()
            throw TestKitError("no thread for \(interface.name)")
        }
        pthread_detach(thread)
    }

    deinit { stopping.cancel() }

    /// Sets the handler of a method, named without its interface, and replaces an earlier one. A method without a handler
    /// is answered with `MethodNotImplemented`. Stops the program if the interface has no such method.
    public func on(_ method: String, _ handler: @escaping Handler) {
        precondition(interface.method(named: method) != nil, "\(interface.name) has no method \(method)")
        state.withLock { $0.handlers[method] = handler }
    }

    /// Answers every call of a method, named without its interface, with the same reply, and replaces an earlier handler.
    /// Stops the program if the interface has no such method.
    public func on(_ method: String, reply: JSON) { on(method) { _ in .reply(reply) } }

    /// The calls that were granted and fit the interface, in their order; may be empty.
    public var calls: [Received] { state.withLock { $0.calls } }

    /// How many of ``calls`` were answered, or left without an answer, with everything sent.
    public var answered: Int { state.withLock { $0.answered } }

    /// The messages that did not fit, in English sentences and in their order: replies of handlers, calls that were not
    /// granted, and bytes that are not a call. Empty if there are none.
    public var faults: [String] { state.withLock { $0.faults } }

    fileprivate func handler(for method: String, _ parameters: JSON) -> Handler? {
        state.withLock { state in
            state.calls.append(Received(method: method, parameters: parameters))
            return state.handlers[method]
        }
    }

    fileprivate func noteAnswered() { state.withLock { $0.answered = $0.calls.count } }

    fileprivate func note(_ fault: String) { state.withLock { $0.faults.append(fault) } }

    /// What only the thread touches.
    private final class Part {
        private let server: VarlinkServer
        private let clock = SystemLoopClock()
        private weak var owner: ProviderStandIn?
        private let stopping: Cancellation
        private var silent: [IncomingCall] = []
        private var seen = VarlinkServer.Counters()

        init(edge: Edge, owner: ProviderStandIn, stopping: Cancellation) {
            server = VarlinkServer(edges: [edge], checksReplies: true)
            self.owner = owner
            self.stopping = stopping
        }

        func run() {
            server.handler = { [unowned self] call in answer(call) }
            while !stopping.isCancelled {
                var list = server.descriptors()
                // Often enough to notice the end of the test.
                clock.wait(for: &list, until: min(clock.now + .milliseconds(50), server.deadline ?? .seconds(1 << 40)))
                server.serve(list, at: clock.now)
                if !server.hasUnsent { owner?.noteAnswered() }
                report()
            }
        }

        private func answer(_ call: IncomingCall) {
            let method = String(call.method.split(separator: ".").last ?? "")
            guard let handler = owner?.handler(for: method, call.parameters) else { return }
            switch handler(call.parameters) {
            case .reply(let reply): call.reply(reply)
            case .replies(let replies):
                for (index, reply) in replies.enumerated() { call.reply(reply, continues: index + 1 < replies.count) }
            case .failure(let name, let parameters): call.fail(name, parameters: parameters)
            case .silence: silent.append(call)
            }
        }

        private func report() {
            if server.counters.unsendableReplies > seen.unsendableReplies {
                owner?.note("a reply does not fit the interface: \(server.lastUnsendableReply.map { "\($0)" } ?? "")")
            }
            if server.counters.deniedCalls > seen.deniedCalls { owner?.note("a call was not granted") }
            if server.counters.protocolErrors > seen.protocolErrors { owner?.note("what came is not Varlink") }
            seen = server.counters
        }
    }
}
