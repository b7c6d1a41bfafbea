// SPDX-License-Identifier: Apache-2.0

/// Decides which wake leads to which sync, and when (docs/wake.md has the rule). Told the time; asks nobody, sends nothing.
///
/// For every wake a sync begins after it, in a window of its own; between the beginnings of two syncs lies at least the gap; and there is
/// never more than one wait.
public struct WakeEngine: Sendable {
    /// The waits and limits of the engine.
    public struct Limits: Hashable, Sendable {
        /// The least time between the beginnings of two syncs, whatever a broker sends. A quarter of an hour, a choice of
        /// ours. Not checked.
        public var gap = Duration.seconds(900)
        /// The number of wakes of one day, 86,400 s back from now, that are believed by themselves; those above are
        /// believed only if the keys here are old. 24, a choice of ours: one for each hour. Not checked.
        public var wakesPerDay = 24
        /// The age from which fetched keys count as old: five hours, a choice of ours. Not checked.
        public var staleAfter = Duration.seconds(5 * 3600)
        /// The window within which a sync begins, as long as no source has stated one; 0 or more, not checked. Ten minutes, a choice of ours.
        public var unknownWindow = Duration.seconds(600)
        /// The longest window that is obeyed, a choice of ours: a quarter of a day; a document that asks for more gets this.
        public static let longestWindow = Duration.seconds(6 * 3600)
        /// The wait between two tries when the sync plugin does not answer; doubled each time, up to ``gap`` if that is longer. Half a minute, a
        /// choice of ours.
        public var retry = Duration.seconds(30)

        /// The default numbers; each may be changed before use.
        public init() {}
    }

    /// A message on the wake topic. What it says is not among what counts.
    public struct Message: Hashable, Sendable {
        /// Whether the broker had kept it: its age is unknown.
        public var isRetained: Bool
        /// Whether the broker delivers the last message once more.
        public var isRepeated: Bool
        /// The size of what the message carries, in bytes; counted, never read.
        public var payloadByteCount: Int

        /// A message with these values; the defaults are a fresh, empty one. `payloadByteCount` is in bytes.
        public init(isRetained: Bool = false, isRepeated: Bool = false, payloadByteCount: Int = 0) {
            self.isRetained = isRetained
            self.isRepeated = isRepeated
            self.payloadByteCount = payloadByteCount
        }
    }

    /// The answer of `org.vigil.sync1.GetFreshness`, as far as it matters here.
    public struct Freshness: Hashable, Sendable {
        /// The time since the source that waits longest was fetched, 0 or more; 0 without sources. `nil` if one never was, or lies in the future by
        /// the board's clock: then the keys count as old.
        public var age: Duration?
        /// The time over which the boards spread their fetches, brought into 0 to ``Limits/longestWindow``; `nil` if the region does not say: then
        /// what it said before holds, else ``Limits/unknownWindow``.
        public var window: Duration?

        /// The answer with both times, as `org.vigil.sync1.GetFreshness` tells them; see the properties for `nil`.
        public init(age: Duration?, window: Duration?) {
            self.age = age
            self.window = window
        }
    }

    /// The events that the engine is told.
    public enum Event: Hashable, Sendable {
        /// The broker has let us in and said what it had kept.
        case connected
        /// A message came on the wake topic.
        case message(Message)
        /// The answer to ``Action/askFreshness``; `nil` if there was none.
        case freshness(Freshness?)
        /// The answer to ``Action/syncNow``: whether the wish was noted.
        case syncAnswered(Bool)
        /// The moment of ``WakeEngine/deadline`` has come.
        case time
    }

    /// The steps that the caller takes; each is answered by an event.
    public enum Action: Hashable, Sendable {
        /// Ask the sync plugin how old the keys are.
        case askFreshness
        /// Ask the sync plugin for a sync at once.
        case syncNow
    }

    private enum Wish { case sync, syncIfStale }

    /// The counts since the process started.
    public private(set) var counters = WakeCounters()
    /// The numbers behind the rule; may change at any time, and what was decided before stays.
    public var limits: Limits
    /// What waits for the freshness to be known.
    private var wish: Wish?
    /// When the sync begins that has been decided on.
    private var due: Duration?
    /// Whether that sync is only for what is old, somewhere in a window that may be long: a wake draws a moment of its own then.
    private var isDueForAge = false
    private var lastSync: Duration?
    private var window: Duration?
    private var failures = 0
    /// When the wakes of the last day were believed.
    private var believed: [Duration] = []

    /// An engine with nothing planned and all counters zero.
    public init(limits: Limits = Limits()) { self.limits = limits }

    /// The moment when ``Event/time`` is to be told, on the clock of ``handle(_:at:using:)``; `nil` while no sync is
    /// planned.
    public var deadline: Duration? { due }

    /// Takes an event, and returns what the caller is to do, at most one action.
    /// - Parameter now: The time of a clock that never goes back, the same in all calls.
    /// - Parameter random: Draws the moment within the window.
    public mutating func handle(
        _ event: Event, at now: Duration, using random: inout some RandomNumberGenerator
    ) -> [Action] {
        switch event {
        case .connected:
            counters.connections += 1
            return want(.syncIfStale)
        case .message(let message): return hear(message, at: now)
        case .freshness(let freshness): return plan(freshness, at: now, using: &random)
        case .syncAnswered(let isNoted): answer(isNoted, at: now)
        case .time: break
        }
        guard let due, due <= now else { return [] }
        self.due = nil
        lastSync = now
        counters.syncs += 1
        return [.syncNow]
    }

    private mutating func hear(_ message: Message, at now: Duration) -> [Action] {
        counters.messages += 1
        if message.payloadByteCount > 0 { counters.payloads += 1 }
        if message.isRetained {
            counters.retained += 1
            return want(.syncIfStale)
        }
        if message.isRepeated {
            counters.merged += 1
            return []
        }
        believed.removeAll { now - $0 >= .seconds(86_400) }
        // One that is merged costs nothing and is not charged.
        guard due == nil || isDueForAge, wish != .sync else {
            counters.merged += 1
            return []
        }
        guard believed.count < limits.wakesPerDay else {
            counters.overBudget += 1
            return want(.syncIfStale)
        }
        believed.append(now)
        return want(.sync)
    }

    private mutating func want(_ wish: Wish) -> [Action] {
        guard due == nil || (isDueForAge && wish == .sync) else {
            if wish == .syncIfStale { counters.merged += 1 }
            return []
        }
        let isAsked = self.wish != nil
        if self.wish != .sync { self.wish = wish }
        return isAsked ? [] : [.askFreshness]
    }

    private mutating func plan(
        _ freshness: Freshness?, at now: Duration, using random: inout some RandomNumberGenerator
    ) -> [Action] {
        if let said = freshness?.window { window = min(max(said, .zero), Limits.longestWindow) }
        guard let wish else { return [] }
        self.wish = nil
        if wish == .syncIfStale, let age = freshness?.age, age <= limits.staleAfter {
            counters.fresh += 1
            return []
        }
        let earliest = max(now, lastSync.map { $0 + limits.gap } ?? now)
        let milliseconds = Int64((window ?? limits.unknownWindow) / .milliseconds(1))
        let drawn = earliest + .milliseconds(Int64.random(in: 0...milliseconds, using: &random))
        // The earlier of the two serves both.
        due = min(drawn, due ?? drawn)
        isDueForAge = wish == .syncIfStale
        failures = 0
        return handle(.time, at: now, using: &random)
    }

    private mutating func answer(_ isNoted: Bool, at now: Duration) {
        guard !isNoted else {
            failures = 0
            return
        }
        counters.failures += 1
        failures += 1
        isDueForAge = false
        due = now + min(limits.retry * (1 << min(failures - 1, 16)), max(limits.gap, limits.retry))
    }
}

/// Counts of events since the process started; no count says whose or when.
public struct WakeCounters: Hashable, Sendable {
    /// The number of times that the broker let us in, 0 or more.
    public var connections: UInt64 = 0
    /// The number of messages that came on the wake topic, 0 or more.
    public var messages: UInt64 = 0
    /// The number of these messages that had something in them, which is not looked at, 0 or more.
    public var payloads: UInt64 = 0
    /// The number of these messages that the broker had kept, 0 or more.
    public var retained: UInt64 = 0
    /// The number of reasons that went into a sync that was decided on already, and of messages that were repeated, 0 or
    /// more.
    public var merged: UInt64 = 0
    /// The number of wakes that came above ``WakeEngine/Limits/wakesPerDay``, 0 or more.
    public var overBudget: UInt64 = 0
    /// The number of times that nothing was done because the keys here are fresh, 0 or more.
    public var fresh: UInt64 = 0
    /// The number of times that a sync was asked for, tries after a failure included, 0 or more.
    public var syncs: UInt64 = 0
    /// The number of times that the sync plugin did not note a wish for a sync, 0 or more.
    public var failures: UInt64 = 0

    /// Counters that are all zero.
    public init() {}
}
