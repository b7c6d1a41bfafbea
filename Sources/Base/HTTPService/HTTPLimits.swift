// SPDX-License-Identifier: Apache-2.0

/// The limits for the clients of a ``HTTPLoopServer``. Each time is counted from the beginning of a step, no matter how
/// many bytes arrive, so that a client cannot keep a connection open with a byte now and then. The numbers are our own
/// choice; no specification gives them.
package struct HTTPLimits: Sendable {
    /// The number of simultaneous connections. One more replaces the connection that has been silent for longest, or is
    /// closed.
    package var connections = 64
    /// The number of simultaneous connections from one IPv4 address or one IPv6 /64. Connections from this machine
    /// (loopback) have no such limit.
    package var connectionsPerAddress = 24
    /// The number of simultaneous event streams; see ``HTTPExchange/stream(_:)``.
    package var streams = 16
    /// The seconds allowed for the head of a request, counted from the connection or the previous answer.
    package var headSeconds = 15
    /// The seconds allowed for the body of a request, counted from the end of its head.
    package var bodySeconds = 30
    /// The seconds allowed for answering a request, until the client has received the answer; counted from the end of the
    /// request. Streams have no such limit.
    package var answerSeconds = 60
    /// Seconds for a body while others find no room: a form comes with its head.
    package var crowdedBodySeconds = 5
    /// Seconds until the answer has been taken, from the end of the request, while others find no room: the work that an answer may wait for included.
    package var crowdedAnswerSeconds = 15
    /// Seconds between two signs of life in a stream.
    package var heartbeatSeconds = 15
    /// The most bytes that a head may have, names and values together.
    package var headBytes = 16 << 10
    /// The most bytes that may wait in a stream for a slow client; with more the stream ends.
    package var streamBytes = 64 << 10

    /// The number of bytes beyond a body's limit that are read and discarded, because the client would otherwise lose the
    /// answer. A client that sends more gets no answer.
    package static let droppedBytes = 1 << 20

    /// Creates the limits for a board, as given above.
    package init() {}
}
