// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTPService

/// One handler on one address, until it is released. Each server has its own thread, so each needs stores of its own.
public final class VerificationService {
    private let server: HTTPServer
    /// The port, also when any free one (0) was asked for.
    public var port: UInt16 { server.port }

    /// The machine's time in seconds since 1970, UTC; follows steps of its clock.
    public static func machineTime() -> Int64 { Int64(time(nil)) }

    /// Answers boards: registration, result, TAN. `address` is numeric, `port` 0 takes any free one, `now` gives Unix
    /// seconds. The server is used on this service's own thread. Throws `listenFailed`.
    public convenience init(
        _ verification: VerificationServer, address: String, port: UInt16, metrics: ServiceMetrics = ServiceMetrics(),
        now: @escaping () -> Int64 = machineTime
    ) throws(VerificationError) {
        let handler = VerificationHTTP(server: verification, now: now)
        try self.init(
            CountingHTTP(handler, "verification", metrics) { metrics.set("verification", verification.counters) }, address,
            port, now)
    }

    /// Answers boards: submission of keys; otherwise as for a verification server. Throws `listenFailed`.
    public convenience init(
        _ submission: SubmissionServer, address: String, port: UInt16, metrics: ServiceMetrics = ServiceMetrics(),
        now: @escaping () -> Int64 = machineTime
    ) throws(VerificationError) {
        let handler = SubmissionHTTP(server: submission, now: now)
        try self.init(
            CountingHTTP(handler, "submission", metrics) { metrics.set(submission.counters) }, address, port, now)
    }

    /// Answers the health office, the submission and laboratories, whichever has a secret; a verification server elsewhere
    /// with `verificationSecret`; and `GET /metrics` without one. Never on an address boards reach. Throws `listenFailed`.
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
