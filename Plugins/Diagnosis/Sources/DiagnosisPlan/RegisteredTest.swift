// SPDX-License-Identifier: Apache-2.0

/// One test on its way from a code to a result, and perhaps to a warning.
public struct RegisteredTest: Sendable, Hashable, Codable, CustomStringConvertible {
    /// How far the registration has come.
    public enum Registration: Sendable, Hashable, Codable {
        /// To be registered. `attempts` are requests that may have reached the server; all of them carry the same `request`.
        case wanted(RegistrationKey, request: String, attempts: Int)
        /// The server gave a token.
        case made(token: String)
        /// The server does not take it. The key is gone.
        case refused(Refusal)
    }

    /// Why there is no token.
    public enum Refusal: String, Sendable, Hashable, Codable {
        /// The code is not known to the server, or somebody has registered it before.
        case unknownOrUsed
        /// A hotline's number whose time was over when it was looked at.
        case expired
        /// The laboratory reported the test for another date of birth.
        case otherBirth
        /// The server has registered it, and its answer got lost: a second registration is refused.
        case answerLost
        /// The server does not know the token any more: the test is too old.
        case forgotten

        /// For the person.
        public var sentence: String {
            switch self {
            case .unknownOrUsed:
                "The server does not know this code: it was mistyped, its time is over, or it was used already, perhaps on another device. Look at the code again; if it is right, call the hotline."
            case .expired:
                "The time of this number was over when it was looked at. It was right: call the hotline for another one, and enter it soon."
            case .otherBirth:
                "The laboratory reported this test for another date of birth than the one that was given. You will hear the result from where you were tested; call the hotline for a teleTAN if you want to warn others."
            case .answerLost:
                "The connection broke off while the test was registered, and it cannot be registered twice. You will hear the result from where you were tested; call the hotline for a teleTAN if you want to warn others."
            case .forgotten: "The server keeps this test no longer. Call the hotline if you still wait for the result."
            }
        }
    }

    /// From 1 on; never used again.
    public let number: Int
    public let kind: TestKind
    public let isTeleTAN: Bool
    /// When it was entered, Unix seconds.
    public let entered: Int64
    /// When the sample was taken, as far as anybody said.
    public var sampleCollected: Int64?
    public var registration: Registration
    public var lastAsked: Int64?
    /// 0 to 9; `nil` before the first answer.
    public var resultCode: UInt8?
    /// Whether a person has looked at the result, or at why there is none.
    public var isSeen = false
    public var warning: WarningStage?
    /// The rest of the day on which the keys of the warning were handed out; absent before that.
    public var remainder: RemainderStage?
    /// From when to when that is, Unix seconds of the machine.
    public var remainderHours: Range<Int64>?
    /// Whether a date of birth was given with the code.
    public var isBoundToBirth: Bool?
    /// When the wearer agreed to it, Unix seconds.
    public var warningAgreed: Int64?

    /// Neither result nor token: logs are not the place to learn them.
    public var description: String { "test \(number)" }

    public var result: TestResult? { resultCode.flatMap { TestResult(code: Int64($0)) } }

    /// Whether there is something to look at. What, is not said here.
    public var hasNews: Bool {
        guard !isSeen else { return false }
        if case .refused = registration { return true }
        return result?.isFinal ?? false
    }

    var token: ServerToken? {
        guard case .made(let text) = registration else { return nil }
        return ServerToken(text)
    }

    /// When the result may be asked for; `nil` when it may not.
    func nextPoll() -> Int64? {
        guard token != nil else { return nil }
        return PollingRhythm.nextPoll(
            kind, registered: entered, lastAsked: lastAsked, lastResult: result, sampleCollected: sampleCollected)
    }
}
