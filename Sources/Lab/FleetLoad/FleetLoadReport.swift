// SPDX-License-Identifier: Apache-2.0

public import JSON
import SyncPlan

/// The load that the servers saw: runs begun per second. A run is a handful of requests over one connection.
public struct FleetLoadReport: Sendable {
    /// The plan that the fleet went through.
    public let plan: FleetLoadPlan
    /// The number of runs that began in each second shown, the first second first; 0 or more.
    public let perSecond: [Int32]
    /// The number of runs that began in each whole minute shown, the first minute first; 0 or more. Seconds after the last whole minute are left
    /// out.
    public let perMinute: [Int]

    /// Runs the fleet through `plan` on the calling thread. A million boards and a day take a few seconds and 100 MB.
    public init(running plan: FleetLoadPlan) {
        self.plan = plan
        perSecond = FleetLoadSimulation.run(plan)
        perMinute = stride(from: 0, to: perSecond.count - perSecond.count % 60, by: 60).map { [perSecond] start in
            perSecond[start..<(start + 60)].reduce(0) { $0 + Int($1) }
        }
    }

    /// The mean of runs per minute from second `from` to below second `to` of what is shown; 0 when nothing of that is shown. Seconds that are not
    /// shown do not count.
    public func meanPerMinute(from: Int64, to: Int64) -> Double {
        let range = perSecond.indices.clamped(to: Int(from)..<Int(max(from, to)))
        guard !range.isEmpty else { return 0 }
        return Double(perSecond[range].reduce(0) { $0 + Int($1) }) * 60 / Double(range.count)
    }

    /// The runs per minute of a fleet in its stride, by arithmetic: each board once per interval of its schedule. 0 or more.
    public var usualPerMinute: Double { Double(plan.clients) * 60 / Double(plan.timing.interval) }

    /// The runs of the fullest whole minute; 0 when none is shown.
    public var peakMinute: Int { perMinute.max() ?? 0 }
    /// The runs of the fullest second; 0 when nothing is shown.
    public var peakSecond: Int { Int(perSecond.max() ?? 0) }
    /// The mean of runs per minute over all whole minutes that are shown; 0 when none is.
    public var meanMinute: Double { perMinute.isEmpty ? 0 : Double(perMinute.reduce(0, +)) / Double(perMinute.count) }

    /// The largest of `minutes` divided by their mean: no unit, 1 or more; 0 if there are none or all are 0. Each element is the number of
    /// runs that began in one minute, 0 or more, as in ``perMinute``; not checked.
    public static func flatness(_ minutes: some Collection<Int>) -> Double {
        let sum = minutes.reduce(0, +)
        return sum == 0 ? 0 : Double(minutes.max() ?? 0) * Double(minutes.count) / Double(sum)
    }

    /// The numbers and the runs of each minute, as an object whose member `name` is this name. A seed of 2^63 or more is written as a negative
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
