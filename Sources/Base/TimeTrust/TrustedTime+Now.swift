// SPDX-License-Identifier: Apache-2.0

extension TrustedTime {
    /// The time at one moment, how far it is trusted, and what that permits.
    public struct Now: Sendable, Equatable {
        /// The degree of trust in the time, which decides what is permitted.
        public let state: State
        /// The reason why the time has this state; for the page and for programs.
        public let reason: Reason
        /// The most likely time; `nil` while untrusted, so that nothing can act on it.
        public let time: UnixTime?
        /// The greatest error of ``time``, either way (after a hold-over, the greatest delay); zero or more, `nil` while
        /// untrusted.
        public let uncertainty: Duration?
        /// The earliest time that is believed, known in every state.
        public let floor: UnixTime
        /// The last refusal of the strongest source that was refused within the last day and has not been believed
        /// since; `nil` if there is none.
        public let contradiction: Refusal?
        /// What the sentence tells beside the reason, in milliseconds: the uncertainty also of a time that is not trusted any
        /// more, the age of what its source said, and how much longer carried time is used.
        let bound, age, left: Int64

        /// Whether TEKs may be made and identifiers broadcast.
        public var mayBroadcast: Bool { state >= .plausible }
        /// Whether old data may be deleted by this time alone: data that is too old at ``earliest``, which is certainly
        /// past.
        public var mayDelete: Bool { state == .authenticated }

        /// Returns a time that is certainly past, as a basis for deleting; `nil` while untrusted, and without a
        /// `fileEnd` unless authenticated.
        ///
        /// A signed time suffices alone. Any other time does not, because a single wrong clock must not delete
        /// anything; nor does the end of a key file's period, because whoever signs keys does not sign the time. So
        /// the earlier of the two counts: if one of them is wrong, nothing is deleted too soon.
        ///
        /// - Parameter fileEnd: The newest signed end of a verified key file's period that was not in the future by
        ///   this board's clock; `nil` if there is none.
        public func certainlyPast(_ fileEnd: UnixTime?) -> UnixTime? {
            guard let earliest else { return nil }
            if mayDelete { return earliest }
            return fileEnd.map { min($0, earliest) }
        }
        /// The earliest time that it can be now; `nil` while untrusted.
        public var earliest: UnixTime? {
            guard let time, let uncertainty else { return nil }
            return max(floor, time.advanced(by: .zero - uncertainty))
        }
    }

    /// Returns the time at `boot`; a moment before the latest event counts as the moment of that event. Changes nothing.
    /// Between two events the time only advances, the uncertainty only grows, and the state only falls.
    public func now(at boot: BootInstant) -> Now {
        let boot = max(boot, latest)
        let now = anchor?.projected(to: boot, drift: limits.driftPartsPerMillion)
        let (state, reason) = judge(now)
        let contradiction = refusals.values.filter {
            boot.millisecondsSince($0.boot) <= Limits.contradictionLifetime.clampedMilliseconds
        }.map(\.refusal).max { $0.source < $1.source }
        let isKnown = state > .untrusted
        let age = now?.age ?? 0
        return Now(
            state: state, reason: reason, time: isKnown ? now.map { UnixTime(milliseconds: $0.wall) } : nil,
            uncertainty: isKnown ? now.map { .milliseconds($0.uncertainty) } : nil, floor: floor,
            contradiction: contradiction, bound: now?.uncertainty ?? 0, age: age,
            left: max(0, (limits.holdOver?.longest.clampedMilliseconds ?? 0).saturatingSubtract(age)))
    }
}

extension TrustedTime.Now {
    /// The uncertainty in whole seconds, rounded up as in ``sentence``; `nil` if the time is not known.
    public var uncertaintySeconds: Int64? {
        uncertainty.map { $0.components.seconds + ($0.components.attoseconds > 0 ? 1 : 0) }
    }

    /// A sentence in English about the state, followed by the contradiction if there is one; for the wearer and the
    /// technician.
    public var sentence: String {
        stateSentence + (contradiction.map { " " + $0.sentence } ?? "")
    }

    private var stateSentence: String {
        let bound = inWords(bound, rounded: .up)
        let sends = "identifiers are sent, nothing is deleted by it alone"
        let stopped = "Nothing is sent. Connect the device or set the time."
        switch reason {
        case .signed:
            return "The time is signed by the health authority and right to within \(bound)."
        case .signedLongAgo:
            return "The time was signed by the health authority \(inWords(age)) ago and may be wrong by \(bound) since: "
                + "\(sends)."
        case .network:
            return "The time comes from the network, to within \(bound), and is not signed: \(sends)."
        case .operator:
            return "The time was set by hand, to within \(bound), and is not signed: \(sends)."
        case .clockChip:
            return "The time comes from the board's clock chip, to within \(bound), and is not signed: \(sends)."
        case .holdOver:
            return "The time was carried over a power cut and may be late by \(bound): \(sends). "
                + "A clock must be heard within \(inWords(left))."
        case .noSource:
            return "The time is not known. \(stopped)"
        case .powerLost:
            return "The time was lost with the power. \(stopped)"
        case .holdOverExpired:
            return "The time was carried over a power cut and no clock has confirmed it since. \(stopped)"
        case .drifted:
            return "No clock was heard for so long that the time may be wrong by \(bound). \(stopped)"
        }
    }
}

extension TrustedTime.Refusal {
    /// A sentence in English about the refusal, for the technician.
    public var sentence: String {
        let speaker =
            switch source {
            case .holdOver: "The stored time"
            case .clockChip: "The clock chip"
            case .network: "The network"
            case .operator: "The time set by hand"
            case .signed: "The signed time"
            }
        var distance = ""
        if let difference {
            let milliseconds = difference.clampedMilliseconds
            distance = " (\(inWords(milliseconds)) \(milliseconds < 0 ? "behind" : "ahead"))"
        }
        switch cause {
        case .belowFloor: return "\(speaker) is not believed: it lies before what is certainly past\(distance)."
        case .beyondHorizon: return "\(speaker) is not believed: it lies years in the future\(distance)."
        case .tooUncertain: return "\(speaker) is too inexact to be used."
        case .impossibleRoundTrip: return "\(speaker) is not believed: it came in an impossible way."
        case .contradictsSigned: return "\(speaker) is not believed: it contradicts the signed time\(distance)."
        case .contradictsOperator: return "\(speaker) is not believed: it contradicts the time set by hand\(distance)."
        case .contradictsBetter: return "\(speaker) is not believed: it contradicts a better clock\(distance)."
        case .unconfirmedLeap:
            return
                "\(speaker) has leapt\(distance): it is believed if it goes on saying so, for 15 minutes or, against a time that was steady for a day, for 12 hours."
        }
    }
}

/// A span in the unit a person would choose, without sign. Bounds are rounded up: they must not sound better than they are.
func inWords(_ milliseconds: Int64, rounded rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero) -> String {
    let seconds = (Double(milliseconds.magnitude) / 1_000).rounded(rule)
    let units: [(length: Double, name: String)] = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
    for unit in units where seconds >= 2 * unit.length {
        return "\(Int64((seconds / unit.length).rounded(rule))) \(unit.name)s"
    }
    return seconds == 1 ? "1 second" : "\(Int64(seconds)) seconds"
}
