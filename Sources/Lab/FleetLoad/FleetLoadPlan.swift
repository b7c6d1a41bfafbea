// SPDX-License-Identifier: Apache-2.0

public import SyncPlan

/// What happens to a fleet of boards. Times are seconds from the beginning of what is shown, which begins with a full hour.
public struct FleetLoadPlan: Sendable {
    /// Boards.
    public var clients = 1_000_000
    public var seed: UInt64 = 1
    /// The schedule's own numbers.
    public var timing = SyncTiming.hourly
    /// Seconds that are shown. Before them lie hours in which a fleet that is in its stride gets there.
    public var duration: Int64 = 86_400
    /// Longest time a run takes; each takes 1 to so many seconds.
    public var longestRun: Int64 = 20
    public var events: [Event] = []

    /// Something that happens to the fleet.
    public enum Event: Sendable, Hashable {
        /// A wake message reaches all boards that are on within `delivery` seconds; each draws its moment of the window.
        case wake(at: Int64, window: Int64, delivery: Int64)
        /// A part of the boards (0 to 1) loses power and has it back at one second, with or without what it had stored.
        case blackout(from: Int64, to: Int64, share: Double, keepsState: Bool)
        /// The server refuses everybody.
        case outage(from: Int64, to: Int64)
    }

    public init() {}

    /// An ordinary day.
    public static func day(clients: Int = 1_000_000, seed: UInt64 = 1) -> FleetLoadPlan {
        var plan = FleetLoadPlan()
        plan.clients = clients
        plan.seed = seed
        return plan
    }

    /// Three hours with a wake message in the second.
    public static func wake(window: Int64, clients: Int = 1_000_000, seed: UInt64 = 1) -> FleetLoadPlan {
        var plan = day(clients: clients, seed: seed)
        plan.duration = 3 * 3_600
        // A minute after the full hour, when an authority has published.
        plan.events = [.wake(at: 3_660, window: window, delivery: min(10, window))]
        return plan
    }

    /// Six hours with a wake message in each: a day on which every hour has new keys.
    public static func hourlyWakes(window: Int64, clients: Int = 1_000_000, seed: UInt64 = 1) -> FleetLoadPlan {
        var plan = day(clients: clients, seed: seed)
        plan.duration = 6 * 3_600
        plan.events = (0..<6).map { .wake(at: $0 * 3_600 + 60, window: window, delivery: min(10, window)) }
        return plan
    }

    /// All boards of the region are off for a while and come back together.
    public static func blackout(
        minutes: Int64, keepsState: Bool, clients: Int = 1_000_000, seed: UInt64 = 1
    ) -> FleetLoadPlan {
        var plan = day(clients: clients, seed: seed)
        plan.duration = 8 * 3_600
        let end: Int64 = 2 * 3_600 + 1_200
        plan.events = [.blackout(from: end - minutes * 60, to: end, share: 1, keepsState: keepsState)]
        return plan
    }

    /// The server is down for a while.
    public static func outage(minutes: Int64, clients: Int = 1_000_000, seed: UInt64 = 1) -> FleetLoadPlan {
        var plan = day(clients: clients, seed: seed)
        plan.duration = 8 * 3_600
        plan.events = [.outage(from: 3_600 + 600, to: 3_600 + 600 + minutes * 60)]
        return plan
    }
}
