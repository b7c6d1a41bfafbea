// SPDX-License-Identifier: Apache-2.0

import BoardEnrolment
import Cryptography
import Enrolment
import HTTPClient

/// Carries requests to the registration authority over HTTPS, on the worker thread: a connection for each. What the server sends is only bounded here;
/// `Enrolment` reads it.
struct ESTCarrier: EnrolmentCarrier {
    /// The way out, and whom to believe; without an identity.
    let configuration: HTTPConfiguration
    let cancellation: HTTPCancellation
    /// The bounds of a request; tests set shorter times.
    var limits = HTTPLimits(
        connectSeconds: 20, totalSeconds: 60, slowSeconds: 60, maximumBodyBytes: ESTText.maximumByteCount,
        maximumHeaderBytes: 8_192, maximumRedirects: 0)

    func carry(_ request: ESTRequest) throws(EnrolmentError) -> ESTAnswer {
        var configuration = configuration
        configuration.identity = request.identity.map {
            HTTPIdentity(certificate: Array($0.certificate.pem.utf8), key: $0.key)
        }
        var headers = [(name: "Content-Type", value: "application/pkcs10")]
        if let authorization = request.authorization { headers.append(("Authorization", authorization)) }
        var question = HTTPRequest(
            request.address, method: .post, headers: headers, body: request.body, limits: limits)
        question.keepsRefusals = true
        do throws(HTTPError) {
            let answer = try HTTPClient(configuration).send(question, cancellation: cancellation)
            return ESTAnswer(status: answer.status, body: answer.body, retryAfter: answer.retryAfter)
        } catch {
            switch error.code {
            case .status, .tooManyRedirects, .redirectNotPermitted, .badAnswer, .bodyTooLarge, .headersTooLarge:
                throw EnrolmentError(.badAnswer, "\(error)")
            default: throw EnrolmentError(.unreachable, "\(error)")
            }
        }
    }
}
