// SPDX-License-Identifier: Apache-2.0

/// Decides when a process that ended is started again: at once if that is harmless, after a growing wait if it fails again
/// and again, and not at all once it has used up its budget of failures. Pure: the caller reports what happened, and the
/// time on a monotonic clock; the policy says what to do.
public struct ProcessPolicy: Sendable {
    /// The limits of restarts for one kind of process: waits, failures and times.
    public struct Rules: Sendable, Equatable {
        /// The wait before the first restart after a failure, more than zero, not checked; it doubles with each failure in
        /// a row, up to ``longestDelay``.
        public var firstDelay: Duration
        /// The longest wait before a restart, at which doubling ends; at least ``firstDelay``, not checked.
        public var longestDelay: Duration
        /// The time after which a running process counts as sound, so that ``ProcessPolicy/failuresInARow`` begins anew.
        /// Failures before it still count towards ``budget``.
        public var soundAfter: Duration
        /// The number of failures within ``budgetWindow``, including the latest, that leads to quarantine; `nil` for a
        /// process that must always be started again.
        public var budget: Int?
        /// The time for which a failure counts towards ``budget``, more than zero, not checked.
        public var budgetWindow: Duration
        /// The longest time from a process's start until it reports that it serves, more than zero, not checked.
        public var startTimeout: Duration

        /// Creates rules of these six values, which are not checked. `budget` is `nil` for a process that must always be
        /// started again.
        public init(
            firstDelay: Duration, longestDelay: Duration, soundAfter: Duration, budget: Int?, budgetWindow: Duration,
            startTimeout: Duration
        ) {
            self.firstDelay = firstDelay
            self.longestDelay = longestDelay
            self.soundAfter = soundAfter
            self.budget = budget
            self.budgetWindow = budgetWindow
            self.startTimeout = startTimeout
        }

        /// The rules for the core, which sends the beacon and therefore has to be back soon: the first wait is 0.25 s; it
        /// doubles with each failure in a row, and is 5 s from the sixth on. The core is sound after 120 s, has 30 s to
        /// report that it serves, and is started again without end. The values are our choices.
        public static let core = Rules(
            firstDelay: .milliseconds(250), longestDelay: .seconds(5), soundAfter: .seconds(120), budget: nil,
            budgetWindow: .seconds(600), startTimeout: .seconds(30))
        /// The rules for egress, on which everything outside depends: the first wait is 0.5 s; it doubles with each failure
        /// in a row, and is 30 s from the seventh on. Egress is sound after 120 s, has 30 s to report that it serves, and
        /// is started again without end. The values are our choices.
        public static let egress = Rules(
            firstDelay: .milliseconds(500), longestDelay: .seconds(30), soundAfter: .seconds(120), budget: nil,
            budgetWindow: .seconds(600), startTimeout: .seconds(30))
        /// The rules for plugins: the first wait is 1 s; it doubles with each failure in a row, up to 60 s. A plugin is
        /// sound after 300 s, has 30 s to report that it serves, and is quarantined at its fifth failure within ten
        /// minutes. The values are our choices; a plugin yields the processor to the core, so that it needs as long as the
        /// core on a slow card or a busy board, and not less.
        public static let plugin = Rules(
            firstDelay: .seconds(1), longestDelay: .seconds(60), soundAfter: .seconds(300), budget: 5,
            budgetWindow: .seconds(600), startTimeout: .seconds(30))
    }

    /// The decision about a process that has ended.
    public enum Verdict: Sendable, Equatable {
        /// Start it again after this wait.
        case restart(after: Duration)
        /// Start it again only when it is called or its schedule says so.
        case rest
        /// Do not start it again, because it failed too often: only a person or a new version does.
        case quarantine
    }

    /// The delays and the budget that this process is judged by.
    public let rules: Rules
    /// The number of failures in a row, including failed starts; 0 or more. A failure that comes ``Rules/soundAfter`` or
    /// more after the last start counts as 1; ``pardon()`` sets the number to 0.
    public private(set) var failuresInARow = 0
    /// The number of starts after a failure, since the supervisor started or ``forgetRestarts()``; 0 or more. Starts on
    /// demand after an end in order are not counted.
    public private(set) var restartCount = 0
    private var hasFailed = false
    private var failures: [Duration] = []
    private var started: Duration?

    /// Creates a policy for a process that has not failed yet.
    public init(_ rules: Rules) { self.rules = rules }

    /// Notes that the process was started at `now`. The times of all calls are on one monotonic clock.
    public mutating func didStart(at now: Duration) {
        if hasFailed { restartCount += 1 }
        hasFailed = false
        started = now
    }

    /// Notes that the device was reset: ``restartCount`` begins at 0 for the next wearer. Failures still count towards the
    /// budget. Cannot fail.
    public mutating func forgetRestarts() { restartCount = 0 }

    /// Notes that the process ended in order at `now`, because it was told to or had nothing to do. Returns
    /// ``Verdict/rest``, or, for a process that is to stay (`isResident`), the verdict of ``didFail(at:)``, because its end
    /// then counts as a failure.
    public mutating func didFinish(isResident: Bool, at now: Duration) -> Verdict {
        noteLife(until: now)
        // A process that is to stay and ends in order is started again, but not in a circle.
        return isResident ? didFail(at: now) : .rest
    }

    /// Notes that the process failed at `now`: it ended otherwise than in order, was killed for a fault, or could not be
    /// started. Returns when to start it again, or that it is to be quarantined; never ``Verdict/rest``.
    public mutating func didFail(at now: Duration) -> Verdict {
        noteLife(until: now)
        hasFailed = true
        failuresInARow += 1
        failures = failures.filter { now - $0 < rules.budgetWindow } + [now]
        if let budget = rules.budget, failures.count >= budget { return .quarantine }
        // 2^20 of anything is beyond every longest delay; shifting further would overflow.
        let factor = 1 << min(failuresInARow - 1, 20)
        return .restart(after: min(rules.firstDelay * factor, rules.longestDelay))
    }

    /// Notes that a person wants the process started: its earlier failures are forgotten. Cannot fail.
    public mutating func pardon() {
        failuresInARow = 0
        failures = []
    }

    private mutating func noteLife(until now: Duration) {
        if let started, now - started >= rules.soundAfter { failuresInARow = 0 }
        // A life counts once: starts that fail from now on begin none.
        started = nil
    }
}
