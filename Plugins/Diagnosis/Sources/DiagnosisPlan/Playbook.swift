// SPDX-License-Identifier: Apache-2.0

/// The calls of one slot, which are the same for every purpose: at the Corona-Warn-App's servers two verification calls and
/// a submission (specification cwa-protocols 6), at other servers those of ``WarningWay/Kind/calls``.
public struct Playbook: Sendable, Hashable {
    /// The purpose for which a slot is used.
    public enum Occasion: Sendable, Hashable {
        /// Registers a test, and asks for its result at once.
        case register
        /// Asks for the result of a registered test. At servers whose result comes with the token this is the same
        /// call as for ``register``.
        case askResult
        /// Warns others. `needsTAN` is `false` if an earlier attempt, which was cut off, has already got the TAN.
        case submit(needsTAN: Bool)
        /// Does nothing: every call of the slot is a fake.
        case nothing
    }

    /// The kinds of calls, by the names that the Corona-Warn-App uses.
    public enum Call: Sendable, Hashable {
        /// Exchanges a code for a registration token.
        case registrationToken
        /// Asks for the result of a test.
        case testResult
        /// Asks for a TAN, which permits a submission.
        case tan
        /// Submits the keys.
        case submission
    }

    /// One exchange with a server: a request and its answer.
    public struct Step: Sendable, Hashable {
        /// The call that the step makes, genuine or fake.
        public let call: Call
        /// Whether the call is genuine, for a test; otherwise it is a fake that looks the same.
        public let isGenuine: Bool
    }

    /// The number of steps of a playbook at the Corona-Warn-App's servers: three, as on phones (cwa-protocols 6). Playbooks
    /// of other ways have as many steps as ``WarningWay/Kind/calls``.
    public static let stepCount = 3
    /// Seconds between two steps.
    static let stepSeconds: Int64 = 20
    /// The numbers of seconds from the slot to the beginnings of the first three steps; ``offset(_:)`` returns them for any
    /// step. A step begins at its time even if the answer to the step before came at once, so that the gaps reveal nothing.
    public static let stepOffsets: [Int64] = [0, 20, 40]
    /// The number of seconds after which a step is given up, so that the next one begins in time: 15, our choice.
    public static let stepTimeout: Int64 = 15

    /// The purpose for which the slot is used.
    public let occasion: Occasion
    /// The way to the authority's servers.
    public let way: WarningWay.Kind
    /// The steps in their order; a way has the same number of them for every purpose.
    public let steps: [Step]

    /// Creates the playbook of a way: the calls that every slot of the way has, genuine where `occasion` needs them. Cannot
    /// fail.
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

    /// Returns the number of seconds from the slot to the beginning of the step with this index, 0 or more. Cannot fail for
    /// indexes of a playbook.
    public static func offset(_ index: Int) -> Int64 { stepSeconds * Int64(index) }

    /// Creates the playbook of the Corona-Warn-App's way: ``stepCount`` steps, genuine where `occasion` needs them. Cannot
    /// fail.
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

/// The progress of a playbook. After a genuine step has failed, or consent was withdrawn, the remaining steps are fakes, so
/// that the network traffic does not show how the slot went.
public struct PlaybookRun: Sendable, Hashable {
    /// The playbook that is played, as it was planned.
    public let playbook: Playbook
    /// The index of the next step, from 0; the number of steps at the end.
    public private(set) var position = 0
    /// The index of the first genuine step that failed, from 0; `nil` if none did.
    public private(set) var failedStep: Int?
    /// Whether consent was withdrawn during the playbook: then the remaining steps are fakes.
    public private(set) var isWithdrawn = false
    private var lastStep: Playbook.Step?

    /// Creates a run that begins at the first step of `playbook`. Cannot fail.
    public init(_ playbook: Playbook) { self.playbook = playbook }

    /// Returns the next step as it has to be played, which is a fake after a failure or a withdrawal; `nil` at the end.
    public mutating func next() -> Playbook.Step? {
        guard position < playbook.steps.count else { return nil }
        let step = playbook.steps[position]
        position += 1
        lastStep = failedStep != nil || isWithdrawn ? playbook.fake(for: step) : step
        return lastStep
    }

    /// Notes that the step that ``next()`` last returned has failed. Has no effect for a fake.
    public mutating func stepFailed() {
        guard failedStep == nil, lastStep?.isGenuine == true else { return }
        failedStep = position - 1
    }

    /// Notes that consent was withdrawn: from now on every step is a fake. A request that is already on its way cannot be
    /// recalled.
    public mutating func withdraw() { isWithdrawn = true }

    /// Whether ``next()`` has returned every step, no genuine step has failed so far, and consent was not withdrawn. It
    /// does not tell whether the last step is over.
    public var isComplete: Bool { position == playbook.steps.count && failedStep == nil && !isWithdrawn }
}
