// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
package import Donation
package import HTTPService
import JSON

/// Answers the survey's operator: `POST /version/v1/otp` with `{"otp": "…"}` tells what a password is worth, and redeems it: 200 if it is good, 400 if it was
/// used or is over, 404 if it is unknown. On an address of its own, which boards do not reach; whoever
/// asks has a bearer secret. It has digests and days of the donation server, and no part in donations.
///
/// Every answer about a password has one length of body and leaves after the same time, unless the work took longer. Wrong passwords are answered for a while only: whoever may type at the
/// survey could try them all day. A right one is looked up first, so that nobody keeps others out.
package final class RedemptionHTTP: HTTPHandler {
    /// The path.
    package static let path = "/version/v1/otp"
    /// The most bytes of a body, our own bound.
    package static let maximumBytes = 1_000
    /// The fewest characters of a secret, our own bound: 32, which is 128 bits even in hexadecimal.
    package static let fewestSecretCharacters = 32
    /// How many wrong passwords are called so at once, and the seconds after which one more is: our own choice.
    package static let wrongAtOnce: Int64 = 30, secondsForEach: Int64 = 2

    private let store: DonationStore
    private let terms: () -> DonationTerms?
    private let secret: SecretBytes
    private let now: () -> Int64
    private let slot: AnswerSlot
    private var counter = EventCounter<DonationEvent>()
    /// Wrong passwords that are held against whoever asks, in seconds of waiting, and when that was so.
    private var debt: Int64 = 0
    private var debtTime: Int64 = 0

    /// Creates a handler, used on the server's thread only. `terms` gives the region's terms as they are now, `now` Unix seconds; `slotMilliseconds` is as for ``DonationHTTP``. Throws
    /// `invalidSettings` for a secret of fewer than ``fewestSecretCharacters``.
    package init(
        store: DonationStore, secret: String, terms: @escaping () -> DonationTerms?, now: @escaping () -> Int64,
        slotMilliseconds: Double = 100
    ) throws(DonationServiceError) {
        guard secret.utf8.count >= Self.fewestSecretCharacters else {
            throw DonationServiceError(
                .invalidSettings, "the secret for redemption has fewer than \(Self.fewestSecretCharacters) characters")
        }
        self.store = store
        self.terms = terms
        self.secret = Self.digest(secret.utf8)
        self.now = now
        slot = AnswerSlot(milliseconds: slotMilliseconds)
    }

    deinit { try? flush() }

    /// Returns the most bytes of a body; 404 for other paths.
    package func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> {
        guard request.path == Self.path else {
            return .failure(HTTPRefusal(response: .text(404, "nothing is answered here")))
        }
        if let text = request.headers["content-length"], Int(text) ?? .max > HTTPLimits.droppedBytes {
            return .failure(HTTPRefusal(response: Self.malformed))
        }
        return .success(Self.maximumBytes)
    }

    /// Returns 400: no password is that long.
    package func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse { slot.filled { Self.malformed } }

    /// Returns what the password is worth. Never throws.
    package func answer(_ request: HTTPRequest) -> HTTPResponse { slot.filled { promptAnswer(request) } }

    private static var malformed: HTTPResponse { PaddedAnswer.refusal(400, "REQUEST_MALFORMED") }

    private static func digest(_ text: some Collection<UInt8>) -> SecretBytes {
        SecretBytes(copying: SHA256.digest(of: Array(text)))
    }

    private func promptAnswer(_ request: HTTPRequest) -> HTTPResponse {
        let time = now()
        guard request.method == "POST" else { return PaddedAnswer.refusal(405, "METHOD_NOT_ALLOWED") }
        let prefix = "Bearer "
        guard let header = request.authorization, header.hasPrefix(prefix),
            Self.digest(header.utf8.dropFirst(prefix.utf8.count)) == secret
        else {
            count(.redemptionUnauthorised, time)
            return PaddedAnswer.refusal(401, "NOT_AUTHORISED", headers: [("WWW-Authenticate", "Bearer")])
        }
        guard PaddedAnswer.hasType(request, "application/json") else {
            return PaddedAnswer.refusal(415, "TYPE_NOT_SUPPORTED")
        }
        guard request.body.count <= Self.maximumBytes, let json = try? JSON(parsing: request.body),
            let text = json["otp"]?.string
        else { return Self.malformed }
        // Without the document nobody knows which survey it is.
        guard let terms = terms() else { return PaddedAnswer.refusal(503, "TRY_LATER") }
        do throws(DonationServiceError) { return try redeem(text, terms, time) } catch {
            return PaddedAnswer.refusal(503, "TRY_LATER")
        }
    }

    private func redeem(
        _ text: String, _ terms: DonationTerms, _ time: Int64
    ) throws(DonationServiceError) -> HTTPResponse {
        var redemption = DonationStore.Redemption.unknown
        // A mistake in typing is as unknown as a password that nobody has made.
        if let password = SurveySecret(typed: text) {
            redemption = try store.redeem(
                digest: password.digest, today: UTCDay(containing: time), survey: DonationStore.SurveyOffer(terms))
        }
        switch redemption {
        case .unknown:
            guard isInTime(time) else {
                count(.redemptionTooOften, time)
                return PaddedAnswer.refusal(429, "TRY_LATER", headers: [("Retry-After", "\(Self.secondsForEach)")])
            }
            debt += Self.secondsForEach
            count(.surveyUnknown, time)
            return PaddedAnswer.refusal(404, "OTP_UNKNOWN")
        case .valid: count(.surveyRedeemed, time)
        case .redeemed, .expired: break
        }
        // As Corona-Warn-App's service for surveys answers: whoever looks at the status alone lets in nobody twice.
        return HTTPResponse(
            status: redemption == .valid ? 200 : 400,
            headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: .bytes(PaddedAnswer.json(["state": .string(redemption.rawValue)])))
    }

    /// Whether a wrong password is called wrong; not while too many have come. A clock that jumps forgives or holds against at most as much as there was.
    private func isInTime(_ time: Int64) -> Bool {
        if time >= debtTime { debt = max(0, debt - min(debt, time - debtTime)) }
        debtTime = time
        return debt < Self.wrongAtOnce * Self.secondsForEach
    }

    /// Writes down what was counted. Throws what the store throws; the counts stay then.
    package func flush() throws(DonationServiceError) {
        try counter.flush { (events, day) throws(DonationServiceError) in try store.count(events, on: day) }
    }

    private func count(_ event: DonationEvent, _ now: Int64) {
        counter.count(event, at: now) { (events, day) throws(DonationServiceError) in try store.count(events, on: day) }
    }
}
