// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD

/// A request that waits for its answer. Releasing the exchange without an answer closes the connection. For the loop's
/// thread only.
package final class HTTPExchange {
    /// The complete request, including its body.
    package let request: HTTPRequest
    private let pending: HTTPPending

    init(_ pending: HTTPPending) {
        self.pending = pending
        request = pending.request
    }

    deinit { pending.abandon() }

    /// Whether an answer can still be sent: none has been given, and the client is connected.
    package var isOpen: Bool { pending.connection != nil && pending.answer == nil }

    /// Sends the answer. Only the first answer counts, and none is sent if the client has disconnected.
    package func send(_ response: HTTPResponse) { pending.send(response, nil) }

    /// Answers with a stream of events; `headers` are added to those that a stream needs. Returns `nil`, and sends
    /// nothing, if ``HTTPLimits/streams`` streams have begun to be sent, or those of strangers
    /// (``HTTPLimits/strangerStreams``) for a stranger, if an answer has been given, or if the client has disconnected.
    package func stream(_ headers: [(String, String)], toStranger isStranger: Bool = false) -> HTTPEventStream? {
        guard isOpen, let server = pending.server, server.beginsStream(at: pending.descriptor, toStranger: isStranger)
        else { return nil }
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
