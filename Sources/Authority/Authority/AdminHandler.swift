// SPDX-License-Identifier: Apache-2.0

import Cryptography
import HTTPService
public import JSON
import Verification

/// Takes keys from programs on this machine: `POST /admin/keys` with the state folder's token, and takes warnings back for a portal:
/// `POST /admin/warnings/…` with another token, which is good for nothing else. `GET /metrics` needs none.
final class AdminHandler: HTTPHandler {
    private let authority: HealthAuthority
    private let token: SecretBytes
    private let warningToken: SecretBytes
    private let clock: AuthorityClock
    private var keys: [String: Int] = [:]
    private var hourly = HourlyMetrics()

    /// `authority` is this handler's own.
    init(authority: HealthAuthority, clock: AuthorityClock) throws(AuthorityError) {
        self.authority = authority
        token = try authority.folder.token()
        warningToken = try authority.folder.warningToken()
        self.clock = clock
    }

    func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> {
        if request.path == MetricsText.path { return MetricsText.refusal(request).map { .failure($0) } ?? .success(0) }
        let isWarning = WarningRoute(request.path) != nil
        guard request.path == "/admin/keys" || isWarning else {
            return .failure(HTTPRefusal(response: .text(404, "keys are handed in at /admin/keys")))
        }
        guard request.method == "POST" else {
            var refusal = HTTPResponse.text(405, "keys are handed in with POST")
            refusal.headers.append(("Allow", "POST"))
            return .failure(HTTPRefusal(response: refusal))
        }
        let prefix = "Bearer "
        guard let header = request.authorization, header.hasPrefix(prefix),
            SecretBytes(copying: Array(header.utf8.dropFirst(prefix.utf8.count))) == (isWarning ? warningToken : token)
        else {
            var refusal = HTTPResponse.text(401, "the token of the state folder is missing or wrong")
            refusal.headers.append(("WWW-Authenticate", "Bearer"))
            return .failure(HTTPRefusal(response: refusal))
        }
        return .success(isWarning ? WarningRoute.maximumBytes : KeySubmission.maximumBytes)
    }

    func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse { .text(413, "\(AuthorityError(.submissionTooLarge))") }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        do throws(AuthorityError) {
            guard request.path != MetricsText.path else { return try metrics() }
            if let route = WarningRoute(request.path) {
                return try route.answer(request.body, authority, now: clock.seconds())
            }
            let now = clock.seconds()
            let warning = try KeySubmission.warning(in: request.body)
            let submitted = try KeySubmission.keys(in: request.body)
            let checkIns = try KeySubmission.checkIns(in: request.body)
            let hours = try KeySubmission.venueHours(in: request.body).entries
            // Keys by themselves: no warning about encounters waits for room for one about venues. Sent again, they are known.
            let report = try authority.accept(
                submitted, checkIns: checkIns, source: "call", warning: warning, now: now)
            keys["accepted", default: 0] += report.accepted
            keys["known", default: 0] += report.known
            for (flaw, count) in report.refused { keys[flaw.rawValue, default: 0] += count }
            let taken = try authority.accept(hours, source: "call", warning: warning, now: now)
            return HTTPResponse(
                status: 200, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
                body: .bytes(Self.json(report, taken).bytes))
        } catch {
            let status: UInt32 =
                switch error.code {
                case .unreadableSubmission, .unknownRegion: 400
                case .submissionTooLarge: 413
                default: 503
                }
            return .text(status, "\(error)")
        }
    }

    private static func json(_ report: AcceptanceReport, _ hours: VenueHourReport) -> JSON {
        guard hours != VenueHourReport(), var object = report.json.object else { return report.json }
        object["venueHours"] = hours.json
        return .object(object)
    }

    private func metrics() throws(AuthorityError) -> HTTPResponse {
        let handed = MetricFamily(
            "vigil_admin_keys_total", .counter, "Keys handed in here, by what came of them.", by: "outcome", keys)
        let now = clock.seconds()
        let slow = try hourly.families(now: now) { () throws(AuthorityError) in
            [handed] + (try authority.waitingMetrics(now: now))
        }
        return MetricsText.answer(slow + (try authority.metrics(now: now)))
    }
}

extension VenueHourReport {
    /// The report as the JSON object `{"accepted", "known", "filtered": {reason: count}}`; reasons that apply to nothing are
    /// left out.
    public var json: JSON {
        var filtered = JSON.Object()
        for reason in Reason.allCases { filtered[reason.rawValue] = self.filtered[reason].map { .int(Int64($0)) } }
        return ["accepted": .int(Int64(accepted)), "known": .int(Int64(known)), "filtered": .object(filtered)]
    }
}

extension AcceptanceReport {
    /// The report as the JSON object that answers a submission: `{"accepted", "known", "refused": {rule: count}}`,
    /// and `"checkIns": {"accepted", "known", "filtered": {reason: count}}` unless no check-in came. Rules and
    /// reasons that apply to nothing are left out.
    public var json: JSON {
        var refused = JSON.Object()
        for flaw in SubmittedKey.Flaw.allCases { refused[flaw.rawValue] = self.refused[flaw].map { .int(Int64($0)) } }
        var answer: JSON.Object = [
            "accepted": .int(Int64(accepted)), "known": .int(Int64(known)), "refused": .object(refused),
        ]
        if checkIns + knownCheckIns > 0 || !filteredCheckIns.isEmpty {
            var filtered = JSON.Object()
            for reason in CheckInFilter.Reason.allCases {
                filtered[reason.rawValue] = filteredCheckIns[reason].map { .int(Int64($0)) }
            }
            answer["checkIns"] = [
                "accepted": .int(Int64(checkIns)), "known": .int(Int64(knownCheckIns)), "filtered": .object(filtered),
            ]
        }
        return .object(answer)
    }
}
