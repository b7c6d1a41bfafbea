// SPDX-License-Identifier: Apache-2.0

/// The period and the region for which a key file was published, as its signed content states. Decoding does not
/// check the bounds that ``init(start:end:region:)`` checks: decode only what was stored by this program.
public struct ExportPeriod: Hashable, Sendable, Codable {
    /// The start of the period, inclusive, in Unix seconds; above 0.
    public let start: Int64
    /// The end of the period, exclusive, in Unix seconds; later than ``start`` and before the year 10000.
    public let end: Int64
    /// The region as it was signed; empty when the file names none. In a file that was read it is foreign text of up
    /// to 64 bytes.
    public let region: String

    /// The year 10000: no date after it is meant.
    private static let latest: Int64 = 253_402_300_800

    /// Creates a period; `start` and `end` are in Unix seconds. Returns `nil` unless 0 < `start` < `end` < the year
    /// 10000. The region is not checked.
    public init?(start: Int64, end: Int64, region: String) {
        guard 0 < start, start < end, end < Self.latest else { return nil }
        self.start = start
        self.end = end
        self.region = region
    }
}

extension ExportSummary {
    /// The file's period; `nil` when the file states none, or an impossible one.
    public var period: ExportPeriod? {
        ExportPeriod(start: Int64(clamping: startTimestamp), end: Int64(clamping: endTimestamp), region: region)
    }
}
