// SPDX-License-Identifier: Apache-2.0

/// A limit on the amount that is read from a peer in each second; when it is reached, nothing more is read until that
/// second is over. The rest waits at the peer's end, and so does the peer. Pure.
public struct Pace: Sendable {
    private let limit: Int
    private var began: Duration
    private var taken = 0

    /// Creates a pace of which nothing is used up yet.
    ///
    /// - Parameters:
    ///   - limit: The amount that may be read in a second, in the unit of ``take(_:at:)``, above 0 (not checked); the last
    ///     read of a second may exceed it.
    ///   - now: The time on a monotonic clock, the same one in all calls.
    public init(_ limit: Int, at now: Duration) {
        self.limit = limit
        began = now
    }

    /// Notes that the amount `count` was read at `now`, on a monotonic clock. It counts towards the second that `now` lies
    /// in.
    public mutating func take(_ count: Int, at now: Duration) {
        if now - began >= .seconds(1) {
            began = now
            taken = 0
        }
        taken += count
    }

    /// Returns the time until which nothing more may be read, on the clock of the calls; `nil` if more may be read at
    /// `now`.
    public func rests(at now: Duration) -> Duration? {
        let end = began + .seconds(1)
        return taken >= limit && now < end ? end : nil
    }
}
