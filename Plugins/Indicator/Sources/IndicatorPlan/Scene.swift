// SPDX-License-Identifier: Apache-2.0

/// The things that light and buzzer have to show, as the core tells them.
public struct Scene: Sendable, Hashable {
    /// The states of the button. Only the core reads the button.
    public enum Button: Sendable, Hashable {
        /// There is no button, or nothing happens with it.
        case idle
        /// Somebody who signed in wants to warn others: a press agrees.
        case consentWanted
        /// It is held, and would erase everything: that many counts are left, 5 to 1. For any other number the signals are shown.
        case countdown(Int)
        /// The button was held to the end: let go.
        case release
        /// The button was let go: one more press erases everything.
        case confirmWanted
    }

    /// The states that hold now; empty while the core has told none.
    public var signals: Set<Signal>
    /// The button's part of the scene; while it is not idle, it is shown before all signals.
    public var button: Button
    /// The number of times that the button was pressed to hear the state, since the core started, 0 or more; each one more
    /// tells the state once.
    public var presses: UInt64
    /// The number of times that an act of the button was done (consent given, everything erased), since the core started, 0
    /// or more.
    public var done: UInt64
    /// The number of times that an act of the button was called off, since the core started, 0 or more.
    public var cancelled: UInt64

    /// The default values are a core that has told nothing yet: no signal, an idle button, all counts zero.
    public init(
        signals: Set<Signal> = [], button: Button = .idle, presses: UInt64 = 0, done: UInt64 = 0, cancelled: UInt64 = 0
    ) {
        self.signals = signals
        self.button = button
        self.presses = presses
        self.done = done
        self.cancelled = cancelled
    }

    /// The signals that are told when somebody asks, in order, at least one: ``Signal/onAir`` is left out beside trouble and ``Signal/off``, and
    /// told after ``Signal/news``. ``Signal/problem`` alone while the core has told none.
    public var told: [Signal] {
        let sorted = signals.sorted()
        if sorted.contains(where: \.isTrouble) { return sorted.filter { $0 != .onAir } }
        if sorted.contains(.off) { return sorted.filter { $0 != .onAir } }
        return sorted.isEmpty ? [.problem] : sorted
    }

    /// The signal that blinks by itself, the first of ``told``; `nil` leaves the light dark, if that one is ``Signal/off``.
    public var shown: Signal? { told.first.flatMap { $0.blinksUnasked ? $0 : nil } }
}
