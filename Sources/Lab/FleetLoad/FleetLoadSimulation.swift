// SPDX-License-Identifier: Apache-2.0

import SyncPlan
import WakePlan

/// Runs a fleet with the very decisions that boards run: when to ask (`SyncPlan`), and what a wake message leads to (`WakePlan`).
///
/// Boards do not know of each other and a server that hands out files is not slower for being asked often, so each board is run through
/// the whole time by itself: the memory needed is one counter per second, however large the fleet.
struct FleetLoadSimulation {
    private let plan: FleetLoadPlan
    private let horizon: Int64
    /// Runs begun per second, with the hours before what is shown.
    private var runs: [Int32]

    // The hours in which a cold fleet gets into its stride.
    private static let warmUp: Int64 = 2 * 3_600
    // Any full hour will do; this one makes the wall clock as large as a real one.
    private static let wallStart: Int64 = 1_795_276_800 - warmUp

    private init(_ plan: FleetLoadPlan) {
        self.plan = plan
        horizon = plan.duration + Self.warmUp
        runs = [Int32](repeating: 0, count: Int(horizon))
    }

    /// Runs begun per second of what is shown.
    static func run(_ plan: FleetLoadPlan) -> [Int32] {
        var simulation = FleetLoadSimulation(plan)
        var seeds = FleetLoadRandom(seed: plan.seed)
        for _ in 0..<plan.clients { simulation.live(FleetLoadRandom(seed: seeds.next())) }
        return Array(simulation.runs[Int(warmUp)...])
    }

    /// What happens to one board from outside.
    private enum Change {
        /// A wake message; the region's window is so many seconds.
        case wake(window: Int64)
        case off(keepsState: Bool)
        case on
    }

    private static func moment(_ second: Int64, boot: UInt64) -> SyncMoment {
        // A board's steady clock begins anew when it is switched on; here it goes on, and the boot says that it is another.
        SyncMoment(wall: wallStart + second, steady: second, boot: boot)
    }

    /// The life of one board.
    private mutating func live(_ generator: FleetLoadRandom) {
        var random = generator
        let changes = changes(using: &random)
        var nextChange = 0
        var boot: UInt64 = 1
        var isOff = false
        var stored: StoredSchedule?
        var end: Int64 = 0
        var second: Int64 = 0
        var wake = WakeEngine()
        var schedule = SyncSchedule(at: Self.moment(0, boot: boot), timing: plan.timing, using: &random)
        while true {
            // The next of: the end of the run under way, the begin of the next one, something from outside.
            var turn = Int64.max
            if !isOff {
                let wait = schedule.secondsUntilRun(at: Self.moment(second, boot: boot), timing: plan.timing)
                turn = wait.map { second + $0 } ?? end
            }
            let change = nextChange < changes.count ? changes[nextChange].second : .max
            // Its delays are in milliseconds; the first whole second after is early enough for a fleet.
            let wish = isOff ? nil : wake.deadline.map(Self.secondAfter)
            second = min(turn, change, wish ?? .max)
            guard second < horizon else { return }
            let now = Self.moment(second, boot: boot)
            if wish == second {
                if wake.handle(.time, at: .seconds(second), using: &random).contains(.syncNow) { schedule.wish() }
            } else if change == second {
                switch changes[nextChange].change {
                case .wake(let window):
                    if !isOff, Self.hear(&wake, window, second, &random) { schedule.wish() }
                case .off(let keepsState):
                    stored = keepsState ? schedule.stored(at: now) : nil
                    isOff = true
                case .on:
                    boot += 1
                    wake = WakeEngine()
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

    private static func secondAfter(_ time: Duration) -> Int64 {
        let (seconds, rest) = time.components
        return rest > 0 ? seconds + 1 : seconds
    }

    /// A message and the answer to what it makes the plugin ask; whether Sync is to begin at once.
    private static func hear(
        _ wake: inout WakeEngine, _ window: Int64, _ second: Int64, _ random: inout FleetLoadRandom
    ) -> Bool {
        let now = Duration.seconds(second)
        guard wake.handle(.message(.init()), at: now, using: &random).contains(.askFreshness) else { return false }
        let freshness = WakeEngine.Freshness(age: .seconds(1_800), window: .seconds(window))
        return wake.handle(.freshness(freshness), at: now, using: &random).contains(.syncNow)
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
    private func changes(using random: inout FleetLoadRandom) -> [(second: Int64, change: Change)] {
        var changes: [(second: Int64, change: Change)] = []
        for event in plan.events {
            switch event {
            case .wake(let at, let window, let delivery):
                let arrival = delivery > 0 ? Int64.random(in: 0..<delivery, using: &random) : 0
                changes.append((at + Self.warmUp + arrival, .wake(window: window)))
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
