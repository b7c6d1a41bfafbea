// SPDX-License-Identifier: Apache-2.0

/// What must be said once: where a request ends, and for whom it is. Two servers in a row that each believe another of two lengths take one request for
/// two (request smuggling; RFC 9112, 6.1 to 6.3 and 3.2). libmicrohttpd 0.9.75 believes the first.
enum HTTPFraming {
    /// The answer to a request whose head is no text (`StreamSafe`), or leaves its end or its host open; `nil` for all others. The connection
    /// ends with it.
    static func refusal(_ request: HTTPRequest, isText: Bool) -> HTTPResponse? {
        guard isText else {
            var answer = HTTPResponse.text(400, "the head of this request is no text; nothing of it was taken")
            answer.headers.append(("Connection", "close"))
            return answer
        }
        let headers = request.headers
        let length = headers["content-length"]
        let isWhole = length.map { !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } } ?? true
        // Of several lines with one name there is one list here, with commas.
        let isOneHost = !(headers["host"]?.contains(",") ?? false)
        let coding = headers["transfer-encoding"]
        guard isWhole, isOneHost, coding == nil || (length == nil && coding?.lowercased() == "chunked") else {
            var answer = HTTPResponse.text(
                400, "where this request ends, or for whom it is, is said twice or not as a number; nothing of it was taken"
            )
            answer.headers.append(("Connection", "close"))
            return answer
        }
        return nil
    }
}
