// SPDX-License-Identifier: Apache-2.0

/// How far a check-in by a held button is: from the hold to what became of the code. It decides nothing about codes; told what happens, and when.
struct DoorHold {
    /// From when on a hold listens: what is shorter asks how the device is. Our choice.
    static let delay: Duration = .milliseconds(500)
    /// How long a hold listens at most: the longest code takes eleven seconds (``DoorCode/pieceCounts``). Our choice.
    static let longest: Duration = .seconds(20)
    /// How long a code waits for whoever takes it and says what became of it. A plugin starts within a second or a few. Our choice.
    static let patience: Duration = .seconds(30)

    private enum Stage {
        case idle
        case listening(until: Duration, isClaimed: Bool)
        /// Held still, and no more about a door.
        case over
    }

    /// A code that was collected, up to when somebody has said what became of it.
    private struct Waiting {
        let number: Int64
        /// `nil` once it was taken.
        var content: [UInt8]?
        let until: Duration
    }

    /// Whether there is anybody who takes codes. Without, a hold is what it always was.
    var hasTaker = false
    private var stage = Stage.idle
    private var waiting: Waiting?
    private var number: Int64 = 0

    /// Whether light and sound say that a code is being collected or written down.
    var isShown: Bool {
        if case .listening(_, true) = stage { return true }
        return waiting != nil
    }

    /// When something is due, on the clock of the button.
    func deadline(_ watch: PressWatch?) -> Duration? {
        var stageDue: Duration?
        switch stage {
        case .idle: stageDue = hasTaker ? watch?.heldSince.map { $0 + Self.delay } : nil
        case .listening(let until, _): stageDue = until
        case .over: break
        }
        return [stageDue, waiting?.until].compactMap { $0 }.min()
    }

    /// What is to be done at a moment.
    enum Step: Equatable {
        case nothing
        /// Begin to collect; then say whether that is possible (``began(_:at:)``).
        case begin
        /// Nothing is collected, and the hold is no press and no reset: the code of the one before is still being written down.
        case claim
        /// Stop collecting. `isCalledOff` where the wearer was shown that a code is being collected.
        case end(isCalledOff: Bool)
    }

    /// What is due, by the button's state at `now`.
    mutating func next(_ watch: PressWatch?, at now: Duration) -> Step {
        let isPressed = watch?.isPressed ?? false
        switch stage {
        case .idle:
            guard hasTaker, let since = watch?.heldSince, now >= since + Self.delay else { return .nothing }
            guard waiting == nil else {
                stage = .over
                return .claim
            }
            return .begin
        case .listening(let until, let isClaimed):
            guard !isPressed || now >= until else { return .nothing }
            stage = isPressed ? .over : .idle
            return .end(isCalledOff: isClaimed)
        case .over:
            if !isPressed { stage = .idle }
            return .nothing
        }
    }

    mutating func began(_ isPossible: Bool, at now: Duration) {
        stage = isPossible ? .listening(until: now + Self.longest, isClaimed: false) : .over
    }

    /// A place is heard: true once, and the hold is to be claimed.
    mutating func claims() -> Bool {
        guard case .listening(let until, false) = stage else { return false }
        stage = .listening(until: until, isClaimed: true)
        return true
    }

    /// A code is complete. It waits to be taken.
    mutating func collected(_ content: [UInt8], at now: Duration) {
        stage = .over
        number += 1
        waiting = Waiting(number: number, content: content, until: now + Self.patience)
    }

    /// The code that waits, once.
    mutating func take() -> (number: Int64, content: [UInt8])? {
        guard let waiting, let content = waiting.content else { return nil }
        self.waiting?.content = nil
        return (waiting.number, content)
    }

    /// Somebody says what became of it. False if nobody waits for that any more.
    mutating func settle(_ number: Int64) -> Bool {
        guard let waiting, waiting.number == number, waiting.content == nil else { return false }
        self.waiting = nil
        return true
    }

    /// Whether a code has waited too long. True once.
    mutating func expires(at now: Duration) -> Bool {
        guard let waiting, waiting.until <= now else { return false }
        self.waiting = nil
        return true
    }

    /// Everything is called off: another role, or a reset.
    mutating func forget() {
        stage = .over
        waiting = nil
    }
}
