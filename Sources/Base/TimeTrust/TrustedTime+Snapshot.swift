// SPDX-License-Identifier: Apache-2.0

extension TrustedTime {
    /// The state that survives a restart of the program or the board, as plain values for the vault. It must be stored as a
    /// whole and sealed, because whoever can write it can set the time.
    public struct Snapshot: Sendable, Equatable {
        /// The boot in which the snapshot was taken.
        public var bootIdentity: BootIdentity
        /// The moment of that boot at which the snapshot was taken.
        public var boot: BootInstant
        /// The latest time that signed answers prove to be past; `nil` if there were none. Does not include the build time:
        /// firmware that was built by a machine with a wrong clock must not bind the next firmware.
        public var signedFloor: UnixTime?
        /// The running time at the moment of the snapshot.
        public var current: Point
        /// The signed or hand-set time with which lesser sources must agree; `nil` if there is none in force.
        public var reference: Point?
        /// Whether the program stopped in an orderly way right after the snapshot, so that none of the running time is
        /// missing.
        public var isOrderlyStop: Bool

        /// A statement about civil time at the moment of the snapshot.
        public struct Point: Sendable, Equatable {
            /// The raw value of a ``Source``; a number, so that a damaged one can be detected.
            public var source: UInt8
            /// The civil time of the statement.
            public var time: UnixTime
            /// The greatest error of the time, either way, in milliseconds; negative only in a damaged snapshot.
            public var uncertaintyMilliseconds: Int64
            /// The milliseconds since the source was read; for a hold-over, since it began. Negative only in a damaged
            /// snapshot.
            public var ageMilliseconds: Int64

            /// Creates a point from stored values, unchecked; ``TrustedTime`` checks them when it starts.
            public init(source: UInt8, time: UnixTime, uncertaintyMilliseconds: Int64, ageMilliseconds: Int64) {
                self.source = source
                self.time = time
                self.uncertaintyMilliseconds = uncertaintyMilliseconds
                self.ageMilliseconds = ageMilliseconds
            }

            init(_ anchor: Anchor) {
                self.init(
                    source: anchor.source.rawValue, time: UnixTime(milliseconds: anchor.wall),
                    uncertaintyMilliseconds: anchor.uncertainty, ageMilliseconds: anchor.age)
            }

            /// `nil` if no machine can have written this before `end`.
            func anchor(at boot: BootInstant, before end: UnixTime) -> Anchor? {
                guard let source = Source(rawValue: source), time >= Limits.earliest, time <= end,
                    (0...Self.longest).contains(uncertaintyMilliseconds), (0...Self.longest).contains(ageMilliseconds)
                else { return nil }
                return Anchor(
                    source: source, boot: boot, wall: time.milliseconds,
                    // A source never speaks more exactly than this, so neither does its snapshot.
                    uncertainty: max(uncertaintyMilliseconds, source.leastUncertainty.clampedMilliseconds),
                    age: ageMilliseconds)
            }

            /// A hundred years, in milliseconds.
            private static let longest: Int64 = 100 * 366 * 86_400_000
        }

        /// Creates a snapshot from stored values, unchecked; ``TrustedTime`` checks them when it starts.
        public init(
            bootIdentity: BootIdentity, boot: BootInstant, signedFloor: UnixTime?, current: Point, reference: Point?,
            isOrderlyStop: Bool
        ) {
            self.bootIdentity = bootIdentity
            self.boot = boot
            self.signedFloor = signedFloor
            self.current = current
            self.reference = reference
            self.isOrderlyStop = isOrderlyStop
        }
    }

    /// How a program run began: without a snapshot, or with one, of which a part was used.
    public enum Start: Sendable, Equatable {
        /// There was no snapshot.
        case first
        /// The program was restarted within one boot: the time continues without a break.
        case resumed
        /// The board was restarted, and the time was carried over.
        case heldOver
        /// The board was restarted and the time could not be carried over. Also used, even within one boot, if newer
        /// firmware or a signed time proves that the stored time was wrong.
        case powerLost
        /// The snapshot cannot have been written by this program. Nothing of it is used, not even its floor: losing a floor
        /// costs some protection until the next signed time, but a wrong floor excludes the present.
        case damaged(Damage)
    }

    /// The ways in which a snapshot can be damaged, so that nothing of it is used.
    public enum Damage: String, Sendable, CaseIterable {
        /// The floor is before 2020 or more than ten years after the build.
        case floor = "floor"
        /// A time, an uncertainty, an age or a source is outside its range, or the boot clock is before its start.
        case point = "point"
        /// The running time is before the floor, even with its uncertainty added.
        case contradiction = "contradiction"
        /// The snapshot was taken at a later moment of this boot than the present one.
        case bootClock = "boot-clock"
    }

    /// A snapshot, judged: what may be used of it.
    struct Inheritance {
        var start: Start
        var signedFloor: UnixTime?
        var anchor: Anchor?
        var reference: Anchor?
        /// The last time known before, if it does not run on.
        var mark: UnixTime?
        var reasonWithoutTime: Reason = .powerLost
    }

    /// Judges `snapshot` at the moment `now` of the boot `identity`.
    static func inherit(
        _ snapshot: Snapshot, in identity: BootIdentity, at now: BootInstant, build: UnixTime, limits: Limits
    ) -> Inheritance {
        func damaged(_ damage: Damage) -> Inheritance {
            Inheritance(start: .damaged(damage), reasonWithoutTime: .noSource)
        }
        let end = build.advanced(by: Limits.horizon)
        if let floor = snapshot.signedFloor, floor < Limits.earliest || floor > end { return damaged(.floor) }
        // A time that was believed at the horizon runs on beyond it; a year is more than it can before it has drifted away.
        let pointEnd = end.advanced(by: .seconds(366 * 86_400))
        guard snapshot.boot.nanoseconds >= 0, let current = snapshot.current.anchor(at: snapshot.boot, before: pointEnd)
        else { return damaged(.point) }
        var reference: Anchor?
        if let point = snapshot.reference {
            guard let anchor = point.anchor(at: snapshot.boot, before: pointEnd), anchor.source >= .operator
            else { return damaged(.point) }
            reference = anchor
        }
        if let floor = snapshot.signedFloor, current.latest < floor.milliseconds { return damaged(.contradiction) }

        var result = Inheritance(start: .powerLost, signedFloor: snapshot.signedFloor)
        if snapshot.bootIdentity == identity {
            guard snapshot.boot <= now else { return damaged(.bootClock) }
            result.start = .resumed
            result.anchor = current
            result.reference = reference ?? (current.source == .signed ? current : nil)
        } else if let holdOver = limits.holdOver {
            result.anchor = carry(current, orderly: snapshot.isOrderlyStop, to: now, holdOver, limits)
            if result.anchor != nil {
                result.start = .heldOver
            } else if current.source == .holdOver, current.age > holdOver.longest.clampedMilliseconds {
                result.reasonWithoutTime = .holdOverExpired
            }
        }
        // A newer firmware may prove that the running time is wrong.
        let floor = max(build, snapshot.signedFloor ?? build).milliseconds
        if let reference = result.reference, reference.latest < floor { result.reference = nil }
        if let anchor = result.anchor {
            result.anchor = anchor.latest < floor ? nil : anchor.narrowed(to: floor...Int64.max)
        }
        if result.anchor == nil {
            result.start = .powerLost
            result.mark = UnixTime(milliseconds: current.wall)
        }
        return result
    }

    /// Carries `saved` over a power cut, if what may have happened meanwhile stays within the tolerance.
    ///
    /// The time that passed is the time since this boot began, which is known; plus the age of the snapshot when the power
    /// went, plus the time without power, of which only the assumed greatest is known. The carried time leaves both out: as
    /// far as it was right before, it is late by at most their sum and never early, so the next clock that is heard moves it
    /// forwards.
    private static func carry(
        _ saved: Anchor, orderly: Bool, to now: BootInstant, _ holdOver: Limits.HoldOver, _ limits: Limits
    ) -> Anchor? {
        let isFurther = saved.source == .holdOver
        var unknown: Int64 = 0
        if !orderly { unknown += holdOver.snapshotAge.clampedMilliseconds }
        if !isFurther { unknown += holdOver.offAllowance.clampedMilliseconds }
        let carried = Anchor(
            source: .holdOver, boot: BootInstant(nanoseconds: 0), wall: saved.wall,
            uncertainty: saved.uncertainty.saturatingAdd(unknown), age: isFurther ? saved.age : 0
        ).projected(to: now, drift: limits.driftPartsPerMillion)
        guard carried.uncertainty <= Limits.tolerance.clampedMilliseconds,
            carried.age <= holdOver.longest.clampedMilliseconds
        else { return nil }
        return carried
    }
}
