// SPDX-License-Identifier: Apache-2.0

/// Derives a person's acts from the line of one button: presses, and a long hold that counts down to a reset.
///
/// It has no clock and no line of its own: it is told each level, and the time on a monotonic clock. Whatever the
/// line does, a reset needs a button that was once released for ``Rules/quiet`` (or reported as stuck, and then
/// released), held for ``Rules/hold`` and for ``Rules/counts`` counts, released within ``Rules/letGo``, and pressed
/// once more for less than ``Rules/hold``, between ``Rules/breath`` and ``Rules/confirmation`` later.
public struct PressWatch: Sendable {
    /// The lengths of time that the watch goes by, on a clock that never goes back.
    public struct Rules: Sendable, Hashable {
        /// The time for which a level must hold before it counts. Switches bounce for 1 to 10 ms, worn ones for 20; 30 ms
        /// is our choice.
        public var settling: Duration = .milliseconds(30)
        /// How long the button must stay released, without a break, before the first press counts; a button held while
        /// the board starts is not an act. Does not apply to a button that was already reported as stuck. One second,
        /// our choice. Not checked.
        public var quiet: Duration = .seconds(1)
        /// The length of a press from which it begins the countdown; a shorter one asks for the state. The
        /// confirming press must be shorter, too, or the reset is cancelled. Two seconds, our choice. Not checked.
        public var hold: Duration = .seconds(2)
        /// The number of counts before the reset may be confirmed, 1 or more (not checked). Five, our choice, which gives
        /// time to let go.
        public var counts = 5
        /// The length of each count: 1.6 seconds, our choice, so that the hold and the counts take ten seconds together.
        /// Not checked.
        public var count: Duration = .milliseconds(1_600)
        /// The time after the last count within which the button has to be released; a button that is held longer is stuck,
        /// or something lies on it. Eight seconds, our choice. Not checked.
        public var letGo: Duration = .seconds(8)
        /// The least time between the release and the confirming press, so that a trembling hand confirms nothing: 0.7
        /// seconds, our choice. Not checked.
        public var breath: Duration = .milliseconds(700)
        /// The time after the release within which the confirming press has to begin and to hold for ``settling``;
        /// otherwise the reset is cancelled. Ten seconds, our choice. Not checked.
        public var confirmation: Duration = .seconds(10)
        /// The time after which a button that is held without a meaning counts as stuck. A minute, our choice. Not checked.
        public var stuck: Duration = .seconds(60)

        /// Creates the rules of a board with one button; each property has its default.
        public init() {}

        /// The rules of every board: all values are the defaults.
        public static let standard = Rules()
    }

    /// An act of the person or a state of the button, reported as soon as it is certain.
    public enum Event: Sendable, Hashable {
        /// The button was pressed and released within ``Rules/hold``. `began` is the time of the press, on the clock of the
        /// calls.
        case pressed(began: Duration)
        /// The button is held: this many counts, ``Rules/counts`` to 1, are left before the reset may be confirmed.
        case counting(Int)
        /// The countdown is over: the button has to be released now.
        case letGo
        /// The button was released: one more press confirms the reset.
        case confirmWanted
        /// The reset was cancelled: the button was released too early or too late, or the reset was not confirmed.
        case cancelled
        /// The reset was confirmed: everything is to be erased.
        case confirmed
        /// The button has been held, or its line stuck, for ``Rules/stuck`` without a meaning.
        case stuck
        /// A stuck button was released.
        case free
        /// The hold got another meaning (``PressWatch/claim(at:)``); a countdown that ran is off.
        case claimed
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

    /// The rules that were given at the start; they do not change.
    public let rules: Rules
    private var state: State
    /// Whether the button is held, as far as it has settled.
    public private(set) var isPressed = false
    /// A level that does not count yet, and since when it holds.
    private var candidate: (isPressed: Bool, since: Duration)?
    private var events: [Event] = []

    /// Begins to watch. The button counts once it was released for ``Rules/quiet``.
    ///
    /// - Parameters:
    ///   - rules: The rules of the watch.
    ///   - isPressed: Whether the button is held at `now`; `false` if its level cannot be read.
    ///   - now: The time on a monotonic clock, the same one in all calls.
    public init(_ rules: Rules = .standard, isPressed: Bool = false, at now: Duration) {
        self.rules = rules
        self.isPressed = isPressed
        state = .starting(freeSince: isPressed ? nil : now, heldSince: isPressed ? now : nil)
    }

    /// Removes and returns all events since the last call, oldest first; empty if there are none.
    public mutating func takeEvents() -> [Event] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }

    /// The time at which ``advance(to:)`` next has something to do, on the clock of the calls; it may be past. `nil` if
    /// only the button itself can change anything.
    public var deadline: Duration? { [candidate.map { $0.since + rules.settling }, due].compactMap { $0 }.min() }

    /// The time since which the button is held, while that may still become a press or a countdown; `nil` otherwise.
    public var heldSince: Duration? { if case .held(let since) = state { since } else { nil } }

    /// Gives the present hold another meaning at `now`: it is no press and no reset any more, however long it lasts, and
    /// ends with its release. Without effect unless the button is held for a press, a countdown, or a release after one.
    public mutating func claim(at now: Duration) {
        advance(to: now)
        switch state {
        case .held, .counting, .awaitingRelease:
            state = .ignored(since: now)
            events.append(.claimed)
        default: break
        }
    }

    /// Notes that the line has changed to this level (`true` for held) at `now`, on the clock of the calls. The level
    /// counts when it has held for ``Rules/settling``. The same level twice means that a change was missed: the time begins
    /// again.
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

    /// Carries out, in order, everything that was due by `now`, on the clock of the calls. Cannot fail.
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
