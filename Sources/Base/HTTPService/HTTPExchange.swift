// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD

/// A request that waits for its answer, for as long as somebody keeps it. Letting go of it without an answer closes the connection.
package final class HTTPExchange {
    /// The whole request, its body included.
    package let request: HTTPRequest
    private let pending: HTTPPending

    init(_ pending: HTTPPending) {
        self.pending = pending
        request = pending.request
    }

    deinit { pending.abandon() }

    /// Whether an answer still goes anywhere: none was given, and the client is there.
    package var isOpen: Bool { pending.connection != nil && pending.answer == nil }

    /// Answers. Only the first answer counts; none is sent when the client is gone. On the loop's thread.
    package func send(_ response: HTTPResponse) { pending.send(response, nil) }

    /// Answers with a stream of events and `headers` beside those that it needs. `nil` when there are as many streams as there may be
    /// (``HTTPLimits/streams``), an answer was given, or the client is gone: then nothing was sent.
    package func stream(_ headers: [(String, String)]) -> HTTPEventStream? {
        guard isOpen, let server = pending.server, server.mayStream else { return nil }
        let stream = HTTPEventStream(limit: server.limits.streamBytes, server: server)
        pending.send(
            HTTPResponse(
                status: 200,
                headers: [("Content-Type", "text/event-stream; charset=utf-8"), ("Cache-Control", "no-store")] + headers),
            stream)
        return stream
    }
}

/// What libmicrohttpd keeps of a request for us.
final class HTTPPending {
    var request: HTTPRequest
    let limit: Int
    let descriptor: Int32
    var isTooLarge = false
    var excess = 0
    var isAsked = false
    private(set) var answer: HTTPResponse?
    private(set) var stream: HTTPEventStream?
    /// Gone once the connection is.
    var connection: OpaquePointer?
    weak var server: HTTPLoopServer?
    var isSuspended = false
    private(set) var isAbandoned = false

    init(_ request: HTTPRequest, limit: Int, descriptor: Int32, connection: OpaquePointer, server: HTTPLoopServer) {
        self.request = request
        self.limit = limit
        self.descriptor = descriptor
        self.connection = connection
        self.server = server
    }

    func send(_ response: HTTPResponse, _ stream: HTTPEventStream?) {
        guard answer == nil, connection != nil else { return }
        answer = response
        self.stream = stream
        resume()
    }

    func abandon() {
        guard answer == nil else { return }
        isAbandoned = true
        resume()
    }

    private func resume() {
        guard isSuspended, let connection else { return }
        isSuspended = false
        MHD_resume_connection(connection)
        server?.wantsRun()
    }
}
