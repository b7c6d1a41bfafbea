// SPDX-License-Identifier: Apache-2.0

/// The calls of one slot, the same for every purpose. At the Corona-Warn-App's servers two verification calls and a
/// submission (specification cwa-protocols 6), at others what ``WarningWay/Kind/calls`` has.
public struct Playbook: Sendable, Hashable {
    /// The purpose that a slot is used for.
    public enum Occasion: Sendable, Hashable {
        /// A test is registered and its result asked for at once.
        case register
        /// The result of a test that is registered is asked for.
        case askResult
        /// Others are warned. Without `needsTAN` one is at hand already, from an attempt that was cut off.
        case submit(needsTAN: Bool)
        /// There is nothing to do: every call of the slot is a fake.
        case nothing
    }

    /// The kinds of calls that steps make, by the names of the Corona-Warn-App.
    public enum Call: Sendable, Hashable {
        /// A code is exchanged for a registration token.
        case registrationToken
        /// The result of a test is asked for.
        case testResult
        /// A TAN, the permission to submit, is asked for.
        case tan
        /// The keys are submitted.
        case submission
    }

    /// One exchange with a server: a request and its answer.
    public struct Step: Sendable, Hashable {
        /// The call that the step makes, genuine or not.
        public let call: Call
        /// Whether it is for a test; otherwise it is a fake that looks the same.
        public let isGenuine: Bool
    }

    /// The number of steps of a playbook at the Corona-Warn-App's servers: three, as phones have (cwa-protocols 6); others
    /// have as many as ``WarningWay/Kind/calls``.
    public static let stepCount = 3
    /// Seconds between two steps.
    static let stepSeconds: Int64 = 20
    /// The number of seconds after the slot at which each of the first three steps begins; ``offset(_:)`` gives it for any step. They begin then
    /// even if the one before came back at once, so that gaps say nothing.
    public static let stepOffsets: [Int64] = [0, 20, 40]
    /// The number of seconds that a step may take before it is given up, so that the next begins in time; a choice of ours.
    public static let stepTimeout: Int64 = 15

    /// The purpose that the slot is used for.
    public let occasion: Occasion
    /// The way that the slot's authority is told by.
    public let way: WarningWay.Kind
    /// The exchanges in their order; as many for every occasion of a way.
    public let steps: [Step]

    /// The calls that every slot of that way has, genuine where the occasion needs them. Cannot fail.
    public init(_ occasion: Occasion, _ way: WarningWay.Kind) {
        guard way != .cwa else {
            self.init(occasion)
            return
        }
        self.init(occasion, way, calls: way.calls)
    }

    private init(_ occasion: Occasion, _ way: WarningWay.Kind, calls: [Call]) {
        self.occasion = occasion
        self.way = way
        let genuine: Set<Call> =
            switch occasion {
            case .register, .askResult: way == .nhs ? [.testResult] : [.registrationToken]
            case .submit(let needsTAN): needsTAN ? [.tan, .submission] : [.submission]
            case .nothing: []
            }
        steps = calls.map { Step(call: $0, isGenuine: genuine.contains($0)) }
    }

    /// The number of seconds after the slot at which the step of that index, 0 or more, begins. Cannot fail for indexes of
    /// a playbook.
    public static func offset(_ index: Int) -> Int64 { stepSeconds * Int64(index) }

    /// The playbook of the Corona-Warn-App's way: ``stepCount`` steps, genuine where the occasion needs them. Cannot fail.
    public init(_ occasion: Occasion) {
        self.occasion = occasion
        way = .cwa
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
    func fake(for step: Step) -> Step {
        // At the Corona-Warn-App's servers every fake verification is a request for a TAN; at others it is what it stands for.
        Step(call: step.call == .submission || way != .cwa ? step.call : .tan, isGenuine: false)
    }
}

/// A playbook being played. After a genuine step failed, or consent was withdrawn, the remaining ones are played as fakes: how a slot goes
/// must not show on the wire.
public struct PlaybookRun: Sendable, Hashable {
    /// The steps that are played, as they were planned.
    public let playbook: Playbook
    /// The index of the step that comes next, from 0; the number of steps at the end.
    public private(set) var position = 0
    /// The index of the genuine step that failed first, from 0; `nil` if none did.
    public private(set) var failedStep: Int?
    /// Whether consent was withdrawn while it was played: then the steps that are left are fakes.
    public private(set) var isWithdrawn = false
    private var lastStep: Playbook.Step?

    /// A run that begins at the first step of `playbook`. Cannot fail.
    public init(_ playbook: Playbook) { self.playbook = playbook }

    /// The next step, as it is to be played: a fake after a failure or a withdrawal. `nil` at the end.
    public mutating func next() -> Playbook.Step? {
        guard position < playbook.steps.count else { return nil }
        let step = playbook.steps[position]
        position += 1
        lastStep = failedStep != nil || isWithdrawn ? playbook.fake(for: step) : step
        return lastStep
    }

    /// Notes that the step that ``next()`` gave last failed. Failures of fakes count for nothing.
    public mutating func stepFailed() {
        guard failedStep == nil, lastStep?.isGenuine == true else { return }
        failedStep = position - 1
    }

    /// Consent was withdrawn: nothing genuine leaves any more. What is on its way already cannot be called back.
    public mutating func withdraw() { isWithdrawn = true }

    /// Whether ``next()`` has given every step, no genuine one has failed so far, and consent was not withdrawn. It does not tell whether the last
    /// step is over.
    public var isComplete: Bool { position == playbook.steps.count && failedStep == nil && !isWithdrawn }
}
