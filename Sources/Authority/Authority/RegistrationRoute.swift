// SPDX-License-Identifier: Apache-2.0

import HTTPService
import Verification

/// Answers `POST /v3/register`: 200 or 400 with an empty body, both after the same time, so that an answer tells nobody
/// whether a device was registered.
struct RegistrationRoute {
    static let path = "/v3/register"
    /// No answer leaves earlier; as the submission's (our own choice).
    static let slotMilliseconds = 100.0
    private static let type = "application/x-protobuf"

    private let authority: HealthAuthority

    /// `authority` is the handler's own.
    init(_ authority: HealthAuthority) { self.authority = authority }

    /// A refusal before the body; `nil` when the body is to be read.
    func refusal(_ request: HTTPRequest) -> HTTPRefusal? {
        guard request.method == "POST" else {
            var response = HTTPResponse.text(405, "devices register with POST")
            response.headers.append(("Allow", "POST"))
            return HTTPRefusal(response: response)
        }
        let type = request.headers["content-type"]?.split(separator: ";").first?.lowercased() ?? ""
        guard type.filter({ $0 != " " }) == Self.type else {
            return HTTPRefusal(response: .text(415, "a registration has the type \(Self.type)"))
        }
        return nil
    }

    func answer(_ body: [UInt8], now: Int64) -> HTTPResponse {
        let start = MonotonicClock.milliseconds()
        var response = decide(body, now: now)
        // Filled up, not added: a registration takes as long as writing it, a refusal nothing.
        response.delayMilliseconds = max(0, Self.slotMilliseconds - (MonotonicClock.milliseconds() - start))
        return response
    }

    private func decide(_ body: [UInt8], now: Int64) -> HTTPResponse {
        guard let message = PushRegistrationMessage(decoding: body) else { return refuse() }
        do throws(AuthorityError) { try authority.register(message, now: now) } catch { return Self.empty(503) }
        return Self.empty(200)
    }

    /// What is no registration.
    func refuse() -> HTTPResponse { Self.empty(400) }

    private static func empty(_ status: UInt32) -> HTTPResponse {
        var response = HTTPResponse(status: status, headers: [("Cache-Control", "no-store")], body: .bytes([]))
        response.delayMilliseconds = slotMilliseconds
        return response
    }
}
