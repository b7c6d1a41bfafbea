// SPDX-License-Identifier: Apache-2.0

/// Decides which wake leads to which sync, and when (docs/wake.md has the rule). Pure: it is told the time, and
/// sends nothing itself.
///
/// A new wake leads to a sync at a random moment of a window, unless one is planned already. A retained message, a
/// connection, and a wake above ``Limits/wakesPerDay`` lead to one only if the stored keys are old; a repeated
/// message leads to none. Between the beginnings of two syncs lies at least the gap, except for repeated tries; and
/// there is never more than one planned sync.
public struct WakeEngine: Sendable {
    /// The waits and limits of the engine.
    public struct Limits: Hashable, Sendable {
        /// The least time between the beginnings of two syncs, whatever the broker sends; tries after a sync that
        /// was not noted come sooner (``retry``). A quarter of an hour, our choice. Not checked.
        public var gap = Duration.seconds(900)
        /// The number of wakes in the last 86,400 s that are followed without a question; further ones are followed only if
        /// the stored keys are old. 24, our choice: one for each hour. Not checked.
        public var wakesPerDay = 24
        /// The age above which fetched keys count as old: five hours, our choice. Not checked.
        public var staleAfter = Duration.seconds(5 * 3600)
        /// The window within which a sync begins as long as no source has named one; 0 or more, not checked: a
        /// negative one ends the program. Not limited to ``longestWindow``. Ten minutes, our choice.
        public var unknownWindow = Duration.seconds(600)
        /// The longest window that is used: a quarter of a day, our choice; a document that asks for more gets this.
        public static let longestWindow = Duration.seconds(6 * 3600)
        /// The wait before the next try if the sync plugin does not note a wish, which doubles each time up to
        /// ``gap``, if that is longer. Half a minute, our choice. Not checked.
        public var retry = Duration.seconds(30)

        /// Creates the default limits; each may be changed before use.
        public init() {}
    }

    /// A message on the wake topic. Its content is not read.
    public struct Message: Hashable, Sendable {
        /// Whether the broker had retained the message, so that its age is unknown.
        public var isRetained: Bool
        /// Whether the broker delivers the message again.
        public var isRepeated: Bool
        /// The size of the message's payload in bytes, which is counted but never read.
        public var payloadByteCount: Int

        /// Creates a message of these values; the defaults are those of a new, empty one. `payloadByteCount` is in bytes.
        public init(isRetained: Bool = false, isRepeated: Bool = false, payloadByteCount: Int = 0) {
            self.isRetained = isRetained
            self.isRepeated = isRepeated
            self.payloadByteCount = payloadByteCount
        }
    }

    /// The part of the answer of `org.vigil.sync1.GetFreshness` that matters here.
    public struct Freshness: Hashable, Sendable {
        /// The time since the source that waits longest was fetched, 0 or more; 0 if there are no sources. `nil` if a
        /// source was never fetched, or in the future by the board's clock: then the keys count as old.
        public var age: Duration?
        /// The time over which boards spread their fetches, limited to 0 to ``Limits/longestWindow``; `nil` if the region
        /// does not say it, and then its earlier value, or else ``Limits/unknownWindow``, is used.
        public var window: Duration?

        /// Creates an answer of these times, from `org.vigil.sync1.GetFreshness`; see the properties for `nil`.
        public init(age: Duration?, window: Duration?) {
            self.age = age
            self.window = window
        }
    }

    /// The events that the engine is told of.
    public enum Event: Hashable, Sendable {
        /// The broker has accepted the connection, and has delivered what it had retained.
        case connected
        /// A message arrived on the wake topic.
        case message(Message)
        /// The answer to ``Action/askFreshness``; `nil` if there was none, and then the keys count as old.
        case freshness(Freshness?)
        /// The answer to ``Action/syncNow``: whether the sync plugin has noted the wish.
        case syncAnswered(Bool)
        /// The time of ``WakeEngine/deadline`` has come.
        case time
    }

    /// The steps that the caller takes; each leads to an event.
    public enum Action: Hashable, Sendable {
        /// Ask the sync plugin how old the keys are.
        case askFreshness
        /// Ask the sync plugin for a sync at once.
        case syncNow
    }

    private enum Wish { case sync, syncIfStale }

    /// The counts since the process started.
    public private(set) var counters = WakeCounters()
    /// The limits of the rule; they may change at any time, without effect on earlier decisions.
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

    /// Creates an engine with no planned sync and all counters zero.
    public init(limits: Limits = Limits()) { self.limits = limits }

    /// The time at which ``Event/time`` has to be reported, on the clock of ``handle(_:at:using:)``; `nil` if no sync is
    /// planned.
    public var deadline: Duration? { due }

    /// Handles an event, and returns the actions for the caller, at most one.
    /// - Parameters:
    ///   - now: The time on a monotonic clock, the same one in all calls.
    ///   - random: The source for the random moment within the window.
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

/// The counts of events since the process started; no count tells whose events they were, or when.
public struct WakeCounters: Hashable, Sendable {
    /// The number of times that the broker accepted a connection; 0 or more.
    public var connections: UInt64 = 0
    /// The number of messages on the wake topic; 0 or more.
    public var messages: UInt64 = 0
    /// The number of messages on the wake topic with a payload, which is not read; 0 or more.
    public var payloads: UInt64 = 0
    /// The number of messages on the wake topic that the broker had retained; 0 or more.
    public var retained: UInt64 = 0
    /// The number of wakes that were covered by a planned sync, and of repeated messages; 0 or more.
    public var merged: UInt64 = 0
    /// The number of wakes above ``WakeEngine/Limits/wakesPerDay``; 0 or more.
    public var overBudget: UInt64 = 0
    /// The number of times that nothing was done because the stored keys are fresh; 0 or more.
    public var fresh: UInt64 = 0
    /// The number of times that a sync was asked for, including repeated tries after a failure; 0 or more.
    public var syncs: UInt64 = 0
    /// The number of times that the sync plugin did not note a wish for a sync; 0 or more.
    public var failures: UInt64 = 0

    /// Creates counters that are all zero.
    public init() {}
}
