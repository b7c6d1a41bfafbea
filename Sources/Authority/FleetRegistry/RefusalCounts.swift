// SPDX-License-Identifier: Apache-2.0

import Enrolment
import SQLiteFile
import Synchronization

/// Refusals that are counted in memory and not in the database yet: strangers must not cause a commit each. Any thread; a process that is killed
/// loses what nobody has written.
package final class RefusalCounts: Sendable {
    /// What happened, and of which boards the claim was used with another key. Whoever has no claim enters no name here.
    struct Counts: Sendable {
        var events: [RegistryEvent: Int64] = [:]
        var usedClaims: [BoardName: Int64] = [:]

        var isEmpty: Bool { events.isEmpty && usedClaims.isEmpty }

        /// Both together.
        func merging(_ other: Counts) -> Counts {
            Counts(
                events: events.merging(other.events, uniquingKeysWith: +),
                usedClaims: usedClaims.merging(other.usedClaims, uniquingKeysWith: +))
        }
    }

    private let counts = Mutex(Counts())

    /// Nothing is counted yet.
    package init() {}

    func add(_ more: Counts) { counts.withLock { $0 = $0.merging(more) } }

    /// What was counted; nothing is left.
    func take() -> Counts {
        counts.withLock { counts in
            defer { counts = Counts() }
            return counts
        }
    }

    /// Writes what was counted; what cannot be written stays. `now` is in Unix seconds. Throws as ``RegistryStore`` does.
    package func write(to store: RegistryStore, now: Int64) throws(RegistryError) {
        let taken = take()
        guard !taken.isEmpty else { return }
        do throws(RegistryError) {
            try store.database.transaction { () throws(RegistryError) in try store.count(taken, at: now) }
        } catch {
            add(taken)
            throw error
        }
    }
}
