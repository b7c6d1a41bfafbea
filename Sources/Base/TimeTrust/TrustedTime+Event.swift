// SPDX-License-Identifier: Apache-2.0

extension TrustedTime {
    /// An input to the state machine: the passing of time, a reading, or the end of the program.
    public enum Event: Sendable, Equatable {
        /// Time has passed. Send one first after the start, and then at least every five minutes, with each scan.
        case tick
        /// A source that does not sign its time was read just now.
        case plausible(PlausibleReading)
        /// A signed answer was received and verified.
        case signed(SignedReading)
        /// The program is about to stop in an orderly way: the snapshot that follows is the last. None follows if
        /// no time was ever known.
        case stopping
    }

    /// A reading from a source that does not sign its time: a clock chip, the network or a person.
    public struct PlausibleReading: Sendable, Equatable {
        /// The source of the reading.
        public let source: PlausibleSource
        /// The source's time at the moment of the event.
        public let time: UnixTime
        /// The greatest error that the source states for its time, either way; a negative one counts as zero. Each
        /// source has a minimum that is assumed in any case: 60 s for a person, 5 minutes for a clock chip, 1 s for
        /// the network. More than ``Limits/tolerance`` is refused.
        public let uncertainty: Duration

        /// Creates a reading at the moment of the event. By default the minimum uncertainty of the source is assumed.
        /// Cannot fail.
        public init(_ source: PlausibleSource, _ time: UnixTime, uncertainty: Duration = .zero) {
            self.source = source
            self.time = time
            self.uncertainty = uncertainty
        }
    }

    /// The authority's time from a verified answer: signed by a time key in force, over the nonce of this request.
    public struct SignedReading: Sendable, Equatable {
        /// The signed time. The authority read it at some moment between ``sent`` and ``received``.
        public let time: UnixTime
        /// The greatest error that the signer states, either way; covered by the signature. Zero or more in an
        /// honest answer; a negative one counts as zero. More than ``Limits/authenticatedBound`` is refused.
        public let uncertainty: Duration
        /// The moment when the nonce was made, on the boot clock, 0 or more. The answer cannot be older.
        public let sent: BootInstant
        /// The moment when the answer arrived, on the boot clock; not before ``sent``, and not after the moment of
        /// the event. Half of the time between the two adds to the uncertainty.
        public let received: BootInstant

        /// Creates a reading from an answer whose signature and nonce were verified; nothing is checked here.
        /// ``TrustedTime`` decides whether it is believed.
        public init(time: UnixTime, uncertainty: Duration, sent: BootInstant, received: BootInstant) {
            self.time = time
            self.uncertainty = uncertainty
            self.sent = sent
            self.received = received
        }
    }

    /// An output of the state machine: a request or a report. They must be handled in the order given.
    public enum Observation: Sendable, Equatable {
        /// A reading has changed the running time. Identifiers must be taken from the schedule again at once. The
        /// first reading after a power cut is a step only if it lies before the time that was stored.
        case stepped(Step)
        /// The state has risen to the first value: broadcasting may begin and, with `authenticated`, deleting too.
        case becameTrusted(State, Reason)
        /// The state has fallen to the first value. Whatever the new state does not permit must end.
        case degraded(State, Reason)
        /// A signed time proves that it is now at least this late. From now on nothing earlier is believed.
        case floorRaised(UnixTime)
        /// A reading was not believed. Reported only if the cause differs from that of the source's last refusal, or the
        /// source was believed in between; the counters include every refusal.
        case refused(Refusal)
        /// The snapshot must be stored before the next identifier is broadcast.
        case persist(Snapshot)
    }

    /// A change of the running time, other than the passing of time.
    public struct Step: Sendable, Equatable {
        /// The running time before the step.
        public let from: UnixTime
        /// The running time after the step.
        public let to: UnixTime

        /// Creates a step between two times, either of which may be the earlier one. Cannot fail.
        public init(from: UnixTime, to: UnixTime) {
            self.from = from
            self.to = to
        }

        /// The length of the step in whole milliseconds; negative if the time went back.
        public var by: Duration { to.since(from) }
        /// Whether the time went back, by however little. The schedule then continues a few intervals ahead of the
        /// clock (`TEKSchedule.mostAhead`); if that is not enough, it makes a new TEK.
        public var isBackwards: Bool { to < from }
        /// Whether the UTC day has changed, in either direction: the TEK changes, and scans go to the log of another day.
        public var crossesMidnight: Bool { from.day != to.day }
    }

    /// A reading that was not believed, with the cause; for the page and the log.
    public struct Refusal: Sendable, Equatable {
        /// The source whose reading was not believed.
        public let source: Source
        /// The reason why the reading was not believed.
        public let cause: Cause
        /// The difference between the reading and the running time, in whole milliseconds; negative if the reading is
        /// behind. `nil` if there was no running time.
        public let difference: Duration?

        /// Creates a refusal, unchecked; for the state machine and for tests. `difference` is `nil` if there was no running
        /// time.
        public init(source: Source, cause: Cause, difference: Duration?) {
            self.source = source
            self.cause = cause
            self.difference = difference
        }

        /// The reason why a reading is not believed. Raw values are stable and meant for machines.
        public enum Cause: String, Sendable, CaseIterable {
            /// The reading, even with its uncertainty added, is earlier than the build of the firmware or the last
            /// signed time.
            case belowFloor = "below-floor"
            /// The reading is more than ten years after the build of the firmware.
            case beyondHorizon = "beyond-horizon"
            /// The uncertainty of the reading is too great: more than ``Limits/tolerance``, or for signed time more
            /// than ``Limits/authenticatedBound``, half of the round trip included.
            case tooUncertain = "too-uncertain"
            /// The moments at which the request was sent and the answer arrived are impossible.
            case impossibleRoundTrip = "impossible-round-trip"
            /// The reading contradicts a signed time.
            case contradictsSigned = "contradicts-signed"
            /// The reading contradicts a time that a person has set within a day.
            case contradictsOperator = "contradicts-operator"
            /// A clock chip contradicts a better source.
            case contradictsBetter = "contradicts-better"
            /// The network or a clock chip differs from the running time by more than ``Limits/tolerance``, and no
            /// better source forbids that. It is believed if it repeats the reading for
            /// ``Limits/leapConfirmation``. A smaller difference is believed at once.
            case unconfirmedLeap = "unconfirmed-leap"
        }
    }
}
