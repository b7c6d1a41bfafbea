// SPDX-License-Identifier: Apache-2.0

/// What came.
package struct HTTPRequest: Sendable {
    package var method: String
    /// Without query, percent signs decoded.
    package var path: String
    /// By name in lower case.
    package var headers: [String: String]
    /// Empty until all of it is there.
    package var body: [UInt8]
    /// What follows the question mark, decoded, in order. Only from ``HTTPLoopServer``.
    package var query: [(name: String, value: String)] = []
    /// Name of the listener it came by. Only from ``HTTPLoopServer``.
    package var listener = ""
    /// Where it comes from: an address, of IPv6 the network (/64) that one host may have. Only from ``HTTPLoopServer``.
    package var source = ""
    /// Whether it came by TLS. Only from ``HTTPLoopServer``.
    package var isSecure = false

    package init(method: String, path: String, headers: [String: String] = [:], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }

    package var ifNoneMatch: String? { headers["if-none-match"] }
    package var authorization: String? { headers["authorization"] }
}

/// What goes back.
package struct HTTPResponse: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        /// A file open for reading, handed over.
        case file(descriptor: Int32, byteCount: UInt64)
    }

    package var status: UInt32
    package var headers: [(String, String)]
    package var body: Body
    /// It is sent so much later; others are answered meanwhile.
    package var delayMilliseconds = 0.0

    package init(status: UInt32, headers: [(String, String)] = [], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A sentence for a person or a log.
    package static func text(_ status: UInt32, _ text: String) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
            body: .bytes(Array((text + "\n").utf8)))
    }
}

/// What takes long to calculate before a request can be answered, such as the hash of a password: others are answered meanwhile.
package struct HTTPCalculation {
    /// Comes before those that are not.
    package let isUrgent: Bool
    /// Called on a thread for calculations, one at a time; touches nothing of the handler's.
    package let calculate: @Sendable () -> Void
    /// The answer; called on the server's thread, exactly once. `false` when the server stops, or the client is gone, and nothing was calculated.
    package let finish: (_ isCalculated: Bool) -> HTTPResponse

    package init(
        isUrgent: Bool, calculate: @escaping @Sendable () -> Void, finish: @escaping (_ isCalculated: Bool) -> HTTPResponse
    ) {
        self.isUrgent = isUrgent
        self.calculate = calculate
        self.finish = finish
    }
}

/// An answer, or what it takes to have one.
package enum HTTPOutcome {
    case answer(HTTPResponse)
    case calculation(HTTPCalculation)
}

/// Answers requests; called on the server's one thread.
package protocol HTTPHandler: AnyObject {
    /// Bytes of a body it takes for this request, or what to answer before any of the body was read.
    func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal>
    func answer(_ request: HTTPRequest) -> HTTPResponse
    /// As ``answer(_:)``, for whoever has something to calculate. Only ``HTTPServer`` asks for it.
    func outcome(of request: HTTPRequest) -> HTTPOutcome
    /// What to say to a body of more bytes than `begin` said; `request` comes without it.
    func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse
}

extension HTTPHandler {
    package func outcome(of request: HTTPRequest) -> HTTPOutcome { .answer(answer(request)) }

    package func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse {
        .text(413, "the body is larger than anything that is taken here; nothing of it was")
    }
}

/// An answer that needs no body.
package struct HTTPRefusal: Error {
    package let response: HTTPResponse

    package init(response: HTTPResponse) { self.response = response }
}

/// The address cannot be listened on.
package struct HTTPListenError: Error {
    /// Which, and the system's own words.
    package let detail: String
}
