// SPDX-License-Identifier: Apache-2.0

import CrowdNotifier
import Cryptography

/// The publisher of hours at venues. Taking the same hours under the same warning twice must have the same effect as
/// taking them once.
public protocol VenueHoursTaking: AnyObject {
    /// Takes hours that passed all rules of an upload, at `now` (Unix seconds); they are durable when this returns. Returns
    /// how many of them were new. With `nil` as `warning`, the same hours of another person count as the same.
    ///
    /// May block for as long as another server takes. Throws `intakeFailed` when the publisher refuses, and
    /// `partnerFailed` when it does not answer as it should; then the same hours may be handed over again.
    func take(_ hours: VenueHours, warning: WarningHandle?, now: Int64) throws(VerificationError) -> Int
}

/// Takes uploads of hours at venues: judges them, uses up the token's TAN, and hands the hours to the publisher, in this
/// order (spec checkin-and-nhs A.6). A token counts for exactly the bytes of one body, so that after a crash the same body
/// can be sent again. Not thread-safe.
public final class UserUploadServer {
    private let rules = UserUploadRules()
    private let secret: VerificationSecret
    private let tans: any TANConfirming
    private let taker: any VenueHoursTaking

    /// Creates a server that reads tokens with `secret`, confirms their TANs with `tans`, and hands hours to `taker`. Both
    /// may be elsewhere, and only this server may use them. Neither is asked yet.
    public init(secret: VerificationSecret, tans: any TANConfirming, taker: any VenueHoursTaking) {
        self.secret = secret
        self.tans = tans
        self.taker = taker
    }

    /// The outcome of an upload that was not refused.
    public enum Outcome: Hashable, Sendable {
        /// The hours are stored; the number is that of new ones.
        case taken(Int)
        /// There was nothing but fakes: no token was looked at, and nothing is stored.
        case cover
    }

    /// Takes a body (`UserUploadPayload`) with a token (``CheckInToken``; `nil` without one) at `now` (Unix seconds); what
    /// it takes is durable when this returns. Blocks for as long as its partners do.
    ///
    /// Throws `invalidSubmission` with the ``VenueHoursFlaw`` as detail; `invalidTAN` for a token that is missing, foreign,
    /// expired, or used for another body; and what ``TANConfirming`` and ``VenueHoursTaking`` throw. A body that breaks a
    /// rule spends no token.
    public func upload(_ body: [UInt8], token: String?, now: Int64) throws(VerificationError) -> Outcome {
        try take(genuine(body), of: body, token: token, now: now)
    }

    /// The genuine entries of a body; throws `invalidSubmission` if it has another form than any device sends.
    func genuine(_ body: [UInt8]) throws(VerificationError) -> [UserUpload.Entry] {
        do throws(VenueHoursFlaw) { return try rules.genuine(body) } catch { throw Self.refusal(error) }
    }

    /// What ``upload(_:token:now:)`` does once the body is read.
    func take(
        _ entries: [UserUpload.Entry], of body: [UInt8], token: String?, now: Int64
    ) throws(VerificationError) -> Outcome {
        guard !entries.isEmpty else { return .cover }
        guard let text = token else { throw VerificationError(.invalidTAN) }
        let token = try CheckInToken(text, secret: secret, now: now)
        let hours: VenueHours
        do throws(VenueHoursFlaw) { hours = try rules.selected(entries, onset: token.onset) } catch {
            throw Self.refusal(error)
        }
        let warning = try tans.confirm(token.tan, type: .event, request: SHA256.digest(of: body), now: now)
        return .taken(try taker.take(hours, warning: warning, now: now))
    }

    private static func refusal(_ flaw: VenueHoursFlaw) -> VerificationError {
        VerificationError(.invalidSubmission, flaw.rawValue)
    }
}
