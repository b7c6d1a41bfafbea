// SPDX-License-Identifier: Apache-2.0

/// Totals since the radio was made, for metrics and the state file. They hold nothing of what was heard.
public struct RadioCounters: Sendable, Equatable {
    /// The number of times since the radio was made that advertising was switched on with a new identity, 0 or more.
    public var rotations: UInt64 = 0
    /// The number of scans that ended since the radio was made, those cut short too, 0 or more.
    public var scans: UInt64 = 0
    /// The number of scans since the radio was made in which nothing with content was heard, 0 or more.
    public var quietScans: UInt64 = 0
    /// The number of advertising reports in scans since the radio was made, of any kind and by anybody, 0 or more;
    /// fragments of one advertisement count once.
    public var reports: UInt64 = 0
    /// The number of these reports without data, 0 or more.
    public var emptyReports: UInt64 = 0
    /// The number of well-formed Exposure Notification advertisements in scans since the radio was made, those without a
    /// signal strength too, 0 or more.
    public var exposureNotifications: UInt64 = 0
    /// The number of Exposure Notification advertisements in scans since the radio was made without a signal strength,
    /// which are of no use, 0 or more.
    public var withoutRSSI: UInt64 = 0
    /// The number of events since the radio was made that could not be read, 0 or more. A controller that sends such events
    /// all the time looks like a quiet room.
    public var refusedEvents: UInt64 = 0
    /// The number of packets and events since the radio was made that could be read and that a beacon has no use for, 0 or
    /// more.
    public var otherPackets: UInt64 = 0
    /// The number of answers since the radio was made that no command waited for, 0 or more.
    public var unexpectedAnswers: UInt64 = 0
    /// The number of times since the radio was made that an open transport was lost, 0 or more.
    public var transportsLost: UInt64 = 0
    /// The number of times since the radio was made that a transport was opened, the first one too, 0 or more.
    public var transportsOpened: UInt64 = 0
    /// The number of times since the radio was made that each rung was taken; a rung never taken is absent.
    public var rungs: [Rung: UInt64] = [:]

    /// All counters at 0, as at the start of a program.
    public init() {}
}
