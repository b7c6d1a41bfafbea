// SPDX-License-Identifier: Apache-2.0

/// One test that a person has entered, from its code to its result and perhaps a warning.
public struct RegisteredTest: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The stages of a registration: wanted, made or refused.
    public enum Registration: Sendable, Hashable, Codable {
        /// The test is to be registered. `attempts` is the number of requests that may have reached the server; all of them
        /// carry the name `request`.
        case wanted(RegistrationKey, request: String, attempts: Int)
        /// The test is registered: the server gave this token, a secret. The token is empty for an NHS result that permits
        /// no keys.
        case made(token: String)
        /// The server refuses to register the test. The registration key is deleted.
        case refused(Refusal)
    }

    /// The reason why a test has no token, and will get none.
    public enum Refusal: String, Sendable, Hashable, Codable {
        /// The server does not know the code, or the code was registered before.
        case unknownOrUsed
        /// The hotline's number, or the code of another way than the Corona-Warn-App's, expired before it was used.
        case expired
        /// The laboratory reported the test for another date of birth.
        case otherBirth
        /// The server has registered the test, but its answer was lost, and it refuses a second registration.
        case answerLost
        /// The server does not know the token any more, because the test is too old.
        case forgotten
        /// The server accepted the code, then failed: the code is used up.
        case spent
        /// The kind of test or result is unknown to this software.
        case unsupported
        /// The server refuses this device, because the device's settings are wrong.
        case misconfigured

        /// Returns an English sentence for the wearer that says what happened and what to do, with the words that fit the
        /// authority's way. Cannot fail.
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

        /// An English sentence for the wearer that says what happened and what to do at the Corona-Warn-App's servers,
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

    /// The test's number on this device, from 1. It is never used again, unless the stored tests could not be read: then
    /// numbers begin again.
    public let number: Int
    /// The kind of test that was entered.
    public let kind: TestKind
    /// Whether a hotline's number was entered, so that there is no result to wait for.
    public let isTeleTAN: Bool
    /// The time at which the test was entered, in Unix seconds.
    public let entered: Int64
    /// The time at which the sample was taken, in Unix seconds, from the code or the server; `nil` if neither tells it.
    public var sampleCollected: Int64?
    /// The stage of the registration.
    public var registration: Registration
    /// The time of the last answer about the test's result, in Unix seconds, even if it told no result; `nil`
    /// before the first one.
    public var lastAsked: Int64?
    /// The code of the last result, 0 to 9 (``TestResult/code``); a result of another way than the Corona-Warn-App's has
    /// the code of the same meaning. `nil` before the first result. A final result is not replaced.
    public var resultCode: UInt8?
    /// Whether a person has seen the latest news: a final result, the reason for having none, the end of the warning, or
    /// the loss of the rest of its day. Each piece of news sets it to `false`.
    public var isSeen = false
    /// The day on which a person saw the final result for the first time, in days since 1970; `nil` before that, if the clock
    /// was not set then, and for tests seen by an earlier version of this program.
    public var seenDay: Int64?
    /// The stage of the last warning; `nil` if the wearer has not agreed to one.
    public var warning: WarningStage?
    /// The stage of the keys for the rest of the day on which the core handed out the warning's keys. `nil` before they
    /// were handed out, if nothing was left of that day, and if the warning ended before they were handed out.
    public var remainder: RemainderStage?
    /// The rest of that day, from its beginning to its end, exclusive, in Unix seconds of the machine; `nil` if
    /// ``remainder`` is.
    public var remainderHours: Range<Int64>?
    /// The visits that go, or went, along with the warning. `nil` before its keys were handed out, after a warning that
    /// ended without being sent, and where nobody keeps visits or the authority takes none.
    public var visits: VisitsInWarning?
    /// The value `true` if a date of birth was entered with the code, which happens only at the Corona-Warn-App's servers;
    /// otherwise `nil`.
    public var isBoundToBirth: Bool?
    /// The time at which the wearer agreed to the last warning, in Unix seconds; it stays after the warning's end. `nil`
    /// before the first.
    public var warningAgreed: Int64?
    /// The way by which the test was entered; `nil` for ``WarningWay/Kind/cwa``.
    public var way: WarningWay.Kind?
    /// The time until which the test's token is valid, exclusive, in Unix seconds: the time at which it was given
    /// and the lifetime of tokens of its way (``ENSCertificate/tokenSeconds``, ``NHSResult/tokenSeconds``). `nil`
    /// before there is a token, and at the Corona-Warn-App's servers, where the lifetime is unknown.
    public var tokenUntil: Int64?
    /// The day of onset that the authority knows, in days since 1970; `nil` if it knows none, and for other ways than
    /// ``WarningWay/Kind/ens``.
    public var onsetDay: Int64?
    /// The day of the test that the authority knows, in days since 1970; `nil` if it knows none, before there is a result,
    /// and at the Corona-Warn-App's servers.
    public var testDay: Int64?
    /// The kind of test that the NHS's result names; `nil` before there is a result, and for other ways.
    public var kit: NHSResult.Kit?
    /// The trouble of the last exchange, until an exchange succeeds or the server refuses the test; `nil` if there was
    /// none, and always at the Corona-Warn-App's servers.
    public var trouble: ExchangeTrouble?
    /// `true` if the permission for a warning that was withdrawn may have been given: the server gives no other one. Otherwise `nil`.
    var permissionIsSpent: Bool?
    /// Attempts to send its warning to which the server answered that it does not work; absent before the first.
    var serverFailures: Int?

    /// The words `test NUMBER`, without result or token, because they do not belong in logs.
    public var description: String { "test \(number)" }

    /// The last result from the server; `nil` before the first one.
    public var result: TestResult? { resultCode.flatMap { TestResult(code: Int64($0)) } }

    /// Whether there is news that a person has not seen: a final result, the reason for having none, the end of a
    /// warning, or the loss of the rest of its day.
    public var hasNews: Bool {
        guard !isSeen else { return false }
        if case .refused = registration { return true }
        return result?.isFinal ?? false
    }

    /// The token that the server gave, in any form; `nil` before that, and for an NHS result that permits no keys. A
    /// secret.
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
