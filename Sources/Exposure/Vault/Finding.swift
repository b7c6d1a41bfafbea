// SPDX-License-Identifier: Apache-2.0

extension Vault {
    /// An event or a damage that a technician should know of. Each is reported once.
    public enum Finding: Sendable, Hashable {
        /// A reset has destroyed everything on purpose; the device begins as new.
        case wasReset
        /// The store in the file `store` could not be read; the file was renamed to `as`, and an empty one took its place.
        case setAside(store: String, as: String)
        /// The time that is stored with the key schedule could not be read; the schedule could.
        case timeLost
        /// This many places in the log of `day` (UTC, since 1970) cannot be read; the other records can.
        case damagedRecords(day: UInt32, places: Int)
        /// A power cut broke off the last record of `day` (UTC, since 1970): one scan is lost, which is the loss that
        /// is allowed for.
        case tornRecord(day: UInt32)
        /// The log of `day` (UTC, since 1970) had no key and could no longer be read, so it was removed.
        case orphanRemoved(day: UInt32)
        /// Something could not be written during the opening, because of a failure of this code. Stored contents are
        /// used; what cannot be stored is kept in memory.
        case cannotWrite(StorageFailure.Code)
        /// More days were begun than are kept, so `day` (UTC, since 1970), which was begun first, was removed. A
        /// clock that jumps can cause this.
        case dayDropped(day: UInt32)
        /// The quota of `day` (UTC, since 1970) is used up; from then on only the loudest senders of each scan are
        /// kept. That much is a flood, or a place busier than any that was measured.
        case quotaReached(day: UInt32)
    }
}
