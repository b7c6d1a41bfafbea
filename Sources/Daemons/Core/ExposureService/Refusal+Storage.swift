// SPDX-License-Identifier: Apache-2.0

import Ledger

extension Ledger {
    /// Runs `body` in one transaction that is durable afterwards; what the disk says becomes a refusal.
    @discardableResult
    func record<Result>(_ body: (LedgerTransaction) throws -> Result) throws(Refusal) -> Result {
        do {
            return try write(body)
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw .storage(error)
        }
    }

    /// Does the same, and what `body` removes cannot be opened any more afterwards. If the disk has no room for a fresh key and all rows under it, the rows are
    /// removed all the same, and the key is renewed within days.
    func erased(_ body: (LedgerTransaction) throws -> Void) throws(Refusal) {
        do { try erase(body) } catch { try record(body) }
    }
}

/// Runs `body`, which reads what is kept; what the disk says becomes a refusal.
func reading<Result>(_ body: () throws -> Result) throws(Refusal) -> Result {
    do { return try body() } catch { throw .storage(error) }
}
