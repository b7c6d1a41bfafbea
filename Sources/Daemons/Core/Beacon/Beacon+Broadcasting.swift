// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import HCI
import Logging
import Radio
import TimeTrust
import Vault

/// A turn that is stored and not on air yet.
struct PreparedTurn {
    /// What the present interval will be when it is due.
    let due: ENIN
    let turn: TEKSchedule.Turn
    let identity: BeaconIdentity
}

/// The keys derived from one TEK, so that they are derived once a day and not at each rotation.
struct DerivedKeys {
    let key: TemporaryExposureKey
    let keys: IdentifierKeys
}

extension Beacon {
    /// When the identifier on air has to change; `nil` while nothing is.
    var rotationDue: Duration? { rotation.due }

    /// When the next turn is to be stored; `nil` when it is.
    var preparationDue: Duration? { onAirInterval == nil ? nil : rotation.preparationDue }

    /// Stores the turn that will be due, so that the change of identifier does not wait for the disk.
    func prepare(at now: BootInstant) {
        guard let rotationDue else { return }
        rotation.prepared()
        let then = time.now(at: BootInstant(rotationDue))
        guard sends, then.mayBroadcast, let civil = then.time, let interval = ENIN(unixSeconds: civil.seconds),
            preparedTurn(interval) == nil
        else { return }
        let turn = storedTurn(interval, mayRepeat: false)
        prepared = identity(turn).map { PreparedTurn(due: interval, turn: turn, identity: $0) }
    }

    /// What was prepared, if it is for this interval and the schedule still stands as it left it: after a release, or another turn, it is void.
    private func preparedTurn(_ interval: ENIN) -> PreparedTurn? {
        guard let prepared, prepared.due == interval, schedule.lastInterval == prepared.turn.interval,
            schedule.current == prepared.turn.key
        else { return nil }
        return prepared
    }

    /// Puts the next identifier on air, under its own address, and listens. It is stored as used before it is sent.
    ///
    /// After a restart within its interval, the identifier that was on air last comes again, with the address it had and for what is left
    /// of its time: so a restart costs no key. Not while the time is carried over a power cut, when nobody knows how long it was off.
    func rotate(at now: BootInstant) {
        let present = time.now(at: now)
        guard isEnabled, present.mayBroadcast, let civil = present.time, let interval = ENIN(unixSeconds: civil.seconds)
        else {
            return goSilent(at: now)
        }
        let day = presentDay ?? schedule.current?.rollingStart.day
        presentDay = interval.day
        time.seeDay(at: now)
        guard sends else { return listenOnly(at: now) }
        let ready = preparedTurn(interval)
        prepared = nil
        let mayRepeat = onAirInterval == nil && present.reason != .holdOver
        let turn = ready?.turn ?? storedTurn(interval, mayRepeat: mayRepeat)
        guard let identity = ready?.identity ?? identity(turn) else {
            // No keys or no randomness now: rather nothing on air than the old identifier, and another try soon.
            goSilent(at: now)
            rotation.plan(Self.retryPause, from: now.duration)
            return
        }
        onAirInterval = turn.interval
        onAirSpan = turn.key.rollingStart.number..<turn.key.end.number
        plan(turn, from: civil, at: now)
        radio.broadcast(identity, at: now.duration)
        radio.listen(true, at: now.duration)
        log.debug(
            "new identifier", metadata: ["freshKey": "\(turn.isFreshKey)", "again": "\(turn.isRepeated)"])
        if day != interval.day { forgetBy = now.duration + TimeWatch.interval }
    }

    /// Takes the next turn and stores it.
    ///
    /// When the disk refuses, the beacon goes on all the same: a restart that finds an older turn of this key gives the same identifiers
    /// with the same addresses again, in their intervals, and a key that never came to the disk never comes again.
    private func storedTurn(_ interval: ENIN, mayRepeat: Bool) -> TEKSchedule.Turn {
        let turn = schedule.next(at: interval, mayRepeat: mayRepeat, using: &generator)
        if turn.isFreshKey { tally.keysMade += 1 }
        store()
        return turn
    }

    private func identity(_ turn: TEKSchedule.Turn) -> BeaconIdentity? {
        if derived?.key != turn.key {
            do { derived = DerivedKeys(key: turn.key, keys: try IdentifierKeys(turn.key.secret)) } catch {
                log.critical("identifiers cannot be derived", metadata: ["reason": "\(error)"])
                return nil
            }
        }
        guard let keys = derived?.keys else { return nil }
        let identifier = keys.identifier(for: turn.interval)
        let metadata = BluetoothMetadata.version11(
            transmitPower: profile.calibration.transmitPower, confidence: profile.calibration.confidence)
        do {
            return BeaconIdentity(
                address: try BeaconAddress.address(for: turn),
                payload: AdvertisingPayload(
                    identifier: identifier, metadata: keys.encrypt(metadata, with: identifier)))
        } catch {
            log.critical("no address can be made", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    /// Nothing goes on air and nothing is listened to: without time, neither identifiers nor sightings mean anything.
    func goSilent(at now: BootInstant) {
        prepared = nil
        onAirInterval = nil
        rotation.cancel()
        endCollecting()
        doors.rest()
        radio.listen(false, at: now.duration)
        radio.broadcast(nil, at: now.duration)
    }

    private func plan(_ turn: TEKSchedule.Turn, from civil: UnixTime, at now: BootInstant) {
        let range = profile.beacon.rotation
        var span = Int64.random(in: range.lowerBound.milliseconds...range.upperBound.milliseconds, using: &generator)
        if turn.isRepeated {
            // It may have been on air since its interval began: counted from there, it stays no longer than any other in all.
            span += min(0, turn.interval.unixSeconds * 1_000 - civil.milliseconds)
        }
        rotation.plan(.milliseconds(span), from: now.duration)
        rotation.planMidnight(schedule.current, from: civil, at: now.duration)
    }

    /// Whether what is on air may stay there after the time has changed: its key is for this day, and it is not far from its
    /// interval. Small corrections must not cost a key each.
    func identityFits(_ civil: UnixTime) -> Bool {
        guard let onAirInterval, let interval = ENIN(unixSeconds: civil.seconds) else { return false }
        let distance = max(interval, onAirInterval).number - min(interval, onAirInterval).number
        return interval.number < onAirSpan.upperBound
            && interval.number + TEKSchedule.mostAhead >= onAirSpan.lowerBound && distance <= Self.toleratedIntervals
    }

    /// Before another identifier is tried where none could be made.
    private static let retryPause: Duration = .seconds(10)

    /// 20 minutes, as long as an identifier may be in use; receivers tolerate two hours (gaen-core section 5).
    private static let toleratedIntervals: UInt32 = 2

    /// Writes key schedule and time; gives what went wrong.
    @discardableResult
    func store() -> StorageFailure? {
        do {
            try vault.store(schedule, time: time.snapshot, isEnabled: isEnabled)
            storage.recovered(.inPlace, room: vault.room, findings: vault.findings, log)
            return nil
        } catch {
            return storage.failed(error, doing: "storing the key schedule", log)
        }
    }
}
