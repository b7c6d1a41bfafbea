// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Radio
import TimeTrust

extension ExposureService {
    /// How presence is shown for what the console does to whoever is near: on a person's board with a button, by a press that
    /// was asked for in the name of `who`, and for nothing else. `outcome` says that nothing was done; `act` is what begins then.
    func consolePresence(
        of caller: Caller, who: String, _ outcome: String, _ act: String, at now: BootInstant
    ) throws(Refusal) -> String {
        guard role == .person, beacon.profile.hasConsentButton else { return caller.presence }
        let requester = ButtonDesk.Requester(name: who, digest: nil)
        if button.take(requester, at: now.duration) { return Self.byButton }
        guard button.watch != nil else {
            throw .buttonNeeded("The wearer agrees by the button, and it cannot be heard: see the log. \(outcome)")
        }
        guard button.ask(requester, at: now.duration) else {
            throw .buttonNeeded("Somebody else was asked to press the button. Try again in a minute.")
        }
        throw .buttonNeeded("Ask the wearer to press the button within a minute; then \(act) begins.")
    }
}
