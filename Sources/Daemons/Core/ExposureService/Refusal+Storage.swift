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
}

/// Runs `body`, which reads what is kept; what the disk says becomes a refusal.
func reading<Result>(_ body: () throws -> Result) throws(Refusal) -> Result {
    do { return try body() } catch { throw .storage(error) }
}
