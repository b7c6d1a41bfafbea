// SPDX-License-Identifier: Apache-2.0

import HTTPService
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

    /// The same answer, with as many blanks at the end of its JSON that head and body have `byteCount` bytes together (``HTTPService/HTTPResponse/headByteCount``): who
    /// sees the line tells no status by the length. Longer ones stay as they are.
    static func levelled(_ answer: HTTPResponse, to byteCount: Int) -> HTTPResponse {
        guard case .bytes(let body) = answer.body else { return answer }
        var levelled = answer
        let text = body.prefix((body.lastIndex { $0 != UInt8(ascii: " ") } ?? -1) + 1)
        let blanks = max(0, byteCount - answer.headByteCount - text.count)
        levelled.body = .bytes(text + [UInt8](repeating: UInt8(ascii: " "), count: blanks))
        return levelled
    }

    /// Whether the media type of a request is this one, whatever parameters follow it.
    static func hasType(_ request: HTTPRequest, _ type: String) -> Bool {
        guard let given = request.headers["content-type"] else { return false }
        return given.prefix { $0 != ";" }.lowercased().filter { $0 != " " } == type
    }
}
