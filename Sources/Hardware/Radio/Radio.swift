// SPDX-License-Identifier: Apache-2.0

public import HCI

/// Beacon and scanner over one controller, as decisions only: it is told what happened and when, and says what to do.
///
/// Times are durations on one monotonic clock of the owner's, which must count through suspend (`CLOCK_BOOTTIME`). After each call,
/// take the ``takeActions()`` and obey them in order; call ``advance(to:)`` at ``deadline`` at the latest. The owner decides what goes on
/// air and when it changes (``broadcast(_:at:)``); the radio decides how to make the controller do it:
///
/// - address and payload change while advertising is off and scanning is paused, so no advertisement ever pairs old and new;
/// - a controller that cannot advertise and scan at once is found out and served in turns;
/// - trouble climbs a ladder of ever harder steps (``Rung``), bounded and counted; a quiet room does not.
public struct Radio: Sendable {
    /// An instruction to the owner; to be obeyed in order.
    public enum Action: Sendable, Equatable {
        /// Write this packet, with its H4 indicator, to the transport.
        case send([UInt8])
        /// Close the transport if it is open, and open it after this time, 20 ms to 30 s; then call ``Radio/opened(at:)`` or
        /// ``Radio/openFailed(at:)``.
        case reopenTransport(after: Duration)
        /// The controller does not recover: cut its power if the board can, and tell somebody. At most every ten minutes.
        case askForPowerCycle
        /// An event for the owner.
        case event(RadioEvent)
    }

    enum Phase: Sendable { case closed, settingUp, ready }

    /// The rules by which this board sends and listens; fixed for the program run.
    public let profile: BoardProfile
    let commands: CommandSet
    var generator: any RandomNumberGenerator & Sendable

    var phase = Phase.closed
    var queue = CommandQueue()
    var procedure: Procedure?
    var assembler = ExtendedReportAssembler()
    var ladder = Ladder()
    var silence = SilenceWatch()
    var readySince: Duration?
    var lastWord = Duration.zero
    var actions: [Action] = []

    // What the owner wants.
    var wanted: BeaconIdentity?
    var mayListen = false

    // What the controller holds and does, as far as it was confirmed.
    var loaded: BeaconIdentity?
    /// Whether what is loaded was not on air yet.
    var isFresh = false
    var hasAddress = false
    var hasAdvertisingParameters = false
    var hasScanParameters = false
    var scan: RunningScan?
    var nextScan: Duration?

    /// The controller's answers about itself since the last reset; empty ones until it has answered.
    public internal(set) var facts = ControllerFacts()
    /// Totals since this value was made; each counter is 0 or more.
    public internal(set) var counters = RadioCounters()
    /// Whether advertising is on, as far as the controller confirmed it; false from a reset of the controller or the end of the transport on.
    public internal(set) var isAdvertising = false
    /// Whether advertising pauses during scans, because the profile says so, or the controller has been found out since it was set up last.
    public internal(set) var timeSlices: Bool

    /// A radio whose transport is closed and that was told nothing yet. `profile` must have no ``BoardProfile/problems``. `generator` must be
    /// cryptographic outside of tests. Throws the `HCIError` of a time in the profile that HCI cannot express.
    public init(profile: BoardProfile, generator: any RandomNumberGenerator & Sendable) throws(HCIError) {
        commands = try CommandSet(profile)
        self.profile = profile
        self.generator = generator
        timeSlices = profile.mustTimeSlice
    }

    /// The latest time to call ``advance(to:)``, on the owner's clock; `nil` while the transport is closed.
    public var deadline: Duration? {
        guard phase != .closed else { return nil }
        if procedure != nil { return queue.deadline }
        let check = lastWord + profile.controllerCheck
        if let scan { return min(check, scan.end) }
        if mayListen, isAdvertising || wanted == nil, let nextScan { return min(check, nextScan) }
        return check
    }

    /// Whether nothing is left to be ended: no command is under way, advertising is off if nothing is to be on air, and no scan is under way if
    /// scanning is forbidden. True while the transport is closed. That what is wanted is on air is not part of it: ``isAdvertising``.
    public var isSettled: Bool {
        phase == .closed || (procedure == nil && (wanted == nil ? !isAdvertising : true) && (mayListen || scan == nil))
    }

    /// The time when the next scan begins, on the owner's clock; it may lie in the past while something keeps the scan from beginning. `nil` while
    /// one is under way or scanning is forbidden.
    public var plannedScan: Duration? { mayListen && scan == nil ? nextScan : nil }
    /// Whether the controller is set up; only then are advertising and scanning begun. False while it is reset or the transport is closed.
    public var isReady: Bool { phase == .ready }
    /// Whether the receiver is on now, as confirmed by the controller.
    public var isScanning: Bool { scan?.isOn ?? false }

    // MARK: What the owner says

    /// Puts `identity` on air as soon as the controller can, instead of what was there; `nil` goes off air. Remembered while the transport is
    /// closed.
    public mutating func broadcast(_ identity: BeaconIdentity?, at now: Duration) {
        wanted = identity
        work(at: now)
    }

    /// Allows or forbids scanning. A scan under way is ended when it is forbidden. The first scan begins as soon as the controller is ready and, if
    /// an identity is to be on air, advertising is on. Does nothing if scanning is allowed or forbidden already.
    public mutating func listen(_ isAllowed: Bool, at now: Duration) {
        guard mayListen != isAllowed else { return }
        mayListen = isAllowed
        nextScan = isAllowed ? now : nil
        work(at: now)
    }

    /// Has the next scan begin at `moment`, on the owner's clock, if it would begin later and none is under way: for a
    /// person who waits for it. Cannot fail.
    public mutating func scanEarly(at moment: Duration) {
        guard mayListen, scan == nil, let planned = nextScan else { return }
        nextScan = min(planned, moment)
    }

    /// Notes that the transport is open at `now`. The controller's former state is unknown: it is reset and asked what it
    /// is. Commands that waited are forgotten.
    public mutating func opened(at now: Duration) {
        counters.transportsOpened += 1
        lastWord = now
        _ = queue.transportWasReset()
        setUp(at: now)
    }

    /// Notes that the transport is gone at `now`. Asks for it to be opened again, after ever longer waits of 20 ms to 5 s.
    /// Ignored while the transport is closed.
    public mutating func lost(at now: Duration) {
        guard phase != .closed else { return }
        counters.transportsLost += 1
        if let readySince, now - readySince >= Ladder.transportWorksAfter { ladder.transportWorks() }
        controllerForgot(at: now)
        phase = .closed
        actions.append(.reopenTransport(after: ladder.delayAfterLoss()))
    }

    /// Notes that the transport could not be opened at `now`. Asks for another try, after ever longer waits of 20 ms to 5
    /// s. Cannot fail.
    public mutating func openFailed(at now: Duration) {
        actions.append(.reopenTransport(after: ladder.delayAfterLoss()))
    }

    /// Takes a packet of the controller at `now`; those that cannot be read are counted, and only show that the controller
    /// lives. Ignored while the transport is closed.
    public mutating func receive(_ packet: HCIPacket, at now: Duration) {
        guard phase != .closed else { return }
        lastWord = now
        guard packet.indicator == .event else {
            counters.otherPackets += 1
            return
        }
        do throws(HCIError) {
            try handle(HCIEvent(packet), at: now)
        } catch {
            counters.refusedEvents += 1
            scan?.summary.refusedEvents += 1
        }
        work(at: now)
    }

    /// Carries out everything that is due at `now`, on the owner's clock. Calls that come too early do no harm. Cannot
    /// fail: trouble becomes actions and counts.
    public mutating func advance(to now: Duration) {
        guard phase != .closed else { return }
        if let deadline = queue.deadline, now >= deadline { absorb(queue.advance(to: now), at: now) }
        work(at: now)
    }

    /// The instructions that came since the last call, oldest first, empty if none; to be obeyed in order.
    public mutating func takeActions() -> [Action] {
        defer { actions.removeAll(keepingCapacity: true) }
        return actions
    }

    private mutating func handle(_ event: HCIEvent, at now: Duration) {
        switch event {
        case .commandComplete, .commandStatus: absorb(queue.receive(event, at: now), at: now)
        case .advertisingReports(let reports): take(reports, at: now)
        case .hardwareError(let code): trouble(.hardwareError(code), at: now)
        case .advertisingSetTerminated where isAdvertising: trouble(.advertisingEnded, at: now)
        case .scanTimeout, .advertisingSetTerminated, .otherLowEnergy, .other: counters.otherPackets += 1
        }
    }
}
