// SPDX-License-Identifier: Apache-2.0

public import JSON
import SyncPlan

/// What the servers saw: runs begun per second. A run is a handful of requests over one connection.
public struct FleetLoadReport: Sendable {
    public let plan: FleetLoadPlan
    /// Runs begun in each second shown.
    public let perSecond: [Int32]
    /// Runs begun in each minute shown.
    public let perMinute: [Int]

    /// Runs the fleet. A million boards and a day take a few seconds and 100 MB.
    public init(running plan: FleetLoadPlan) {
        self.plan = plan
        perSecond = FleetLoadSimulation.run(plan)
        perMinute = stride(from: 0, to: perSecond.count - perSecond.count % 60, by: 60).map { [perSecond] start in
            perSecond[start..<(start + 60)].reduce(0) { $0 + Int($1) }
        }
    }

    /// Mean runs per minute from one second to below another; 0 when nothing of that is shown.
    public func meanPerMinute(from: Int64, to: Int64) -> Double {
        let range = perSecond.indices.clamped(to: Int(from)..<Int(max(from, to)))
        guard !range.isEmpty else { return 0 }
        return Double(perSecond[range].reduce(0) { $0 + Int($1) }) * 60 / Double(range.count)
    }

    /// Runs per minute of a fleet in its stride, by arithmetic: each board once per interval.
    public var usualPerMinute: Double { Double(plan.clients) * 60 / Double(plan.timing.interval) }

    /// The largest minute.
    public var peakMinute: Int { perMinute.max() ?? 0 }
    /// The largest second.
    public var peakSecond: Int { Int(perSecond.max() ?? 0) }
    /// The mean minute.
    public var meanMinute: Double { perMinute.isEmpty ? 0 : Double(perMinute.reduce(0, +)) / Double(perMinute.count) }

    /// Largest over mean of some minutes; 0 without any.
    public static func flatness(_ minutes: some Collection<Int>) -> Double {
        let sum = minutes.reduce(0, +)
        return sum == 0 ? 0 : Double(minutes.max() ?? 0) * Double(minutes.count) / Double(sum)
    }

    /// The numbers and the minutes.
    public func json(name: String) -> JSON {
        [
            "name": .string(name), "clients": .int(Int64(plan.clients)), "seed": .int(Int64(bitPattern: plan.seed)),
            "meanPerMinute": .double(meanMinute), "usualPerMinute": .double(usualPerMinute),
            "peakPerMinute": .int(Int64(peakMinute)), "peakPerSecond": .int(Int64(peakSecond)),
            "flatness": .double(Self.flatness(perMinute)), "perMinute": .array(perMinute.map { .int(Int64($0)) }),
        ]
    }
}
