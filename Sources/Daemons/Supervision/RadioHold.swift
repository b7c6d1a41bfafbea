// SPDX-License-Identifier: Apache-2.0

/// Decides for how long the radio may stay open while the core is away. A controller goes on sending without the core until
/// it is stopped; an identifier that is sent beyond its ten minutes would make a person traceable, so the radio is closed
/// before that. Pure.
public struct RadioHold: Sendable {
    /// The time before the identifier's end at which the radio is closed: 2 seconds, our choice, because this is no
    /// real-time system. The core and the supervisor use the same clock.
    public static let margin = Duration.seconds(2)

    private var end: Duration?
    private var isCoreAway = true

    /// Creates a hold for a core that is away, with no identifier on air.
    public init() {}

    /// Notes for how many seconds from `now` the identifier on air is still good, as the core reports it; 0 or less if none
    /// is on air. Replaces the earlier report.
    /// - Parameter now: The time on a monotonic clock, the same one in all calls.
    public mutating func didReport(secondsOnAir: Int, at now: Duration) {
        end = secondsOnAir > 0 ? now + .seconds(secondsOnAir) : nil
    }

    /// Notes that the core runs and controls the radio itself: ``closeBy`` is `nil`. Cannot fail.
    public mutating func coreDidStart() { isCoreAway = false }
    /// Notes that the core has ended: the radio has to be closed by ``closeBy``. Cannot fail.
    public mutating func coreDidEnd() { isCoreAway = true }

    /// The time by which the radio has to be closed if the core does not come back, on the clock of the calls; it may be
    /// past already. `nil` while the core runs, or if no identifier is on air.
    public var closeBy: Duration? {
        guard isCoreAway, let end else { return nil }
        return end - Self.margin
    }

    /// Whether an identifier is on air at `now`, on the clock of the other calls, by the core's last report.
    public func isOnAir(at now: Duration) -> Bool { end.map { now < $0 } ?? false }

    /// Notes that the radio was closed: nothing is on air, and ``closeBy`` is `nil`.
    public mutating func didClose() { end = nil }
}
