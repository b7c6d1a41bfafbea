// SPDX-License-Identifier: Apache-2.0

/// The state that lights and buzzer have to show, as the core reports it.
public struct Scene: Sendable, Hashable {
    /// The states of the button. Only the core reads the button.
    public enum Button: Sendable, Hashable {
        /// There is no button, or nothing happens with it.
        case idle
        /// A person who signed in wants to warn others: a press agrees.
        case consentWanted
        /// A place's code is being collected while the button is held, or is being written down.
        case collecting
        /// The button is held, and this many counts, 5 to 1, are left before a reset may be confirmed. For any other number
        /// the signals are shown.
        case countdown(Int)
        /// The button was held to the end, and has to be released.
        case release
        /// The button was released: one more press erases everything.
        case confirmWanted
    }

    /// The signals that hold now; empty if the core has reported none.
    public var signals: Set<Signal>
    /// The button's part of the scene; while it is not idle, it is shown before all signals.
    public var button: Button
    /// The number of presses that asked for the state since the core started; 0 or more. Each further one shows the state
    /// once.
    public var presses: UInt64
    /// The number of acts of the button that were carried out (consent given, everything erased) since the core started; 0
    /// or more.
    public var done: UInt64
    /// The number of acts of the button that were cancelled since the core started; 0 or more.
    public var cancelled: UInt64

    /// Creates a scene; the defaults are those of a core that has reported nothing yet: no signal, an idle button, all
    /// counts zero.
    public init(
        signals: Set<Signal> = [], button: Button = .idle, presses: UInt64 = 0, done: UInt64 = 0, cancelled: UInt64 = 0
    ) {
        self.signals = signals
        self.button = button
        self.presses = presses
        self.done = done
        self.cancelled = cancelled
    }

    /// The signals that are shown after a press, in order, at least one. ``Signal/onAir`` is left out if there is trouble
    /// or ``Signal/off``, and comes after ``Signal/news``. If the core has reported none, it is ``Signal/problem`` alone.
    public var told: [Signal] {
        let sorted = signals.sorted()
        if sorted.contains(where: \.isTrouble) { return sorted.filter { $0 != .onAir } }
        if sorted.contains(.off) { return sorted.filter { $0 != .onAir } }
        return sorted.isEmpty ? [.problem] : sorted
    }

    /// The signal that blinks without a press, the first of ``told``; `nil` if that is ``Signal/off``, and then the light
    /// stays dark.
    public var shown: Signal? { told.first.flatMap { $0.blinksUnasked ? $0 : nil } }
}
