// SPDX-License-Identifier: Apache-2.0

/// What a key file says, under its signature, about when and where its keys were published.
public struct ExportPeriod: Hashable, Sendable, Codable {
    /// Unix seconds, of the first moment.
    public let start: Int64
    /// Unix seconds, of the moment after the last; later than ``start``.
    public let end: Int64
    /// As it was signed; empty where the file names none.
    public let region: String

    /// The year 10000: no date after it is meant.
    private static let latest: Int64 = 253_402_300_800

    /// `nil` for what is no period.
    public init?(start: Int64, end: Int64, region: String) {
        guard 0 < start, start < end, end < Self.latest else { return nil }
        self.start = start
        self.end = end
        self.region = region
    }
}

extension ExportSummary {
    /// `nil` when the file names no period.
    public var period: ExportPeriod? {
        ExportPeriod(start: Int64(clamping: startTimestamp), end: Int64(clamping: endTimestamp), region: region)
    }
}
