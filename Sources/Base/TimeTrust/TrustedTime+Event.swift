// SPDX-License-Identifier: Apache-2.0

extension TrustedTime {
    /// Input of the machine: the passing of time, a reading, or the end of the program.
    public enum Event: Sendable, Equatable {
        /// Time has passed. Wanted first after start, then at least every five minutes: with each scan.
        case tick
        /// A source without a signature was read just now.
        case plausible(PlausibleReading)
        /// A signed answer was verified.
        case signed(SignedReading)
        /// The program is about to stop in good order: the snapshot that follows is the last.
        case stopping
    }

    /// A reading of a clock without a signature: from a clock chip, the network or a person.
    public struct PlausibleReading: Sendable, Equatable {
        /// The clock chip, the network or a person.
        public let source: PlausibleSource
        /// The source's time at the moment of the event.
        public let time: UnixTime
        /// The error that the source itself admits, either way, as a span of time, zero or more; each source has a least
        /// that is assumed anyway.
        public let uncertainty: Duration

        /// A reading at the moment of the event; without an uncertainty the least of its source is assumed. Cannot fail.
        public init(_ source: PlausibleSource, _ time: UnixTime, uncertainty: Duration = .zero) {
            self.source = source
            self.time = time
            self.uncertainty = uncertainty
        }
    }

    /// The authority's time, already verified: signature by a time key in force, over the nonce of this very request.
    public struct SignedReading: Sendable, Equatable {
        /// The signed time. The authority read it at some moment between ``sent`` and ``received``.
        public let time: UnixTime
        /// The error that the signer admits, either way; it is signed too. Zero or more in an honest answer.
        public let uncertainty: Duration
        /// The time when the nonce was made, on the boot clock. The answer can be no older than that.
        public let sent: BootInstant
        /// The time when the answer arrived, on the boot clock; not before ``sent``.
        public let received: BootInstant

        /// A signed answer whose signature was verified; whether it can be believed is for the machine to judge.
        public init(time: UnixTime, uncertainty: Duration, sent: BootInstant, received: BootInstant) {
            self.time = time
            self.uncertainty = uncertainty
            self.sent = sent
            self.received = received
        }
    }

    /// Output of the machine: requests and reports, in the order in which they are to be obeyed.
    public enum Observation: Sendable, Equatable {
        /// The running time was changed by a reading. Identifiers are taken anew from the schedule at once.
        case stepped(Step)
        /// The state rose, to the first value: broadcasting, and from authenticated on deleting, may begin.
        case becameTrusted(State, Reason)
        /// The state fell from a better one; the first value is the new state. What the new state does not permit has to
        /// end.
        case degraded(State, Reason)
        /// Signed time proves that it is now at least this late. Nothing earlier is believed from now on.
        case floorRaised(UnixTime)
        /// A reading was not believed. Reported when the cause is another than at the last refusal of this source, or the source was believed in
        /// between; every one is counted.
        case refused(Refusal)
        /// To be stored before the next identifier goes on air.
        case persist(Snapshot)
    }

    /// A change of the running time that is not the passing of time.
    public struct Step: Sendable, Equatable {
        /// The running time before the step.
        public let from: UnixTime
        /// The running time after the step.
        public let to: UnixTime

        /// A step between two times, of which either may be the earlier one. Cannot fail.
        public init(from: UnixTime, to: UnixTime) {
            self.from = from
            self.to = to
        }

        /// Length of the step in whole milliseconds; negative if the time went backwards.
        public var by: Duration { to.since(from) }
        /// Whether the time went backwards, so that intervals may come a second time: the schedule must be asked, which then makes a fresh TEK.
        public var isBackwards: Bool { to < from }
        /// Whether the UTC day has changed, either way: the TEK rolls, and scans go to another day's log.
        public var crossesMidnight: Bool { from.day != to.day }
    }

    /// A reading that was not believed, and why; for the page and the log.
    public struct Refusal: Sendable, Equatable {
        /// The source whose reading was not believed.
        public let source: Source
        /// The reason why the reading was not believed.
        public let cause: Cause
        /// The lead of the reading over the running time, in whole milliseconds, negative if behind; `nil` when there is no
        /// running time.
        public let difference: Duration?

        /// A refusal of these parts, unchecked; the machine makes them, and tests do. `difference` is `nil` when there is no running time.
        public init(source: Source, cause: Cause, difference: Duration?) {
            self.source = source
            self.cause = cause
            self.difference = difference
        }

        /// The reason why a reading is not believed. The raw value is stable and meant for machines.
        public enum Cause: String, Sendable, CaseIterable {
            /// Earlier than the build of the firmware or the last signed time.
            case belowFloor = "below-floor"
            /// More than ten years after the build of the firmware.
            case beyondHorizon = "beyond-horizon"
            /// Too vague to be of use.
            case tooUncertain = "too-uncertain"
            /// Sent and received at moments that cannot be.
            case impossibleRoundTrip = "impossible-round-trip"
            /// Contradicts a signed time.
            case contradictsSigned = "contradicts-signed"
            /// Contradicts what a person has set within a day.
            case contradictsOperator = "contradicts-operator"
            /// A clock chip that contradicts a better source.
            case contradictsBetter = "contradicts-better"
            /// A source that contradicts itself; believed if it still says so in 15 minutes.
            case unconfirmedLeap = "unconfirmed-leap"
        }
    }
}
