// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import Interfaces
import Socks

/// One plugin that may go out: its listener, its rules and its counters. The counters outlive the listener, so that a plugin that is
/// started again goes on counting.
final class Caller {
    struct Traffic {
        var connections: UInt64 = 0
        var failures: UInt64 = 0
        var sent: UInt64 = 0
        var received: UInt64 = 0
    }

    let name: String
    /// -1 while it has none.
    private(set) var listener: Int32 = -1
    /// `nil` while it has no listener.
    var watch: EventLoop.Watch?
    private(set) var allowed: AllowList
    private(set) var credentials: Credentials?
    private(set) var mayUseMetered: Bool

    /// Connections that lead somewhere or are on the way.
    var open = 0
    /// Connections that have not said where to, or are being refused.
    var unserved = 0
    /// No connection is accepted before that.
    var acceptsAgain: Duration?

    private(set) var traffic = Traffic()
    private(set) var endpoints: [Destination: Traffic] = [:]
    private(set) var refusals: [Refusal.Rule: UInt64] = [:]
    private(set) var lastRefusal: String?
    var log = RefusalLog()

    init(_ name: String) {
        self.name = name
        allowed = .nothing
        mayUseMetered = false
    }

    deinit { if listener >= 0 { close(listener) } }

    var isServed: Bool { listener >= 0 }

    /// New rules, for new connections and those that are open; the listener stays unless there is another.
    func take(_ allowed: AllowList, credentials: Credentials?, mayUseMetered: Bool, listener: Int32?) {
        self.allowed = allowed
        self.credentials = credentials
        self.mayUseMetered = mayUseMetered
        endpoints = endpoints.filter { entry in allowed.rules.contains { $0.destination == entry.key } }
        guard let listener else { return }
        if isServed { close(self.listener) }
        self.listener = listener
    }

    /// Takes its way out away.
    func dismiss() {
        watch?.cancel()
        watch = nil
        if isServed { close(listener) }
        listener = -1
        allowed = .nothing
    }

    func count(sent: Int, received: Int, at destination: Destination) {
        traffic.sent += UInt64(sent)
        traffic.received += UInt64(received)
        endpoints[destination, default: Traffic()].sent += UInt64(sent)
        endpoints[destination, default: Traffic()].received += UInt64(received)
    }

    func countConnection(to destination: Destination) {
        traffic.connections += 1
        endpoints[destination, default: Traffic()].connections += 1
    }

    func count(_ refusal: Refusal) {
        refusals[refusal.rule, default: 0] += 1
        lastRefusal = refusal.text(for: name) + "."
        guard let destination = refusal.destination, allowed.rules.contains(where: { $0.destination == destination })
        else { return }
        endpoints[destination, default: Traffic()].failures += 1
    }

    var report: Egress1.Caller {
        Egress1.Caller(
            name: name, mayUseMetered: mayUseMetered, openConnectionCount: open, connectionCount: traffic.connections,
            sentByteCount: traffic.sent, receivedByteCount: traffic.received,
            refusals: Dictionary(uniqueKeysWithValues: refusals.map { ($0.key.rawValue, $0.value) }),
            lastRefusal: lastRefusal)
    }

    var endpointReport: Egress1.EndpointsReply {
        Egress1.EndpointsReply(
            endpoints: allowed.rules.map { rule in
                let traffic = endpoints[rule.destination] ?? Traffic()
                return Egress1.Endpoint(
                    destination: rule.destination.description, mayBePrivate: rule.mayBePrivate,
                    connectionCount: traffic.connections, failedConnectionCount: traffic.failures,
                    sentByteCount: traffic.sent, receivedByteCount: traffic.received)
            })
    }
}
