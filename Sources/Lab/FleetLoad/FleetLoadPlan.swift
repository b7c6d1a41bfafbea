// SPDX-License-Identifier: Apache-2.0

public import SyncPlan

/// A plan of what happens to a fleet of boards. Times are seconds since the beginning of the shown time, which is a full
/// hour (00:00 in charts).
public struct FleetLoadPlan: Sendable {
    /// The number of boards, 0 or more; a million unless set.
    public var clients = 1_000_000
    /// The seed of everything random, 1 unless set; the same seed gives the same numbers of runs.
    public var seed: UInt64 = 1
    /// The schedule by which boards ask; hourly unless set.
    public var timing = SyncTiming.hourly
    /// The shown time in seconds, 0 or more; a day unless set. Two hours come before it, in which the fleet settles.
    public var duration: Int64 = 86_400
    /// The longest time that a run takes in seconds, 1 or more (not checked); each takes 1 to that many. 20 unless
    /// set. Our own choice.
    public var longestRun: Int64 = 20
    /// The events, in any order; empty unless set.
    public var events: [Event] = []

    /// An event that affects the fleet, at a moment or for a while. Times are seconds since the beginning of the shown
    /// time.
    public enum Event: Sendable, Hashable {
        /// A wake message reaches all boards that are on within `delivery` seconds after `at`; each board then waits for a
        /// random part of `window` seconds.
        case wake(at: Int64, window: Int64, delivery: Int64)
        /// A share of the boards, 0 to 1, loses power at `from` and gets it back at `to`, all in the same second, with
        /// their stored state or without it.
        case blackout(from: Int64, to: Int64, share: Double, keepsState: Bool)
        /// The server refuses all boards from `from` to `to`.
        case outage(from: Int64, to: Int64)
    }

    /// Creates a plan of an ordinary day of a million boards. Nothing is checked, here or later: a caller that changes it
    /// must keep times within ``duration``.
    public init() {}

    /// Returns the plan of an ordinary day, in which `clients` boards (0 or more) ask hourly and nothing happens.
    /// Everything random follows from `seed`.
    public static func day(clients: Int = 1_000_000, seed: UInt64 = 1) -> FleetLoadPlan {
        var plan = FleetLoadPlan()
        plan.clients = clients
        plan.seed = seed
        return plan
    }

    /// Returns the plan of three hours with a wake message at 01:01, a minute after an authority has published. Boards
    /// spread their requests over `window` seconds, 0 or more (not checked).
    public static func wake(window: Int64, clients: Int = 1_000_000, seed: UInt64 = 1) -> FleetLoadPlan {
        var plan = day(clients: clients, seed: seed)
        plan.duration = 3 * 3_600
        // A minute after the full hour, when an authority has published.
        plan.events = [.wake(at: 3_660, window: window, delivery: min(10, window))]
        return plan
    }

    /// Returns a six-hour plan with a wake message one minute into every hour, as on a day when new keys are published
    /// hourly. It reaches the `clients` boards (0 or more) within 10 seconds, or within `window` if that is shorter;
    /// they then spread their requests over `window` seconds (0 or more). `seed` determines everything random. Nothing
    /// is checked.
    public static func hourlyWakes(window: Int64, clients: Int = 1_000_000, seed: UInt64 = 1) -> FleetLoadPlan {
        var plan = day(clients: clients, seed: seed)
        plan.duration = 6 * 3_600
        plan.events = (0..<6).map { .wake(at: $0 * 3_600 + 60, window: window, delivery: min(10, window)) }
        return plan
    }

    /// Returns the plan of eight hours in which all boards are off for `minutes` minutes (0 to 140, not checked) and return
    /// together at 02:20, with their stored state (`keepsState`) or without it.
    public static func blackout(
        minutes: Int64, keepsState: Bool, clients: Int = 1_000_000, seed: UInt64 = 1
    ) -> FleetLoadPlan {
        var plan = day(clients: clients, seed: seed)
        plan.duration = 8 * 3_600
        let end: Int64 = 2 * 3_600 + 1_200
        plan.events = [.blackout(from: end - minutes * 60, to: end, share: 1, keepsState: keepsState)]
        return plan
    }

    /// Returns the plan of eight hours in which the server refuses all boards for `minutes` minutes (0 to 410, not checked)
    /// from 01:10.
    public static func outage(minutes: Int64, clients: Int = 1_000_000, seed: UInt64 = 1) -> FleetLoadPlan {
        var plan = day(clients: clients, seed: seed)
        plan.duration = 8 * 3_600
        plan.events = [.outage(from: 3_600 + 600, to: 3_600 + 600 + minutes * 60)]
        return plan
    }
}
