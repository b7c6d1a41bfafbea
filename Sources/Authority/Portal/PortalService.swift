// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import Glibc
import HTTPService

/// A running portal, from its initialiser until it is released. It answers pages on one address, and metrics on another
/// that only monitoring should reach. Each address has a thread of its own.
public final class PortalService {
    private let pages: HTTPServer
    private let metrics: HTTPServer

    /// The port of the pages, above 0: the one asked for, or the free one that was taken for 0.
    public var port: UInt16 { pages.port }
    /// The port of the metrics, above 0: the one asked for, or the free one that was taken for 0.
    public var metricsPort: UInt16 { metrics.port }

    /// The addresses and ports of the service, and how its pages behave there.
    public struct Place: Sendable {
        /// The numeric IP address of this machine for the pages; 127.0.0.1 unless set.
        public var address = "127.0.0.1"
        /// The port of the pages; 0, the default, takes any free one.
        public var port: UInt16 = 0
        /// The numeric IP address of this machine for the metrics; 127.0.0.1 unless set.
        public var metricsAddress = "127.0.0.1"
        /// The port of the metrics; 0, the default, takes any free one.
        public var metricsPort: UInt16 = 0
        /// Whether cookies are sent without `Secure`, and forms are accepted from `http://` pages instead of `https://`
        /// ones; only for tests on the loopback, where there is no TLS. `false` unless set.
        public var isPlain = false
        /// The number of exchanges that each board of the fleet has in a day: 6, 12, 24, 48, 96 or 192, which is not
        /// checked; 48, as in the boards' plugin, unless set. The page uses it to say how long a board may take.
        public var slots: Int64 = 48

        /// Creates a place with any free ports on the loopback, cookies for TLS only, and 48 exchanges a day.
        public init() {}
    }

    /// Opens the database at `path` as ``PortalStore/init(path:)`` does, and answers requests until this object is
    /// released. `source` and `warnings` are used on the service's thread, so no other code may use them; `warnings` is
    /// `nil` if the portal takes no warnings back. `secret` has 32 random bytes (not checked), from which form tokens and
    /// the cookies of known browsers are made; with another secret they become invalid. `log` gets one line at a time,
    /// without a line feed and without names, on the service's thread.
    ///
    /// Throws `listenFailed` when an address is not numeric or cannot be listened on; and `storageUnusable`,
    /// `storageTooNew`, `storageDamaged`, `storageInUse` or `full` when the database cannot be opened.
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

    /// Starts a portal with other settings and another clock, which returns Unix seconds; otherwise the same as
    /// ``init(path:source:warnings:secret:place:log:)``, but `settings` also replaces what `place` says about cookies and
    /// slots.
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
