// SPDX-License-Identifier: Apache-2.0

/// The limits for the clients of a ``HTTPLoopServer``. Each time is counted from the beginning of a step, no matter how
/// many bytes arrive, so that a client cannot keep a connection open with a byte now and then. The numbers are our own
/// choice; no specification gives them.
package struct HTTPLimits: Sendable {
    /// The number of simultaneous connections. A further one replaces, in this order: a connection, but no stream,
    /// of the address that has the most, if that is at least two more than the newcomer's address has; the one that
    /// has been silent for longest; one whose body or answer is slow (``crowdedBodySeconds``,
    /// ``crowdedAnswerSeconds``). If there is none, the further one is closed.
    package var connections = 64
    /// The number of simultaneous connections from one IPv4 address or one IPv6 /64. A further one can only replace
    /// one of these. Connections from this machine (loopback) have no such limit.
    package var connectionsPerAddress = 24
    /// The number of simultaneous event streams; for a further one ``HTTPExchange/stream(_:)`` returns `nil`.
    package var streams = 16
    /// How many of these streams may be of strangers, and of strangers from one IPv4 address or one IPv6 /64; the
    /// second does not bind this machine (loopback). So whoever is known always finds one, whatever strangers do.
    package var (strangerStreams, strangerStreamsPerAddress) = (6, 2)
    /// The seconds allowed for the head of a request, counted from the connection or the previous answer.
    package var headSeconds = 15
    /// The seconds allowed for the body of a request, counted from the end of its head.
    package var bodySeconds = 30
    /// The seconds allowed for answering a request, until the client has received the answer; counted from the end of the
    /// request. Streams have no such limit.
    package var answerSeconds = 60
    /// The seconds after which a body that is still arriving may be dropped for a new connection when all are
    /// taken.
    package var crowdedBodySeconds = 5
    /// The seconds, counted from the end of the request, after which a request whose answer has not been received
    /// completely may be dropped for a new connection when all are taken. They include the work that the answer
    /// waits for.
    package var crowdedAnswerSeconds = 15
    /// The seconds between two comments in a stream, which keep intermediaries from closing it.
    package var heartbeatSeconds = 15
    /// The most bytes that a head may have: the path, and the name and the value of each header plus four. A larger
    /// one is answered with status 431.
    package var headBytes = 16 << 10
    /// The most bytes that may wait in a stream for a slow client; with more the stream ends.
    package var streamBytes = 64 << 10

    /// The number of bytes beyond a body's limit that are read and discarded, because the client would otherwise lose the
    /// answer. A client that sends more gets no answer.
    package static let droppedBytes = 1 << 20

    /// Creates limits with the values given above, for a board.
    package init() {}
}
