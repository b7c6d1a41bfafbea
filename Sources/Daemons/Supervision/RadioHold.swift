// SPDX-License-Identifier: Apache-2.0

/// Decides the time for which the radio may stay open while the core is away. What a controller sends goes on without the
/// core until somebody stops it; an identifier that is sent beyond its ten minutes would make a person traceable, so the
/// radio is closed before that. Pure.
public struct RadioHold: Sendable {
    /// The radio is closed so long before the identifier's end: 2 seconds, a choice of ours, because ours is no real-time
    /// system. Clocks of core and supervisor are the same.
    public static let margin = Duration.seconds(2)

    private var end: Duration?
    private var isCoreAway = true

    /// A hold in which the core is away and nothing is on air.
    public init() {}

    /// Takes the core's word on the number of seconds from `now` for which the identifier on air is good; 0 or less if none
    /// is. Takes the place of what it said before.
    /// - Parameter now: The time of a clock that never goes back, the same in all calls.
    public mutating func didReport(secondsOnAir: Int, at now: Duration) {
        end = secondsOnAir > 0 ? now + .seconds(secondsOnAir) : nil
    }

    /// Notes that the core runs: from now on the radio is its own. Cannot fail.
    public mutating func coreDidStart() { isCoreAway = false }
    /// Notes that the core has ended: the radio is to be closed by ``closeBy``. Cannot fail.
    public mutating func coreDidEnd() { isCoreAway = true }

    /// The moment when the radio has to be closed if the core does not come back, on the clock of the calls; it may be past already. `nil` while the
    /// core is there, or if nothing is on air.
    public var closeBy: Duration? {
        guard isCoreAway, let end else { return nil }
        return end - Self.margin
    }

    /// Notes that the radio was closed: nothing is on air, and ``closeBy`` is `nil`.
    public mutating func didClose() { end = nil }
}
