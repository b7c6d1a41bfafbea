// SPDX-License-Identifier: Apache-2.0

import HTTPService
import JSON

/// Makes answers that have one length, down to the bytes of the status line and the headers: all those with a JSON
/// body, and on one route all those without a body.
///
/// The paddings of `cwa-protocols` section 4, of 1, 45 and 15 characters, give bodies of 82 bytes on all three
/// routes. Here the padding fills every body up to 82 bytes, so that `sc` and refusals do not show either. A header
/// makes up for the different lengths of reason phrases.
package enum UniformAnswer {
    /// The number of bytes of every JSON body: that of the real answers (`cwa-protocols` section 4).
    package static let bodyCount = 82
    /// Bytes that a status line's reason, a code and their padding take together.
    private static let variableCount = 64
    /// The name of the header that makes up for the length of status and code; its value is random text.
    package static let paddingHeader = "cwa-response-padding"

    private static func reason(_ status: UInt32) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 400: "Bad Request"
        case 403: "Forbidden"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 410: "Gone"
        case 415: "Unsupported Media Type"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        default: "Service Unavailable"
        }
    }

    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    static func padding(_ count: Int, using generator: inout some RandomNumberGenerator) -> String {
        String(
            decoding: (0..<max(0, count)).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] },
            as: UTF8.self)
    }

    /// `members` and `responsePadding`.
    static func json(
        _ status: UInt32, _ members: JSON.Object, using generator: inout some RandomNumberGenerator
    ) -> HTTPResponse {
        var members = members
        members["responsePadding"] = ""
        let count = JSON.object(members).bytes.count
        members["responsePadding"] = .string(padding(bodyCount - count, using: &generator))
        return bare(
            status, headers: [("Content-Type", "application/json")], body: JSON.object(members).bytes, using: &generator)
    }

    /// A refusal: its code stands in the body.
    static func refusal(
        _ status: UInt32, _ code: VerificationError.Code, using generator: inout some RandomNumberGenerator
    ) -> HTTPResponse {
        allowing(status, json(status, ["error": .string(code.rawValue)], using: &generator))
    }

    /// What the protocol asks of a 405.
    private static func allowing(_ status: UInt32, _ answer: HTTPResponse) -> HTTPResponse {
        status == 405 ? adding(("Allow", "POST"), to: answer) : answer
    }

    /// The answer with a header more, and as much less padding as that takes.
    private static func adding(_ header: (String, String), to answer: HTTPResponse) -> HTTPResponse {
        guard let index = answer.headers.firstIndex(where: { $0.0 == paddingHeader }) else { return answer }
        var answer = answer
        answer.headers[index].1.removeLast("\(header.0): \(header.1)\r\n".utf8.count)
        answer.headers.append(header)
        return answer
    }

    /// An answer without a body; `code` of a refusal in a header.
    static func empty(
        _ status: UInt32, headers: [(String, String)] = [], code: VerificationError.Code? = nil,
        using generator: inout some RandomNumberGenerator
    ) -> HTTPResponse {
        // The header is always there, so that only its value has to be made up for.
        allowing(
            status,
            bare(
                status, headers: headers + [("cwa-error-code", code?.rawValue ?? "none")],
                variable: code?.rawValue ?? "none", body: [], using: &generator))
    }

    /// A refusal with status 503, without a body, of somebody who may come again after `retrySeconds` (0 to 9).
    static func later(
        _ code: VerificationError.Code, retrySeconds: Int, using generator: inout some RandomNumberGenerator
    ) -> HTTPResponse {
        adding(("Retry-After", "\(retrySeconds)"), to: empty(503, code: code, using: &generator))
    }

    private static func bare(
        _ status: UInt32, headers: [(String, String)], variable: String = "", body: [UInt8],
        using generator: inout some RandomNumberGenerator
    ) -> HTTPResponse {
        let rest = variableCount - reason(status).utf8.count - variable.utf8.count
        return HTTPResponse(
            status: status,
            headers: headers + [("Cache-Control", "no-store"), (paddingHeader, padding(max(1, rest), using: &generator))],
            body: .bytes(body))
    }
}
