// SPDX-License-Identifier: Apache-2.0

/// A request as a server received it. All of its text comes from the client and has not been checked.
package struct HTTPRequest: Sendable {
    /// The method as the client sent it, such as `GET`; may be any word.
    package var method: String
    /// The path without the query, with percent signs decoded.
    package var path: String
    /// The header values by name in lower case. The values of a header that came several times are joined with commas.
    package var headers: [String: String]
    /// The body; empty until all of it has arrived.
    package var body: [UInt8]
    /// The names and values after the question mark, decoded, in order; empty without a query.
    package var query: [(name: String, value: String)] = []
    /// The name of the listener that accepted the connection. Set by ``HTTPLoopServer`` only; empty otherwise.
    package var listener = ""
    /// The client's IPv4 address in decimal, or the network (/64) of its IPv6 address in 16 hexadecimal digits. Set by
    /// ``HTTPLoopServer`` only; empty otherwise.
    package var source = ""
    /// The server's own IP address to which the client has connected, 4 or 16 bytes. Set by ``HTTPLoopServer`` only; empty
    /// otherwise.
    package var ownAddress: [UInt8] = []
    /// Whether the request came over TLS. Set by ``HTTPLoopServer`` only; `false` otherwise.
    package var isSecure = false

    /// Creates a request for tests and for servers, which set the other properties. Nothing is checked or
    /// converted: the names in `headers` must be in lower case.
    package init(method: String, path: String, headers: [String: String] = [:], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }

    /// The value of `If-None-Match`, unchecked; `nil` if the request has none.
    package var ifNoneMatch: String? { headers["if-none-match"] }
    /// The value of `Authorization`, which may contain a secret; `nil` if the request has none.
    package var authorization: String? { headers["authorization"] }
}

/// An answer from a handler.
package struct HTTPResponse: Sendable {
    /// The body of an answer: bytes in memory, or an open file. The server closes the file.
    package enum Body: Sendable {
        /// Bytes in memory; may be empty.
        case bytes([UInt8])
        /// `byteCount` bytes of a file that is open for reading. The server takes the descriptor over and closes it.
        case file(descriptor: Int32, byteCount: UInt64)
    }

    /// The HTTP status, such as 200.
    package var status: UInt32
    /// The names and values of the headers, in order. The server adds `Date`, unless its clock is outside 1970 to
    /// 9999, and the length of the body.
    package var headers: [(String, String)]
    /// The body; empty by default.
    package var body: Body
    /// The delay in milliseconds before the answer is sent; other clients are served meanwhile. At most a day. Only
    /// ``HTTPServer`` applies it.
    package var delayMilliseconds = 0.0

    /// Creates an answer with an HTTP `status`, `headers` in the order in which they are sent, and by default no
    /// body. Nothing is checked.
    package init(status: UInt32, headers: [(String, String)] = [], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns an answer with this HTTP `status` and the sentence `text` for a person or a log: plain text in
    /// UTF-8, to which a line feed is added, and which must not be cached.
    package static func text(_ status: UInt32, _ text: String) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
            body: .bytes(Array((text + "\n").utf8)))
    }
}

/// A long calculation that precedes an answer, such as the hash of a password. Other clients are served meanwhile.
package struct HTTPCalculation {
    /// Whether the calculation comes before all waiting ones that are not urgent.
    package let isUrgent: Bool
    /// Does the calculation. Called on a thread for calculations, one at a time; must not touch the handler's state.
    package let calculate: @Sendable () -> Void
    /// Returns the answer. Called exactly one time, on the server's thread; with `false` if nothing was calculated
    /// because the server is stopping or no thread can be started. Nobody receives the answer if the client has
    /// disconnected meanwhile.
    package let finish: (_ isCalculated: Bool) -> HTTPResponse

    /// Creates a calculation; nothing runs yet.
    package init(
        isUrgent: Bool, calculate: @escaping @Sendable () -> Void, finish: @escaping (_ isCalculated: Bool) -> HTTPResponse
    ) {
        self.isUrgent = isUrgent
        self.calculate = calculate
        self.finish = finish
    }
}

/// The result of a handler: an answer, or the calculation that leads to one.
package enum HTTPOutcome {
    /// The answer, which is sent after its ``HTTPResponse/delayMilliseconds``.
    case answer(HTTPResponse)
    /// The calculation to do first, after those that wait already (``HTTPCalculation/isUrgent``).
    case calculation(HTTPCalculation)
}

/// Answers the requests of an ``HTTPServer``. Every method is called on the server's only thread.
package protocol HTTPHandler: AnyObject {
    /// Returns the most bytes of a body that are accepted for this request, or the refusal to send before any of
    /// the body is read. Not called for a head that does not say one length and one host: the server refuses it
    /// with status 400.
    func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal>
    /// Returns the answer to a request whose body is complete. May block; all other clients wait meanwhile.
    func answer(_ request: HTTPRequest) -> HTTPResponse
    /// Returns the answer as ``answer(_:)`` does, or a calculation to do first. Only ``HTTPServer`` calls this.
    func outcome(of request: HTTPRequest) -> HTTPOutcome
    /// Returns the answer to a body with more bytes than ``begin(_:)`` accepted. `request` comes without the body.
    func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse
}

extension HTTPHandler {
    /// Returns ``answer(_:)``, for handlers without calculations.
    package func outcome(of request: HTTPRequest) -> HTTPOutcome { .answer(answer(request)) }

    /// Returns status 413 with an English sentence, for handlers without an answer of their own.
    package func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse {
        .text(413, "the body is larger than anything that is taken here; nothing of it was")
    }
}

/// A refusal that does not need the body of the request. An error, so that `Result` can contain it.
package struct HTTPRefusal: Error {
    /// The answer that the client gets.
    package let response: HTTPResponse

    /// Creates a refusal with this answer.
    package init(response: HTTPResponse) { self.response = response }
}

/// The reason why a server cannot listen on an address, or why libmicrohttpd does not start.
package struct HTTPListenError: Error {
    /// The address or the listener, with the reason of the system if there is one; for the operator.
    package let detail: String
}
