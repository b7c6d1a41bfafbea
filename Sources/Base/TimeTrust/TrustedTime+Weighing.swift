// SPDX-License-Identifier: Apache-2.0

extension TrustedTime {
    /// Decides about a reading without a signature.
    mutating func weigh(_ reading: PlausibleReading, _ observations: inout [Observation]) {
        let source = reading.source.source
        let least = source.leastUncertainty.clampedMilliseconds
        let claimed = max(least, reading.uncertainty.clampedMilliseconds)
        guard reading.time <= horizon else { return refuse(source, .beyondHorizon, reading.time, &observations) }
        guard claimed <= Limits.tolerance.clampedMilliseconds else {
            return refuse(source, .tooUncertain, reading.time, &observations)
        }
        let stated = Anchor(
            source: source, boot: latest, wall: reading.time.milliseconds, uncertainty: claimed, age: 0)
        guard stated.latest >= floor.milliseconds else {
            return refuse(source, .belowFloor, reading.time, &observations)
        }
        let new = stated.narrowed(to: floor.milliseconds...Int64.max)

        if let reference = standingReference(at: latest), reference.source > source, !new.agrees(with: reference) {
            let cause: Refusal.Cause = reference.source == .signed ? .contradictsSigned : .contradictsOperator
            return refuse(source, cause, reading.time, &observations)
        }
        let running = anchor.map(projected)
        let (state, _) = judge(running)
        guard let running, state > .untrusted, running.source > .holdOver else {
            return accept(new, &observations)
        }
        if state == .authenticated { return agree(source) }
        // What a person sets is set: it has been checked against signed time above.
        if source == .operator { return accept(new, &observations) }
        if new.agrees(with: running) {
            return new.uncertainty <= running.uncertainty ? accept(new, &observations) : agree(source)
        }
        if source > running.source { return accept(new, &observations) }
        // The boot clock, once set by something better, is the better clock of the two.
        if source == .clockChip, running.source > .clockChip {
            return refuse(source, .contradictsBetter, reading.time, &observations)
        }
        let leap = new.wall.saturatingSubtract(running.wall)
        if leap.magnitude > UInt64(Limits.tolerance.clampedMilliseconds), !isConfirmed(leapTo: new) {
            return refuse(source, .unconfirmedLeap, reading.time, &observations)
        }
        accept(new, &observations)
    }

    /// Decides about a signed time.
    mutating func weigh(_ reading: SignedReading, _ observations: inout [Observation]) {
        guard reading.sent.nanoseconds >= 0, reading.sent <= reading.received, reading.received <= latest else {
            return refuse(.signed, .impossibleRoundTrip, reading.time, &observations)
        }
        guard reading.time <= horizon else { return refuse(.signed, .beyondHorizon, reading.time, &observations) }
        let bound = Limits.authenticatedBound.clampedMilliseconds
        let trip = (reading.received.nanoseconds - reading.sent.nanoseconds).saturatingAdd(999_999) / 1_000_000
        let stated = max(0, reading.uncertainty.clampedMilliseconds)
        guard stated <= bound, trip <= 2 * bound else {
            return refuse(.signed, .tooUncertain, reading.time, &observations)
        }
        // When the answer arrived, it was at least what the authority read, and at most that and the whole way.
        let low = reading.time.milliseconds.saturatingSubtract(stated)
        let width = 2 * stated + trip + Anchor.drift(over: trip, limits.driftPartsPerMillion)
        let least = Source.signed.leastUncertainty.clampedMilliseconds
        var new = projected(
            Anchor(
                source: .signed, boot: reading.received, wall: low.saturatingAdd(width / 2),
                uncertainty: max(least, (width + 1) / 2), age: 0))
        guard new.uncertainty <= bound else { return refuse(.signed, .tooUncertain, reading.time, &observations) }
        guard new.latest >= floor.milliseconds else {
            return refuse(.signed, .belowFloor, reading.time, &observations)
        }
        var possible = floor.milliseconds...Int64.max
        // Two signed times that can both be true are true together: an answer that was held back on its way cannot make the
        // time vaguer. If they cannot, the crystal is worse than assumed, and the newer one is right.
        if let reference = standingReference(at: latest), reference.source == .signed, new.agrees(with: reference),
            reference.latest >= floor.milliseconds
        {
            possible = max(floor.milliseconds, reference.earliest)...reference.latest
        }
        // Once: what is narrowed may say more than was stated, and must not be asked again whether it agrees.
        new = new.narrowed(to: possible)
        signedFloor = max(UnixTime(milliseconds: low), signedFloor ?? Limits.earliest)
        reference = new
        accept(new, &observations)
    }

    private mutating func accept(_ new: Anchor, _ observations: inout [Observation]) {
        settle(new.source)
        if new.source == .operator, standingReference(at: latest)?.source != .signed { reference = new }
        adopt(new, &observations)
    }

    private mutating func agree(_ source: Source) {
        settle(source)
        counters.agreed &+= 1
    }

    private mutating func settle(_ source: Source) {
        leaps[source] = nil
        refusals[source] = nil
    }

    private mutating func refuse(
        _ source: Source, _ cause: Refusal.Cause, _ time: UnixTime, _ observations: inout [Observation]
    ) {
        counters.refused[cause, default: 0] &+= 1
        if cause != .unconfirmedLeap { leaps[source] = nil }
        let refusal = Refusal(
            source: source, cause: cause,
            difference: anchor.map { time.since(UnixTime(milliseconds: projected($0).wall)) })
        let isNews = refusals[source]?.refusal.cause != cause
        refusals[source] = StandingRefusal(refusal: refusal, boot: latest)
        if isNews { observations.append(.refused(refusal)) }
    }

    private var neededConfirmation: Duration {
        // What a person has set wrong is not to last for longer than its day.
        let steady = anchor?.source == .network ? steadySince.map { latest.millisecondsSince($0) } ?? 0 : 0
        return steady >= Limits.steadySpan.clampedMilliseconds ? Limits.steadyLeapConfirmation : Limits.leapConfirmation
    }

    /// Whether this source has contradicted itself in the same way for long enough. Begins counting if not.
    private mutating func isConfirmed(leapTo new: Anchor) -> Bool {
        if let first = leaps[new.source] {
            let waited = latest.millisecondsSince(first.boot)
            if new.agrees(with: projected(first)), waited <= Limits.contradictionLifetime.clampedMilliseconds {
                return waited >= neededConfirmation.clampedMilliseconds
            }
        }
        leaps[new.source] = new
        return false
    }
}
