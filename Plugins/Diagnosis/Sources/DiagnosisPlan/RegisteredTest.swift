// SPDX-License-Identifier: Apache-2.0

/// One test on its way from a code to a result, and perhaps to a warning.
public struct RegisteredTest: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The stages of a registration: wanted, made or refused.
    public enum Registration: Sendable, Hashable, Codable {
        /// To be registered. `attempts` are requests that may have reached the server; all of them carry the same `request`.
        case wanted(RegistrationKey, request: String, attempts: Int)
        /// The server gave a token, a secret; empty for an NHS result with which no keys may be sent.
        case made(token: String)
        /// The server does not take it. The key is gone.
        case refused(Refusal)
    }

    /// The reason why there is no token, and none will come.
    public enum Refusal: String, Sendable, Hashable, Codable {
        /// The code is not known to the server, or somebody has registered it before.
        case unknownOrUsed
        /// A hotline's number, or another way's code, whose time was over before it could be used.
        case expired
        /// The laboratory reported the test for another date of birth.
        case otherBirth
        /// The server has registered it, and its answer got lost: a second registration is refused.
        case answerLost
        /// The server does not know the token any more: the test is too old.
        case forgotten
        /// The server took the code, and failed then: the code is used up.
        case spent
        /// A kind of test or result that this software does not know.
        case unsupported
        /// The server does not let this device in, or not so: its settings are wrong.
        case misconfigured

        /// An English sentence for the wearer that tells what happened and what to do, by the way of the authority. Cannot
        /// fail.
        public func sentence(_ way: WarningWay.Kind) -> String {
            guard way != .cwa else { return sentence }
            switch self {
            case .unknownOrUsed:
                return
                    "The server does not know this code: it was mistyped, its time is over, or it was used already, perhaps on another device. Look at the code again; if it is right, ask the health authority for another one."
            case .expired:
                return
                    "The time of this code was over before it could be used. Ask the health authority for another one, and enter it soon."
            case .answerLost:
                return
                    "The connection broke off while the code was used, and it cannot be used again. Ask the health authority for another one, and enter it here."
            default: return sentence
            }
        }

        /// An English sentence for the wearer that tells what happened and what to do at the Corona-Warn-App's servers,
        /// where a hotline can help. Cannot fail.
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
            case .spent:
                "The server took the code, and could not do anything with it. Ask the health authority for another code, and enter it here."
            case .unsupported:
                "The health authority's server gave a kind of result that this device does not know. Ask whoever looks after the device to update it; you hear the result from where you were tested."
            case .misconfigured:
                "The health authority's server does not let this device in: its settings have to be mended by whoever looks after it. Then enter the code again, or ask for another one if its time is over."
            case .forgotten: "The server keeps this test no longer. Call the hotline if you still wait for the result."
            }
        }
    }

    /// The test's number on this device, from 1 on. Not used again, unless what was known of tests could not be read: then numbers
    /// begin anew.
    public let number: Int
    /// The kind of test, as it was entered.
    public let kind: TestKind
    /// Whether it was entered as a hotline's number, so that there is no result to wait for.
    public let isTeleTAN: Bool
    /// The moment when it was entered, Unix seconds.
    public let entered: Int64
    /// The moment when the sample was taken, Unix seconds, as far as code or server said; otherwise `nil`.
    public var sampleCollected: Int64?
    /// The stage that the registration has reached.
    public var registration: Registration
    /// The moment when the last answer about its result came, Unix seconds; `nil` before the first.
    public var lastAsked: Int64?
    /// The code of the last result, 0 to 9 (``TestResult/code``), by other ways than the Corona-Warn-App's the code of the same meaning; `nil`
    /// before the first. A final one stays.
    public var resultCode: UInt8?
    /// Whether a person has looked at the last news: a final result, why there is none, how the warning ended, or that the rest of its day was
    /// lost. `false` again with each.
    public var isSeen = false
    /// The stage that the last warning has reached; `nil` if the wearer has not agreed to one.
    public var warning: WarningStage?
    /// The stage of the keys of the rest of the day on which the keys of the warning were handed out; `nil` before that, if nothing was left of
    /// that day, and if the warning ended before this did.
    public var remainder: RemainderStage?
    /// The rest of that day, from its beginning to its end, exclusive, in Unix seconds of the machine; `nil` without ``remainder``.
    public var remainderHours: Range<Int64>?
    /// `true` if a date of birth was given with the code, which happens at the Corona-Warn-App's servers only; otherwise `nil`.
    public var isBoundToBirth: Bool?
    /// The moment when the wearer agreed to the last warning, Unix seconds, also after it ended; `nil` before the first.
    public var warningAgreed: Int64?
    /// The way by which it was entered; `nil` for ``WarningWay/Kind/cwa``.
    public var way: WarningWay.Kind?
    /// The moment until which its token is good, exclusive, Unix seconds: as long after it was given as servers of its way keep tokens. `nil`
    /// before there is a token, and at the Corona-Warn-App's servers, where no time is known.
    public var tokenUntil: Int64?
    /// The day of onset that the authority knows of, in days since 1970; `nil` if it knows none, and by other ways than ``WarningWay/Kind/ens``.
    public var onsetDay: Int64?
    /// The day of the test that the authority knows of, in days since 1970; `nil` if it knows none, before there is a result, and at the
    /// Corona-Warn-App's servers.
    public var testDay: Int64?
    /// The kind of test, as the NHS's result names it; `nil` before there is one, and by other ways.
    public var kit: NHSResult.Kit?
    /// The trouble that hindered an exchange, until one succeeds or the server refuses the test; `nil` if there was none.
    public var trouble: ExchangeTrouble?
    /// `true` if the permission for a warning that was withdrawn may have been given: the server gives no other one. Otherwise `nil`.
    var permissionIsSpent: Bool?
    /// Attempts to send its warning to which the server answered that it does not work; absent before the first.
    var serverFailures: Int?

    /// The words `test NUMBER`, with neither result nor token: logs are not the place to learn them.
    public var description: String { "test \(number)" }

    /// The last result that the server told; `nil` before the first one.
    public var result: TestResult? { resultCode.flatMap { TestResult(code: Int64($0)) } }

    /// Whether there is something that a person has not looked at: a final result, the reason why there is none, or the end of a warning.
    public var hasNews: Bool {
        guard !isSeen else { return false }
        if case .refused = registration { return true }
        return result?.isFinal ?? false
    }

    /// The token that the server gave, of whatever form; `nil` before that, and for an NHS result with which no keys may be sent. A secret.
    public var givenToken: String? {
        guard case .made(let text) = registration, !text.isEmpty else { return nil }
        return text
    }

    var token: ServerToken? {
        guard way == nil, case .made(let text) = registration else { return nil }
        return ServerToken(text)
    }

    /// When the result may be asked for; `nil` when it may not.
    func nextPoll() -> Int64? {
        // By the ways of others the result comes with the token.
        guard token != nil else { return nil }
        return PollingRhythm.nextPoll(
            kind, registered: entered, lastAsked: lastAsked, lastResult: result, sampleCollected: sampleCollected)
    }
}
