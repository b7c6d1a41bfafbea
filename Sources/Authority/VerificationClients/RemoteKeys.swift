// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON
public import KeyExport
public import Verification

/// A publishing authority elsewhere that takes keys at `/admin/keys`, for a submission. One thread at a time.
public final class RemoteKeys: KeyTaking {
    private let client: InternalClient

    /// A publishing authority that `client` reaches, with the token of its folder; connects to nothing yet. Only this
    /// object may use `client`.
    public init(_ client: InternalClient) { self.client = client }

    /// Hands the keys over; blocks for up to ten seconds. Gives the number that the authority says were new, unchecked.
    /// `visitedCountries`, `consentsToFederation` and `now` are not passed on. `nil` as `warning` for keys that nobody
    /// takes back by a code.
    ///
    /// Throws `intakeFailed` for a refusal (its status is the detail) and for an answer whose `accepted` is no number,
    /// `partnerFailed` for no answer and for one without `accepted`; the same keys may be sent again.
    public func take(
        _ keys: [ExportedKey], visitedCountries: [String], consentsToFederation: Bool, warning: WarningHandle?, now: Int64
    ) throws(VerificationError) -> Int {
        var list: JSON.Object = ["temporaryExposureKeys": .array(keys.map(Self.json))]
        list["warning"] = warning.map { .string($0.hexadecimal) }
        let reply = try client.post("/admin/keys", .object(list))
        guard reply.status == 200 else { throw VerificationError(.intakeFailed, "status \(reply.status)") }
        guard let accepted = try reply.member("accepted").int else { throw VerificationError(.intakeFailed, "no number") }
        return Int(accepted)
    }
}

extension RemoteKeys {
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
