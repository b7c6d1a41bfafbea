// SPDX-License-Identifier: Apache-2.0

import Cryptography

extension Ledger {
    /// Forgets what is older than the UTC day `day` (since 1970): matches whose key ended, matched files, attempts
    /// and evidence of earlier days, tickets that were made and expired before it, and digests of paired devices
    /// received before it. The devices stay paired; settings and the audit log stay. Call it only with authenticated
    /// time. Returns whether there was anything to forget; if not, nothing is written.
    ///
    /// The remaining rows are sealed under a fresh key in the same transaction, and the old key is destroyed, so that
    /// old contents of flash cells cannot be opened even if they are found. A power cut on the way is finished at the
    /// next opening. Throws ``LedgerFailure`` when the disk refuses; the call can be repeated.
    @discardableResult
    public func forget(before day: UInt32) throws -> Bool {
        guard try isAnything(before: day) else { return false }
        try renew {
            try forgetMatches(endedBefore: day)
            try forgetFiles(before: day)
            try forgetAttempts(before: day)
            try forgetTickets(before: day)
            try forgetEvidence(before: day)
            try forgetPaired(before: day)
        }
        return true
    }

    private func isAnything(before day: UInt32) throws -> Bool {
        try rows(.match).contains { Self.isEnded($0, before: day) }
            || rows(.file).contains { Self.isFile($0, before: day) }
            || rows(.attempt).contains { Self.isAttempt($0, before: day) }
            || rows(.ticket).contains { Self.isTicket($0, before: day) }
            || rows(.evidence).contains { Self.isEvidence($0, before: day) }
            || rows(.paired).contains { Self.hasPaired($0, before: day) }
    }

    /// Seals all rows under a fresh key, except the audit log's, which have a key of their own, and destroys the old
    /// key, so that removed rows can no longer be opened. Writes the whole ledger. Throws ``LedgerFailure`` when the
    /// disk refuses; the call can be repeated.
    public func renewKey() throws { try renew {} }

    /// Runs `body` as ``write(_:)`` does, and seals all rows under a fresh key in the same transaction, as by ``renewKey()``: what `body` removes cannot be
    /// opened any more once this returns. After a power cut either nothing has happened, or all of it, and the next opening destroys the old key.
    ///
    /// Throws what `body` throws, or ``LedgerFailure``; nothing has changed then. An old key that cannot be destroyed now is destroyed at the next opening.
    public func erase(_ body: (LedgerTransaction) throws -> Void) throws {
        guard isWritable else { throw LedgerFailure(.readOnly) }
        step("ledger.renew.stage")
        if keys.keys.first == sealer.key { try stage() }
        step("ledger.renew.staged")
        try sealAnew(under: keys.keys[0]) {
            let transaction = LedgerTransaction(self)
            defer { transaction.isOver = true }
            try body(transaction)
        }
        // It has happened.
        try? foldLog()
        try? retire()
    }

    /// Prepares the device for another life: removes matches, files, tickets, evidence, paired devices, the audit
    /// log, and the settings in `names`. Other settings and the counts of attempts stay. `first` can write, for
    /// example, the first entry of the new log, in the same transaction.
    ///
    /// The remaining rows are sealed under a fresh key, as by ``forget(before:)``; an old key that cannot be
    /// destroyed now is destroyed at the next opening. Throws ``LedgerFailure``, `invalid` for one of `names` of a
    /// wrong length, or what `first` throws; all rows are then unchanged.
    public func beginLife(forgetting names: [String], _ first: (LedgerTransaction) throws -> Void) throws {
        guard isWritable else { throw LedgerFailure(.readOnly) }
        if keys.keys.first == sealer.key { try stage() }
        let before = auditSealer
        do {
            try sealAnew(under: keys.keys[0]) {
                for table in [LedgerTable.match, .file, .ticket, .evidence, .paired] {
                    try database.run("DELETE FROM \(table.rawValue)")
                }
                try beginAuditAnew()
                let transaction = LedgerTransaction(self)
                defer { transaction.isOver = true }
                for name in names { try transaction.set(name, nil) }
                try first(transaction)
            }
        } catch {
            auditSealer = before
            throw error
        }
        // It has happened. A log that could not be folded into the file is folded by the next opening, and an old key destroyed.
        try? foldLog()
        try? retire()
    }

    private func renew(_ changes: () throws -> Void) throws {
        guard isWritable else { throw LedgerFailure(.readOnly) }
        step("ledger.renew.stage")
        // A renewal that could not be finished has its key already; another would push out the one the rows are under.
        if keys.keys.first == sealer.key { try stage() }
        step("ledger.renew.staged")
        try sealAnew(under: keys.keys[0], changes)
        try foldLog()
        try retire()
    }

    private func stage() throws {
        do {
            _ = try keys.stage()
        } catch let failure as LedgerFailure {
            throw failure
        } catch {
            throw LedgerFailure(.failed, "a fresh key: \(error)")
        }
    }

    private func retire() throws {
        do {
            try keys.retireOthers()
        } catch let failure as LedgerFailure {
            throw failure
        } catch {
            throw LedgerFailure(.failed, "destroying the old key: \(error)")
        }
        step("ledger.renew.retired")
    }

    /// One transaction: when it throws nothing has happened, and when it returns all has.
    private func sealAnew(under key: SecretBytes, _ changes: () throws -> Void) throws {
        let next = try RowSealer(key: key)
        let before = sealer
        do {
            try transaction("ledger.renew.commit") {
                try changes()
                // The audit log has its own key, which is a row of `meta`.
                for table in LedgerTable.allCases where table != .audit {
                    let rows = try rows(table)
                    try database.run("DELETE FROM \(table.rawValue)")
                    for row in rows {
                        sealer = next
                        defer { sealer = before }
                        try insert(
                            table, tag: next.tag(table, row.name), written: row.written, name: row.name, row.content)
                    }
                }
            }
        } catch {
            sealer = before
            throw error
        }
        sealer = next
        step("ledger.renew.committed")
    }

    /// Two keys mean that a renewal was interrupted: before its transaction, or after.
    func finishRenewal() throws {
        guard isWritable, keys.keys.count > 1 else { return }
        do {
            if keys.keys[0] != sealer.key {
                try sealAnew(under: keys.keys[0]) {}
                try foldLog()
            }
            try retire()
            findings.append(.renewalFinished)
        } catch let failure as LedgerFailure where failure.code != .damaged {
            findings.append(.renewalPending(failure.code))
        }
    }
}
