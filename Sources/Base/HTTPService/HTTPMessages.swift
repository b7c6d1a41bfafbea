// SPDX-License-Identifier: Apache-2.0

/// A request as a server received it. All of it is foreign text, not yet judged.
package struct HTTPRequest: Sendable {
    /// As it was sent, such as `GET`; any word may come.
    package var method: String
    /// Without query, percent signs decoded.
    package var path: String
    /// Values by name in lower case.
    package var headers: [String: String]
    /// Empty until all of it is there.
    package var body: [UInt8]
    /// Names and values behind the question mark, decoded, in order. Only from ``HTTPLoopServer``; empty otherwise.
    package var query: [(name: String, value: String)] = []
    /// Name of the listener it came by. Only from ``HTTPLoopServer``.
    package var listener = ""
    /// The client's IP address in text; of IPv6 the network (/64) that one host may have, as hexadecimal digits. Only from ``HTTPLoopServer``; empty
    /// otherwise.
    package var source = ""
    /// The server's own IP address that the client has connected to, 4 or 16 bytes. Only from ``HTTPLoopServer``; empty otherwise.
    package var ownAddress: [UInt8] = []
    /// Whether it came by TLS. Only from ``HTTPLoopServer``.
    package var isSecure = false

    /// A request with these parts; for tests, and for the servers that fill in the rest.
    package init(method: String, path: String, headers: [String: String] = [:], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }

    /// `If-None-Match` as it was sent; `nil` without one.
    package var ifNoneMatch: String? { headers["if-none-match"] }
    /// `Authorization` as it was sent, which may hold a secret; `nil` without one.
    package var authorization: String? { headers["authorization"] }
}

/// An answer that a handler gives.
package struct HTTPResponse: Sendable {
    /// The body of an answer: bytes in memory, or an open file, which is handed over and closed.
    package enum Body: Sendable {
        case bytes([UInt8])
        /// A file open for reading, handed over.
        case file(descriptor: Int32, byteCount: UInt64)
    }

    /// HTTP status, such as 200.
    package var status: UInt32
    /// Names and values, in order. The server adds `Date` and the length.
    package var headers: [(String, String)]
    /// The body; empty unless given.
    package var body: Body
    /// Milliseconds until it is sent; others are answered meanwhile. Only ``HTTPServer`` obeys it.
    package var delayMilliseconds = 0.0

    /// An answer without a body, unless one is given.
    package init(status: UInt32, headers: [(String, String)] = [], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A sentence for a person or a log, as plain text with a line feed at its end; not to be cached.
    package static func text(_ status: UInt32, _ text: String) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
            body: .bytes(Array((text + "\n").utf8)))
    }
}

/// A long calculation before a request can be answered, such as the hash of a password: others are answered meanwhile.
package struct HTTPCalculation {
    /// Whether it is done before those that are not urgent.
    package let isUrgent: Bool
    /// Called on a thread for calculations, one at a time; touches nothing of the handler's.
    package let calculate: @Sendable () -> Void
    /// The answer; called on the server's thread, exactly once. `false` when the server stops, or the client is gone, and nothing was calculated.
    package let finish: (_ isCalculated: Bool) -> HTTPResponse

    /// Takes the work and what follows it; nothing runs yet.
    package init(
        isUrgent: Bool, calculate: @escaping @Sendable () -> Void, finish: @escaping (_ isCalculated: Bool) -> HTTPResponse
    ) {
        self.isUrgent = isUrgent
        self.calculate = calculate
        self.finish = finish
    }
}

/// An answer, or the calculation that leads to one.
package enum HTTPOutcome {
    case answer(HTTPResponse)
    case calculation(HTTPCalculation)
}

/// Answers requests of an ``HTTPServer``; called on the server's one thread.
package protocol HTTPHandler: AnyObject {
    /// Bytes of a body it takes for this request, or what to answer before any of the body was read.
    func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal>
    /// The answer to a request whose body is complete. May block: all others wait meanwhile.
    func answer(_ request: HTTPRequest) -> HTTPResponse
    /// As ``answer(_:)``, for whoever has something to calculate. Only ``HTTPServer`` asks for it.
    func outcome(of request: HTTPRequest) -> HTTPOutcome
    /// What to say to a body of more bytes than `begin` said; `request` comes without it.
    func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse
}

extension HTTPHandler {
    /// The answer, without a calculation.
    package func outcome(of request: HTTPRequest) -> HTTPOutcome { .answer(answer(request)) }

    /// 413 with a sentence in English, for handlers that say nothing of their own.
    package func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse {
        .text(413, "the body is larger than anything that is taken here; nothing of it was")
    }
}

/// An answer that needs no body of the request, as an error so that `Result` can carry it.
package struct HTTPRefusal: Error {
    /// The answer that the client gets instead.
    package let response: HTTPResponse

    /// A refusal that is answered with `response`.
    package init(response: HTTPResponse) { self.response = response }
}

/// An address that cannot be listened on, or a library that does not start.
package struct HTTPListenError: Error {
    /// Which address or listener, and the system's own words; for the operator.
    package let detail: String
}
