// SPDX-License-Identifier: Apache-2.0

public import JSON
import SyncPlan

/// The load of the servers, as runs begun per second. A run is a few requests over one connection.
public struct FleetLoadReport: Sendable {
    /// The plan that was simulated.
    public let plan: FleetLoadPlan
    /// The number of runs begun in each second of the shown time, in order; each 0 or more.
    public let perSecond: [Int32]
    /// The number of runs begun in each whole minute of the shown time, in order; each 0 or more. Seconds after the last
    /// whole minute are left out.
    public let perMinute: [Int]

    /// Simulates `plan` on the calling thread. A day of a million boards takes some seconds; the memory needed
    /// depends on the time and not on the number of boards.
    public init(running plan: FleetLoadPlan) {
        self.plan = plan
        perSecond = FleetLoadSimulation.run(plan)
        perMinute = stride(from: 0, to: perSecond.count - perSecond.count % 60, by: 60).map { [perSecond] start in
            perSecond[start..<(start + 60)].reduce(0) { $0 + Int($1) }
        }
    }

    /// Returns the mean number of runs per minute from second `from` up to but not including second `to` of the shown time.
    /// Seconds outside the shown time do not count; 0 if none is left.
    public func meanPerMinute(from: Int64, to: Int64) -> Double {
        let range = perSecond.indices.clamped(to: Int(from)..<Int(max(from, to)))
        guard !range.isEmpty else { return 0 }
        return Double(perSecond[range].reduce(0) { $0 + Int($1) }) * 60 / Double(range.count)
    }

    /// The computed number of runs per minute of a settled fleet, in which each board asks once in each interval of its
    /// schedule; 0 or more.
    public var usualPerMinute: Double { Double(plan.clients) * 60 / Double(plan.timing.interval) }

    /// The number of runs in the minute with the most; 0 if no whole minute is shown.
    public var peakMinute: Int { perMinute.max() ?? 0 }
    /// The number of runs in the second with the most; 0 if nothing is shown.
    public var peakSecond: Int { Int(perSecond.max() ?? 0) }
    /// The mean number of runs per whole minute of the shown time; 0 if there is none.
    public var meanMinute: Double { perMinute.isEmpty ? 0 : Double(perMinute.reduce(0, +)) / Double(perMinute.count) }

    /// Returns the largest of `minutes` divided by their mean, 1 or more; 0 if there are none or all are 0. Each element is
    /// the number of runs in one minute as in ``perMinute``, 0 or more, which is not checked.
    public static func flatness(_ minutes: some Collection<Int>) -> Double {
        let sum = minutes.reduce(0, +)
        return sum == 0 ? 0 : Double(minutes.max() ?? 0) * Double(minutes.count) / Double(sum)
    }

    /// Returns the report as a JSON object whose member `name` is `name`. A seed of 2^63 or more is written as a negative
    /// number.
    public func json(name: String) -> JSON {
        [
            "name": .string(name), "clients": .int(Int64(plan.clients)), "seed": .int(Int64(bitPattern: plan.seed)),
            "meanPerMinute": .double(meanMinute), "usualPerMinute": .double(usualPerMinute),
            "peakPerMinute": .int(Int64(peakMinute)), "peakPerSecond": .int(Int64(peakSecond)),
            "flatness": .double(Self.flatness(perMinute)), "perMinute": .array(perMinute.map { .int(Int64($0)) }),
        ]
    }
}
