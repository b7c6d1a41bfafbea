// SPDX-License-Identifier: Apache-2.0

extension Vault {
    /// Something a technician should know of. Each is reported once.
    public enum Finding: Sendable, Hashable {
        /// Everything was destroyed on purpose; the device begins as new.
        case wasReset
        /// A store could not be read; it was renamed and an empty one took its place.
        case setAside(store: String, as: String)
        /// The time stored beside the key schedule could not be read; the schedule could.
        case timeLost
        /// Records of a day's log cannot be read; the others can.
        case damagedRecords(day: UInt32, places: Int)
        /// The last record of a day was cut off by a power cut: one scan is lost, which is the stated loss.
        case tornRecord(day: UInt32)
        /// The log of a day without a key: nobody can read it any more, so it was removed.
        case orphanRemoved(day: UInt32)
        /// Something could not be written while opening. What is there is used; what cannot be stored lives in memory.
        case cannotWrite(StorageFailure.Code)
        /// More days were begun than are kept; the one begun first had to go. Clocks that jump about do this.
        case dayDropped(day: UInt32)
        /// More was heard on a day than may be written in one: from then on the loudest senders of each scan are kept. So much is
        /// a flood, or a place busier than any measured.
        case quotaReached(day: UInt32)
    }
}
