// SPDX-License-Identifier: Apache-2.0

import DoorBroadcast
import GAEN
public import HCI
public import Logging
public import Radio
public import TimeTrust
public import Vault

/// A board's beacon, scanner and memory, joined: it decides what is sent and when, and which of the heard identifiers are
/// stored.
///
/// It has no clock and no transport of its own: it is told what happened and when, and says what to do. It uses storage
/// directly, which may block; the caller's thread owns everything. After each call, carry out ``takeActions()`` in order,
/// and call ``advance(to:)`` at ``deadline`` at the latest. The beacon comes first: no failure of a store, a clock or a
/// scan keeps an identifier from being sent, except that the time is not known.
public final class Beacon {
    /// One step that the owner carries out, in the order given.
    public enum Action: Sendable, Equatable {
        /// Write these bytes to the transport: one HCI packet.
        case send([UInt8])
        /// Close the transport if it is open, and open it again after this time; then call ``opened(at:)`` or
        /// ``openFailed(at:)``.
        case reopenTransport(after: Duration)
        /// Cut the controller's power if that is possible: the controller does not recover by itself.
        case askForPowerCycle
        /// Read the kernel's clock and the time that a person has set, and call ``heard(_:at:)``.
        case readClocks
    }

    /// The profile of the board, with its role and its calibration; it does not change while the program runs.
    public let profile: BoardProfile
    let vault: Vault
    let log: Logger
    var generator: any RandomNumberGenerator & Sendable
    var radio: Radio
    var actions: [Action] = []

    // What is on air.
    var schedule: TEKSchedule
    var derived: DerivedKeys?
    /// The turn that comes next.
    var prepared: PreparedTurn?
    /// A day has begun: old ones are forgotten when the radio has been told, or by then at the latest.
    var forgetBy: Duration?
    /// The interval of the identifier on air; at most two after the present one.
    var onAirInterval: ENIN?
    /// The intervals for which its key was made. After a release they are those of a key that is no longer current.
    var onAirSpan: Range<UInt32> = 0..<0
    /// The day, since 1970, of the last rotation.
    var presentDay: UInt32?
    /// When the identifier has to change.
    var rotation = RotationPlan()

    /// Whether a person has agreed that this board sends and listens; ``enable(at:)`` and ``disable(at:)`` change it.
    public internal(set) var isEnabled: Bool

    /// The role of the board; in a place it sends nothing, and stores nothing of what it hears.
    public internal(set) var role: BoardProfile.Role

    /// What is known about the time.
    var time: TimeWatch
    /// What is being heard.
    var scan = ScanStore()
    /// How well it is heard.
    var calibration = Calibration()
    /// What a place broadcasts, and when.
    var doors = DoorDesk()
    /// Whether the time has changed since ``doors`` were said, or has become known.
    var doorsAreOutdated = false
    /// What is collected while the button is held; `nil` while nothing is.
    var collector: DoorCollector?
    /// The code that was collected and not taken yet.
    var collected: DoorCode?
    /// Whether the disk takes it.
    var storage = StorageWatch()

    // For people.
    var onAirSince: Duration?
    /// When something was on air last, while nothing is.
    private(set) var lastOnAir: Duration?
    var tally = Tally()
    var lastTrouble: (rung: Rung, trouble: Trouble, at: Duration)?
    private(set) var isStopping = false
    /// The number of changes that the published state should show, from 1; only its growth has a meaning.
    public internal(set) var changes: UInt64 = 1

    /// Joins the parts. `generator` must be cryptographic outside tests; `profile` must have no problems.
    ///
    /// - Parameter enabledUnlessStored: Whether the board is enabled if the vault does not say so, because it is new, or
    ///   because the store was damaged.
    /// - Throws: `HCIError` if a time in the profile is out of range.
    public init(
        profile: BoardProfile, vault: Vault, enabledUnlessStored: Bool = false, limits: TrustedTime.Limits = .standard,
        bootIdentity: BootIdentity, generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        log: Logger, at now: BootInstant
    ) throws(HCIError) {
        self.profile = profile
        self.vault = vault
        self.log = log
        self.generator = generator
        radio = try Radio(profile: profile, generator: generator)
        time = TimeWatch(limits: limits, bootIdentity: bootIdentity, resuming: vault.timeSnapshot, at: now)
        schedule = vault.schedule
        role = profile.role
        isEnabled = vault.isEnabled ?? enabledUnlessStored
    }

    /// The time at which ``advance(to:)`` has to be called at the latest, on the boot clock.
    public var deadline: BootInstant {
        var earliest = radio.deadline
        if !isStopping {
            earliest = min(earliest ?? time.due, time.due)
            if let rotationDue { earliest = min(earliest ?? rotationDue, rotationDue) }
            if let preparationDue { earliest = min(earliest ?? preparationDue, preparationDue) }
            if let due = doors.due { earliest = min(earliest ?? due, due) }
        }
        return BootInstant(earliest ?? time.due + TimeWatch.interval)
    }

    /// Whether there are actions for ``takeActions()``.
    public var hasActions: Bool { !actions.isEmpty }

    /// Removes and returns all actions that have to be carried out, oldest first; empty if there are none.
    public func takeActions() -> [Action] {
        defer { actions.removeAll(keepingCapacity: true) }
        return actions
    }

    // MARK: What the owner says

    /// Carries out everything that is due at `now`. Call it first of all, once, without waiting for anything. Never fails:
    /// faults become actions or counts.
    public func advance(to now: BootInstant) {
        if now.duration >= time.due, !isStopping { tick(at: now) }
        if let rotationDue, now.duration >= rotationDue, !isStopping {
            rotation.arrived(at: now.duration)
            rotate(at: now)
        } else if let preparationDue, now.duration >= preparationDue, !isStopping {
            prepare(at: now)
        }
        if let due = doors.due, now.duration >= due, !isStopping { tendDoor(at: now) }
        radio.advance(to: now.duration)
        obeyRadio(at: now)
        if let forgetBy, radio.isSettled || now.duration >= forgetBy {
            self.forgetBy = nil
            forget(at: now)
        }
    }

    /// Takes the reading of a clock at `now`, and judges it. Ignored while the beacon stops. Cannot fail.
    public func heard(_ reading: TrustedTime.PlausibleReading, at now: BootInstant) {
        guard !isStopping else { return }
        take(.plausible(reading), at: now)
        tendDoor(at: now)
        obeyRadio(at: now)
    }

    /// Takes the authority's signed time at `now`; its signature must have been verified. Ignored while the beacon stops.
    /// Cannot fail.
    public func heard(_ reading: TrustedTime.SignedReading, at now: BootInstant) {
        guard !isStopping else { return }
        take(.signed(reading), at: now)
        tendDoor(at: now)
        obeyRadio(at: now)
    }

    /// Notes that the transport was opened at `now`, as an action had asked. Cannot fail.
    public func opened(at now: BootInstant) {
        radio.opened(at: now.duration)
        obeyRadio(at: now)
    }

    /// Notes that the transport could not be opened at `now`; another action asks for the next try when it is due. Cannot
    /// fail.
    public func openFailed(at now: BootInstant) {
        radio.openFailed(at: now.duration)
        obeyRadio(at: now)
    }

    /// Notes that the transport was lost at `now`: nothing is on air, and an action asks to open it again when that is due.
    /// Cannot fail.
    public func lost(at now: BootInstant) {
        radio.lost(at: now.duration)
        obeyRadio(at: now)
    }

    /// Takes a packet from the controller at `now`. Never fails: a packet that cannot be read is counted.
    public func receive(_ packet: HCIPacket, at now: BootInstant) {
        radio.receive(packet, at: now.duration)
        obeyRadio(at: now)
    }

    /// Begins to stop in order: stores the current scan as far as it got, stops sending, and stores the time. It is done
    /// when ``isStopped`` is `true`; do not wait longer than two seconds for a controller that does not answer.
    public func stop(at now: BootInstant) {
        guard !isStopping else { return }
        isStopping = true
        changes += 1
        log.notice("stopping")
        endCollecting()
        radio.listen(false, at: now.duration)
        radio.broadcast(nil, at: now.duration)
        obeyRadio(at: now)
        take(.stopping, at: now)
    }

    /// Whether everything that ``stop(at:)`` began is done; `false` before it was called.
    public var isStopped: Bool { isStopping && radio.isSettled }

    // MARK: The radio's wishes

    func obeyRadio(at now: BootInstant) {
        // What is done because of an event may give the radio something to say.
        while case let said = radio.takeActions(), !said.isEmpty {
            for action in said { obey(action, at: now) }
        }
    }

    private func obey(_ action: Radio.Action, at now: BootInstant) {
        switch action {
        case .send(let bytes): actions.append(.send(bytes))
        case .reopenTransport(let delay): actions.append(.reopenTransport(after: delay))
        case .askForPowerCycle:
            log.error("the controller does not recover by itself: cut its power")
            actions.append(.askForPowerCycle)
        case .event(let event): take(event, at: now)
        }
    }

    private func take(_ event: RadioEvent, at now: BootInstant) {
        switch event {
        case .heard, .heardDoor: break
        default: changes += 1
        }
        switch event {
        case .controllerReady(let facts):
            log.info("controller ready", metadata: facts.metadata)
            tendDoor(at: now)
        case .onAir where radio.isBroadcastingDoor: log.debug("the door's code is on air")
        case .onAir:
            onAirSince = now.duration
            log.debug("on air")
        case .offAir(let reason):
            if let onAirSince {
                tally.timeOnAir += now.duration - onAirSince
                lastOnAir = now.duration
            }
            onAirSince = nil
            log.log(level: reason == .trouble ? .warning : .debug, "off air", metadata: ["reason": "\(reason.rawValue)"])
        case .scanStarted: scanStarted(at: now)
        case .heard(let payload, let rssi, let moment): keep(payload, rssi: rssi, heardAt: moment)
        case .heardDoor(let fragment, let sender, let rssi): hearDoor(fragment, from: sender, rssi: rssi, at: now)
        case .scanFinished(let summary): scanFinished(summary, at: now)
        case .doorScanFinished: scanAgainIfCollecting(at: now)
        case .climbed(let rung, let trouble):
            tally.troubles += 1
            lastTrouble = (rung, trouble, now.duration)
            log.warning("\(trouble)", metadata: ["step": "\(rung.name)"])
        case .timeSlicing: log.notice("the controller cannot send and listen at once: sending pauses during scans")
        case .silenceAccepted: log.notice("nothing is heard any more: taken for a quiet room")
        }
    }
}

/// Totals that neither radio nor vault keeps.
struct Tally {
    var keysMade: UInt64 = 0
    var storedScans: UInt64 = 0
    var storedIdentifiers: UInt64 = 0
    var lostScans: UInt64 = 0
    var droppedIdentifiers: UInt64 = 0
    var lastScanIdentifiers = 0
    var troubles: UInt64 = 0
    /// Up to the last time something went off air.
    var timeOnAir: Duration = .zero
}

extension BootInstant {
    /// The time since the board was switched on, never negative.
    public var duration: Duration { .nanoseconds(nanoseconds) }

    func advanced(by span: Duration) -> BootInstant { BootInstant(duration + span) }

    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}

extension ControllerFacts {
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["commands": usesExtendedCommands ? "extended" : "legacy"]
        if let version {
            metadata["hci"] = "\(version.hci)"
            metadata["manufacturer"] = "\(version.manufacturer)"
        }
        return metadata
    }
}
