// SPDX-License-Identifier: Apache-2.0

extension Vault {
    /// Something a technician should know of. Each is reported once.
    public enum Finding: Sendable, Hashable {
        /// Everything was destroyed on purpose; the device begins as new.
        case wasReset
        /// The store in the file `store` could not be read; the file was renamed to `as`, and an empty one took its place.
        case setAside(store: String, as: String)
        /// The time stored beside the key schedule could not be read; the schedule could.
        case timeLost
        /// Records of the log of `day` (UTC, since 1970) cannot be read, in this many places; the others can.
        case damagedRecords(day: UInt32, places: Int)
        /// The last record of `day` (UTC, since 1970) was cut off by a power cut: one scan is lost, which is the stated loss.
        case tornRecord(day: UInt32)
        /// The log of `day` (UTC, since 1970) had no key: nobody can read it any more, so it was removed.
        case orphanRemoved(day: UInt32)
        /// Something could not be written while opening, for a failure of this code. What is there is used; what cannot be stored lives in memory.
        case cannotWrite(StorageFailure.Code)
        /// More days were begun than are kept; `day` (UTC, since 1970), begun first, had to go. Clocks that jump about do this.
        case dayDropped(day: UInt32)
        /// More was heard on `day` (UTC, since 1970) than may be written in one: from then on the loudest senders of each scan are kept. So much is
        /// a flood, or a place busier than any measured.
        case quotaReached(day: UInt32)
    }
}
