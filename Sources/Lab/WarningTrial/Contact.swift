// SPDX-License-Identifier: Apache-2.0

/// A contact of two people, as the scans of the receiving board recorded it.
public struct Contact: Sendable, Hashable {
    /// A scan in which the other person was heard.
    public struct Scan: Sendable, Hashable {
        /// The mean attenuation of the scan in dB.
        public let typicalAttenuation: Int
        /// The attenuation of the scan's strongest packet in dB.
        public let minimumAttenuation: Int
        /// The seconds since the scan before, which this scan stands for.
        public let secondsSinceLastScan: Int

        /// Creates a scan of these parts. Nothing is checked.
        public init(typicalAttenuation: Int, minimumAttenuation: Int, secondsSinceLastScan: Int) {
            self.typicalAttenuation = typicalAttenuation
            self.minimumAttenuation = minimumAttenuation
            self.secondsSinceLastScan = secondsSinceLastScan
        }
    }

    /// The scans in which the other person was heard, in the order of time; may be empty.
    public let scans: [Scan]

    /// Creates a contact of these scans. Nothing is checked.
    public init(scans: [Scan]) { self.scans = scans }
}
