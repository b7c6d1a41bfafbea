// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import Glibc
import HTTPService

/// The portal on its address, until it is released; with its metrics on another, which only a monitoring reaches.
public final class PortalService {
    private let pages: HTTPServer
    private let metrics: HTTPServer

    /// The port that the pages are on, also when any free one (0) was asked for.
    public var port: UInt16 { pages.port }
    /// The port that the metrics are on, also when any free one (0) was asked for.
    public var metricsPort: UInt16 { metrics.port }

    /// The addresses and ports of the service, and how its pages behave there.
    public struct Place: Sendable {
        /// Numeric address of this machine for the pages; the loopback unless set.
        public var address = "127.0.0.1"
        /// Port for the pages; 0 takes any free one.
        public var port: UInt16 = 0
        /// Numeric address of this machine for the metrics; the loopback unless set.
        public var metricsAddress = "127.0.0.1"
        /// Port for the metrics; 0 takes any free one.
        public var metricsPort: UInt16 = 0
        /// Whether cookies go without `Secure`: for tests on the loopback, where there is no TLS.
        public var isPlain = false
        /// Exchanges that each board of the fleet has in a day (6, 12, 24, 48, 96 or 192), by which the page says how long
        /// a board may take.
        public var slots: Int64 = 48

        /// A place with any free ports on the loopback, without TLS.
        public init() {}
    }

    /// Opens the database at `path` and listens. `source` and `warnings` are this service's own; without `warnings` none
    /// can be taken back. `secret` makes form tokens and proofs of browsers. `log` gets one line at a time, on the
    /// service's own thread, and no names.
    ///
    /// Throws `listenFailed`, or what the storage refuses.
    public convenience init(
        path: String, source: any TeleTANSource, warnings: PortalWarnings? = nil, secret: SecretBytes, place: Place,
        log: @escaping (String) -> Void
    ) throws(PortalError) {
        var settings = PortalHTTP.Settings()
        settings.isPlain = place.isPlain
        settings.slots = place.slots
        try self.init(
            path: path, source: source, warnings: warnings, secret: secret, place: place, settings: settings,
            now: { Int64(time(nil)) },
            log: log)
    }

    /// As the other, with other rules and another clock, in Unix seconds.
    package init(
        path: String, source: any TeleTANSource, warnings: PortalWarnings? = nil, secret: SecretBytes, place: Place,
        settings: PortalHTTP.Settings,
        now: @escaping () -> Int64, log: @escaping (String) -> Void
    ) throws(PortalError) {
        let counters = PortalCounters()
        let handler = PortalHTTP(
            store: try PortalStore(path: path), source: source, warnings: warnings, secret: secret, settings: settings,
            counters: counters, now: now, log: log)
        let monitored = PortalMetricsHTTP(
            store: try PortalStore(path: path), counters: counters, rules: settings.rules, now: now)
        do throws(HTTPListenError) {
            pages = try HTTPServer(address: place.address, port: place.port, clock: now, handler: handler)
            metrics = try HTTPServer(
                address: place.metricsAddress, port: place.metricsPort, clock: now, handler: monitored)
        } catch {
            throw PortalError(.listenFailed, error.detail)
        }
    }
}

/// `GET /metrics`.
final class PortalMetricsHTTP: HTTPHandler {
    private let store: PortalStore
    private let counters: PortalCounters
    private let rules: SessionRules
    private let now: () -> Int64

    init(store: PortalStore, counters: PortalCounters, rules: SessionRules, now: @escaping () -> Int64) {
        self.store = store
        self.counters = counters
        self.rules = rules
        self.now = now
    }

    func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> {
        guard request.path == MetricsText.path else {
            return .failure(HTTPRefusal(response: .text(404, "metrics are at \(MetricsText.path)")))
        }
        return MetricsText.refusal(request).map { .failure($0) } ?? .success(0)
    }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        do throws(PortalError) {
            let (users, sessions, events) = try store.counts(rules: rules, now: now())
            return MetricsText.answer(
                counters.families + [
                    MetricFamily("vigil_portal_users", .gauge, "Users there are.", users),
                    MetricFamily("vigil_portal_sessions", .gauge, "Users signed in.", sessions),
                    MetricFamily("vigil_portal_audit_events", .gauge, "Events in the audit.", events),
                ])
        } catch { return .text(503, "\(error)") }
    }
}
