// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Ledger
import Logging
import TimeTrust

/// Makes entries of the audit log: what was done, in whose name, and when.
struct AuditWriter {
    private let ledger: Ledger
    private let log: Logger
    private let clock: (BootInstant) -> Int64?

    /// - Parameter clock: Gives the time of a moment in Unix seconds; `nil` while it is not known.
    init(_ ledger: Ledger, clock: @escaping (BootInstant) -> Int64?, log: Logger) {
        self.ledger = ledger
        self.clock = clock
        self.log = log
    }

    /// Unix seconds at `now`, as entries have it; `nil` while the time is not known.
    func time(at now: BootInstant) -> Int64? { clock(now) }

    /// An entry as of `now`, for whoever writes it in the transaction it belongs to.
    func entry(
        _ kind: AuditKind, _ caller: Caller, at now: BootInstant, _ details: [String: String] = [:]
    ) -> AuditEntry {
        entry(kind, of: caller.name, caller.session, at: now, details)
    }

    /// The same, of what a person wanted at the page `actor`.
    func entry(
        _ kind: AuditKind, of actor: String, _ session: Caller.Session?, at now: BootInstant,
        _ details: [String: String] = [:]
    ) -> AuditEntry {
        var details = details
        if let session {
            details["as"] = session.role.rawValue
            if let token = session.token { details["token"] = token }
        }
        return AuditEntry(kind: kind.rawValue, actor: actor, time: clock(now), details: details)
    }

    /// Enters what has happened already. What cannot be entered is said in the program's log, since nothing can be taken back.
    func note(_ kind: AuditKind, _ caller: Caller, at now: BootInstant, _ details: [String: String] = [:]) {
        do { try ledger.write { try $0.audit(entry(kind, caller, at: now, details)) } } catch {
            log.error("\(error)", metadata: ["while": "recording \(kind.rawValue)"])
        }
    }
}
