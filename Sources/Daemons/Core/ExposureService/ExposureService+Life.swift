// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Ledger

extension ExposureService {
    /// The first entry of the log after a reset: which life this is, for whoever has the device now. The log of before went with everything else,
    /// so nothing else would say so. Written once; what cannot be written is tried again at the next start.
    func noteLife() {
        guard let number = signIn.access.lifeNumber, let begun = signIn.access.begunBy,
            (try? ledger.auditEntries(after: 0, limit: 1))?.isEmpty == true
        else { return }
        var details = ["life": "\(number)"]
        if let handsOn = begun.handsOn { details["handedOn"] = handsOn ? "yes" : "no" }
        let entry = AuditEntry(kind: AuditKind.lifeBegun.rawValue, actor: "core", time: begun.time, details: details)
        do { try ledger.write { try $0.audit(entry) } } catch { complain(error, doing: "recording a new life") }
    }
}
