// SPDX-License-Identifier: Apache-2.0

/// A simulated situation of a fleet, with the limit that its load must keep.
public struct FleetLoadTrial: Sendable {
    /// The name of the situation, one of ``names``.
    public let name: String
    /// The title for charts, an English sentence.
    public let title: String
    /// The load that the servers saw.
    public let report: FleetLoadReport
    /// The largest allowed value of ``multiple``: 1.3 where requests are to be spread evenly (our own choice); 2
    /// after a short blackout, because boards that missed their turn are spread over an hour on top of the others;
    /// 4 in an outage, because waits begin at 8 minutes and double, so that each board asks up to four times in the
    /// first hour.
    public let limit: Double
    /// The number of runs per minute with which the peak is compared, 0 or more; see ``referenceName``.
    public let reference: Double
    /// The number of runs in the minute with the most, 0 or more.
    public let peak: Int

    /// The meaning of ``reference`` in words.
    public var referenceName: String {
        switch name {
        case "day": "the mean"
        case "wake", "hourly-wakes": "the mean of the window"
        default: "the usual"
        }
    }

    /// The peak divided by the reference; 0 if the reference is 0.
    public var multiple: Double { reference > 0 ? Double(peak) / reference : 0 }
    /// Whether ``multiple`` is at most ``limit``.
    public var holds: Bool { multiple <= limit }

    /// The names of all situations, in the order in which they are run.
    public static let names = ["day", "wake", "hourly-wakes", "cold-start", "short-blackout", "outage"]

    /// Simulates the situation `name` with `clients` boards (0 or more); blocks for some seconds. Everything random follows
    /// from `seed`. `window` is the time in seconds, 0 or more, over which boards spread their requests after a wake
    /// message. `nil` if `name` is not one of ``names``.
    public init?(_ name: String, clients: Int, seed: UInt64, window: Int64) {
        self.name = name
        switch name {
        case "day":
            title = "A day without wake messages"
            report = FleetLoadReport(running: .day(clients: clients, seed: seed))
            (limit, reference, peak) = (1.3, report.meanMinute, report.peakMinute)
        case "wake":
            title = "A wake message at 01:01 with a window of \(window) seconds"
            report = FleetLoadReport(running: .wake(window: window, clients: clients, seed: seed))
            (limit, reference, peak) = (1.3, report.meanPerMinute(from: 3_660, to: 3_660 + window), report.peakMinute)
        case "hourly-wakes":
            title = "A wake message a minute after each hour, with a window of \(window) seconds"
            report = FleetLoadReport(running: .hourlyWakes(window: window, clients: clients, seed: seed))
            (limit, reference, peak) = (1.3, report.meanPerMinute(from: 60, to: 60 + window), report.peakMinute)
        case "cold-start":
            title = "All boards come back at 02:20 after a blackout, without what they had stored"
            report = FleetLoadReport(running: .blackout(minutes: 120, keepsState: false, clients: clients, seed: seed))
            (limit, reference, peak) = (1.3, report.usualPerMinute, report.peakMinute)
        case "short-blackout":
            title = "All boards are off from 02:05 to 02:20 and remember their plans"
            report = FleetLoadReport(running: .blackout(minutes: 15, keepsState: true, clients: clients, seed: seed))
            // Who missed a turn is spread over an hour on top of the others: less than twice the usual, for less than an hour.
            (limit, reference, peak) = (2, report.usualPerMinute, report.peakMinute)
        case "outage":
            title = "The server refuses everybody from 01:10 to 03:10"
            report = FleetLoadReport(running: .outage(minutes: 120, clients: clients, seed: seed))
            // Waits begin at 8 minutes and double: in its first hour a failing server is asked up to four times by each board.
            (limit, reference, peak) = (4, report.usualPerMinute, report.peakMinute)
        default: return nil
        }
    }
}
