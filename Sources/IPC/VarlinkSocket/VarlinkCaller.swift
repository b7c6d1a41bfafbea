// SPDX-License-Identifier: Apache-2.0

public import Glibc
public import JSON
public import Varlink

/// Calls a service without blocking, on the thread of the `poll(2)` loop in which it takes part. Not thread-safe.
///
/// Each call has its own connection, so a long call does not delay others, and there is no connection between calls. At
/// most ``connectionLimit`` connections are open at a time; further calls wait.
public final class VarlinkCaller {
    /// The largest number of connections at a time: fewer than a service accepts on one edge
    /// (``VarlinkServer/connectionsPerEdge``). Our own bound.
    public static let connectionLimit = 12
    /// The largest number of calls that may wait for a connection; one more fails with `system`. Our own bound.
    public static let waitingLimit = 1_024

    /// A reply, with its parameters (always an object) and whether another one follows; or the error that ended the call.
    public typealias Outcome = Result<(parameters: JSON, continues: Bool), VarlinkSocketError>

    /// A call in progress, which can be cancelled. Releasing the ticket has no effect. For the caller's thread only.
    public final class Ticket {
        private weak var call: OutgoingCall?

        init(_ call: OutgoingCall) { self.call = call }

        /// Cancels the call: its `reply` is not called any more.
        public func cancel() { call?.end() }
    }

    private let path: String
    private var open: [OutgoingCall] = []
    private var waiting: [OutgoingCall] = []

    /// Creates a caller without a connection. Cannot fail.
    ///
    /// - Parameter path: The path of the service's socket. The caller connects when there is a call.
    public init(path: String) { self.path = path }

    /// Whether no call is in progress or waiting.
    public var isIdle: Bool { open.isEmpty && waiting.isEmpty }

    /// Calls a method without waiting. `reply` is called with each reply, or with the error that ends the call, in a later
    /// ``serve(_:at:)``.
    ///
    /// The errors are `notVarlink` if `parameters` is not an object, the call cannot be sent as a message, or the service
    /// breaks a rule of Varlink; `pathNotUsable`, `notThere`, `nobodyListens`, `notAllowed`, `notASocket` or `system` if
    /// the socket cannot be connected; `timedOut` if a reply takes too long; `errorReply` for an error from the service;
    /// `notAllowed` or `closed` if the service closes the connection before or after its first reply; and `system` if
    /// ``waitingLimit`` calls are waiting.
    ///
    /// - Parameters:
    ///   - wantsMore: Whether several replies are accepted.
    ///   - timeout: The longest wait for the first reply, including the wait for a connection, and after that for each
    ///     further one; `nil` for no limit.
    ///   - first: A call with a single reply that is sent over the same connection before this one. Its reply is discarded,
    ///     and its error ends this call. `nil` for none.
    ///   - now: The present time, on the clock of ``serve(_:at:)``.
    @discardableResult
    public func call(
        _ method: String, _ parameters: JSON = .empty, wantsMore: Bool = false,
        timeout: Duration? = VarlinkClient.defaultTimeout, first: Call? = nil, at now: Duration,
        reply: @escaping (Outcome) -> Void
    ) -> Ticket {
        let call = OutgoingCall(
            method, parameters, wantsMore: wantsMore, timeout: timeout, first: first, at: now, reply: reply)
        if waiting.count >= Self.waitingLimit { call.fault = .system("\(Self.waitingLimit) calls wait already", EAGAIN) }
        waiting.append(call)
        return Ticket(call)
    }

    /// Returns the descriptors for `poll` with the events to wait for; empty if no call is in progress.
    public func descriptors() -> [pollfd] {
        open.filter { !$0.isDone }.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
    }

    /// The time at which ``serve(_:at:)`` has to be called even if no descriptor is ready, on the clock of its `now`; zero
    /// if there is work now, `nil` for never.
    public var deadline: Duration? {
        if open.contains(where: \.isDone) || waiting.contains(where: { $0.fault != nil || $0.isDone }) { return .zero }
        let next = open.count < Self.connectionLimit ? waiting.map(\.triesAgain).min() : nil
        return ((open + waiting).compactMap(\.deadline) + [next].compactMap { $0 }).min()
    }

    /// Does the work for ready descriptors and passed deadlines, and calls back with replies. Descriptors of others in the
    /// list are ignored. `now` is on one clock that never goes back.
    public func serve(_ ready: [pollfd], at now: Duration) {
        for call in open where !call.isDone {
            if ready.contains(where: { $0.fd == call.descriptor && $0.revents != 0 }) { call.serve(at: now) }
            call.expire(at: now)
        }
        open.removeAll(where: \.isDone)
        // Replies may call again meanwhile; those calls have their turn in the next round.
        let calls = waiting
        waiting = []
        var later: [OutgoingCall] = []
        for call in calls where !call.isDone {
            if open.count < Self.connectionLimit, call.triesAgain <= now { call.begin(path, at: now) }
            call.expire(at: now)
            if call.isDone { continue }
            if call.isConnected { open.append(call) } else { later.append(call) }
        }
        waiting = later + waiting
    }
}
