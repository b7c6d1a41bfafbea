// SPDX-License-Identifier: Apache-2.0

import Donation
package import HTTPService
import JSON

/// Answers the routes of a donation server: `POST /version/v1/device/dat` for donations, `POST /version/v1/device/els` for error logs,
/// `POST /version/v1/device/otp` for digests of survey passwords. Every answer has one length, head and body together,
/// and leaves after the same time, unless the work took longer.
package final class DonationHTTP: HTTPHandler {
    /// The path for donations.
    package static let path = "/version/v1/device/dat"

    private let server: DonationServer
    private let now: () -> Int64
    private let slot: AnswerSlot

    /// Creates a handler, used on the server's thread only. `now` returns Unix seconds; `slotMilliseconds` is the time that an answer waits
    /// for at least, our own choice.
    package init(server: DonationServer, now: @escaping () -> Int64, slotMilliseconds: Double = 100) {
        self.server = server
        self.now = now
        slot = AnswerSlot(milliseconds: slotMilliseconds)
    }

    /// Returns the most bytes of a body: 16,384; 404 for other paths, and 400 for a length far beyond that.
    package func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> {
        guard request.path == Self.path || Self.purpose(request) != nil else {
            return .failure(HTTPRefusal(response: .text(404, "nothing is answered here")))
        }
        if let text = request.headers["content-length"], Int(text) ?? .max > HTTPLimits.droppedBytes {
            return .failure(HTTPRefusal(response: Self.refused(.contentNotValid)))
        }
        return .success(DonationPadding.byteCount)
    }

    /// What is sent to a path that is no donation's.
    private static func purpose(_ request: HTTPRequest) -> MonthlyPurpose? {
        MonthlyPurpose.allCases.first { $0.path == request.path }
    }

    /// Returns 400: no donation is that long.
    package func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse { slot.filled { Self.refused(.contentNotValid) } }

    /// Returns the answer to a donation. Never throws.
    package func answer(_ request: HTTPRequest) -> HTTPResponse {
        slot.filled { PaddedAnswer.levelled(promptAnswer(request), to: Self.answerByteCount) }
    }

    /// The bytes of head and body of each answer, our own choice: the longest challenge, of names with 255 bytes, leaves room for a body whose length has four digits.
    private static let answerByteCount = 2_560

    private func promptAnswer(_ request: HTTPRequest) -> HTTPResponse {
        guard request.method == "POST" else { return PaddedAnswer.refusal(405, "METHOD_NOT_ALLOWED") }
        guard PaddedAnswer.hasType(request, "application/x-protobuf") else {
            return PaddedAnswer.refusal(415, "TYPE_NOT_SUPPORTED")
        }
        // The size comes before the token, so that a cut donation costs no verification.
        guard request.body.count == DonationPadding.byteCount else { return Self.refused(.contentNotValid) }
        let answer = server.answer(
            body: request.body, authorization: request.authorization, purpose: Self.purpose(request), now: now())
        guard let refusal = answer.refusal else {
            return HTTPResponse(
                status: 200, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
                body: .bytes(PaddedAnswer.json([:])))
        }
        return Self.refused(refusal, headers: answer.challenge.map { [("WWW-Authenticate", $0)] } ?? [])
    }

    private static func refused(_ reason: DonationServer.Refusal, headers: [(String, String)] = []) -> HTTPResponse {
        PaddedAnswer.refusal(reason.status, reason.rawValue, headers: headers)
    }
}
