// SPDX-License-Identifier: Apache-2.0

import CrowdNotifier
import Cryptography
import JSON
import KeyExport
import PresenceTracing
public import Verification

/// A publishing authority elsewhere that takes the keys and check-ins of a submission at `/admin/keys`. Use it on
/// one thread at a time.
public final class RemoteKeys: KeyTaking, VenueHoursTaking {
    fileprivate let client: InternalClient

    /// Creates a publisher that `client` reaches with the token of the authority's folder; only this object may use
    /// `client`. Connects to nothing yet.
    public init(_ client: InternalClient) { self.client = client }

    /// Sends the keys and check-ins to the authority, and returns how many of them it calls new and how many
    /// check-ins it does not publish; these numbers are not checked. Blocks for up to ten seconds.
    /// `visitedCountries`, `consentsToFederation` and `now` are not sent. `warning` is `nil` for keys that cannot
    /// be taken back by a code.
    ///
    /// Throws `intakeFailed` for a refusal (its status is the detail) and for an answer whose `accepted` is not a
    /// number, and `partnerFailed` for no answer, for one without `accepted`, and for one without `checkIns` when
    /// check-ins were sent; the same submission may be sent again.
    public func take(
        _ accepted: SubmissionRules.Accepted, warning: WarningHandle?, now: Int64
    ) throws(VerificationError) -> TakenSubmission {
        var list: JSON.Object = ["temporaryExposureKeys": .array(accepted.keys.map(Self.json))]
        let (plain, reports) = (accepted.checkIns.plain, accepted.checkIns.reports)
        if !plain.isEmpty { list["checkIns"] = .array(plain.map { .string(Base64.string($0.encoded)) }) }
        if !reports.isEmpty { list["checkInProtectedReports"] = .array(reports.map { .string(Base64.string($0.encoded)) }) }
        list["warning"] = warning.map { .string($0.hexadecimal) }
        let reply = try client.post("/admin/keys", .object(list))
        guard reply.status == 200 else { throw VerificationError(.intakeFailed, "status \(reply.status)") }
        guard let new = try reply.member("accepted").int else { throw VerificationError(.intakeFailed, "no number") }
        guard !accepted.checkIns.isEmpty else { return TakenSubmission(keys: Int(new)) }
        // A publisher of an earlier release takes the keys and knows no check-ins: the warning has succeeded all the same.
        let checkIns = (try? reply.member("checkIns")) ?? .null
        return TakenSubmission(
            keys: Int(new), checkIns: Int(checkIns["accepted"]?.int ?? 0),
            filteredCheckIns: (checkIns["filtered"]?.object?.members ?? []).reduce(0) { $0 + Int($1.value.int ?? 0) })
    }
}

extension RemoteKeys {
    /// Sends the hours at venues to the authority, and returns how many of them it calls new; the number is not checked.
    /// Blocks for up to ten seconds. `now` is not sent. Throws `intakeFailed` for a refusal (its status is the detail) and
    /// for an answer that says nothing of the hours, as that of a publisher of an earlier release, and `partnerFailed` for
    /// no answer; the same hours may be sent again.
    public func take(_ hours: VenueHours, warning: WarningHandle?, now: Int64) throws(VerificationError) -> Int {
        guard !hours.entries.isEmpty else { return 0 }
        var list: JSON.Object = [
            "temporaryExposureKeys": [], "venueHours": .array(hours.entries.map { .string(Base64.string($0.encoded)) }),
        ]
        list["warning"] = warning.map { .string($0.hexadecimal) }
        let reply = try client.post("/admin/keys", .object(list))
        guard reply.status == 200 else { throw VerificationError(.intakeFailed, "status \(reply.status)") }
        let answer = try reply.member("venueHours")
        guard let new = answer["accepted"]?.int else { throw VerificationError(.intakeFailed, "no number") }
        // Thrown away there, while the person would be told that it was taken; the same bytes may come again.
        guard answer["filtered"]?["notOffered"]?.int ?? 0 == 0 else {
            throw VerificationError(.intakeFailed, "the publisher offers no trace keys; see swissCovid in its settings")
        }
        return Int(new)
    }

    /// The names of `/admin/keys` (docs/authority.md).
    static func json(_ key: ExportedKey) -> JSON {
        var members: JSON.Object = [
            "key": .string(Base64.string(key.data.bytes)), "rollingStartNumber": .int(Int64(key.rollingStart)),
            "rollingPeriod": .int(Int64(key.rollingPeriod)), "transmissionRisk": .int(Int64(key.transmissionRiskLevel)),
            "reportType": .int(Int64(key.reportType)),
        ]
        if key.hasOnset { members["daysSinceOnset"] = .int(Int64(key.daysSinceOnset)) }
        if key.hasVariant { members["variantOfConcern"] = .int(Int64(key.variantOfConcern)) }
        return .object(members)
    }
}
