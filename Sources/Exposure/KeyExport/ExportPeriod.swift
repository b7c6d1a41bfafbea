// SPDX-License-Identifier: Apache-2.0

/// The period and the region for which a key file was published, as its signed part says.
public struct ExportPeriod: Hashable, Sendable, Codable {
    /// First moment of the period, inclusive: Unix seconds, above 0.
    public let start: Int64
    /// End of the period, exclusive: Unix seconds; later than ``start``, before the year 10000.
    public let end: Int64
    /// The region as it was signed; empty where the file names none. Foreign text of up to 64 bytes in a file that was
    /// read.
    public let region: String

    /// The year 10000: no date after it is meant.
    private static let latest: Int64 = 253_402_300_800

    /// A period of these parts; `nil` unless 0 < `start` < `end` < the year 10000. The region is not checked. Both are in
    /// Unix seconds.
    public init?(start: Int64, end: Int64, region: String) {
        guard 0 < start, start < end, end < Self.latest else { return nil }
        self.start = start
        self.end = end
        self.region = region
    }
}

extension ExportSummary {
    /// The file's period; `nil` when it names none, or one that is impossible.
    public var period: ExportPeriod? {
        ExportPeriod(start: Int64(clamping: startTimestamp), end: Int64(clamping: endTimestamp), region: region)
    }
}
