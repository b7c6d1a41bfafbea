// SPDX-License-Identifier: Apache-2.0

/// The time, its uncertainty, and what it permits. A pure state machine: the caller passes in the boot clock and the
/// readings of the sources, and receives observations to act on.
///
/// Rules (DESIGN, rules of the domain; numbers with their reasons in docs/time.md):
/// - untrusted: no TEK is made, nothing is sent; plausible: identifiers are sent, nothing is deleted; authenticated: old data
///   may be deleted;
/// - a better source beats a lesser one; a lesser one may make the time more exact where it does not contradict;
/// - only signed time raises the floor, and no source is believed below it: a wrong clock neither erases what is kept nor
///   locks out the present;
/// - the uncertainty grows with the boot clock's drift until something is heard; the state falls with it;
/// - every change of the running time, other than the passing of time, is reported.
///
/// A value belongs to one program run. Create it with the last stored ``Snapshot``, pass ``Event/tick`` to it first, and
/// store the snapshots of ``Observation/persist(_:)``.
public struct TrustedTime: Sendable, Equatable {
    /// The numbers by which time is judged, fixed for the program run.
    public let limits: Limits
    /// The time when the firmware was built, limited to 2020 to 2100; a build without a time stamp counts as 2020.
    public let build: UnixTime
    /// The boot in which this program runs.
    public let bootIdentity: BootIdentity
    /// How the snapshot was used at the start.
    public let start: Start
    /// The counts of events since this program started. They wrap around at 2^64.
    public internal(set) var counters = Counters()

    /// The latest time that signed answers prove to be past.
    var signedFloor: UnixTime?
    /// What the time runs from. Kept when it has become too vague, so that the next reading's step can be told.
    var anchor: Anchor?
    /// The signed or hand-set time that lesser sources must agree with while ``standingReference(at:)``.
    var reference: Anchor?
    /// The latest event: the boot clock is not asked about anything before it.
    var latest: BootInstant
    /// Contradictions of a source to itself, at the moment they were first heard.
    var leaps: [Source: Anchor] = [:]
    /// Since when each time that was believed agreed with the one before; `nil` before the first.
    var steadySince: BootInstant?
    /// Refusals not yet taken back by their source.
    var refusals: [Source: StandingRefusal] = [:]

    private var mark: UnixTime?
    private let reasonWithoutTime: Reason
    private var announced = State.untrusted
    private var saved: Saved?

    /// The totals since the program started, for metrics.
    public struct Counters: Sendable, Equatable {
        /// The number of readings that became the running time.
        public internal(set) var adopted: UInt64 = 0
        /// The number of readings that agreed with a better running time and changed nothing.
        public internal(set) var agreed: UInt64 = 0
        /// The number of readings that were not believed, by cause; a cause that has not occurred is absent.
        public internal(set) var refused: [Refusal.Cause: UInt64] = [:]
        /// The number of changes of the running time to a later one.
        public internal(set) var stepsForward: UInt64 = 0
        /// The number of changes of the running time to an earlier one.
        public internal(set) var stepsBackwards: UInt64 = 0
    }

    struct StandingRefusal: Sendable, Equatable {
        let refusal: Refusal
        let boot: BootInstant
    }

    private struct Saved: Sendable, Equatable {
        let anchor: Anchor
        let reference: Anchor?
        let boot: BootInstant
    }

    /// Starts with the stored snapshot, or without one (`nil`). Cannot fail.
    ///
    /// `limits` are those of the board. `build` is the time when the firmware was built; it is limited to 2020 to
    /// 2100. `bootIdentity` identifies this boot, and `boot` is the present moment in it; a negative one counts as
    /// 0. The snapshot may be damaged in any way (see ``start``).
    public init(
        limits: Limits = .standard, build: UnixTime, bootIdentity: BootIdentity, at boot: BootInstant,
        resuming snapshot: Snapshot? = nil
    ) {
        let now = max(boot, BootInstant(nanoseconds: 0))
        // 2100-01-01. No reason to believe a build later than that, and sums stay far from the end of the range.
        let build = min(max(build, Limits.earliest), UnixTime(seconds: 4_102_444_800))
        let inherited =
            snapshot.map { Self.inherit($0, in: bootIdentity, at: now, build: build, limits: limits) }
            ?? Inheritance(start: .first, reasonWithoutTime: .noSource)
        self.limits = limits
        self.build = build
        self.bootIdentity = bootIdentity
        start = inherited.start
        latest = now
        signedFloor = inherited.signedFloor
        anchor = inherited.anchor
        reference = inherited.reference
        mark = inherited.mark
        reasonWithoutTime = inherited.reasonWithoutTime
    }

    /// The earliest time that is believed: the build of the firmware, or the latest time that is proven to be past.
    public var floor: UnixTime { max(build, signedFloor ?? build) }
    /// The latest time that is believed from any source: ``Limits/horizon`` after ``build``.
    public var horizon: UnixTime { build.advanced(by: Limits.horizon) }

    /// Handles an event that happens now, at `boot`. Returns what has to be done, in this order; empty if there is nothing
    /// to do.
    public mutating func handle(_ event: Event, at boot: BootInstant) -> [Observation] {
        latest = max(latest, boot)
        var observations: [Observation] = []
        let oldFloor = floor
        switch event {
        case .tick, .stopping: break
        case .plausible(let reading): weigh(reading, &observations)
        case .signed(let reading): weigh(reading, &observations)
        }
        let now = self.now(at: latest)
        let stateChanged = now.state != announced
        if now.state > announced { observations.append(.becameTrusted(now.state, now.reason)) }
        if now.state < announced { observations.append(.degraded(now.state, now.reason)) }
        announced = now.state
        if floor > oldFloor { observations.append(.floorRaised(floor)) }

        if let anchor,
            stateChanged || event == .stopping || floor > oldFloor || isSavingDue(of: anchor, when: now.state)
        {
            saved = Saved(anchor: anchor, reference: reference, boot: latest)
            observations.append(.persist(snapshot(of: anchor, orderly: event == .stopping)))
        }
        return observations
    }

    /// Makes `new`, a statement about the present, the running time.
    mutating func adopt(_ new: Anchor, _ observations: inout [Observation]) {
        counters.adopted &+= 1
        let to = UnixTime(milliseconds: new.wall)
        // After a power cut without hold-over, time has passed that nobody counted: only a way back is a step.
        let from = anchor.map { UnixTime(milliseconds: projected($0).wall) } ?? mark
        let wasRunning = anchor != nil
        if !(anchor.map { new.agrees(with: projected($0)) } ?? false) { steadySince = latest }
        anchor = new
        mark = nil
        guard let from, from != to, wasRunning || to < from else { return }
        if to < from { counters.stepsBackwards &+= 1 } else { counters.stepsForward &+= 1 }
        observations.append(.stepped(Step(from: from, to: to)))
    }

    /// `anchor` as of the latest event.
    func projected(_ anchor: Anchor) -> Anchor {
        anchor.projected(to: latest, drift: limits.driftPartsPerMillion)
    }

    /// The time that lesser sources must agree with, as of `boot`: a signed one until it is too vague to send by, one set by
    /// hand for a day.
    func standingReference(at boot: BootInstant) -> Anchor? {
        guard let reference = reference?.projected(to: boot, drift: limits.driftPartsPerMillion) else { return nil }
        let stands =
            reference.source == .signed
            ? reference.uncertainty <= Limits.tolerance.clampedMilliseconds
            : reference.age <= Limits.operatorPrecedence.clampedMilliseconds
        return stands ? reference : nil
    }

    /// The state that follows from `now`, an anchor seen at the moment that is asked about.
    func judge(_ now: Anchor?) -> (State, Reason) {
        guard let now else { return (.untrusted, reasonWithoutTime) }
        if now.source == .holdOver, now.age > limits.holdOver?.longest.clampedMilliseconds ?? 0 {
            return (.untrusted, .holdOverExpired)
        }
        guard now.uncertainty <= Limits.tolerance.clampedMilliseconds else { return (.untrusted, .drifted) }
        switch now.source {
        case .holdOver: return (.plausible, .holdOver)
        case .clockChip: return (.plausible, .clockChip)
        case .network: return (.plausible, .network)
        case .operator: return (.plausible, .operator)
        case .signed:
            return now.uncertainty <= Limits.authenticatedBound.clampedMilliseconds
                ? (.authenticated, .signed) : (.plausible, .signedLongAgo)
        }
    }

    /// Whether a restart of the program would otherwise bring back something older. Nothing is written for an untrusted time:
    /// there is nothing to carry over.
    private func isSavingDue(of anchor: Anchor, when state: State) -> Bool {
        // At a start at the latest: the stored snapshot says "stopped in good order", or counts a cut less than there were.
        guard let saved else { return true }
        if saved.anchor.source != anchor.source || saved.reference != reference { return true }
        let unsaved = projected(anchor).wall.saturatingSubtract(projected(saved.anchor).wall)
        if unsaved.magnitude >= UInt64(Limits.unsavedStep.clampedMilliseconds) { return true }
        return state > .untrusted
            && latest.millisecondsSince(saved.boot) >= limits.saveInterval.clampedMilliseconds
    }

    private func snapshot(of anchor: Anchor, orderly: Bool) -> Snapshot {
        Snapshot(
            bootIdentity: bootIdentity, boot: latest, signedFloor: signedFloor, current: .init(projected(anchor)),
            reference: standingReference(at: latest).map(Snapshot.Point.init), isOrderlyStop: orderly)
    }
}
