// SPDX-License-Identifier: Apache-2.0

/// A limit on the amount read from a peer in each second; beyond it nothing is read until the next second begins. The rest
/// waits at the peer's end, and the peer with it. Pure.
public struct Pace: Sendable {
    private let limit: Int
    private var began: Duration
    private var taken = 0

    /// A pace that nothing was taken at yet.
    ///
    /// - Parameters:
    ///   - limit: The amount that is taken in a second, in whatever unit ``take(_:at:)`` counts, above 0 (not checked); the
    ///     last part may go beyond it.
    ///   - now: The time of a clock that never goes back, the same in all calls.
    public init(_ limit: Int, at now: Duration) {
        self.limit = limit
        began = now
    }

    /// Notes that `count` were taken at `now`, on a clock that never goes back. They count for the second that they fall
    /// into.
    public mutating func take(_ count: Int, at now: Duration) {
        if now - began >= .seconds(1) {
            began = now
            taken = 0
        }
        taken += count
    }

    /// The moment until which nothing more is taken, on the clock of the calls; `nil` when more may be taken now.
    public func rests(at now: Duration) -> Duration? {
        let end = began + .seconds(1)
        return taken >= limit && now < end ? end : nil
    }
}
