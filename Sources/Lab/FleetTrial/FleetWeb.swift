// SPDX-License-Identifier: Apache-2.0

import BoardEnrolment
import Cryptography
import Enrolment
import Glibc
import HTTPClient

/// HTTP to the registry over a socket, and in the place of the web server with TLS: it hands on the certificate that a board shows.
struct FleetWeb: EnrolmentCarrier {
    let page: SharedPage
    /// The claim that a board with ``FleetFault/claimBurntEarly`` deletes; `nil` for a sound one.
    var burnt: String?

    func carry(_ request: ESTRequest) throws(EnrolmentError) -> ESTAnswer {
        let port = page.port
        guard port > 0 else { throw EnrolmentError(.unreachable) }
        var headers: [(name: String, value: String)] = []
        if let authorization = request.authorization { headers.append(("Authorization", authorization)) }
        if let identity = request.identity {
            let text = identity.certificate.pem.utf8.map { "%" + Hex.string([$0]) }.joined()
            headers.append(("X-Client-Certificate", text))
        }
        let path = request.address.dropFirst("https://ra.example".count)
        do throws(HTTPError) {
            var question = HTTPRequest(
                "http://127.0.0.1:\(port)\(path)", method: .post, headers: headers, body: request.body)
            question.keepsRefusals = true
            let answer = try HTTPClient(HTTPConfiguration(allowsPlainHTTP: true)).send(question)
            if answer.status == 200, let burnt { unlink(burnt) }
            return ESTAnswer(status: answer.status, body: answer.body, retryAfter: answer.retryAfter)
        } catch { throw EnrolmentError(.unreachable, "\(error.code)") }
    }
}

/// No way out: a board that asks anything is told so.
struct NoWeb: EnrolmentCarrier {
    func carry(_ request: ESTRequest) throws(EnrolmentError) -> ESTAnswer { throw EnrolmentError(.unreachable) }
}
