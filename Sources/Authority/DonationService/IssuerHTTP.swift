// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
package import HTTPService
import JSON
import PrivacyPass

/// Answers the routes of an issuer: `POST /token-request`, and the directory of its keys.
package final class IssuerHTTP: HTTPHandler {
    /// The path for requests.
    package static let requestPath = "/token-request"
    /// The path of the directory (RFC 9578, section 4).
    package static let directoryPath = "/.well-known/private-token-issuer-directory"
    private static let requestType = "application/private-token-request"
    private static let responseType = "application/private-token-response"

    private let issuer: TokenIssuer
    private let now: () -> Int64
    private let slot: AnswerSlot

    /// Creates a handler, used on the server's thread only. `now` returns Unix seconds; `slotMilliseconds` is the time that an answer to a request waits for at
    /// least, our own choice.
    package init(issuer: TokenIssuer, now: @escaping () -> Int64, slotMilliseconds: Double = 100) {
        self.issuer = issuer
        self.now = now
        slot = AnswerSlot(milliseconds: slotMilliseconds)
    }

    /// Returns the most bytes of a body: 259 for requests, none for the directory; 404 for other paths, and 422 for a length beyond that.
    package func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> {
        switch request.path {
        case Self.requestPath:
            if let text = request.headers["content-length"], Int(text) ?? .max > HTTPLimits.droppedBytes {
                return .failure(HTTPRefusal(response: refused(.malformedRequest)))
            }
            return .success(TokenRequest.byteCount)
        case Self.directoryPath: return .success(0)
        default: return .failure(HTTPRefusal(response: .text(404, "nothing is answered here")))
        }
    }

    /// Returns 422: no request is that long.
    package func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse { refused(.malformedRequest) }

    /// Returns the answer to a request. Never throws: what fails here is answered with 503.
    package func answer(_ request: HTTPRequest) -> HTTPResponse {
        request.path == Self.directoryPath ? directory(request) : slot.filled { promptAnswer(request) }
    }

    private func promptAnswer(_ request: HTTPRequest) -> HTTPResponse {
        guard request.method == "POST" else { return PaddedAnswer.refusal(405, "METHOD_NOT_ALLOWED") }
        let answer = judged(request)
        // A device that is refused goes on with cover, so only the length could tell it from others.
        guard answer.status != 200, request.authorization?.isEmpty == false else { return answer }
        return PaddedAnswer.levelled(answer, to: Self.tokenByteCount)
    }

    /// The bytes of an answer with a token, as ``HTTPService/HTTPResponse/headByteCount`` counts them.
    private static let tokenByteCount =
        token([], nextNonce: [UInt8](repeating: 0, count: 32)).headByteCount + TokenRequest.responseByteCount

    private static func token(_ signature: [UInt8], nextNonce: [UInt8]) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [
                ("Content-Type", responseType), ("Cache-Control", "no-store"),
                (EvidenceScheme.nextNonceHeader, EvidenceScheme.nextNonce(nextNonce)),
            ], body: .bytes(signature))
    }

    private func judged(_ request: HTTPRequest) -> HTTPResponse {
        // Another type is another request; the specification has 422 for it.
        let body = PaddedAnswer.hasType(request, Self.requestType) ? request.body : []
        guard let answer = try? issuer.answer(body: body, authorization: request.authorization, now: now()) else {
            return refused(.storeFailed)
        }
        let next = (EvidenceScheme.nextNonceHeader, EvidenceScheme.nextNonce(answer.nonce))
        switch answer.result {
        case .success(let signature): return Self.token(signature, nextNonce: answer.nonce)
        case .failure(let refusal):
            guard refusal.reason.status == 401 else { return refused(refusal.reason, headers: [next]) }
            let challenge = EvidenceScheme.wwwAuthenticate(
                nonce: answer.nonce, maximumAge: Int(IssuanceNonces.seconds))
            return refused(refusal.reason, headers: [("WWW-Authenticate", challenge), next])
        }
    }

    private func refused(_ reason: TokenIssuer.Refusal, headers: [(String, String)] = []) -> HTTPResponse {
        PaddedAnswer.refusal(reason.status, reason.rawValue, headers: headers)
    }

    private func directory(_ request: HTTPRequest) -> HTTPResponse {
        guard request.method == "GET" || request.method == "HEAD" else {
            return HTTPResponse(status: 405, headers: [("Allow", "GET, HEAD")])
        }
        guard (try? issuer.keep(now: now())) != nil else { return refused(.storeFailed) }
        let today = UTCDay(containing: now())
        let live = issuer.keys.live.filter { $0.purpose == nil }
        // Who reads it takes the first key that may be used (RFC 9578, 4): today's, with today's challenge. Yesterday's is good until midnight for what was asked for before.
        let listed = live.filter { $0.day >= today } + live.filter { $0.day < today }
        let keys = listed.map { entry -> JSON in
            [
                "token-type": .int(Int64(TokenChallenge.tokenType)),
                "token-key": .string(Base64URL.paddedString(entry.key.publicKey.encoded)),
                "not-before": .int(entry.day.start),
            ]
        }
        let document: JSON = [
            "issuer-request-uri": .string(issuer.settings.address + Self.requestPath), "token-keys": .array(keys),
        ]
        return HTTPResponse(
            status: 200, headers: [("Content-Type", IssuerDirectory.mediaType), ("Cache-Control", "max-age=3600")],
            body: .bytes(document.bytes))
    }
}
