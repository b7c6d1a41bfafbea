// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTPService

/// One handler on one address, from its `init` until it is released. Each has its own thread, on which it uses its
/// server, so each needs a server with a store of its own.
public final class VerificationService {
    private let server: HTTPServer
    /// The port that is listened on, above 0: the one asked for, or the free one that was taken for 0.
    public var port: UInt16 { server.port }

    /// The machine's time in seconds since 1970, UTC; follows steps of its clock. Cannot fail.
    public static func machineTime() -> Int64 { Int64(time(nil)) }

    /// Answers boards: registration, result, TAN. `address` is a numeric IP address of this machine, `port` 0 takes any
    /// free one, `now` gives Unix seconds. `metrics` counts what was answered. Server and `now` are used on this
    /// service's own thread. Throws `listenFailed` also for an address that is not numeric.
    public convenience init(
        _ verification: VerificationServer, address: String, port: UInt16, metrics: ServiceMetrics = ServiceMetrics(),
        now: @escaping () -> Int64 = machineTime
    ) throws(VerificationError) {
        let handler = VerificationHTTP(server: verification, now: now)
        try self.init(
            CountingHTTP(handler, "verification", metrics) { metrics.set("verification", verification.counters) }, address,
            port, now)
    }

    /// Answers boards: submission of keys; otherwise as for a verification server. Throws `listenFailed` also for an
    /// address that is not numeric.
    public convenience init(
        _ submission: SubmissionServer, address: String, port: UInt16, metrics: ServiceMetrics = ServiceMetrics(),
        now: @escaping () -> Int64 = machineTime
    ) throws(VerificationError) {
        let handler = SubmissionHTTP(server: submission, now: now)
        try self.init(
            CountingHTTP(handler, "submission", metrics) { metrics.set(submission.counters) }, address, port, now)
    }

    /// Answers the health office (`portal`), the `submission` and laboratories, each by a secret; a verification server
    /// elsewhere by `verificationSecret`; and `GET /metrics` without one. `nil` for a server that is elsewhere: its
    /// routes are answered 404. `nil` for a secret: its routes are answered 401, those of `verificationSecret` 404.
    ///
    /// Never on an address that boards reach; otherwise as for a verification server. Throws `listenFailed` also for an
    /// address that is not numeric.
    public convenience init(
        internalFor verification: VerificationServer?, results: TestResultServer?, portal: VerificationSecret?,
        submission: VerificationSecret?, laboratory: VerificationSecret?,
        verificationSecret: VerificationSecret? = nil, address: String, port: UInt16,
        metrics: ServiceMetrics = ServiceMetrics(), now: @escaping () -> Int64 = machineTime
    ) throws(VerificationError) {
        let secrets = InternalHTTP.Secrets(portal: portal, submission: submission, laboratory: laboratory)
        let handler = PartnerHTTP(
            InternalHTTP(verification: verification, results: results, secrets: secrets, now: now),
            verification: verification, results: results, secret: verificationSecret, metrics: metrics, now: now)
        try self.init(
            CountingHTTP(handler, "internal", metrics) {
                if let verification { metrics.set("internal", verification.counters) }
            }, address, port, now)
    }

    private init(
        _ handler: any HTTPHandler, _ address: String, _ port: UInt16, _ now: @escaping () -> Int64
    ) throws(VerificationError) {
        do throws(HTTPListenError) {
            server = try HTTPServer(address: address, port: port, clock: now, handler: handler)
        } catch {
            throw VerificationError(.listenFailed, error.detail)
        }
    }
}
