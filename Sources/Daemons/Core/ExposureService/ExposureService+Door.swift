// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DoorBroadcast
import Interfaces
import TimeTrust

/// Check-in without a connection: what a place broadcasts, and what a held button has collected (docs/decisions/0046-check-in-by-broadcast.md).
/// Nothing of it is logged or stored here.
extension ExposureService {
    /// Broadcasts these codes from now on. `false` if one of them breaks a rule; then everything stays as it was.
    func showDoors(_ showings: [Door1.Showing], at now: BootInstant) throws(Refusal) -> Bool {
        guard role == .place else {
            throw .wrongRole("This device is a person's, which broadcasts no code. A technician can make it a place's.")
        }
        guard let time = beacon.present(at: now).time?.seconds else {
            throw .timeUnknown("The device does not know what time it is; connect it or set its time.")
        }
        guard showings.count <= DoorDesk.mostShowings else { return false }
        var known: [DoorShowing] = []
        for showing in showings {
            guard let content = Base64.bytes(showing.content), (1...DoorCode.maximumByteCount).contains(content.count),
                showing.from < showing.until, showing.until <= time + DoorDesk.horizon
            else { return false }
            known.append(DoorShowing(content: content, from: showing.from, until: showing.until))
        }
        beacon.show(known, at: now)
        return true
    }

    /// The code that was collected, once.
    func takeDoorCode() -> Door1.CodeReply {
        guard let (number, content) = doorHold.take() else { return Door1.CodeReply() }
        return Door1.CodeReply(number: number, content: Base64.string(content))
    }

    /// Tells the wearer what became of the code that was taken.
    func noteVisit(_ number: Int64, isKept: Bool) {
        if doorHold.settle(number) { button.noteEnd(isDone: isKept) }
    }

    /// Takes the hold of the button where it is. In a place: has what is broadcast said anew after a change of the time. Either: lets the plugin
    /// that keeps check-ins know that the time is known.
    func tendDoorHold(at now: BootInstant) {
        // Whoever says what a place broadcasts says it anew, and whoever waited for the time need not look for it again and again.
        if beacon.takeDoorsAreOutdated() { announcer.tell(.doorCode) }
        guard role == .person, !wasReset, !roleHasChanged else {
            doorHold.forget()
            return beacon.endCollecting()
        }
        if doorHold.expires(at: now.duration) { button.noteEnd(isDone: false) }
        switch doorHold.next(button.watch, at: now.duration) {
        case .nothing: break
        // A press that is asked for agrees to a warning; it is about nothing else.
        case .begin:
            let isAsked = button.isAsked
            doorHold.began(!isAsked && beacon.beginCollecting(at: now), at: now.duration)
        case .claim: button.claim(at: now.duration)
        case .end(let isCalledOff):
            beacon.endCollecting()
            if isCalledOff { button.noteEnd(isDone: false) }
        }
        guard beacon.hearsADoor else { return }
        if doorHold.claims() { button.claim(at: now.duration) }
        guard let code = beacon.takeCollected() else { return }
        beacon.endCollecting()
        doorHold.collected(code.content, at: now.duration)
        announcer.tell(.doorCode)
    }
}
