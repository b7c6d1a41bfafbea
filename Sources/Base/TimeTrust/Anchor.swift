// SPDX-License-Identifier: Apache-2.0

/// One point that ties the boot clock to civil time: at `boot` it was `wall`, give or take `uncertainty`.
struct Anchor: Sendable, Equatable {
    let source: TrustedTime.Source
    let boot: BootInstant
    /// Milliseconds since 1970; within the years that ``TrustedTime`` believes, so sums with elapsed time cannot overflow.
    let wall: Int64
    /// Milliseconds, either way.
    let uncertainty: Int64
    /// Milliseconds since the source spoke (a hold-over: since it began), at `boot`.
    let age: Int64

    /// The same statement, seen later on the boot clock: the time has moved on, and the crystal may have been wrong by
    /// `drift` parts per million.
    func projected(to now: BootInstant, drift: Int64) -> Anchor {
        let elapsed = now.millisecondsSince(boot)
        return Anchor(
            source: source, boot: max(boot, now), wall: wall.saturatingAdd(elapsed),
            uncertainty: uncertainty.saturatingAdd(Self.drift(over: elapsed, drift)), age: age.saturatingAdd(elapsed))
    }

    /// How far a clock of `partsPerMillion` may be off after `elapsed` milliseconds, rounded up.
    static func drift(over elapsed: Int64, _ partsPerMillion: Int64) -> Int64 {
        let (whole, rest) = elapsed.quotientAndRemainder(dividingBy: 1_000_000)
        return whole.saturatingMultiply(partsPerMillion).saturatingAdd((rest * partsPerMillion + 999_999) / 1_000_000)
    }

    /// Whether two statements about the same moment can both be true.
    func agrees(with other: Anchor) -> Bool {
        wall.saturatingSubtract(other.wall).magnitude <= UInt64(uncertainty.saturatingAdd(other.uncertainty))
    }

    var earliest: Int64 { wall.saturatingSubtract(uncertainty) }
    var latest: Int64 { wall.saturatingAdd(uncertainty) }

    /// The same statement, narrowed to what lies within `range`; never narrower than its source is believed to be.
    ///
    /// `range` must touch this statement.
    func narrowed(to range: ClosedRange<Int64>) -> Anchor {
        let low = max(earliest, range.lowerBound)
        let high = min(latest, range.upperBound)
        guard low > earliest || high < latest else { return self }
        let half = (high - low + 1) / 2
        return Anchor(
            source: source, boot: boot, wall: low + half,
            uncertainty: max(half, source.leastUncertainty.clampedMilliseconds), age: age)
    }
}
