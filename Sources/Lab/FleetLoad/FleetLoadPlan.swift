// SPDX-License-Identifier: Apache-2.0

public import SyncPlan

/// The plan of what happens to a fleet of boards. Times are seconds from the beginning of what is shown, which is a full
/// hour (00:00 in charts).
public struct FleetLoadPlan: Sendable {
    /// The number of boards; 0 or more.
    public var clients = 1_000_000
    /// The seed of all chance: the same seed gives the same numbers of runs.
    public var seed: UInt64 = 1
    /// The times at which boards ask, as their own schedule has it; hourly unless set.
    public var timing = SyncTiming.hourly
    /// The number of seconds that are shown, 0 or more. Two hours lie before them, in which a cold fleet gets into its stride.
    public var duration: Int64 = 86_400
    /// The longest time a run takes, in seconds; each takes 1 to that many. Our own choice. Not checked.
    public var longestRun: Int64 = 20
    /// The events of the fleet, in any order; times are seconds from the beginning of what is shown. Empty without any.
    public var events: [Event] = []

    /// Something that happens to the fleet at a moment or for a while; all times are seconds from the beginning of what is shown.
    public enum Event: Sendable, Hashable {
        /// A wake message reaches all boards that are on within `delivery` seconds; each draws its moment of the window.
        case wake(at: Int64, window: Int64, delivery: Int64)
        /// A part of the boards (0 to 1) loses power and has it back at one second, with or without what it had stored.
        case blackout(from: Int64, to: Int64, share: Double, keepsState: Bool)
        /// The server refuses everybody.
        case outage(from: Int64, to: Int64)
    }

    /// A million boards on an ordinary day. Nothing is checked here or later: whoever changes a field keeps times within ``duration``.
    public init() {}

    /// An ordinary day of `clients` boards, 0 or more: 24 hours. All that is random follows from `seed`.
    public static func day(clients: Int = 1_000_000, seed: UInt64 = 1) -> FleetLoadPlan {
        var plan = FleetLoadPlan()
        plan.clients = clients
        plan.seed = seed
        return plan
    }

    /// Three hours with a wake message at 01:01, a minute after an authority has published. Boards spread their questions over `window` seconds, 0
    /// or more (not checked).
    public static func wake(window: Int64, clients: Int = 1_000_000, seed: UInt64 = 1) -> FleetLoadPlan {
        var plan = day(clients: clients, seed: seed)
        plan.duration = 3 * 3_600
        // A minute after the full hour, when an authority has published.
        plan.events = [.wake(at: 3_660, window: window, delivery: min(10, window))]
        return plan
    }

    /// Six hours with a wake message a minute after the beginning of each: a day on which every hour has new keys. Boards spread their questions
    /// over `window` seconds, 0 or more (not checked).
    public static func hourlyWakes(window: Int64, clients: Int = 1_000_000, seed: UInt64 = 1) -> FleetLoadPlan {
        var plan = day(clients: clients, seed: seed)
        plan.duration = 6 * 3_600
        plan.events = (0..<6).map { .wake(at: $0 * 3_600 + 60, window: window, delivery: min(10, window)) }
        return plan
    }

    /// Eight hours. All boards are off for `minutes` minutes (0 to 140, not checked) and come back together at 02:20, with what they had stored
    /// (`keepsState`) or without.
    public static func blackout(
        minutes: Int64, keepsState: Bool, clients: Int = 1_000_000, seed: UInt64 = 1
    ) -> FleetLoadPlan {
        var plan = day(clients: clients, seed: seed)
        plan.duration = 8 * 3_600
        let end: Int64 = 2 * 3_600 + 1_200
        plan.events = [.blackout(from: end - minutes * 60, to: end, share: 1, keepsState: keepsState)]
        return plan
    }

    /// Eight hours. The server refuses everybody for `minutes` minutes (0 to 410, not checked) from 01:10 on.
    public static func outage(minutes: Int64, clients: Int = 1_000_000, seed: UInt64 = 1) -> FleetLoadPlan {
        var plan = day(clients: clients, seed: seed)
        plan.duration = 8 * 3_600
        plan.events = [.outage(from: 3_600 + 600, to: 3_600 + 600 + minutes * 60)]
        return plan
    }
}
