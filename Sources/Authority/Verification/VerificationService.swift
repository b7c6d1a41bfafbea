// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTPService

/// A server on one address, from its initialiser until it is released. Each has a thread of its own, on which it uses the
/// objects given to it, so each needs a server object with a store of its own.
public final class VerificationService {
    private let server: HTTPServer
    /// The port that is listened on, above 0: the one asked for, or the free one that was taken for 0.
    public var port: UInt16 { server.port }

    /// Returns the machine's time in seconds since 1970, UTC; it follows steps of the machine's clock. Cannot fail.
    public static func machineTime() -> Int64 { Int64(time(nil)) }

    /// Starts to answer boards that register, ask for results and get TANs. `address` is a numeric IP address of this
    /// machine; `port` 0 takes any free port; `now` returns Unix seconds. `metrics` counts the answers. `verification` and
    /// `now` are used on this service's own thread. Throws `listenFailed` when the address is not numeric or cannot be
    /// listened on.
    public convenience init(
        _ verification: VerificationServer, address: String, port: UInt16, metrics: ServiceMetrics = ServiceMetrics(),
        now: @escaping () -> Int64 = machineTime
    ) throws(VerificationError) {
        let handler = VerificationHTTP(server: verification, now: now)
        try self.init(
            CountingHTTP(handler, "verification", metrics) { metrics.set("verification", verification.counters) }, address,
            port, now)
    }

    /// Starts to answer boards that submit keys, and, with `uploads`, devices that upload hours at venues; without, their
    /// path is answered with 404. Both are used on this service's own thread. Otherwise the same as for a
    /// ``VerificationServer``. Throws `listenFailed` when the address is not numeric or cannot be listened on.
    public convenience init(
        _ submission: SubmissionServer, uploads: UserUploadServer? = nil, address: String, port: UInt16,
        metrics: ServiceMetrics = ServiceMetrics(), now: @escaping () -> Int64 = machineTime
    ) throws(VerificationError) {
        let keys = SubmissionHTTP(server: submission, now: now)
        let handler: any HTTPHandler =
            uploads.map { SubmissionRoutes(submission: keys, uploads: UserUploadHTTP(server: $0, now: now)) } ?? keys
        try self.init(
            CountingHTTP(handler, "submission", metrics) { metrics.set(submission.counters) }, address, port, now)
    }

    /// Starts to answer other servers: the health office's portal, the submission server and the laboratories, each by its
    /// secret (`portal`, `submission`, `laboratory`); a verification server elsewhere by `verificationSecret`; and `GET
    /// /metrics` without a secret. A server that is elsewhere is `nil`, and its routes are answered with 404. If a secret
    /// is `nil`, its routes are answered with 401, those of `verificationSecret` with 404.
    ///
    /// Boards must not reach this address; otherwise the same as for a ``VerificationServer``. Throws `listenFailed` when
    /// the address is not numeric or cannot be listened on.
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
