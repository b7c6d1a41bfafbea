// SPDX-License-Identifier: Apache-2.0

import DoorBroadcast
import Interfaces
import Logging
import Radio
import TimeTrust

/// What a place broadcasts at its door (docs/decisions/0046-check-in-by-broadcast.md).
extension Beacon {
    /// Broadcasts these from now on, each in its time, instead of those before. Only a place does; a person's board keeps none.
    func show(_ showings: [DoorShowing], at now: BootInstant) {
        guard role == .place else { return }
        doors.set(showings)
        tendDoor(at: now)
        obeyRadio(at: now)
    }

    /// Puts on air what is to be there now.
    func tendDoor(at now: BootInstant) {
        guard role == .place, !isStopping else { return }
        guard isEnabled, let civil = doorTime(at: now) else {
            doors.rest()
            return radio.broadcast(nil, at: now.duration)
        }
        guard let door = door(at: civil, now) else { return radio.broadcast(nil, at: now.duration) }
        radio.broadcast(door: door, at: now.duration)
    }

    /// The time by which codes are broadcast; `nil` while there is none that is good enough. A code is for its hours, and an event's for its
    /// time. How long the power was off nobody knows, and what was carried over may have been wrong before: a broadcast would say that it is
    /// a time that it is not.
    private func doorTime(at now: BootInstant) -> UnixTime? {
        let present = time.now(at: now)
        return present.mayBroadcast && present.reason != .holdOver ? present.time : nil
    }

    /// What becomes of the code at the door; `nil` on a person's device.
    func doorState(at now: BootInstant) -> Device1.Door? {
        guard role == .place else { return nil }
        guard isEnabled, !isStopping else { return .off }
        guard doorTime(at: now) != nil else { return .timeUnsure }
        if radio.isBroadcastingDoor { return .onAir }
        return doors.isDue ? .silent : .nothing
    }

    /// The time was another one: what was said by it may not be all that is to be broadcast now, or too far ahead.
    func noteStep(ofDoorsTo time: UnixTime) {
        guard role == .place else { return }
        doors.forget(endingAfter: time.seconds + DoorDesk.horizon)
        doorsAreOutdated = true
    }

    /// Whether what is to be broadcast has to be said anew, or the time has become known; once.
    func takeDoorsAreOutdated() -> Bool {
        defer { doorsAreOutdated = false }
        return doorsAreOutdated
    }

    private func door(at civil: UnixTime, _ now: BootInstant) -> DoorIdentity? {
        do {
            return try doors.identity(
                at: civil.seconds, now: now.duration, power: doorPower, using: &generator)
        } catch {
            log.critical("no address can be made", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    /// What the place says of its power: less where the controller was asked for less.
    private var doorPower: Int8 {
        let usual = profile.calibration.transmitPower
        return radio.facts.usesExtendedCommands ? min(usual, DoorIdentity.transmitPower) : usual
    }
}
