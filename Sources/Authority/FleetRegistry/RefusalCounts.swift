// SPDX-License-Identifier: Apache-2.0

import SQLiteFile
import Synchronization

/// Refusals that are counted in memory and not in the database yet: strangers must not cause a commit each. Any thread; a process that is killed
/// loses what nobody has written.
package final class RefusalCounts: Sendable {
    private let counts = Mutex<[RegistryEvent: Int64]>([:])

    /// Nothing is counted yet.
    package init() {}

    func add(_ more: [RegistryEvent: Int64]) { counts.withLock { $0.merge(more, uniquingKeysWith: +) } }

    /// What was counted; nothing is left.
    func take() -> [RegistryEvent: Int64] {
        counts.withLock { counts in
            defer { counts = [:] }
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
