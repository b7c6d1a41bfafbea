// SPDX-License-Identifier: Apache-2.0

/// Decides when a process that ended is started again: at once if that is harmless, later each time if it ends again soon,
/// and not at all once it has used up its budget. Pure: told what happened and what time it is (any clock that never goes
/// back), says what to do.
public struct ProcessPolicy: Sendable {
    /// The limits of restarts for one kind of process: waits, failures and times.
    public struct Rules: Sendable, Equatable {
        /// The wait before the first restart after a failure, more than zero, not checked; it doubles with each failure in
        /// a row, up to ``longestDelay``.
        public var firstDelay: Duration
        /// The longest wait before a restart, at which doubling ends; at least ``firstDelay``, not checked.
        public var longestDelay: Duration
        /// The time after which a running process counts as sound: ``ProcessPolicy/failuresInARow`` begins anew. Failures count towards ``budget``
        /// all the same.
        public var soundAfter: Duration
        /// The number of failures within ``budgetWindow``, the last one included, that ends in quarantine; `nil` for what must always come back.
        public var budget: Int?
        /// The time for which a failure counts towards ``budget``, more than zero, not checked.
        public var budgetWindow: Duration
        /// The longest time from a process's start until it says that it serves, more than zero, not checked.
        public var startTimeout: Duration

        /// All six as they are, unchecked; a delay is doubled from the first to the longest. `budget` is `nil` for what must always come back.
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

        // The board's own get longer to start: everything does at a first start, on a slow card.
        /// The core: beacon first, so it is started again a quarter of a second after a failure, 5 seconds after many in a row, and always comes
        /// back. The values are choices of ours.
        public static let core = Rules(
            firstDelay: .milliseconds(250), longestDelay: .seconds(5), soundAfter: .seconds(120), budget: nil,
            budgetWindow: .seconds(600), startTimeout: .seconds(30))
        /// Egress: everything outside waits for it; it always comes back, too. The values are choices of ours.
        public static let egress = Rules(
            firstDelay: .milliseconds(500), longestDelay: .seconds(30), soundAfter: .seconds(120), budget: nil,
            budgetWindow: .seconds(600), startTimeout: .seconds(30))
        /// Plugins: the fifth failure in ten minutes ends in quarantine. The values are choices of ours.
        public static let plugin = Rules(
            firstDelay: .seconds(1), longestDelay: .seconds(60), soundAfter: .seconds(300), budget: 5,
            budgetWindow: .seconds(600), startTimeout: .seconds(15))
    }

    /// The decision about a process that ended.
    public enum Verdict: Sendable, Equatable {
        /// Start it again after this long.
        case restart(after: Duration)
        /// Leave it until it is asked for or its schedule says so.
        case rest
        /// It failed too often: only a person or a new version starts it again.
        case quarantine
    }

    /// The delays and the budget that this process is judged by.
    public let rules: Rules
    /// The number of failures in a row, 0 or more, failed starts included. A failure ``Rules/soundAfter`` or more after the last start begins anew at
    /// 1; a pardon sets it to 0.
    public private(set) var failuresInARow = 0
    /// The number of starts after a failure, since the supervisor started or ``forgetRestarts()``, 0 or more. A process
    /// that is started on demand, and rests in between, has none.
    public private(set) var restartCount = 0
    private var hasFailed = false
    private var failures: [Duration] = []
    private var started: Duration?

    /// A policy for a process that has not failed yet.
    public init(_ rules: Rules) { self.rules = rules }

    /// Notes that the process was started at `now`. All `now` are of one clock that never goes back.
    public mutating func didStart(at now: Duration) {
        if hasFailed { restartCount += 1 }
        hasFailed = false
        started = now
    }

    /// Notes that the device was reset, so the count begins anew for its next wearer. The patience that is used up stays
    /// used up. Cannot fail.
    public mutating func forgetRestarts() { restartCount = 0 }

    /// The process ended in order at `now`: it was told to, or had nothing to do. Returns what to do: ``Verdict/rest``, or if it is to stay
    /// (`isResident`), what ``didFail(at:)`` says, as which it counts.
    public mutating func didFinish(isResident: Bool, at now: Duration) -> Verdict {
        noteLife(until: now)
        // A process that is to stay and ends in order is started again, but not in a circle.
        return isResident ? didFail(at: now) : .rest
    }

    /// The process ended otherwise at `now`, was killed for a reason, or could not be started. Returns when to start it again, or that it is to be
    /// left in quarantine; never ``Verdict/rest``.
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

    /// Notes that a person wants the process started: its record is clean again, whatever it did before. Cannot fail.
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
