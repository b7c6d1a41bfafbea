// SPDX-License-Identifier: Apache-2.0

extension TrustedTime {
    /// The numbers time trust is decided by. Those that depend on the board can be set; the others follow from the protocol
    /// (docs/time.md, "Numbers").
    public struct Limits: Sendable, Equatable {
        /// The error of the time beyond which nothing is sent any more: 50 minutes.
        ///
        /// A receiver lets interval *i* count from 7,200 s before its start to 7,800 s after (±12 intervals, shared facts:
        /// gaen-core section 5). An identifier may be taken in the last second of its interval and stay on air for 20
        /// minutes, so it is heard up to 1,800 s after the start. What is left for the difference of two clocks is 7,200 s
        /// one way and 6,000 s the other; two boards of which each is wrong by no more than half of 6,000 s still meet.
        public static let tolerance: Duration = .seconds(3_000)
        /// The error beyond which a signed time no longer counts as authenticated: ten minutes, one interval. With 100 ppm
        /// of drift that is 69 days without an answer from the authority.
        public static let authenticatedBound: Duration = .seconds(600)
        /// The earliest time that is believed, 2020-01-01: Exposure Notification came in April 2020.
        public static let earliest = UnixTime(seconds: 1_577_836_800)
        /// The span after the build of the firmware beyond which no time is believed, from any source: ten years, our own
        /// choice. A board that had no update for that long must not be on air; a damaged floor can lock out the present
        /// for no longer either.
        public static let horizon: Duration = .seconds(10 * 365 * 86_400)
        /// The time for which a time set by hand binds the network and the clock chip: one day. Our own choice: long enough
        /// to get past a lying network on the spot, short enough that a typing error heals by itself.
        public static let operatorPrecedence: Duration = .seconds(86_400)
        /// The time for which a network or a clock chip must repeat a contradiction of itself before it is believed: 15
        /// minutes. Our own choice: longer than any restart of a time server.
        public static let leapConfirmation: Duration = .seconds(900)
        /// The time after which a contradiction must start anew, and is no longer shown: one day. Our own choice.
        public static let contradictionLifetime: Duration = .seconds(86_400)
        /// The largest difference between the running time and the stored one that waits for the next regular saving: a second, the unit in which
        /// sources speak.
        public static let unsavedStep: Duration = .seconds(1)

        /// The greatest drift of the boot clock, either way, in parts per million of elapsed time.
        ///
        /// 100 by default: common crystals are within ±20 at 25 °C, ±50 with temperature and age; the kernel slews by up to
        /// 500 only while NTP disciplines it, and then NTP is heard.
        public let driftPartsPerMillion: Int64
        /// The rules for carrying time over a power cut; `nil` for boards that stand in no one's way when they wait for a
        /// clock.
        public let holdOver: HoldOver?
        /// Time between two regular snapshots: 1 minute to 1 hour.
        public let saveInterval: Duration

        /// The assumptions under which time is carried over a power cut.
        public struct HoldOver: Sendable, Equatable {
            /// The longest time that the board is assumed to have been without power, in total since a clock was last
            /// heard. More than zero.
            public let offAllowance: Duration
            /// The greatest age of the last snapshot when the power went: the saving interval and the longest pause between
            /// two events. Charged once per cut, not after an orderly stop.
            public let snapshotAge: Duration
            /// The time for which carried time is used before a clock must be heard: more than zero, at most 14 days.
            public let longest: Duration

            /// The assumptions for tokens with a battery that is changed by hand: 15 minutes without power in total;
            /// snapshots every ten minutes, noticed at most five minutes late (a scan comes at least that often); from
            /// Friday evening to Monday evening without a clock. Two cuts in a row pass (15 + 15 + 15 minutes), a third
            /// does not.
            public static let swappedBattery = HoldOver(
                offAllowance: .seconds(900), snapshotAge: .seconds(900), longest: .seconds(72 * 3_600))

            /// Makes assumptions and checks none; ``Limits/init(driftPartsPerMillion:holdOver:saveInterval:)`` judges them.
            public init(offAllowance: Duration, snapshotAge: Duration, longest: Duration) {
                self.offAllowance = offAllowance
                self.snapshotAge = snapshotAge
                self.longest = longest
            }
        }

        /// The reason why a board profile's numbers are refused.
        public enum Problem: Error, Sendable, Equatable {
            /// Drift is not within 1…1,000 ppm.
            case driftOutOfRange
            /// The saving interval is not within 1 minute…1 hour.
            case saveIntervalOutOfRange
            /// Snapshots may be younger than the interval they are saved at, a span is not positive, or carried time is used
            /// for more than 14 days.
            case holdOverOutOfRange
            /// Allowance and snapshot age alone exceed the tolerance: time could never be carried over.
            case holdOverNeverPossible
        }

        /// The limits of a token whose battery is changed by hand: 100 ppm, ``HoldOver/swappedBattery``, a snapshot every
        /// ten minutes.
        public static let standard = Limits(
            unchecked: 100, holdOver: .swappedBattery, saveInterval: .seconds(600))

        /// Checks and takes the numbers of a board profile; throws the first ``Problem`` that is found. `holdOver` is `nil` for boards that carry no
        /// time over a power cut. The defaults are those of ``standard``.
        public init(
            driftPartsPerMillion: Int64 = 100, holdOver: HoldOver? = .swappedBattery, saveInterval: Duration = .seconds(600)
        ) throws(Problem) {
            guard (1...1_000).contains(driftPartsPerMillion) else { throw .driftOutOfRange }
            guard saveInterval >= .seconds(60), saveInterval <= .seconds(3_600) else { throw .saveIntervalOutOfRange }
            if let holdOver {
                guard holdOver.offAllowance > .zero, holdOver.snapshotAge >= saveInterval, holdOver.longest > .zero,
                    holdOver.longest <= .seconds(14 * 86_400)
                else { throw .holdOverOutOfRange }
                guard
                    holdOver.offAllowance <= Self.tolerance,
                    holdOver.snapshotAge <= Self.tolerance - holdOver.offAllowance
                else { throw .holdOverNeverPossible }
            }
            self.init(unchecked: driftPartsPerMillion, holdOver: holdOver, saveInterval: saveInterval)
        }

        private init(unchecked drift: Int64, holdOver: HoldOver?, saveInterval: Duration) {
            driftPartsPerMillion = drift
            self.holdOver = holdOver
            self.saveInterval = saveInterval
        }
    }
}
