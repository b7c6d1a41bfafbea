// SPDX-License-Identifier: Apache-2.0

extension Vault {
    /// The number of bytes written to the data folder since the vault was opened, by purpose. Writing wears out
    /// flash.
    public struct Written: Sendable, Hashable {
        /// The number of bytes written to `tek.slots`, which has the keys and the time; 0 or more.
        public internal(set) var schedule: UInt64 = 0
        /// The number of bytes written to `days.keys`, which has the data keys of the days; 0 or more.
        public internal(set) var dayKeys: UInt64 = 0
        /// The number of bytes written to `ledger.slots`, which has the data keys of the ledger; 0 or more.
        public internal(set) var ledgerKeys: UInt64 = 0
        /// The number of bytes written to the logs of the days, 0 or more.
        public internal(set) var sightings: UInt64 = 0

        /// The sum of the four numbers, in bytes; 0 or more.
        public var total: UInt64 { schedule + dayKeys + ledgerKeys + sightings }
    }
}
