// SPDX-License-Identifier: Apache-2.0

import GAEN
import Logging
import Radio
import TimeTrust
import Vault

extension Beacon {
    /// Whether identifiers go on air: somebody has agreed, and it is a person's. What a place sent of them nobody could ever publish.
    var sends: Bool { isEnabled && role == .person }

    /// Stands for `role` from now on. For a place what was kept for a person is destroyed: sightings, own keys, and what the next identifier
    /// would have been; a person begins as on a new device. The beacon obeys at once, also when the disk refuses; the destruction is tried
    /// again at the next start (``ExposureService``).
    ///
    /// Throws ``StorageFailure``.
    func stand(for newRole: BoardProfile.Role, at now: BootInstant) throws {
        role = newRole
        changes += 1
        prepared = nil
        derived = nil
        scan.forget()
        endCollecting()
        doors = DoorDesk()
        if newRole == .place {
            // Silent first: what is on air is of a key that is about to go.
            goSilent(at: now)
            schedule = .init()
        }
        defer {
            if isEnabled, !isStopping { rotate(at: now) }
            obeyRadio(at: now)
        }
        guard newRole == .place, holdsPersonalThings else { return }
        log.notice("this device stands for a place: sightings and own keys are destroyed")
        do { try vault.forgetEverything() } catch {
            throw storage.failed(error, doing: "destroying what was kept for a person", log)
        }
    }

    /// As ``stand(for:at:)``, before the first turn.
    func begin(as firstRole: BoardProfile.Role) throws {
        role = firstRole
        guard firstRole == .place, holdsPersonalThings else { return }
        schedule = .init()
        log.notice("this device stands for a place: what was kept for a person is destroyed")
        do { try vault.forgetEverything() } catch {
            throw storage.failed(error, doing: "destroying what was kept for a person", log)
        }
    }

    /// Whether the disk has sightings or own keys.
    var holdsPersonalThings: Bool { !vault.days.isEmpty || vault.schedule != .init() }

    /// A place listens, and counts what it hears: whether radio and receiver work is for its operator to know. What is heard is forgotten when its
    /// scan is over. Nothing is sent but the code at its door.
    func listenOnly(at now: BootInstant) {
        prepared = nil
        onAirInterval = nil
        rotation.cancel()
        tendDoor(at: now)
        radio.listen(true, at: now.duration)
    }
}
