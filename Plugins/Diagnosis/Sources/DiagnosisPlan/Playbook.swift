// SPDX-License-Identifier: Apache-2.0

/// What one slot looks like: always two verification calls and a submission, whatever it is for (specification cwa-protocols 6).
public struct Playbook: Sendable, Hashable {
    /// What a slot is used for.
    public enum Occasion: Sendable, Hashable {
        /// A test is registered and its result asked for at once.
        case register
        case askResult
        /// Others are warned. Without `needsTAN` one is at hand already, from an attempt that was cut off.
        case submit(needsTAN: Bool)
        /// There is nothing to do.
        case nothing
    }

    public enum Call: Sendable, Hashable {
        case registrationToken
        case testResult
        case tan
        case submission
    }

    /// One exchange.
    public struct Step: Sendable, Hashable {
        public let call: Call
        public let isGenuine: Bool
    }

    /// Steps of every playbook.
    public static let stepCount = 3
    /// Seconds from the slot at which each step begins. They begin then even if the one before came back at once, so that gaps say nothing.
    public static let stepOffsets: [Int64] = [0, 20, 40]
    /// Seconds after which a step is given up, so that the next begins in time.
    public static let stepTimeout: Int64 = 15

    public let occasion: Occasion
    public let steps: [Step]

    public init(_ occasion: Occasion) {
        self.occasion = occasion
        let fake = Step(call: .tan, isGenuine: false)
        let fakeSubmission = Step(call: .submission, isGenuine: false)
        steps =
            switch occasion {
            case .register:
                [Step(call: .registrationToken, isGenuine: true), Step(call: .testResult, isGenuine: true), fakeSubmission]
            case .askResult: [Step(call: .testResult, isGenuine: true), fake, fakeSubmission]
            case .submit(let needsTAN):
                [Step(call: .tan, isGenuine: needsTAN), fake, Step(call: .submission, isGenuine: true)]
            case .nothing: [fake, fake, fakeSubmission]
            }
    }

    /// The fake that stands in for a step.
    static func fake(for step: Step) -> Step {
        Step(call: step.call == .submission ? .submission : .tan, isGenuine: false)
    }
}

/// A playbook being played. After a genuine step failed, or consent was withdrawn, the remaining ones are played as fakes: how a slot goes
/// must not show on the wire.
public struct PlaybookRun: Sendable, Hashable {
    public let playbook: Playbook
    /// Index of the step that comes next; 3 at the end.
    public private(set) var position = 0
    /// Index of the genuine step that failed first.
    public private(set) var failedStep: Int?
    /// Whether consent was withdrawn while it was played.
    public private(set) var isWithdrawn = false
    private var lastStep: Playbook.Step?

    public init(_ playbook: Playbook) { self.playbook = playbook }

    /// The next step, `nil` at the end.
    public mutating func next() -> Playbook.Step? {
        guard position < playbook.steps.count else { return nil }
        let step = playbook.steps[position]
        position += 1
        lastStep = failedStep != nil || isWithdrawn ? Playbook.fake(for: step) : step
        return lastStep
    }

    /// The step that ``next()`` gave last failed. Failures of fakes count for nothing.
    public mutating func stepFailed() {
        guard failedStep == nil, lastStep?.isGenuine == true else { return }
        failedStep = position - 1
    }

    /// Consent was withdrawn: nothing genuine leaves any more. What is on its way already cannot be called back.
    public mutating func withdraw() { isWithdrawn = true }

    /// Whether every genuine step was played and none failed.
    public var isComplete: Bool { position == playbook.steps.count && failedStep == nil && !isWithdrawn }
}
