// SPDX-License-Identifier: Apache-2.0

/// Reads a person's acts from the line of one button: presses, and a long hold that counts down to a reset.
///
/// Told of every level and of the time, on a clock that never goes back; no clock, no line of its own. Whatever the line does, nothing but a
/// button that was seen free for ``Rules/quiet``, held for ``Rules/hold`` and ``Rules/counts`` counts, let go, and pressed once more comes to a reset.
public struct PressWatch: Sendable {
    /// The lengths of time that the watch goes by, on a clock that never goes back.
    public struct Rules: Sendable, Hashable {
        /// The time that a level must hold before it counts. Switches bounce for 1 to 10 ms, worn ones for 20; 30 ms is a
        /// choice of ours.
        public var settling: Duration = .milliseconds(30)
        /// The time after the start for which the button must be free before anything counts: a button that is held while
        /// the board starts is no wish. A second, a choice of ours. Not checked.
        public var quiet: Duration = .seconds(1)
        /// The length of a press from which it begins the countdown; a shorter one asks for the state. Two seconds, a
        /// choice of ours. Not checked.
        public var hold: Duration = .seconds(2)
        /// The number of counts before the reset may be confirmed, 1 or more (not checked). Five, a choice of ours: time enough to let go.
        public var counts = 5
        /// The length of each count: 1.6 seconds, a choice of ours, so that hold and counts take ten seconds together. Not
        /// checked.
        public var count: Duration = .milliseconds(1_600)
        /// The time after the last count within which the button has to be let go: a button that is held on is stuck, or
        /// lies under something. Eight seconds, a choice of ours.
        public var letGo: Duration = .seconds(8)
        /// The least time between letting go and the confirming press, so that a trembling hand confirms nothing: 0.7
        /// seconds, a choice of ours. Not checked.
        public var breath: Duration = .milliseconds(700)
        /// The time after letting go within which the confirming press has to begin; otherwise the reset is called off. Ten
        /// seconds, a choice of ours.
        public var confirmation: Duration = .seconds(10)
        /// The time after which a button that is held without a meaning counts as stuck. A minute, a choice of ours. Not
        /// checked.
        public var stuck: Duration = .seconds(60)

        /// The rules of a board with one button, which the properties above tell one by one.
        public init() {}

        /// The rules that every board goes by: all values as set above.
        public static let standard = Rules()
    }

    /// An act of the person or of the button, told as soon as it is certain.
    public enum Event: Sendable, Hashable {
        /// Pressed and let go within ``Rules/hold``. `began` is when it was pressed, on the clock of the calls.
        case pressed(began: Duration)
        /// It is held: so many counts are left before it could erase everything, ``Rules/counts`` to 1.
        case counting(Int)
        /// Counted to the end: it has to be let go now.
        case letGo
        /// It was let go: one more press confirms.
        case confirmWanted
        /// The reset was called off: let go too early, not let go, or not confirmed.
        case cancelled
        /// The reset was confirmed: everything is to be erased.
        case confirmed
        /// The button is held, or its line is stuck, for ``Rules/stuck`` without a meaning.
        case stuck
        /// It was stuck, and is free again.
        case free
    }

    private enum State: Sendable, Hashable {
        /// Not yet seen free for long enough; `since` when it has been.
        case starting(freeSince: Duration?, heldSince: Duration?)
        case idle
        case held(since: Duration)
        case counting(left: Int, until: Duration)
        case awaitingRelease(until: Duration)
        case awaitingConfirmation(from: Duration, until: Duration)
        /// The confirming press is down.
        case confirming(since: Duration)
        /// Held without a meaning: what it was is called off.
        case ignored(since: Duration)
        case stuck
    }

    /// The rules that were given at the beginning; they do not change.
    public let rules: Rules
    private var state: State
    /// The level that counts.
    private var isPressed = false
    /// A level that does not count yet, and since when it holds.
    private var candidate: (isPressed: Bool, since: Duration)?
    private var events: [Event] = []

    /// Begins to watch. The button counts once it was seen free for ``Rules/quiet``.
    ///
    /// - Parameters:
    ///   - isPressed: The level at `now`, where it can be read, `true` for held; `false` otherwise.
    ///   - now: The time of a clock that never goes back, the same in all calls.
    public init(_ rules: Rules = .standard, isPressed: Bool = false, at now: Duration) {
        self.rules = rules
        self.isPressed = isPressed
        state = .starting(freeSince: isPressed ? nil : now, heldSince: isPressed ? now : nil)
    }

    /// Takes out all events since the last call, oldest first; empty when there are none.
    public mutating func takeEvents() -> [Event] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }

    /// The moment when ``advance(to:)`` has something to do, on the clock of the calls; it may be past. `nil` when only the button itself changes
    /// anything.
    public var deadline: Duration? { [candidate.map { $0.since + rules.settling }, due].compactMap { $0 }.min() }

    /// Notes that the line has changed to this level (`true` for held) at `now`, on the clock of the calls. It counts when
    /// it has held for ``Rules/settling``. The same level twice means that a change was lost: the time begins anew.
    public mutating func line(isPressed level: Bool, at now: Duration) {
        advance(to: now)
        if level == isPressed {
            candidate = nil
        } else if candidate?.isPressed != level {
            candidate = (level, now)
        } else if candidate != nil {
            // The other edge was lost on its way: it moved, so it has not settled.
            candidate = (level, now)
        }
    }

    /// Carries out, in its order, everything that was due by `now`, on the clock of the calls. Cannot fail.
    public mutating func advance(to now: Duration) {
        while let next = deadline, next <= now {
            if let candidate, candidate.since + rules.settling == next {
                self.candidate = nil
                isPressed = candidate.isPressed
                // The moment that counts is when it moved, not when that was believed.
                settle(at: next, began: candidate.since)
            } else {
                pass(at: next)
            }
        }
    }

    /// When the state changes by itself.
    private var due: Duration? {
        switch state {
        case .starting(let free, let held): free.map { $0 + rules.quiet } ?? held.map { $0 + rules.stuck }
        case .idle, .stuck: nil
        case .held(let since): since + rules.hold
        case .counting(_, let until), .awaitingRelease(let until), .awaitingConfirmation(_, let until): until
        case .confirming(let since), .ignored(let since): since + (isConfirming ? rules.hold : rules.stuck)
        }
    }

    private var isConfirming: Bool { if case .confirming = state { true } else { false } }

    private mutating func settle(at now: Duration, began: Duration) {
        switch (state, isPressed) {
        case (.starting, true): state = .starting(freeSince: nil, heldSince: now)
        case (.starting, false): state = .starting(freeSince: now, heldSince: nil)
        case (.idle, true): state = .held(since: began)
        case (.held(let since), false):
            state = .idle
            events.append(.pressed(began: since))
        case (.counting, false): callOff(.idle)
        case (.awaitingRelease, false):
            state = .awaitingConfirmation(from: now + rules.breath, until: now + rules.confirmation)
            events.append(.confirmWanted)
        case (.awaitingConfirmation(let from, _), true):
            if began >= from { state = .confirming(since: began) } else { callOff(.ignored(since: began)) }
        case (.confirming, false):
            state = .idle
            events.append(.confirmed)
        case (.ignored, false): state = .idle
        case (.stuck, false):
            state = .idle
            events.append(.free)
        default: break
        }
    }

    private mutating func pass(at now: Duration) {
        switch state {
        case .starting(let free, _):
            if free != nil {
                state = .idle
            } else {
                state = .stuck
                events.append(.stuck)
            }
        case .held:
            state = .counting(left: rules.counts, until: now + rules.count)
            events.append(.counting(rules.counts))
        case .counting(let left, _):
            if left > 1 {
                state = .counting(left: left - 1, until: now + rules.count)
                events.append(.counting(left - 1))
            } else {
                state = .awaitingRelease(until: now + rules.letGo)
                events.append(.letGo)
            }
        case .awaitingRelease: callOff(.ignored(since: now))
        case .awaitingConfirmation: callOff(.idle)
        // A press that confirms is short: who holds it does something else.
        case .confirming: callOff(.ignored(since: now))
        case .ignored:
            state = .stuck
            events.append(.stuck)
        case .idle, .stuck: break
        }
    }

    private mutating func callOff(_ next: State) {
        state = next
        events.append(.cancelled)
    }
}
