// SPDX-License-Identifier: Apache-2.0

import DoorBroadcast
import HCI
import Radio
import TimeTrust

/// What a held button collects of the codes at doors (docs/decisions/0046-check-in-by-broadcast.md). Nothing of it is sent, stored or logged.
extension Beacon {
    /// Begins to listen for places, one scan after the other, until ``endCollecting()``. Between the scans for sightings, which begin and end
    /// as ever; nothing else is kept or counted of what is heard, so no number tells that the button is held. False, and nothing happens, on a board that
    /// does not send and listen, and on one that would have to be silent while it listens: it would show that its button is held.
    func beginCollecting(at now: BootInstant) -> Bool {
        guard sends, onAirInterval != nil, !isStopping, radio.isReady, !radio.timeSlices else { return false }
        collector = DoorCollector()
        radio.collectDoors(true)
        radio.listenForDoors(at: now.duration)
        radio.advance(to: now.duration)
        obeyRadio(at: now)
        return true
    }

    /// Listens no more, as far as doors are concerned, and forgets what was heard of them. A scan under way goes on to its end.
    func endCollecting() {
        collector = nil
        collected = nil
        radio.collectDoors(false)
    }

    /// Whether something is collected.
    var isCollecting: Bool { collector != nil }

    /// Whether a place is heard that may be in reach.
    var hearsADoor: Bool { collector?.hearsAPlace ?? false }

    /// The code that was collected, once.
    func takeCollected() -> DoorCode? {
        defer { collected = nil }
        return collected
    }

    func hearDoor(_ fragment: DoorFragment, from sender: BluetoothAddress, rssi: Int8, at now: BootInstant) {
        let strength = Int(rssi) + calibration.corrections.correction(profile)
        let number = sender.value | UInt64(sender.type.rawValue) << 48
        // The first that is complete counts; what is heard meanwhile counts for whether a place is near.
        let code = collector?.hear(fragment, from: number, strength: strength, at: now.duration)
        if collected == nil { collected = code }
    }

    /// A scan is over: the next one begins at once while the button is held, unless it has turned out that the beacon pauses for it.
    func scanAgainIfCollecting(at now: BootInstant) {
        guard collector != nil, !isStopping else { return }
        guard !radio.timeSlices else { return endCollecting() }
        radio.listenForDoors(at: now.duration)
    }
}
