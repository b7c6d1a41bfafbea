// SPDX-License-Identifier: Apache-2.0

public import Glibc
import SystemCalls
public import Varlink

/// Answers calls on any number of edges, on the thread of the `poll(2)` loop in which it takes part. Not thread-safe.
///
/// In each round, wait for ``descriptors()`` until ``deadline``, then call ``serve(_:at:)``. An owner that decides after
/// each turn what comes next calls ``begin(_:at:)`` and then ``proceed(at:)`` instead. All times are on one clock of the
/// owner that does not go back.
public final class VarlinkServer {
    /// The largest number of connections on one edge; further ones are closed at once and counted. More than
    /// ``VarlinkCaller/connectionLimit``. Our own bound.
    public static let connectionsPerEdge = 16
    /// The largest number of connections of the server: our own bound on memory and descriptors.
    public static let connectionLimit = 128
    /// The largest number of bytes that may wait for one caller: the connection of a caller who does not read is closed and
    /// counted. Room for four messages of maximum length. Our own bound.
    public static let outputLimit = 262_144
    /// The longest time from the first byte of a message, or from the reply to the call before it if that was
    /// later, to its last byte: 30 s. Bytes in between do not extend it. After that the connection is closed and
    /// counted. Our own choice.
    public static let messageTimeout = Duration.seconds(30)
    /// How long no connection is accepted after the system had no descriptor or memory for one.
    static let acceptPause = Duration.seconds(1)
    private static let acceptsInARow = 64
    /// Connections turned away in a row before their edge's listener rests for ``refusalPause``: somebody hammers, and everybody else waits.
    private static let refusalsInARow = 8
    static let refusalPause = Duration.milliseconds(25)
    /// Bytes read of a connection that is turned away; what is beyond costs the caller an error instead of an end.
    private static let drainedByteCount = 65_536
    /// Connections that wait for their end, each of which may hold a caller's descriptors, before their edge takes no more of them.
    private static let slowEndsAtOnce = 8

    /// The totals since the server was created, for metrics.
    public struct Counters: Hashable, Sendable {
        /// The number of connections that were accepted or adopted.
        public var connections: UInt64 = 0
        /// The number of connections that were closed because a limit of open connections was reached.
        public var refusedConnections: UInt64 = 0
        /// The number of connections that were closed because the user may not connect.
        public var refusedUsers: UInt64 = 0
        /// The number of times that the system could not provide a connection.
        public var failedAccepts: UInt64 = 0
        /// The number of calls that were passed to the handler.
        public var calls: UInt64 = 0
        /// The number of calls that were refused because they were not granted.
        public var deniedCalls: UInt64 = 0
        /// The number of calls that the handler released without a last reply.
        public var unansweredCalls: UInt64 = 0
        /// The number of the handler's replies and errors that could not be sent.
        public var unsendableReplies: UInt64 = 0
        /// The number of connections that were closed because the caller broke the protocol: a message that was not a
        /// Varlink call or was longer than 64 KiB, or file descriptors that were passed along.
        public var protocolErrors: UInt64 = 0
        /// The number of connections that were closed because more than ``VarlinkServer/outputLimit`` bytes were waiting
        /// for the caller.
        public var slowReaders: UInt64 = 0
        /// The number of connections that were closed because a message took longer than ``VarlinkServer/messageTimeout``.
        public var unfinishedMessages: UInt64 = 0

        /// Creates counters that are all 0.
        public init() {}
    }

    /// Handles each call that the interface and the grants permit. An error that it throws ends the call: a ``CallFailure``
    /// as that error, any other as if the handler had released the call. Without a handler every call is answered with
    /// `MethodNotImplemented`.
    public var handler: ((IncomingCall) throws -> Void)?
    /// Returns whether the owner has more important work, so that other connections must wait. Called after each call, and
    /// by ``serve(_:at:)`` after each turn of a connection. Connections that have waited longest are then served first.
    /// Each round has at least one turn, and each turn answers at least one call. `nil` never pauses.
    public var shouldPause: (() -> Bool)?
    /// Called with the number of each connection that is gone (``IncomingCall/connectionNumber``), so that data kept for it
    /// can be discarded. `nil` by default.
    public var onClose: ((UInt64) -> Void)?
    /// Whether new connections wait in their listeners, and none is accepted: for an owner that is about to end, where whoever
    /// holds the listener too starts the next one. `false` by default.
    public var leavesCallersWaiting = false
    /// A clock of the same kind as `now`. With it, no edge takes more than its share of the owner's time in the
    /// long run: a quarter, or together with other busy edges three tenths, our choice. Edges that are not paced
    /// (``Edge/isPaced``) are not limited. `nil` paces no edge.
    public var clock: (() -> Duration)?
    /// The totals since the server was created.
    public internal(set) var counters = Counters()
    /// The reason why the last reply that could not be sent was refused, which is a fault of the handler; for the log.
    /// `nil` if there was none.
    public internal(set) var lastUnsendableReply: VarlinkError?
    /// Whether replies are compared with the interface as well.
    public let checksReplies: Bool

    private var edges: [Edge] = []
    private var connections: [Int32: Connection] = [:]
    private var acceptsAgain: Duration?
    /// Number of the last turn given to any connection.
    private var turn: UInt64 = 0
    /// Number of the last turn given through each edge.
    private var edgeTurns: [String: UInt64] = [:]
    private var pace = EdgePace()
    /// When listeners that were hammered at are looked at again, by edge.
    private var refusalRests: [String: Duration] = [:]
    /// Edges whose ends take long: nobody is accepted through them until the others are done with.
    private var slowEnds: Set<String> = []
    /// The time of the last ``serve(_:at:)``.
    private var lastServed = Duration.zero
    /// The rest of the round: connections with their events, then listeners. By number: an object kept here would stay open.
    private var row: ArraySlice<(descriptor: Int32, identity: UInt64, ready: Int16?)> = []
    private var callingListeners: ArraySlice<Int32> = []

    /// Creates a server with these edges and without a handler.
    ///
    /// - Parameter checksReplies: Whether replies are compared with the interface as well. On by default in debug builds
    ///   only, because it takes time.
    public init(edges: [Edge] = [], checksReplies: Bool = VarlinkServer.checksRepliesByDefault) {
        self.edges = edges
        self.checksReplies = checksReplies
    }

    deinit { for connection in connections.values { connection.bury() } }

    #if DEBUG
        /// Whether replies are compared with the interface by default: true in debug builds.
        public static let checksRepliesByDefault = true
    #else
        /// Whether replies are compared with the interface by default: false in release builds, because it takes time.
        public static let checksRepliesByDefault = false
    #endif

    /// The number of open connections, 0 to ``connectionLimit``.
    public var connectionCount: Int { connections.count }

    /// Adds an edge, which is served from the next round on. Its name must not be that of another edge, which is not
    /// checked.
    public func add(_ edge: Edge) { edges.append(edge) }

    /// Removes an edge and closes all of its connections. Does nothing if there is no edge with this name.
    public func removeEdge(named name: String) {
        edges.removeAll { $0.name == name }
        edgeTurns[name] = nil
        pace.forget(name)
        refusalRests[name] = nil
        for connection in connections.values where connection.edge == name { connection.close() }
        reap()
    }

    /// Serves a connected socket, such as one end of a socketpair whose other end a plugin has. The server owns the
    /// descriptor from then on. Only ``connectionLimit`` limits the number of such connections. Throws `notASocket`, and
    /// closes the descriptor, if it is not a connected UNIX stream socket, if there is no edge with this name, or if the
    /// limit is reached.
    ///
    /// - Parameter name: The name of an edge of the server.
    public func adopt(_ descriptor: Int32, on name: String) throws(VarlinkSocketError) {
        guard let edge = edges.first(where: { $0.name == name }), connections.count < Self.connectionLimit,
            SystemCall.isConnected(descriptor, .stream), let peer = Peer(of: descriptor),
            SystemCall.prepare(descriptor) == 0
        else {
            close(descriptor)
            throw VarlinkSocketError(
                .notASocket, "Descriptor \(descriptor) cannot become a connection of \(name)",
                advice: "Pass a connected UNIX stream socket, and the name of an edge, below the limit of connections")
        }
        SystemCall.refuseDescriptors(descriptor)
        open(descriptor, edge, peer)
    }

    /// Returns the descriptors for `poll` with the events to wait for, in no particular order. Edges that have used up
    /// their share of time are left out.
    public func descriptors() -> [pollfd] {
        reap()
        var list = connections.values.filter { !rests($0.edge) }
            .map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
        if acceptsAgain == nil, !leavesCallersWaiting {
            if SystemCall.closingCount == 0 { slowEnds = [] }
            for edge in edges where !rests(edge.name) && refusalRests[edge.name] == nil && !slowEnds.contains(edge.name) {
                guard let listener = edge.listener else { continue }
                list.append(pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0))
            }
        }
        return list
    }

    /// Whether bytes wait for a caller who has not read them yet, or whose edge has used up its share of time;
    /// ``descriptors()`` leaves out the latter.
    public var hasUnsent: Bool { connections.values.contains { !$0.isClosed && Int32($0.events) & POLLOUT != 0 } }

    private func rests(_ edge: String) -> Bool { pace.rest(of: edge, at: lastServed) != nil }

    /// The time at which ``serve(_:at:)`` has to be called even if no descriptor is ready, on the clock of its `now`; zero
    /// if there is work now, `nil` for never.
    public var deadline: Duration? {
        if connections.values.contains(where: { ($0.hasWork && !rests($0.edge)) || $0.isClosed }) { return .zero }
        let unfinished = connections.values.compactMap(\.unfinishedSince).min().map { $0 + Self.messageTimeout }
        let ended = slowEnds.isEmpty ? nil : lastServed + Self.refusalPause
        let rested = edges.compactMap { pace.rest(of: $0.name, at: lastServed) }.min()
        return [unfinished, acceptsAgain, rested, ended, refusalRests.values.min()].compactMap { $0 }.min()
    }

    /// Does the work for ready descriptors and passed deadlines, and calls the handler. Descriptors of others in the list
    /// are ignored. Never waits.
    public func serve(_ ready: [pollfd], at now: Duration) {
        begin(ready, at: now)
        while proceed(at: now) {
            if let shouldPause, shouldPause() {
                row = []
                callingListeners = []
            }
        }
    }

    /// Begins a round: notes which descriptors are ready, to be served by ``proceed(at:)``. Descriptors of others in the
    /// list are ignored. What remains of the previous round is discarded, because its descriptors are still ready.
    public func begin(_ ready: [pollfd], at now: Duration) {
        lastServed = max(lastServed, now)
        var events: [Int32: Int16] = [:]
        for entry in ready where entry.revents != 0 { events[entry.fd] = entry.revents }
        row = inTurn(events).map { ($0.descriptor, $0.identity, events[$0.descriptor]) }[...]
        callingListeners = edges.compactMap { $0.listener?.descriptor }.filter { events[$0] != nil }[...]
    }

    /// Serves one connection, or accepts the new connections of one edge. Returns `false` if nothing is left to do in this
    /// round.
    public func proceed(at now: Duration) -> Bool {
        lastServed = max(lastServed, now)
        while let (descriptor, identity, ready) = row.popFirst() {
            guard let connection = connections[descriptor], connection.identity == identity, !connection.isClosed else {
                continue
            }
            turn += 1
            connection.lastTurn = turn
            edgeTurns[connection.edge] = turn
            measured(connection.edge, isPaced: connection.isPaced) {
                if let ready { connection.serve(ready, at: now) }
                if connection.hasWork, !connection.isClosed { connection.advance(at: now) }
            }
            return true
        }
        expire(at: now)
        // Last, because a new connection may get the number of one that was closed above.
        while let descriptor = callingListeners.popFirst() {
            guard let edge = edges.first(where: { $0.listener?.descriptor == descriptor }) else { continue }
            measured(edge.name, isPaced: edge.isPaced) { accept(on: edge, at: now) }
            return !callingListeners.isEmpty
        }
        return false
    }

    private func measured(_ edge: String, isPaced: Bool, _ work: () -> Void) {
        guard isPaced, let clock else { return work() }
        let before = clock()
        work()
        let after = clock()
        pace.charge(edge, after - before, at: after)
    }

    /// Those who can be served, one of each edge after the other, who waited longest first: many connections of one caller are no
    /// more than the one of another.
    private func inTurn(_ events: [Int32: Int16]) -> [Connection] {
        let wanting = connections.values.filter {
            events[$0.descriptor] != nil || $0.hasWork && !$0.isClosed && !rests($0.edge)
        }
        guard wanting.count > 1 else { return wanting }
        var row: [String: Int] = [:]
        return wanting.sorted { $0.lastTurn < $1.lastTurn }
            .map { connection in
                let place = row[connection.edge, default: 0]
                row[connection.edge] = place + 1
                return (place, connection)
            }
            .sorted { ($0.0, edgeTurns[$0.1.edge] ?? 0) < ($1.0, edgeTurns[$1.1.edge] ?? 0) }
            .map { $0.1 }
    }

    /// Closes connections whose message takes longer than ``messageTimeout``. ``serve(_:at:)`` does this as well. Cannot
    /// fail.
    public func expire(at now: Duration) {
        if let until = acceptsAgain, until <= now { acceptsAgain = nil }
        lastServed = max(lastServed, now)
        if !refusalRests.isEmpty { refusalRests = refusalRests.filter { $0.value > now } }
        for connection in connections.values {
            guard let since = connection.unfinishedSince, since + Self.messageTimeout <= now, !connection.isClosed
            else { continue }
            counters.unfinishedMessages += 1
            connection.close()
        }
        reap()
    }

    private func reap() {
        for connection in connections.values where connection.isClosed {
            connections[connection.descriptor] = nil
            noteEnd(on: connection.edge)
            connection.bury()
            onClose?(connection.identity)
        }
    }

    private func noteEnd(on edge: String) {
        if SystemCall.closingCount >= Self.slowEndsAtOnce { slowEnds.insert(edge) }
    }

    private func accept(on edge: Edge, at now: Duration) {
        guard let listener = edge.listener else { return }
        var refused = 0
        for _ in 0..<Self.acceptsInARow where !slowEnds.contains(edge.name) {
            guard refused < Self.refusalsInARow else {
                refusalRests[edge.name] = now + Self.refusalPause
                return
            }
            switch listener.accept() {
            case .wait, .failed(ECONNABORTED): return
            case .failed:
                // The connection stays in the queue and the listener ready: asking again at once would spin.
                counters.failedAccepts += 1
                acceptsAgain = now + Self.acceptPause
                return
            case .done(let value):
                let descriptor = Int32(value)
                guard let peer = Peer(of: descriptor), listener.allowedUsers?.contains(peer.user) ?? true else {
                    counters.refusedUsers += 1
                    refused += 1
                    noteEnd(on: edge.name)
                    Self.turnAway(descriptor)
                    continue
                }
                guard hasRoom(on: edge, at: now) else {
                    counters.refusedConnections += 1
                    refused += 1
                    noteEnd(on: edge.name)
                    Self.turnAway(descriptor)
                    continue
                }
                open(descriptor, edge, peer)
            }
        }
    }

    /// Whether one more connection is within the limits.
    ///
    /// Before anybody is turned away, callers that have hung up are let go of: what was ready was asked before the new connection was accepted,
    /// and a caller that closes twelve connections and opens twelve others in between keeps its own limit
    /// (``VarlinkCaller/connectionLimit``). The kernel tells of a hang-up before it gives the connection that was made after it.
    private func hasRoom(on edge: Edge, at now: Duration) -> Bool {
        for _ in 0..<2 {
            let isFull = connections.count >= Self.connectionLimit
            let crowd = connections.values.filter { isFull || $0.edge == edge.name }
            guard isFull || crowd.count >= Self.connectionsPerEdge else { return true }
            var list = crowd.map { pollfd(fd: $0.descriptor, events: 0, revents: 0) }
            guard poll(&list, nfds_t(list.count), 0) > 0 else { return false }
            for entry in list where entry.revents != 0 { connections[entry.fd]?.serve(entry.revents, at: now) }
            reap()
        }
        return false
    }

    private func open(_ descriptor: Int32, _ edge: Edge, _ peer: Peer) {
        counters.connections += 1
        connections[descriptor] = Connection(
            descriptor: descriptor, identity: counters.connections, edge: edge, peer: peer, server: self)
    }

    /// Closes so that the other side reads an end, and no error: Linux resets a connection that is closed with bytes unread.
    private static func turnAway(_ descriptor: Int32) {
        shutdown(descriptor, Int32(SHUT_RDWR))
        var buffer = [UInt8](repeating: 0, count: 16_384)
        // Nothing comes in any more; what is there is at most the socket's buffer.
        var left = Self.drainedByteCount
        let refuses = SystemCall.refusesDescriptors(descriptor)
        while left > 0,
            case .done(let count) = buffer.withUnsafeMutableBytes({
                SystemCall.receive(descriptor, into: $0, refusesDescriptors: refuses)
            }), count > 0
        { left -= count }
        SystemCall.closeReceiver(descriptor)
    }
}
