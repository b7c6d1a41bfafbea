// SPDX-License-Identifier: Apache-2.0

/// The totals since the radio was created, for metrics and the state file. They contain nothing of what was received.
public struct RadioCounters: Sendable, Equatable {
    /// The number of times that advertising was switched on with a new identity.
    public var rotations: UInt64 = 0
    /// The number of scans that ended, including those that were cut short.
    public var scans: UInt64 = 0
    /// The number of scans in which no advertisement with data was received.
    public var quietScans: UInt64 = 0
    /// The number of advertising reports in scans, of any kind and from anybody. The fragments of an advertisement count as
    /// one.
    public var reports: UInt64 = 0
    /// The number of ``reports`` without data.
    public var emptyReports: UInt64 = 0
    /// The number of well-formed Exposure Notification advertisements in scans, including those without a signal strength.
    public var exposureNotifications: UInt64 = 0
    /// The number of Exposure Notification advertisements in scans without a signal strength, which are not used.
    public var withoutRSSI: UInt64 = 0
    /// The number of events that could not be read. A controller that sends only such events looks like a quiet room.
    public var refusedEvents: UInt64 = 0
    /// The number of packets and events that could be read but are of no use to a beacon.
    public var otherPackets: UInt64 = 0
    /// The number of answers for which no command was waiting.
    public var unexpectedAnswers: UInt64 = 0
    /// The number of times that an open transport was lost.
    public var transportsLost: UInt64 = 0
    /// The number of times that a transport was opened, including the first.
    public var transportsOpened: UInt64 = 0
    /// The number of times that each step was taken; a step that was never taken is absent.
    public var rungs: [Rung: UInt64] = [:]

    /// Creates counters that are all 0.
    public init() {}
}
