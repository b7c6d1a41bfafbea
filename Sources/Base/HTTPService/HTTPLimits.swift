// SPDX-License-Identifier: Apache-2.0

/// Limits for everybody who connects to a ``HTTPLoopServer``. Times are counted from the beginning of a step, however much comes meanwhile: a byte
/// now and then keeps nothing open. The numbers are our own choice; no specification gives them.
package struct HTTPLimits: Sendable {
    /// Connections at once. One more takes the place of the one that has been silent for longest, or is closed.
    package var connections = 64
    /// Connections of one address at once; of IPv6, of one /64. Those from the machine itself (loopback) have no bound of their own.
    package var connectionsPerAddress = 24
    /// Streams of events at once; see ``HTTPExchange/stream(_:)``.
    package var streams = 16
    /// Seconds for a request's head, from the connection or the answer before.
    package var headSeconds = 15
    /// Seconds for a request's body, from the end of its head.
    package var bodySeconds = 30
    /// Seconds until the answer has been taken, from the end of the request; not for streams.
    package var answerSeconds = 60
    /// Seconds for a body while others find no room: a form comes with its head.
    package var crowdedBodySeconds = 5
    /// Seconds until the answer has been taken, from the end of the request, while others find no room: the work that an answer may wait for included.
    package var crowdedAnswerSeconds = 15
    /// Seconds between two signs of life in a stream.
    package var heartbeatSeconds = 15
    /// Bytes of a head, names and values together.
    package var headBytes = 16 << 10
    /// Bytes that wait in a stream for a reader who is slow; with more it is closed.
    package var streamBytes = 64 << 10

    /// Bytes beyond a body's limit that are read and dropped, or the answer would be lost with the connection; whoever sends more gets none.
    package static let droppedBytes = 1 << 20

    /// The limits of a board, as given above.
    package init() {}
}
