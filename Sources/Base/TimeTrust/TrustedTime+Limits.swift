// SPDX-License-Identifier: Apache-2.0

extension TrustedTime {
    /// The numbers by which time is judged. Those that depend on the board can be set; the others follow from the protocol
    /// (docs/time.md, "Numbers").
    public struct Limits: Sendable, Equatable {
        /// The error of the time beyond which nothing is broadcast: 50 minutes.
        ///
        /// A receiver accepts the identifier of interval *i* from 7,200 s before the start of the interval to 7,800 s after
        /// it (±12 intervals, shared facts: gaen-core section 5). An identifier may be taken in the last second of its
        /// interval and broadcast for 20 minutes, so it is heard up to 1,800 s after the start. That leaves 7,200 s for the
        /// difference of two clocks in one direction and 6,000 s in the other; two boards that are each wrong by at most
        /// half of 6,000 s still recognise each other.
        public static let tolerance: Duration = .seconds(3_000)
        /// The error beyond which a signed time no longer counts as authenticated: ten minutes, one interval. With 100 ppm
        /// of drift that is 69 days without an answer from the authority.
        public static let authenticatedBound: Duration = .seconds(600)
        /// The earliest time that is believed: 2020-01-01. Our own choice: Exposure Notification was published in
        /// April 2020.
        public static let earliest = UnixTime(seconds: 1_577_836_800)
        /// The time after the build of the firmware beyond which no source is believed: ten years, our own choice. A board
        /// without an update for that long must not broadcast, and a damaged floor cannot exclude the present for longer.
        public static let horizon: Duration = .seconds(10 * 365 * 86_400)
        /// The time for which the network and the clock chip must agree with a time set by hand: one day. Our own choice:
        /// long enough to work around a lying network on the spot, short enough that a typing error corrects itself.
        public static let operatorPrecedence: Duration = .seconds(86_400)
        /// The time for which the network or a clock chip must repeat a reading that differs from the running time
        /// by more than ``tolerance`` before it is believed: 15 minutes. Our own choice: longer than the restart of
        /// any time server.
        public static let leapConfirmation: Duration = .seconds(900)
        /// The same for a leap from a time that has been steady for ``steadySpan``: 12 hours. A server that is right now and was wrong before is believed
        /// soon; one that was right for a day and is wrong now may be somebody on the way who wants the board to live in another day, and has to keep it up
        /// for half a day. Our own choice.
        public static let steadyLeapConfirmation: Duration = .seconds(43_200)
        /// The time after which a time without contradictions counts as steady: one day. Our own choice.
        public static let steadySpan: Duration = .seconds(86_400)
        /// The time after which a contradiction has to be confirmed from the start again, and is no longer shown: one day.
        /// Our own choice.
        public static let contradictionLifetime: Duration = .seconds(86_400)
        /// The difference between the running time and the stored one from which a snapshot is stored at once instead of at
        /// the next regular time: a second, the unit in which sources give the time.
        public static let unsavedStep: Duration = .seconds(1)

        /// The greatest drift of the boot clock, either way, in parts per million of elapsed time.
        ///
        /// 100 by default: common crystals are within ±20 at 25 °C, ±50 with temperature and age; the kernel slews by up to
        /// 500 only while NTP disciplines it, and then NTP is heard.
        public let driftPartsPerMillion: Int64
        /// The rules for carrying time over a power cut; `nil` for boards that stand in no one's way when they wait for a
        /// clock.
        public let holdOver: HoldOver?
        /// The time between two regular snapshots: 1 minute to 1 hour.
        public let saveInterval: Duration

        /// The assumptions under which time is carried over a power cut.
        public struct HoldOver: Sendable, Equatable {
            /// The longest time that the board is assumed to have been without power, in total, since it last heard a
            /// clock. More than zero.
            public let offAllowance: Duration
            /// The greatest possible age of the last snapshot when the power fails: the interval between snapshots plus the
            /// longest pause between two events. Added for each power cut, but not after an orderly stop.
            public let snapshotAge: Duration
            /// The time for which a carried-over time is used before a clock must be heard: more than zero, at most 14
            /// days.
            public let longest: Duration

            /// The assumptions for tokens whose battery is changed by hand: 15 minutes without power in total; snapshots
            /// every ten minutes, taken at most five minutes late because a scan comes at least that often; and 72 hours
            /// without a clock, from Friday evening to Monday evening. Two power cuts in a row are within the tolerance (15
            /// + 15 + 15 minutes); a third is not.
            public static let swappedBattery = HoldOver(
                offAllowance: .seconds(900), snapshotAge: .seconds(900), longest: .seconds(72 * 3_600))

            /// Creates assumptions without checking them; ``Limits/init(driftPartsPerMillion:holdOver:saveInterval:)``
            /// checks them.
            public init(offAllowance: Duration, snapshotAge: Duration, longest: Duration) {
                self.offAllowance = offAllowance
                self.snapshotAge = snapshotAge
                self.longest = longest
            }
        }

        /// The reason why the numbers of a board profile are refused.
        public enum Problem: Error, Sendable, Equatable {
            /// The drift is not within 1 to 1,000 ppm.
            case driftOutOfRange
            /// The time between snapshots is not within 1 minute to 1 hour.
            case saveIntervalOutOfRange
            /// `snapshotAge` is less than the time between snapshots, a span is not positive, or carried-over time would be
            /// used for more than 14 days.
            case holdOverOutOfRange
            /// `offAllowance` and `snapshotAge` together exceed the tolerance, so time could never be carried over.
            case holdOverNeverPossible
        }

        /// The limits of a token whose battery is changed by hand: 100 ppm, ``HoldOver/swappedBattery``, a snapshot every
        /// ten minutes.
        public static let standard = Limits(
            unchecked: 100, holdOver: .swappedBattery, saveInterval: .seconds(600))

        /// Creates limits from the numbers of a board profile. `holdOver` is `nil` for boards that do not carry time over a
        /// power cut. The defaults are those of ``standard``. Throws the first ``Problem`` that is found.
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
