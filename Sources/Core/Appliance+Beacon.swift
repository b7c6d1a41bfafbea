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
    let turn: TEKSchedule.Turn
    let identity: BeaconIdentity
}

/// The keys derived from one TEK, so that they are derived once a day and not at each rotation.
struct DerivedKeys {
    let key: TemporaryExposureKey
    let keys: IdentifierKeys
}

extension Appliance {
    /// When the identifier on air has to change; `nil` while nothing is.
    var rotationDue: Duration? {
        guard let plannedRotation else { return nil }
        return min(plannedRotation, nextMidnight ?? plannedRotation)
    }

    /// When the next turn is to be stored; `nil` when it is.
    var preparationDue: Duration? {
        guard let rotationDue, preparedFor != rotationDue, onAirInterval != nil else { return nil }
        return rotationDue - Self.preparation
    }

    /// Stores the turn that will be due, so that the change of identifier does not wait for the disk.
    func prepare(at now: BootInstant) {
        guard let rotationDue else { return }
        preparedFor = rotationDue
        let then = time.now(at: BootInstant(rotationDue))
        guard isEnabled, then.mayBroadcast, let civil = then.time, let interval = ENIN(unixSeconds: civil.seconds),
            preparedTurn(interval) == nil
        else { return }
        let turn = storedTurn(interval)
        prepared = identity(turn).map { PreparedTurn(turn: turn, identity: $0) }
    }

    /// What was prepared, if it is for this interval and the schedule still stands as it left it: after a release, or another turn, it is void.
    private func preparedTurn(_ interval: ENIN) -> PreparedTurn? {
        guard let prepared, prepared.turn.interval == interval, schedule.lastInterval == interval,
            schedule.current == prepared.turn.key
        else { return nil }
        return prepared
    }

    /// Puts the next identifier on air, under a fresh address. It is stored as used before it is sent: a pair of key and interval
    /// that was stored and never sent is harmless, the reverse could be sent twice.
    func rotate(at now: BootInstant) {
        let present = time.now(at: now)
        guard isEnabled, present.mayBroadcast, let civil = present.time, let interval = ENIN(unixSeconds: civil.seconds)
        else {
            return goSilent(at: now)
        }
        let day = (onAirInterval ?? schedule.current?.rollingStart)?.day
        let ready = preparedTurn(interval)
        prepared = nil
        let turn = ready?.turn ?? storedTurn(interval)
        guard let identity = ready?.identity ?? identity(turn) else {
            // No keys or no randomness now: rather nothing on air than the old identifier, and another try soon.
            goSilent(at: now)
            plannedRotation = now.duration + Self.retryPause
            return
        }
        onAirInterval = interval
        plan(from: civil, at: now)
        radio.broadcast(identity, at: now.duration)
        radio.listen(true, at: now.duration)
        log.debug("new identifier", metadata: ["freshKey": "\(turn.isFreshKey)"])
        if day != interval.day { forgetBy = now.duration + Self.patience }
    }

    /// Takes the next turn and stores it.
    ///
    /// When the disk refuses, the beacon goes on with a key that the disk cannot know: whatever is stored there, no restart can find
    /// this key with an interval that was used already.
    private func storedTurn(_ interval: ENIN) -> TEKSchedule.Turn {
        var turn = next(interval)
        if let failure = store() {
            if isKeyStored || !failure.leavesNothingBehind {
                turn = next(interval)
                isKeyStored = false
            }
        } else {
            isKeyStored = true
        }
        return turn
    }

    private func next(_ interval: ENIN) -> TEKSchedule.Turn {
        let turn = schedule.next(at: interval, using: &generator)
        if turn.isFreshKey {
            isKeyStored = false
            tally.keysMade += 1
        }
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
                address: try .nonResolvable(from: &generator),
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
        plannedRotation = nil
        nextMidnight = nil
        radio.listen(false, at: now.duration)
        radio.broadcast(nil, at: now.duration)
    }

    private func plan(from civil: UnixTime, at now: BootInstant) {
        let range = profile.beacon.rotation
        let span = Int64.random(in: range.lowerBound.milliseconds...range.upperBound.milliseconds, using: &generator)
        plannedRotation = now.duration + .milliseconds(span)
        planMidnight(from: civil, at: now)
    }

    /// The TEK ends at midnight, so its last identifier does.
    func planMidnight(from civil: UnixTime, at now: BootInstant) {
        let day = Int64(86_400_000)
        let intoDay = civil.milliseconds - civil.day * day
        nextMidnight = now.duration + .milliseconds(day - intoDay)
    }

    /// Whether what is on air may stay there after the time has changed: its key is for this day, and it is not far from its
    /// interval. Small corrections must not cost a key each.
    func identityFits(_ civil: UnixTime) -> Bool {
        guard let key = schedule.current, let onAirInterval, let interval = ENIN(unixSeconds: civil.seconds) else {
            return false
        }
        let distance = max(interval, onAirInterval).number - min(interval, onAirInterval).number
        return key.contains(interval) && distance <= Self.toleratedIntervals
    }

    /// How long before it is due the next turn is stored. Cards that clean up answer after some hundred milliseconds.
    static let preparation: Duration = .seconds(1)

    /// Before another identifier is tried where none could be made.
    private static let retryPause: Duration = .seconds(10)

    /// 20 minutes, as long as an identifier may be in use; receivers tolerate two hours (gaen-core section 5).
    private static let toleratedIntervals: UInt32 = 2

    /// Writes key schedule and time; gives what went wrong.
    @discardableResult
    func store() -> StorageFailure? {
        do {
            try vault.store(schedule, time: snapshot, isEnabled: isEnabled)
            storageRecovered()
            return nil
        } catch {
            return storageFailed(error, doing: "storing the key schedule")
        }
    }

    /// Forgets what is older than 14 days, if the time is certain.
    func forget(_ present: TrustedTime.Now) {
        guard present.mayDelete, let earliest = present.earliest, let interval = ENIN(unixSeconds: earliest.seconds),
            interval.day > TEKSchedule.retentionDays
        else { return }
        schedule.forgetExpired(at: interval)
        do { try vault.forget(before: interval.day - TEKSchedule.retentionDays) } catch {
            storageFailed(error, doing: "forgetting old days")
        }
    }
}

extension StorageFailure {
    /// Whether it is certain that the disk holds what it held before.
    var leavesNothingBehind: Bool { code == .full || code == .readOnly }
}
