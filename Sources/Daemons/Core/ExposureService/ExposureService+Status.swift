// SPDX-License-Identifier: Apache-2.0

import BoardClock
import GAEN
public import Interfaces
import Ledger
import Radio
public import TimeTrust
import Vault

extension ExposureService {
    /// The year 10000.
    private static let endOfTime = UnixTime(seconds: 253_402_300_800)

    /// The role of this device: the one that was set, or else the profile's.
    public var role: Exposure1.Role { roles.role }

    func state(at now: BootInstant) -> Exposure1.State {
        if beacon.isStopping { return .stopping }
        guard beacon.isEnabled else { return .disabled }
        guard beacon.present(at: now).mayBroadcast else { return .timeUnknown }
        if role == .place { return beacon.radio.isReady ? .active : .radioTrouble }
        if beacon.radio.isAdvertising { return .active }
        return graceEnd.map { now.duration < $0 } ?? false ? .active : .radioTrouble
    }

    /// Between two identifiers nothing is on air for some milliseconds, which is no trouble.
    private static let grace: Duration = .seconds(1)

    /// Until when silence is taken for that.
    private var graceEnd: Duration? { beacon.lastOnAir.map { $0 + Self.grace } }

    /// Returns the time at which the state may next change without an event, on the boot clock; `nil` if only an event
    /// changes it.
    public func stateDeadline(at now: BootInstant) -> BootInstant? {
        guard !beacon.radio.isAdvertising, beacon.isEnabled, let graceEnd, graceEnd > now.duration else { return nil }
        return BootInstant(graceEnd)
    }

    private func sentence(_ state: Exposure1.State, at now: BootInstant) -> String {
        switch state {
        case .active:
            role == .person
                ? "This device sends and listens."
                : beacon.radio.isBroadcastingDoor
                    ? "This device stands in a place: it broadcasts the code at its door, listens to see that its radio works, and keeps nothing of what it hears."
                    : "This device stands in a place: it listens to see that its radio works, sends nothing and keeps nothing of what it hears."
        case .disabled:
            "This device does not take part: nobody has agreed to it, or it was switched off. `vigil ctl enable` switches it on."
        case .timeUnknown: beacon.present(at: now).sentence
        case .radioTrouble:
            (role == .person ? "Nothing is on air: " : "The radio does not work: ")
                + (transport.problem ?? beacon.lastTrouble.map { "\($0.trouble)" } ?? "the controller is being set up")
                + ". It is tried again all the time; `vigil ctl radio` says more."
        case .stopping: "This device is being stopped."
        }
    }

    /// Returns the state of the device at `now`, as far as `caller` may learn it: the number of matches is `nil` for a
    /// caller that may read no results.
    ///
    /// - Throws: ``Refusal`` if the disk cannot be read.
    public func status(for caller: Caller, at now: BootInstant) throws(Refusal) -> Exposure1.Status {
        let state = state(at: now)
        let lastMatched = try warnings.lastMatched()
        let files = try reading { try ledger.matchedFileCount() }
        let found = caller.reading == .nothing ? nil : try derivation(at: now).0.count
        return Exposure1.Status(
            enabled: beacon.isEnabled, state: state, sentence: sentence(state, at: now), role: role,
            timeState: Exposure1.TimeState(rawValue: beacon.present(at: now).state.name) ?? .untrusted,
            matchCount: found, matchedFileCount: files, lastMatched: lastMatched,
            matching: !intake.isEmpty,
            limit: try limit(for: caller, at: now))
    }

    /// Returns the radio's counts since the start, and its states as words. Cannot fail.
    public func radio(at now: BootInstant) -> Device1.Radio {
        let status = beacon.status(at: now, since: now, transport: transport.name, transportProblem: transport.problem)
        return Device1.Radio(
            onAir: status.radio.onAir, scanning: status.scanner.scanning, controller: status.radio.controller,
            transport: transport.name, transportProblem: transport.problem, timeSlices: status.radio.timeSlices,
            secondsToRotation: status.radio.secondsToRotation,
            worstRotationLateness: status.radio.worstRotationLateness, rotationCount: status.radio.rotations,
            scanCount: status.scanner.scans, quietScanCount: status.scanner.quietScans,
            reportCount: status.scanner.reports, exposureNotificationCount: status.scanner.exposureNotifications,
            lastScanSenderCount: status.scanner.lastScanIdentifiers, lostScanCount: status.scanner.lostScans,
            rssiHistogram: beacon.calibration.strengths.counts, ladder: status.radio.ladder,
            lastTrouble: status.radio.lastTrouble, door: beacon.doorState(at: now))
    }

    /// Returns the time at `now`: its state, the milliseconds since 1970, and the uncertainty in seconds, rounded up; the last two are
    /// `nil` if the time is not known. Cannot fail.
    public func time(at now: BootInstant) -> Device1.Time {
        let present = beacon.present(at: now)
        return Device1.Time(
            state: Exposure1.TimeState(rawValue: present.state.name) ?? .untrusted, sentence: present.sentence,
            now: present.time?.milliseconds, uncertainty: present.uncertaintySeconds,
            systemOffset: present.time.map { (BoardClock.system().milliseconds - $0.milliseconds) / 1_000 },
            refused: present.contradiction?.sentence)
    }

    /// Takes the time that the operator has set by hand, in milliseconds since 1970 (UTC), and returns what is then known
    /// about the time. The call is recorded; the time counts even if that fails.
    ///
    /// - Throws: ``Refusal`` if the device cannot be in that time (before 2020, before the firmware's release or
    ///   more than ten years after it), or a better clock contradicts it.
    public func setTime(_ milliseconds: Int64, by caller: Caller, at now: BootInstant) throws(Refusal) -> Device1.Time {
        let time = UnixTime(milliseconds: milliseconds)
        guard time >= TrustedTime.Limits.earliest, time < Self.endOfTime else {
            throw .timeRefused("That is no time this device can be in: give milliseconds since 1970, UTC.")
        }
        beacon.heard(TrustedTime.PlausibleReading(.operator, time, uncertainty: .zero), at: now)
        let present = beacon.present(at: now)
        if let contradiction = present.contradiction, contradiction.source == .operator {
            throw .timeRefused(contradiction.sentence)
        }
        // The time is right whether this can be recorded or not, and everything waits for it.
        auditWriter.note(.timeSet, caller, at: now)
        announce(.timeChanged)
        return self.time(at: now)
    }

    /// Returns the state of the disk: stored days, bytes written, the last 64 findings, and the free and whole space in
    /// bytes, rounded down to hundredths of its size. Cannot fail.
    public func storage() -> Device1.Storage {
        let findings = vault.findings.map { "\($0)" } + ledger.findings.map { "\($0)" } + signIn.access.findings
        // In hundredths: to the byte it would tell a technician of each file that others write, a warning that waits for its slot among them.
        let free = vault.room.map { room in room.free / max(1, room.size / 100) * max(1, room.size / 100) }
        return Device1.Storage(
            dayCount: vault.days.count, writtenByteCount: vault.written.total, findings: Array(findings.suffix(64)),
            problem: beacon.storage.trouble.map { "\($0)" }, freeByteCount: free, byteCount: vault.room?.size,
            life: signIn.access.lifeNumber, erased: signIn.access.begunBy?.time, handedOn: signIn.access.begunBy?.handsOn)
    }

    /// Returns a record of the board's sending and listening for each hour from `since` on, in Unix seconds; `nil` for all
    /// stored hours. Empty if there are none.
    ///
    /// - Throws: ``Refusal`` if the disk cannot be read.
    public func evidence(since: Int64?, at now: BootInstant) throws(Refusal) -> [Device1.EvidenceHour] {
        try evidence.hours(since: since ?? 0, at: now).map {
            Device1.EvidenceHour(
                start: Int64($0.hour) * 3_600, scanCount: UInt64($0.scans), quietScanCount: UInt64($0.quietScans),
                reportCount: UInt64($0.reports), exposureNotificationCount: UInt64($0.exposureNotifications),
                storedSenderCount: UInt64($0.storedIdentifiers), rotationCount: UInt64($0.identifiersSent),
                secondsOnAir: UInt64($0.secondsOnAir), troubleCount: UInt64($0.troubles))
        }
    }
}

extension Int64 {
    /// From decimal digits, as settings keep numbers.
    init?(bytes: [UInt8]) { self.init(String(decoding: bytes, as: UTF8.self)) }
    var bytes: [UInt8] { Array(String(self).utf8) }
}
