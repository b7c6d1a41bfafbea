// SPDX-License-Identifier: Apache-2.0

import SyncPlan

/// Runs a herd with the very schedule that boards run (`SyncPlan`).
///
/// Boards do not know of each other and a server that hands out files is not slower for being asked often, so each board is run through
/// the whole time by itself: the memory needed is one counter per second, however large the herd.
struct HerdSimulation {
    private let plan: HerdPlan
    private let horizon: Int64
    /// Runs begun per second, with the hours before what is shown.
    private var runs: [Int32]

    // The hours in which a cold herd gets into its stride.
    private static let warmUp: Int64 = 2 * 3_600
    // Any full hour will do; this one makes the wall clock as large as a real one.
    private static let wallStart: Int64 = 1_795_276_800 - warmUp

    private init(_ plan: HerdPlan) {
        self.plan = plan
        horizon = plan.duration + Self.warmUp
        runs = [Int32](repeating: 0, count: Int(horizon))
    }

    /// Runs begun per second of what is shown.
    static func run(_ plan: HerdPlan) -> [Int32] {
        var simulation = HerdSimulation(plan)
        var seeds = HerdRandom(seed: plan.seed)
        for _ in 0..<plan.clients { simulation.live(HerdRandom(seed: seeds.next())) }
        return Array(simulation.runs[Int(warmUp)...])
    }

    /// What happens to one board from outside.
    private enum Change {
        case wish
        case off(keepsState: Bool)
        case on
    }

    private static func moment(_ second: Int64, boot: UInt64) -> SyncMoment {
        // A board's steady clock begins anew when it is switched on; here it goes on, and the boot says that it is another.
        SyncMoment(wall: wallStart + second, steady: second, boot: boot)
    }

    /// The life of one board.
    private mutating func live(_ generator: HerdRandom) {
        var random = generator
        let changes = changes(using: &random)
        var nextChange = 0
        var boot: UInt64 = 1
        var isOff = false
        var stored: StoredSchedule?
        var end: Int64 = 0
        var second: Int64 = 0
        var schedule = SyncSchedule(at: Self.moment(0, boot: boot), timing: plan.timing, using: &random)
        while true {
            // The next of: the end of the run under way, the begin of the next one, something from outside.
            var turn = Int64.max
            if !isOff {
                let wait = schedule.secondsUntilRun(at: Self.moment(second, boot: boot), timing: plan.timing)
                turn = wait.map { second + $0 } ?? end
            }
            let change = nextChange < changes.count ? changes[nextChange].second : .max
            second = min(turn, change)
            guard second < horizon else { return }
            let now = Self.moment(second, boot: boot)
            if change <= turn {
                switch changes[nextChange].change {
                case .wish: if !isOff { schedule.wish() }
                case .off(let keepsState):
                    stored = keepsState ? schedule.stored(at: now) : nil
                    isOff = true
                case .on:
                    boot += 1
                    isOff = false
                    let now = Self.moment(second, boot: boot)
                    schedule =
                        stored.map { SyncSchedule($0, at: now, timing: plan.timing, using: &random) }
                        ?? SyncSchedule(at: now, timing: plan.timing, using: &random)
                }
                nextChange += 1
            } else if schedule.isRunning {
                if isRefusing(at: second) {
                    schedule.failed(at: now, timing: plan.timing, using: &random)
                } else {
                    schedule.succeeded(at: now, timing: plan.timing, using: &random)
                }
            } else {
                schedule.begin(at: now)
                runs[Int(second)] += 1
                end = second + Int64.random(in: 1...plan.longestRun, using: &random)
            }
        }
    }

    private func isRefusing(at second: Int64) -> Bool {
        plan.events.contains { event in
            if case .outage(let from, let to) = event {
                second >= from + Self.warmUp && second < to + Self.warmUp
            } else {
                false
            }
        }
    }

    /// The plan's events as this board meets them, by time.
    private func changes(using random: inout HerdRandom) -> [(second: Int64, change: Change)] {
        var changes: [(second: Int64, change: Change)] = []
        for event in plan.events {
            switch event {
            case .wake(let at, let window, let delivery):
                let arrival = delivery > 0 ? Int64.random(in: 0..<delivery, using: &random) : 0
                // The very draw of the Wake plugin.
                let jitter = SyncTiming.delayAfterWake(window: window, using: &random)
                changes.append((at + Self.warmUp + arrival + jitter, .wish))
            case .blackout(let from, let to, let share, let keepsState):
                guard Double.random(in: 0..<1, using: &random) < share else { continue }
                changes.append((from + Self.warmUp, .off(keepsState: keepsState)))
                changes.append((to + Self.warmUp, .on))
            case .outage: continue
            }
        }
        return changes.sorted { $0.second < $1.second }
    }
}
