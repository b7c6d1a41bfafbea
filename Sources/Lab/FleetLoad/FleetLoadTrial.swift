// SPDX-License-Identifier: Apache-2.0

/// One situation of a fleet, run, with what is promised of it.
public struct FleetLoadTrial: Sendable {
    /// The situation: one of ``names``.
    public let name: String
    /// The trial's title for charts, in an English sentence.
    public let title: String
    /// The load that the servers saw, in counts.
    public let report: FleetLoadReport
    /// The promise: no minute above so many times ``reference``. Why so many is beside each number in the initialiser.
    public let limit: Double
    /// The runs per minute with which the peak is compared, 0 or more; see ``referenceName``.
    public let reference: Double
    /// The runs of the fullest minute, 0 or more.
    public let peak: Int

    /// The name of ``reference``, in words for people.
    public var referenceName: String {
        switch name {
        case "day": "the mean"
        case "wake", "hourly-wakes": "the mean of the window"
        default: "the usual"
        }
    }

    /// The peak over the reference; 0 when the reference is 0.
    public var multiple: Double { reference > 0 ? Double(peak) / reference : 0 }
    /// Whether the promise is kept: ``multiple`` is not above ``limit``.
    public var holds: Bool { multiple <= limit }

    /// Names of the situations, in the order in which they are run.
    public static let names = ["day", "wake", "hourly-wakes", "cold-start", "short-blackout", "outage"]

    /// Runs one situation with `clients` boards (0 or more), which takes seconds and blocks; all that is random follows from `seed`. `window` is
    /// how long boards spread their questions after a wake message, in seconds, 0 or more. `nil` for a name that is not one of ``names``.
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
