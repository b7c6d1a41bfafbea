// SPDX-License-Identifier: Apache-2.0

extension Vault {
    /// Bytes written to the data folder since the vault was opened, by what they were for. Flash wears out by them.
    public struct Written: Sendable, Hashable {
        /// Bytes written to `tek.slots`: keys and time, 0 or more.
        public internal(set) var schedule: UInt64 = 0
        /// Bytes written to `days.keys`: the data keys of the days, 0 or more.
        public internal(set) var dayKeys: UInt64 = 0
        /// Bytes written to `ledger.slots`: the data keys of the ledger, 0 or more.
        public internal(set) var ledgerKeys: UInt64 = 0
        /// Bytes written to the logs of the days, 0 or more.
        public internal(set) var sightings: UInt64 = 0

        /// Bytes written in all: the sum of the four, 0 or more.
        public var total: UInt64 { schedule + dayKeys + ledgerKeys + sightings }
    }
}
