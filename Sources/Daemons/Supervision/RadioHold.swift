// SPDX-License-Identifier: Apache-2.0

/// Whether the radio may stay open while the core is away. What a controller sends goes on without the core until somebody stops it; an
/// identifier that is sent beyond its ten minutes would make a person traceable, so the radio is closed before that. Pure.
public struct RadioHold: Sendable {
    /// Closed this long before the identifier's end: clocks of core and supervisor are the same, ours is not a real-time system.
    public static let margin = Duration.seconds(2)

    private var end: Duration?
    private var isCoreAway = true

    public init() {}

    /// The core said for how long the identifier on air is good; 0 when none is.
    public mutating func didReport(secondsOnAir: Int, at now: Duration) {
        end = secondsOnAir > 0 ? now + .seconds(secondsOnAir) : nil
    }

    public mutating func coreDidStart() { isCoreAway = false }
    public mutating func coreDidEnd() { isCoreAway = true }

    /// When the radio has to be closed if the core does not come back; `nil` while the core is there, or when nothing is on air.
    public var closeBy: Duration? {
        guard isCoreAway, let end else { return nil }
        return end - Self.margin
    }

    /// The radio was closed: nothing is on air.
    public mutating func didClose() { end = nil }
}
