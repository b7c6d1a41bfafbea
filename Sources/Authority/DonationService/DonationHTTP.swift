// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import Donation
package import HTTPService
import JSON
import PrivacyPass

/// JSON of one length, filled up with blanks: an observer of the line does not tell answers apart.
enum PaddedAnswer {
    /// As long as a blind signature.
    static let byteCount = TokenRequest.responseByteCount

    static func json(_ members: JSON) -> [UInt8] {
        let bytes = members.bytes
        return bytes + [UInt8](repeating: UInt8(ascii: " "), count: max(0, byteCount - bytes.count))
    }

    static func refusal(_ status: UInt32, _ code: String, headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
                + (status == 405 ? [("Allow", "POST")] : []) + headers, body: .bytes(json(["errorCode": .string(code)])))
    }

    /// Whether the media type of a request is this one, whatever parameters follow it.
    static func hasType(_ request: HTTPRequest, _ type: String) -> Bool {
        guard let given = request.headers["content-type"] else { return false }
        return given.prefix { $0 != ";" }.lowercased().filter { $0 != " " } == type
    }
}

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

    /// Creates a handler, used on the server's thread only. `now` returns Unix seconds.
    package init(issuer: TokenIssuer, now: @escaping () -> Int64) {
        self.issuer = issuer
        self.now = now
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
        if request.path == Self.directoryPath { return directory(request) }
        guard request.method == "POST" else { return PaddedAnswer.refusal(405, "METHOD_NOT_ALLOWED") }
        // Another type is another request; the specification has 422 for it.
        let body = PaddedAnswer.hasType(request, Self.requestType) ? request.body : []
        guard let answer = try? issuer.answer(body: body, authorization: request.authorization, now: now()) else {
            return refused(.storeFailed)
        }
        let next = (EvidenceScheme.nextNonceHeader, EvidenceScheme.nextNonce(answer.nonce))
        switch answer.result {
        case .success(let signature):
            return HTTPResponse(
                status: 200, headers: [("Content-Type", Self.responseType), ("Cache-Control", "no-store"), next],
                body: .bytes(signature))
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
        let keys = issuer.keys.live.map { entry -> JSON in
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

/// Answers the route of a donation server: `POST /version/v1/device/dat`. Every answer has one length of body and leaves after the same
/// time, unless the work took longer.
package final class DonationHTTP: HTTPHandler {
    /// The path for donations.
    package static let path = "/version/v1/device/dat"

    private let server: DonationServer
    private let now: () -> Int64
    private let slotMilliseconds: Double

    /// Creates a handler, used on the server's thread only. `now` returns Unix seconds; `slotMilliseconds` is the time that an answer waits
    /// for at least, our own choice.
    package init(server: DonationServer, now: @escaping () -> Int64, slotMilliseconds: Double = 100) {
        self.server = server
        self.now = now
        self.slotMilliseconds = slotMilliseconds
    }

    /// Returns the most bytes of a body: 16,384; 404 for other paths, and 400 for a length far beyond that.
    package func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> {
        guard request.path == Self.path else {
            return .failure(HTTPRefusal(response: .text(404, "nothing is answered here")))
        }
        if let text = request.headers["content-length"], Int(text) ?? .max > HTTPLimits.droppedBytes {
            return .failure(HTTPRefusal(response: Self.refused(.contentNotValid)))
        }
        return .success(DonationPadding.byteCount)
    }

    /// Returns 400: no donation is that long.
    package func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse { delayed { Self.refused(.contentNotValid) } }

    /// Returns the answer to a donation. Never throws.
    package func answer(_ request: HTTPRequest) -> HTTPResponse { delayed { promptAnswer(request) } }

    private func delayed(_ answer: () -> HTTPResponse) -> HTTPResponse {
        let clock = ContinuousClock()
        let start = clock.now
        var made = answer()
        made.delayMilliseconds = max(0, slotMilliseconds - (clock.now - start) / .milliseconds(1))
        return made
    }

    private func promptAnswer(_ request: HTTPRequest) -> HTTPResponse {
        guard request.method == "POST" else { return PaddedAnswer.refusal(405, "METHOD_NOT_ALLOWED") }
        guard PaddedAnswer.hasType(request, "application/x-protobuf") else {
            return PaddedAnswer.refusal(415, "TYPE_NOT_SUPPORTED")
        }
        // The size comes before the token, so that a cut donation costs no verification.
        guard request.body.count == DonationPadding.byteCount else { return Self.refused(.contentNotValid) }
        let answer = server.answer(body: request.body, authorization: request.authorization, now: now())
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
