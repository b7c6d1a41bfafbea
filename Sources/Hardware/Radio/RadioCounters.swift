// SPDX-License-Identifier: Apache-2.0

/// Totals since the program started, for metrics and the state file. They hold nothing of what was heard.
public struct RadioCounters: Sendable, Equatable {
    /// Times that advertising was switched on with a new identity.
    public var rotations: UInt64 = 0
    /// Scans that ended, those cut short too.
    public var scans: UInt64 = 0
    /// Scans in which nothing with content was heard.
    public var quietScans: UInt64 = 0
    /// Advertising reports of any kind, by anybody.
    public var reports: UInt64 = 0
    /// Reports without data.
    public var emptyReports: UInt64 = 0
    /// Well-formed Exposure Notification advertisements, those without a signal strength too.
    public var exposureNotifications: UInt64 = 0
    /// Exposure Notification advertisements without a signal strength, so of no use.
    public var withoutRSSI: UInt64 = 0
    /// Events that could not be read. A controller that sends such events all the time looks like a quiet room.
    public var refusedEvents: UInt64 = 0
    /// Packets that a beacon has no use for.
    public var otherPackets: UInt64 = 0
    /// Answers nobody waited for.
    public var unexpectedAnswers: UInt64 = 0
    /// Times that an open transport was lost.
    public var transportsLost: UInt64 = 0
    /// Times that a transport was opened, the first one too.
    public var transportsOpened: UInt64 = 0
    /// Steps taken, by rung.
    public var rungs: [Rung: UInt64] = [:]

    /// All at 0.
    public init() {}
}
