// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// What the board's button means at the moment: who waits for a press, who has one, and how far a reset is. Told what happens and when.
struct ButtonDesk {
    /// How long a press is waited for, and how long one is good: the page says "within a minute".
    static let timeout: Duration = .seconds(60)

    /// Somebody who wants a press: by the socket, and by the session behind it. A press for one is none for another.
    struct Requester: Equatable {
        let name: String
        let digest: [UInt8]?
    }

    /// `nil` while there is no button, or it was lost.
    private(set) var watch: PressWatch?
    private var asked: (requester: Requester, since: Duration, until: Duration)?
    private var agreed: (requester: Requester, until: Duration)?
    private(set) var stage = Indicator1.Button.idle
    private(set) var count: Int?
    private(set) var presses: UInt64 = 0
    private(set) var done: UInt64 = 0
    private(set) var cancelled: UInt64 = 0
    private(set) var isStuck = false
    /// Whether everything is to be erased. Stays: there is nothing after it.
    private var isResetConfirmed = false
    private var isResetTaken = false
    /// Up to when the line was told of. Never goes back: what was seen up to a moment is not told differently later.
    private var lastMoment = Duration.zero
    /// Goes up with everything that may be shown.
    private(set) var changes: UInt64 = 0

    /// There is a button from now on; what it did before counts for nothing.
    mutating func connect(isPressed: Bool, at now: Duration) {
        watch = PressWatch(isPressed: isPressed, at: now)
        forgetStage()
        isStuck = false
    }

    /// It cannot be heard any more.
    mutating func disconnect() {
        watch = nil
        forgetStage()
    }

    /// When ``advance(to:)`` has something to do.
    var deadline: Duration? { [watch?.deadline, asked?.until, agreed?.until].compactMap { $0 }.min() }

    /// The line has changed, so long before `now`.
    mutating func line(isPressed: Bool, before age: Duration, at now: Duration) {
        lastMoment = max(now - max(.zero, age), lastMoment)
        watch?.line(isPressed: isPressed, at: lastMoment)
        takeEvents(at: lastMoment)
    }

    /// Whether everything is to be erased now. True once: whoever asks erases it.
    mutating func takeReset() -> Bool {
        guard isResetConfirmed, !isResetTaken else { return false }
        isResetTaken = true
        return true
    }

    /// The hold is about something else from now on: neither a press nor a reset.
    mutating func claim(at now: Duration) {
        watch?.claim(at: now)
        takeEvents(at: now)
    }

    /// What a hold was claimed for has come to its end.
    mutating func noteEnd(isDone: Bool) {
        if isDone { done += 1 } else { cancelled += 1 }
        changes += 1
    }

    mutating func advance(to moment: Duration) {
        lastMoment = max(lastMoment, moment)
        let now = lastMoment
        watch?.advance(to: now)
        takeEvents(at: now)
        if let asked, asked.until <= now {
            self.asked = nil
            changes += 1
        }
        if let agreed, agreed.until <= now { self.agreed = nil }
    }

    /// Somebody wants a press, from now on. False while somebody else does, or has one that was not used yet.
    mutating func ask(_ requester: Requester, at now: Duration) -> Bool {
        advance(to: now)
        if let other = asked?.requester ?? agreed?.requester, other != requester { return false }
        // Asking again does not make a press of before one of after.
        asked = (requester, asked?.since ?? now, now + Self.timeout)
        changes += 1
        return true
    }

    /// Whether somebody has pressed for that one, and it was not used yet. It is now.
    mutating func take(_ requester: Requester, at now: Duration) -> Bool {
        advance(to: now)
        guard let agreed, agreed.requester == requester else { return false }
        self.agreed = nil
        return true
    }

    /// Whether a press is asked for.
    var isAsked: Bool { asked != nil }

    /// What is shown of it.
    var shown: Indicator1.Button { stage == .idle ? isStuck ? .stuck : asked == nil ? .idle : .consentWanted : stage }

    private mutating func forgetStage() {
        stage = .idle
        count = nil
        changes += 1
    }

    private mutating func takeEvents(at now: Duration) {
        for event in watch?.takeEvents() ?? [] {
            changes += 1
            switch event {
            case .pressed(let began): pressed(began: began, at: now)
            case .counting(let left):
                stage = .countdown
                count = left
            case .letGo:
                stage = .release
                count = nil
            case .confirmWanted: stage = .confirmWanted
            case .cancelled:
                forgetStage()
                cancelled += 1
            case .confirmed:
                forgetStage()
                done += 1
                isResetConfirmed = true
            case .stuck: isStuck = true
            case .free: isStuck = false
            case .claimed: forgetStage()
            }
        }
    }

    private mutating func pressed(began: Duration, at now: Duration) {
        // Pressed before anybody asked, and let go after: that hand did not know the question.
        guard let asked, began >= asked.since, now < asked.until else {
            presses += 1
            return
        }
        agreed = (asked.requester, now + Self.timeout)
        self.asked = nil
        done += 1
    }
}
