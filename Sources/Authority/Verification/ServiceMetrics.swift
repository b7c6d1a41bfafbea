// SPDX-License-Identifier: Apache-2.0

public import HTTPService
import Synchronization

/// Counts of what the servers of one process have done since their start, for monitoring; they identify nobody. May be
/// shared between threads: each server leaves a copy of its counters after every answer.
public final class ServiceMetrics: Sendable {
    private struct State: Sendable {
        // By server: teleTANs are issued on another address than they are registered.
        var verification: [String: VerificationServer.Counters] = [:]
        var submission: SubmissionServer.Counters?
        var answers: [String: [UInt32: Int]] = [:]
    }

    private let state = Mutex(State())

    /// Creates metrics of servers that have done nothing yet: all counts are 0.
    public init() {}

    func set(_ server: String, _ counters: VerificationServer.Counters) {
        state.withLock { $0.verification[server] = counters }
    }

    func set(_ counters: SubmissionServer.Counters) { state.withLock { $0.submission = counters } }

    func count(_ server: String, _ status: UInt32) {
        state.withLock { $0.answers[server, default: [:]][status, default: 0] += 1 }
    }

    /// The counts so far as metric families for ``MetricsText``: answers by server and status, refusals by code,
    /// submissions by the rule they broke, and wrong teleTANs. Answers to fake requests are counted too, because they are
    /// read like real ones. May be read on any thread; cannot fail.
    public var families: [MetricFamily] {
        let state = state.withLock { $0 }
        var families = [
            MetricFamily(
                "vigil_http_answers_total", .counter, "Answers by server and status, fakes included.",
                samples: state.answers.sorted { $0.key < $1.key }.flatMap { server, statuses in
                    statuses.sorted { $0.key < $1.key }.map {
                        MetricFamily.Sample(Double($0.value), ["server": server, "status": "\($0.key)"])
                    }
                })
        ]
        if !state.verification.isEmpty { families += Self.refusals(Array(state.verification.values)) }
        if let submission = state.submission { families += Self.refusals(submission) }
        return families
    }

    /// The counts of real requests that were served so far: registrations, repeated answers, TANs, teleTANs,
    /// submissions, and their keys and check-ins; empty before the first answer of a server. For ``HourlyMetrics``.
    /// May be read on any thread; cannot fail.
    public var acts: [MetricFamily] {
        let state = state.withLock { $0 }
        let verification = state.verification.isEmpty ? [] : Self.acts(Array(state.verification.values))
        return verification + (state.submission.map(Self.acts) ?? [])
    }

    private static func acts(_ parts: [VerificationServer.Counters]) -> [MetricFamily] {
        func sum(_ number: (VerificationServer.Counters) -> Int) -> Int { parts.map(number).reduce(0, +) }
        return [
            MetricFamily("vigil_registrations_total", .counter, "Registration tokens given.", sum(\.registrations)),
            MetricFamily(
                "vigil_repeated_answers_total", .counter, "Requests that named themselves and came again.",
                sum(\.repeatedAnswers)),
            MetricFamily("vigil_tans_total", .counter, "TANs given.", sum(\.tans)),
            MetricFamily("vigil_tans_confirmed_total", .counter, "TANs confirmed to a submission.", sum(\.confirmedTANs)),
            MetricFamily("vigil_teletans_total", .counter, "TeleTANs issued.", sum(\.teleTANs)),
        ]
    }

    private static func acts(_ counters: SubmissionServer.Counters) -> [MetricFamily] {
        [
            MetricFamily("vigil_submissions_total", .counter, "Submissions taken.", counters.submissions),
            MetricFamily("vigil_submitted_keys_total", .counter, "Keys taken that were new.", counters.keys),
            MetricFamily("vigil_submitted_check_ins_total", .counter, "Check-ins taken that were new.", counters.checkIns),
            MetricFamily("vigil_dropped_keys_total", .counter, "Keys left out by their age.", counters.droppedKeys),
        ]
    }

    private static func refusals(_ parts: [VerificationServer.Counters]) -> [MetricFamily] {
        var refused: [String: Int] = [:]
        for part in parts { for (code, count) in part.refused { refused[code.rawValue, default: 0] += count } }
        return [
            MetricFamily(
                "vigil_wrong_teletans_total", .counter, "Wrong teleTANs that were looked up.",
                parts.map(\.wrongTeleTANs).reduce(0, +)),
            MetricFamily(
                "vigil_verification_refused_total", .counter, "Refusals of the verification server.", by: "code", refused),
        ]
    }

    private static func refusals(_ counters: SubmissionServer.Counters) -> [MetricFamily] {
        func texts<Code: RawRepresentable<String>>(_ counts: [Code: Int]) -> [String: Int] {
            Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) })
        }
        return [
            MetricFamily(
                "vigil_submission_refused_total", .counter, "Refusals of the submission.", by: "code",
                texts(counters.refused)),
            MetricFamily(
                "vigil_submission_flaws_total", .counter, "Rules that submissions broke.", by: "rule",
                texts(counters.flaws)),
        ]
    }
}
