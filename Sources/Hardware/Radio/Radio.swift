// SPDX-License-Identifier: Apache-2.0

public import HCI

/// A beacon and scanner on one controller. It only makes decisions: the owner reports what happened and when, and carries
/// out the actions.
///
/// Times are durations on one monotonic clock of the owner, which must include time asleep (`CLOCK_BOOTTIME`). After each
/// call, take the actions with ``takeActions()`` and carry them out in order. Call ``advance(to:)`` at ``deadline`` at the
/// latest. The owner decides what is broadcast and when it changes (``broadcast(_:at:)``); the radio decides how the
/// controller does it:
///
/// - Address and payload change while advertising is off and scanning is paused, so no advertisement combines an old and a
///   new one.
/// - A controller that cannot advertise and scan at once is detected, and then does one at a time.
/// - Trouble leads to ever stronger steps (``Rung``), which are limited and counted; a quiet room does not.
public struct Radio: Sendable {
    /// An instruction to the owner. Actions must be carried out in order.
    public enum Action: Sendable, Equatable {
        /// Write this packet, including its H4 indicator, to the transport.
        case send([UInt8])
        /// Close the transport if it is open, and open it after this time, 20 ms to 30 s; then call ``Radio/opened(at:)``
        /// or ``Radio/openFailed(at:)``.
        case reopenTransport(after: Duration)
        /// The controller does not recover: cut its power if the board can, and notify a person. Comes at most every ten
        /// minutes.
        case askForPowerCycle
        /// Handle this event.
        case event(RadioEvent)
    }

    enum Phase: Sendable { case closed, settingUp, ready }

    /// The profile by which this board sends and scans, fixed for the program run.
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
    var wanted: Sending?
    var mayListen = false
    var isCollecting = false
    var isMeasuring = false

    // What the controller holds and does, as far as it was confirmed.
    var loaded: Sending?
    /// Whether what is loaded was not on air yet.
    var isFresh = false
    var hasAddress = false
    /// For which kind of advertisement it has parameters.
    var advertisingParameters: Sending.Kind?
    /// Which fragment of a door's code is on air; `nil` while none is loaded.
    var pages: DoorPages?
    var hasScanParameters = false
    var scan: RunningScan?
    var nextScan: Duration?
    /// When the next scan for places' codes may begin.
    var doorScan: Duration?

    /// The controller's answers about itself since the last reset; without values until it has answered.
    public internal(set) var facts = ControllerFacts()
    /// The totals since this radio was created.
    public internal(set) var counters = RadioCounters()
    /// Whether advertising is on, as confirmed by the controller. False after a reset of the controller and while the
    /// transport is closed.
    public internal(set) var isAdvertising = false
    /// Whether advertising pauses during scans, because the profile requires it or because the controller turned out to
    /// need it since it was last set up.
    public internal(set) var timeSlices: Bool

    /// Creates a radio with a closed transport. `profile` must have no ``BoardProfile/problems``, which is not
    /// checked. `generator` must be cryptographically secure, except in tests. Throws `HCIError` if a time in the
    /// profile is outside the range of HCI.
    public init(profile: BoardProfile, generator: any RandomNumberGenerator & Sendable) throws(HCIError) {
        commands = try CommandSet(profile)
        self.profile = profile
        self.generator = generator
        timeSlices = profile.mustTimeSlice
    }

    /// The latest time to call ``advance(to:)``, on the owner's clock; `nil` while the transport is closed or nothing is
    /// awaited.
    public var deadline: Duration? {
        guard phase != .closed else { return nil }
        if procedure != nil { return queue.deadline }
        var check = lastWord + profile.controllerCheck
        if isAdvertising, let pages { check = min(check, pages.due) }
        if let scan { return min(check, end(of: scan)) }
        if mayListen, isAdvertising || wanted == nil, let nextListening { return min(check, nextListening) }
        return check
    }

    /// Whether nothing remains to be stopped: no command is in progress, advertising is off if nothing should be broadcast,
    /// and no scan is running if scanning is forbidden. True while the transport is closed. Does not say whether the wanted
    /// identity is broadcast; see ``isAdvertising``.
    public var isSettled: Bool {
        phase == .closed || (procedure == nil && (wanted == nil ? !isAdvertising : true) && (mayListen || scan == nil))
    }

    /// The time at which the next scan for sightings begins, on the owner's clock; may be in the past while something delays
    /// the scan. `nil` while one is running, and while scanning is forbidden.
    public var plannedScan: Duration? { mayListen && sightingScan == nil ? nextScan : nil }
    /// Whether the controller is set up, without which neither advertising nor scanning begins. False while the controller
    /// is being reset or the transport is closed.
    public var isReady: Bool { phase == .ready }
    /// Whether the receiver is on for sightings now, as confirmed by the controller.
    public var isScanning: Bool { sightingScan?.isOn ?? false }
    /// The scan for sightings or a measurement under way.
    private var sightingScan: RunningScan? { scan.flatMap { $0.purpose == .doors ? nil : $0 } }

    // MARK: What the owner says

    /// Broadcasts `identity` as soon as the controller can, instead of the present one; `nil` stops broadcasting. The wish
    /// is remembered while the transport is closed.
    public mutating func broadcast(_ identity: BeaconIdentity?, at now: Duration) {
        wanted = identity.map(Sending.identity)
        work(at: now)
    }

    /// Allows or forbids scanning. Forbidding it ends a running scan. After it is allowed, the first scan begins as soon as
    /// the controller is ready and, if an identity should be broadcast, advertising is on. Does nothing if `isAllowed` has
    /// not changed.
    public mutating func listen(_ isAllowed: Bool, at now: Duration) {
        guard mayListen != isAllowed else { return }
        mayListen = isAllowed
        nextScan = isAllowed ? now : nil
        work(at: now)
    }

    /// Moves the start of the next scan forward to `moment`, on the owner's clock, for a person who waits for it.
    /// Only moves ``deadline``: call ``advance(to:)`` then. Does nothing if the scan is planned earlier, if one for
    /// sightings is running, or if scanning is forbidden. Cannot fail.
    public mutating func scanEarly(at moment: Duration) {
        guard mayListen, sightingScan == nil, let planned = nextScan else { return }
        nextScan = min(planned, moment)
    }

    /// Whether scans that begin from now on are for a measurement: the owner has them begin (``scanEarly(at:)``), and what they
    /// hear says nothing about deafness, because nobody plans them. Changes nothing on air.
    public mutating func measure(_ isOn: Bool) { isMeasuring = isOn }

    /// Records that the transport is open. The controller's state is unknown, so it is reset and asked about
    /// itself. Waiting commands are discarded. The owner reports each transport one time: a second call resets the
    /// controller again.
    public mutating func opened(at now: Duration) {
        counters.transportsOpened += 1
        lastWord = now
        _ = queue.transportWasReset()
        setUp(at: now)
    }

    /// Records that the transport is gone, and requests that it be opened again, after increasing delays of 20 ms to 5 s.
    /// Ignored while the transport is closed.
    public mutating func lost(at now: Duration) {
        guard phase != .closed else { return }
        counters.transportsLost += 1
        if let readySince, now - readySince >= Ladder.transportWorksAfter { ladder.transportWorks() }
        controllerForgot(at: now)
        phase = .closed
        actions.append(.reopenTransport(after: ladder.delayAfterLoss()))
    }

    /// Records that the transport could not be opened, and requests another attempt, after increasing delays of 20 ms to 5
    /// s. Cannot fail.
    public mutating func openFailed(at now: Duration) {
        actions.append(.reopenTransport(after: ladder.delayAfterLoss()))
    }

    /// Handles a packet from the controller. A packet that cannot be read is counted, and only shows that the controller
    /// works. Ignored while the transport is closed.
    public mutating func receive(_ packet: HCIPacket, at now: Duration) {
        guard phase != .closed else { return }
        // The controller is asked whether it lives when it would be without a scan for doors, too: the steps are counted.
        if !isOfDoors(at: now) { lastWord = now }
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

    /// Does everything that is due at `now`, on the owner's clock. Calling it too early does no harm. Cannot fail: trouble
    /// leads to actions and is counted.
    public mutating func advance(to now: Duration) {
        guard phase != .closed else { return }
        if let deadline = queue.deadline, now >= deadline { absorb(queue.advance(to: now), at: now) }
        work(at: now)
    }

    /// Returns the actions since the last call, oldest first; empty if there are none. They must be carried out in order.
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
