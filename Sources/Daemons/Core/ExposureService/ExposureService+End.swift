// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Ledger
import Logging
import TimeTrust

extension ExposureService {
    /// The authority has ended it: silence at once; everything is erased on the day it says, if that day is certain.
    func endServiceIfOver(at now: BootInstant) {
        guard !wasReset, roles.isPerson, warnings.isServiceOver(at: now) else { return }
        let authority = Caller(name: "authority", reading: .nothing, spool: nil, presence: "signed document")
        if beacon.isEnabled {
            do throws(Refusal) { try disable(by: authority, at: now) } catch {
                complain(error, doing: "ending the service")
            }
        }
        let present = beacon.present(at: now)
        guard let from = warnings.eraseFrom(at: now), present.mayDelete, let earliest = present.earliest,
            earliest.seconds >= from
        else { return }
        do throws(Refusal) { try erase(by: authority, at: now) } catch { complain(error, doing: "erasing everything") }
    }
}
