// SPDX-License-Identifier: Apache-2.0

/// Totals since the program started, for metrics and the state file.
public struct RadioCounters: Sendable, Equatable {
    /// Times that advertising was switched on with a new identity.
    public var rotations: UInt64 = 0
    public var scans: UInt64 = 0
    /// Scans in which nothing with content was heard.
    public var quietScans: UInt64 = 0
    public var reports: UInt64 = 0
    public var emptyReports: UInt64 = 0
    public var exposureNotifications: UInt64 = 0
    /// Heard without a signal strength, so of no use.
    public var withoutRSSI: UInt64 = 0
    /// Events that could not be read. A controller that sends such events all the time looks like a quiet room.
    public var refusedEvents: UInt64 = 0
    /// Packets that a beacon has no use for.
    public var otherPackets: UInt64 = 0
    /// Answers nobody waited for.
    public var unexpectedAnswers: UInt64 = 0
    public var transportsLost: UInt64 = 0
    public var transportsOpened: UInt64 = 0
    /// Steps taken, by rung.
    public var rungs: [Rung: UInt64] = [:]

    public init() {}
}
