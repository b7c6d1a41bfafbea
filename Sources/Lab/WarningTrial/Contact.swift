// SPDX-License-Identifier: Apache-2.0

/// A contact of two people, as the receiving board's scans have it.
public struct Contact: Sendable, Hashable {
    /// One scan that heard the other.
    public struct Scan: Sendable, Hashable {
        /// Attenuation in dB, the mean over the scan.
        public let typicalAttenuation: Int
        /// Attenuation of the scan's loudest packet, dB.
        public let minimumAttenuation: Int
        /// Seconds since the scan before, for which this one counts.
        public let secondsSinceLastScan: Int

        /// Creates the value for readers of tables and for tests. Nothing is checked here. See the properties for units.
        public init(typicalAttenuation: Int, minimumAttenuation: Int, secondsSinceLastScan: Int) {
            self.typicalAttenuation = typicalAttenuation
            self.minimumAttenuation = minimumAttenuation
            self.secondsSinceLastScan = secondsSinceLastScan
        }
    }

    /// The scans that heard the other, in time order; empty without any.
    public let scans: [Scan]

    /// Creates the value for readers of tables and for tests. Nothing is checked here.
    public init(scans: [Scan]) { self.scans = scans }
}
