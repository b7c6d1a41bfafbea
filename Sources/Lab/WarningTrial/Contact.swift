// SPDX-License-Identifier: Apache-2.0

/// How two people were near each other, as the receiving board's scans have it.
public struct Contact: Sendable, Hashable {
    /// One scan that heard the other.
    public struct Scan: Sendable, Hashable {
        /// Attenuation in dB: the mean over the scan, and of its loudest packet.
        public let typicalAttenuation: Int
        public let minimumAttenuation: Int
        public let secondsSinceLastScan: Int

        public init(typicalAttenuation: Int, minimumAttenuation: Int, secondsSinceLastScan: Int) {
            self.typicalAttenuation = typicalAttenuation
            self.minimumAttenuation = minimumAttenuation
            self.secondsSinceLastScan = secondsSinceLastScan
        }
    }

    public let scans: [Scan]

    public init(scans: [Scan]) { self.scans = scans }
}
