// SPDX-License-Identifier: Apache-2.0

public import Glibc
import SystemCalls
public import Varlink

/// Answers calls on any number of edges, on the thread of whoever owns the `poll(2)` it takes part in.
///
/// Each round: wait for ``descriptors()`` until ``deadline``, then ``serve(_:at:)``, or ``begin(_:at:)`` and ``proceed(at:)`` for an owner that
/// decides after each turn what comes next. All times are of one clock of the owner's choice that does not go back.
public final class VarlinkServer {
    /// The most connections at a time through one edge; further ones are closed at once, and counted. Above
    /// ``VarlinkCaller/connectionLimit``. Our own bound.
    public static let connectionsPerEdge = 16
    /// The most connections at a time in all: our own bound on memory and descriptors.
    public static let connectionLimit = 128
    /// The most bytes that may wait for one caller: a subscriber that does not read is closed, and counted. Four of the
    /// longest messages. Our own bound.
    public static let outputLimit = 262_144
    /// The longest time of a message from its first byte to its last: 30 s; after it the connection is closed, and counted.
    /// Our own choice.
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

    /// Totals since the server was made, for metrics.
    public struct Counters: Hashable, Sendable {
        /// The number of connections that were taken since the server was made, adopted ones too; 0 or more.
        public var connections: UInt64 = 0
        /// The number of connections closed since the server was made because the limit of open ones was reached; 0 or
        /// more.
        public var refusedConnections: UInt64 = 0
        /// The number of connections closed since the server was made because the user may not connect; 0 or more.
        public var refusedUsers: UInt64 = 0
        /// The number of times since the server was made that the system could not give a connection; 0 or more.
        public var failedAccepts: UInt64 = 0
        /// The number of calls given to the handler since the server was made; 0 or more.
        public var calls: UInt64 = 0
        /// The number of calls refused since the server was made because they were not granted; 0 or more.
        public var deniedCalls: UInt64 = 0
        /// The number of calls that the handler let go of without a last reply since the server was made; 0 or more.
        public var unansweredCalls: UInt64 = 0
        /// Replies of the handler that could not be sent, since the server was made.
        public var unsendableReplies: UInt64 = 0
        /// The number of connections closed since the server was made because their bytes were not Varlink; 0 or more.
        public var protocolErrors: UInt64 = 0
        /// The number of connections closed since the server was made because more than ``VarlinkServer/outputLimit`` bytes
        /// waited for them; 0 or more.
        public var slowReaders: UInt64 = 0
        /// The number of connections closed since the server was made because a message took longer than
        /// ``VarlinkServer/messageTimeout``; 0 or more.
        public var unfinishedMessages: UInt64 = 0

        /// All counters at 0, as in a new server.
        public init() {}
    }

    /// The handler of each call that the interface and the grants allow. What it throws ends the call: ``CallFailure`` as
    /// that error, anything else as if it had let go of the call. Without a handler every call is answered
    /// `MethodNotImplemented`.
    public var handler: ((IncomingCall) throws -> Void)?
    /// Asked after each call, and by ``serve(_:at:)`` after each turn of a connection: whether the owner has something more important to do, so that
    /// other connections wait for the next turn or round. Then those that waited longest are served first. Each round gives at least one turn, and
    /// each turn answers at least one call. `nil` never pauses.
    public var shouldPause: (() -> Bool)?
    /// Called with the number of each connection that is gone (``IncomingCall/connectionNumber``): what was kept for it can be forgotten. `nil` for
    /// nothing to call.
    public var onClose: ((UInt64) -> Void)?
    /// A clock of the same kind as `now`. With it no edge takes more of the owner's time than its share (``EdgePace``), but for those that are not
    /// paced; `nil` paces no edge.
    public var clock: (() -> Duration)?
    /// Totals since the server was made.
    public internal(set) var counters = Counters()
    /// The reason why the last reply that could not be sent was refused: a fault of the handler, for the log. `nil` when
    /// there was none.
    public internal(set) var lastUnsendableReply: VarlinkError?
    /// Whether replies are compared with the interface too.
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

    /// A server with these edges and no handler yet.
    ///
    /// - Parameter checksReplies: Whether replies are compared with the interface as well: on in debug builds, as it costs time.
    public init(edges: [Edge] = [], checksReplies: Bool = VarlinkServer.checksRepliesByDefault) {
        self.edges = edges
        self.checksReplies = checksReplies
    }

    deinit { for connection in connections.values { connection.bury() } }

    #if DEBUG
        /// Debug builds compare replies with the interface.
        public static let checksRepliesByDefault = true
    #else
        /// Release builds do not compare replies with the interface, which costs time.
        public static let checksRepliesByDefault = false
    #endif

    /// The number of open connections, 0 to ``connectionLimit``.
    public var connectionCount: Int { connections.count }

    /// Opens another way in, served from the next round on. Its name must not be another edge's; that is not checked.
    public func add(_ edge: Edge) { edges.append(edge) }

    /// Closes a way in, and every connection that came through it. Does nothing for a name that no edge has.
    public func removeEdge(named name: String) {
        edges.removeAll { $0.name == name }
        edgeTurns[name] = nil
        pace.forget(name)
        refusalRests[name] = nil
        for connection in connections.values where connection.edge == name { connection.close() }
        reap()
    }

    /// Serves a connected socket, such as one half of a socketpair whose other half a plugin got; from now on the descriptor is the server's. There
    /// is no limit to these but that on all connections. Throws `notASocket`, with the descriptor closed, when it is no connected UNIX stream socket,
    /// when there is no edge of that name, or at the limit of connections.
    ///
    /// - Parameter name: Name of an edge the server has.
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

    /// Descriptors for `poll`, all in one; the order means nothing. Edges that rest are left out.
    public func descriptors() -> [pollfd] {
        reap()
        var list = connections.values.filter { !rests($0.edge) }
            .map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
        if acceptsAgain == nil {
            if SystemCall.closingCount == 0 { slowEnds = [] }
            for edge in edges where !rests(edge.name) && refusalRests[edge.name] == nil && !slowEnds.contains(edge.name) {
                guard let listener = edge.listener else { continue }
                list.append(pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0))
            }
        }
        return list
    }

    /// Whether bytes wait for a caller who has not read them yet, or whose edge rests (``EdgePace``); ``descriptors()`` leaves the latter out.
    public var hasUnsent: Bool { connections.values.contains { !$0.isClosed && Int32($0.events) & POLLOUT != 0 } }

    private func rests(_ edge: String) -> Bool { pace.rest(of: edge, at: lastServed) != nil }

    /// The time when ``serve(_:at:)`` is to be called though no descriptor is ready, on the clock of its `now`; in the past
    /// (zero) when there is work now, `nil` for never.
    public var deadline: Duration? {
        if connections.values.contains(where: { ($0.hasWork && !rests($0.edge)) || $0.isClosed }) { return .zero }
        let unfinished = connections.values.compactMap(\.unfinishedSince).min().map { $0 + Self.messageTimeout }
        let ended = slowEnds.isEmpty ? nil : lastServed + Self.refusalPause
        let rested = edges.compactMap { pace.rest(of: $0.name, at: lastServed) }.min()
        return [unfinished, acceptsAgain, rested, ended, refusalRests.values.min()].compactMap { $0 }.min()
    }

    /// Does what the descriptors are ready for, and what is due; calls the handler. Descriptors of others in the list are passed over. Never waits.
    public func serve(_ ready: [pollfd], at now: Duration) {
        begin(ready, at: now)
        while proceed(at: now) {
            if let shouldPause, shouldPause() {
                row = []
                callingListeners = []
            }
        }
    }

    /// Notes which descriptors are ready; those of others in the list are passed over. Then ``proceed(at:)`` serves them. The rest of the
    /// round before is forgotten: its descriptors are still ready.
    public func begin(_ ready: [pollfd], at now: Duration) {
        lastServed = max(lastServed, now)
        var events: [Int32: Int16] = [:]
        for entry in ready where entry.revents != 0 { events[entry.fd] = entry.revents }
        row = inTurn(events).map { ($0.descriptor, $0.identity, events[$0.descriptor]) }[...]
        callingListeners = edges.compactMap { $0.listener?.descriptor }.filter { events[$0] != nil }[...]
    }

    /// Does one turn of a connection, or of an edge with new connections. Returns false if nothing is left to do in this
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

    /// Closes connections whose message takes too long at `now`, on the clock of ``serve(_:at:)``, of which this is a part.
    /// Cannot fail.
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
