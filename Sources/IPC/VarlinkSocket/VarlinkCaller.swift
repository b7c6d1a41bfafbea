// SPDX-License-Identifier: Apache-2.0

public import Glibc
public import JSON
public import Varlink

/// Calls a service without waiting for it, on the thread of whoever owns the `poll(2)` it takes part in; not thread-safe.
///
/// Each call has a connection of its own, so that one that takes long holds up nobody, and the service is left alone between calls. At most
/// ``connectionLimit`` are open at a time; further calls wait for their turn.
public final class VarlinkCaller {
    /// The most connections at a time: fewer than a service takes through one edge (``VarlinkServer/connectionsPerEdge``).
    /// Our own bound.
    public static let connectionLimit = 12
    /// The most calls that may wait for a connection; one more fails. Our own bound.
    public static let waitingLimit = 1_024

    /// A reply: its parameters, always an object, and whether another one follows; or why there is none.
    public typealias Outcome = Result<(parameters: JSON, continues: Bool), VarlinkSocketError>

    /// A call under way, which can be taken back. Letting go of it changes nothing. One thread at a time.
    public final class Ticket {
        private weak var call: OutgoingCall?

        init(_ call: OutgoingCall) { self.call = call }

        /// Takes the call back: nothing is heard of it any more.
        public func cancel() { call?.end() }
    }

    private let path: String
    private var open: [OutgoingCall] = []
    private var waiting: [OutgoingCall] = []

    /// Calls nobody yet. Cannot fail.
    ///
    /// - Parameter path: The service's socket. Connected to when there is something to call.
    public init(path: String) { self.path = path }

    /// Whether no call is under way or waiting.
    public var isIdle: Bool { open.isEmpty && waiting.isEmpty }

    /// Calls; never waits. Each reply, or the error that ends the call, goes to `reply`, in a later round. Only the last one does not continue.
    /// Errors are those of ``VarlinkClient``: `notVarlink` for `parameters` that are no object, say, `timedOut`, `errorReply`, and `system` beyond
    /// ``waitingLimit``.
    ///
    /// - Parameters:
    ///   - wantsMore: Whether there may be several replies.
    ///   - timeout: The longest wait for the first reply, the wait for a connection included, and then for each further
    ///     one; `nil` for as long as it takes.
    ///   - first: A call without several replies that goes over the same connection before this one. Nothing is heard of its reply; its error is the
    ///     error of the whole. `nil` for none.
    ///   - now: As in ``serve(_:at:)``.
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

    /// Descriptors for `poll`, all in one; empty when no call is under way.
    public func descriptors() -> [pollfd] {
        open.filter { !$0.isDone }.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
    }

    /// The time when ``serve(_:at:)`` is to be called though no descriptor is ready, on the clock of its `now`; in the past
    /// (zero) when there is work now, `nil` for never.
    public var deadline: Duration? {
        if open.contains(where: \.isDone) || waiting.contains(where: { $0.fault != nil || $0.isDone }) { return .zero }
        let next = open.count < Self.connectionLimit ? waiting.map(\.triesAgain).min() : nil
        return ((open + waiting).compactMap(\.deadline) + [next].compactMap { $0 }).min()
    }

    /// Does what the descriptors are ready for, and what is due; calls back with replies. Descriptors of others in the list are passed over. `now` is
    /// of one clock that never goes back.
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
