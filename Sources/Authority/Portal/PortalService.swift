// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import Glibc
import HTTPService

/// The portal on its address, from its `init` until it is released; with its metrics on another, which only a
/// monitoring reaches. Each address has a thread of its own.
public final class PortalService {
    private let pages: HTTPServer
    private let metrics: HTTPServer

    /// The port that the pages are on, above 0: the one asked for, or the free one that was taken for 0.
    public var port: UInt16 { pages.port }
    /// The port that the metrics are on, above 0: the one asked for, or the free one that was taken for 0.
    public var metricsPort: UInt16 { metrics.port }

    /// The addresses and ports of the service, and how its pages behave there.
    public struct Place: Sendable {
        /// Numeric IP address of this machine for the pages; the loopback (IPv4) unless set.
        public var address = "127.0.0.1"
        /// Port for the pages; 0 takes any free one.
        public var port: UInt16 = 0
        /// Numeric IP address of this machine for the metrics; the loopback (IPv4) unless set.
        public var metricsAddress = "127.0.0.1"
        /// Port for the metrics; 0 takes any free one.
        public var metricsPort: UInt16 = 0
        /// Whether cookies go without `Secure`, and forms are taken from `http://` pages instead of `https://` ones:
        /// for tests on the loopback, where there is no TLS.
        public var isPlain = false
        /// Exchanges that each board of the fleet has in a day: 6, 12, 24, 48, 96 or 192, unchecked; 48, as the boards'
        /// plugin has it, unless set. By it the page says how long a board may take.
        public var slots: Int64 = 48

        /// A place with any free ports on the loopback, with cookies for TLS and 48 exchanges a day.
        public init() {}
    }

    /// Opens the database at `path` as ``PortalStore/init(path:)``, and answers until this object is released. `source`
    /// and `warnings` are used on the service's thread and must be its own; `nil` as `warnings` when none can be taken
    /// back here. `secret`, 32 random bytes (unchecked), makes form tokens and proofs of browsers: with another one all
    /// of these are void. `log` gets one line at a time, without a line feed and without names, on the service's
    /// thread.
    ///
    /// Throws `listenFailed`, also for an address that is not numeric, `storageUnusable`, `storageTooNew`,
    /// `storageDamaged`, `storageInUse` or `full`.
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
