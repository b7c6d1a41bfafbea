// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.diagnosis1`; the interface's text says what each part means.
public enum Diagnosis1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.diagnosis1"

    /// The kind of test that was taken: `pcr`, a laboratory's PCR test; `rapidAntigen`, a rapid test for antigens;
    /// `rapidPCR`, a rapid PCR test.
    public enum Kind: String, Codable, Sendable, CaseIterable { case pcr, rapidAntigen, rapidPCR }

    /// The state of a test. `registering`: the server does not know of it yet; `waiting`: the result is not there; `ready`:
    /// it can be asked for; `refused`: there will be none.
    public enum State: String, Codable, Sendable, CaseIterable { case registering, waiting, ready, refused }

    /// The state of a warning. `agreed`: the wearer has agreed and the keys are being taken; `prepared`: it is ready for
    /// the next exchange; `sending`: it may have left; `sent`: the server took it; `ended`: it is over and was not taken,
    /// or nobody knows.
    public enum Warning: String, Codable, Sendable, CaseIterable { case agreed, prepared, sending, sent, ended }

    /// The reason why a registration will have no result.
    public enum Refusal: String, Codable, Sendable, CaseIterable {
        /// `unknownOrUsed`: the server does not know the code or gave it away; `expired`: a hotline's number whose time was
        /// over; `otherBirth`: the laboratory has another date of birth; `answerLost`: registered, and the answer got lost;
        /// `forgotten`: the server keeps it no longer; `spent`: the server took the code and failed then; `unsupported`: a
        /// kind of result that this software does not know; `misconfigured`: the server does not let this device in.
        case unknownOrUsed, expired, otherBirth, answerLost, forgotten, spent, unsupported, misconfigured
    }

    /// The state of the remainder: the rest of the day on which a warning's keys were taken.
    public enum Remainder: String, Codable, Sendable, CaseIterable {
        /// `waiting`: the day is not over; `prepared`, `sending`, `sent`: as of a warning; `withdrawn`: the wearer took the
        /// consent back; `dropped`: it was not sent in time, was refused, or its keys got lost; `nothing`: the device sent
        /// nothing in those hours; `notOffered`: the server takes keys once.
        case waiting, prepared, sending, sent, withdrawn, dropped, nothing, notOffered
    }

    /// The result of a test. `pending`: not there yet; `negative`, `positive`, `invalid`: as the laboratory says;
    /// `redeemed`: the server keeps it no longer.
    public enum Result: String, Codable, Sendable, CaseIterable { case pending, negative, positive, invalid, redeemed }

    /// The wearer's statement about symptoms.
    public enum Statement: String, Codable, Sendable, CaseIterable {
        /// `since`: they began on a known day; `lastSevenDays`, `oneToTwoWeeksAgo`, `moreThanTwoWeeksAgo`: about when they
        /// began; `unknownSince`: there are some, nobody knows since when; `noSymptoms`: there are none; `noStatement`: the
        /// wearer does not say.
        case since, lastSevenDays, oneToTwoWeeksAgo, moreThanTwoWeeksAgo, unknownSince, noSymptoms, noStatement
    }

    /// One test of the wearer's. Its result is not in it.
    public struct Test: Codable, Sendable, Equatable {
        /// The test's number on this device, from 1 on; never used again.
        public var number: Int
        /// The kind of test that was taken.
        public var kind: Kind
        /// Whether it was entered as a number of a hotline (a teleTAN of the Corona-Warn-App).
        public var byTelephone: Bool
        /// The time when it was entered, Unix seconds by the device's clock.
        public var entered: Int64
        /// The state of the test; see ``State``.
        public var state: State
        /// The state of the warning; `nil` without one.
        public var warning: Warning?
        /// The outcome of the registration or the warning, in an English sentence, with what to do; `nil` while there is
        /// nothing to say.
        public var sentence: String?
        /// Whether the test has changed since a person last looked at it.
        public var news: Bool
        /// The reason why there will be no result; `nil` unless ``state`` is `refused`.
        public var refusal: Refusal?
        /// The state of the keys of the rest of the day on which the warning's keys were taken; see ``Remainder``. They follow after midnight (UTC),
        /// by the same consent. `nil` without a warning, before its keys are taken, if nothing was left of that day, and if the warning ended before
        /// this did.
        public var remainder: Remainder?
        /// Start of that rest of the day, Unix seconds; `nil` whenever ``remainder`` is.
        public var remainderFrom: Int64?
        /// End of that rest of the day, Unix seconds: the midnight (UTC) after it began; `nil` whenever ``remainder`` is.
        public var remainderTo: Int64?

        /// Creates a part of replies of the plugin. No value is checked. See the properties for units and `nil`.
        public init(
            number: Int, kind: Kind, byTelephone: Bool, entered: Int64, state: State, warning: Warning?, sentence: String?,
            news: Bool, refusal: Refusal? = nil, remainder: Remainder? = nil, remainderFrom: Int64? = nil,
            remainderTo: Int64? = nil
        ) {
            self.number = number
            self.kind = kind
            self.byTelephone = byTelephone
            self.entered = entered
            self.state = state
            self.warning = warning
            self.sentence = sentence
            self.news = news
            self.refusal = refusal
            self.remainder = remainder
            self.remainderFrom = remainderFrom
            self.remainderTo = remainderTo
        }
    }

    /// The wearer's statement about symptoms. It decides of which days the people met are warned.
    public struct Symptoms: Codable, Sendable, Equatable {
        /// The kind of statement; the days are known with `since` alone.
        public var statement: Statement
        /// The number of days before today on which they began, 0 to 21, for `since`; `nil` for all other statements. Anything else is refused with
        /// `Refused`.
        public var daysAgo: Int?

        /// Creates the statement for a request of a warning or of its days. Nothing is checked here. See the properties for
        /// units and `nil`.
        public init(statement: Statement, daysAgo: Int? = nil) {
            self.statement = statement
            self.daysAgo = daysAgo
        }
    }

    /// Parameters of `GetWarnedDays`: asked before a consent; nothing of it is kept. A statement whose days do not belong to it is refused with
    /// `Refused`.
    public struct WarnedDaysCall: Codable, Sendable {
        /// The wearer's statement about symptoms, by which days are chosen.
        public var symptoms: Symptoms

        /// Creates the parameters of a call of `GetWarnedDays`. Nothing is checked here: the plugin checks the values when
        /// the call arrives.
        public init(symptoms: Symptoms) { self.symptoms = symptoms }
    }

    /// Reply of `GetWarnedDays`: of which days the people met would be warned.
    public struct WarnedDaysReply: Codable, Sendable, Equatable {
        /// Days before today, rising, each 0 to 13; 0 is today. At most 14; empty if nobody would be warned.
        public var days: [Int]

        /// Creates the reply of the plugin to `GetWarnedDays`. No value is checked. See the properties for units.
        public init(days: [Int]) { self.days = days }
    }

    /// Reply of `GetTests`: everything that is known of the wearer's tests but results.
    public struct TestsReply: Codable, Sendable {
        /// The tests, oldest first; at most 8.
        public var tests: [Test]
        /// Whether there is news of any of them.
        public var news: Bool
        /// The time when something can be sent next (the next slot), Unix seconds; `nil` while the time is not known.
        public var nextExchange: Int64?
        /// The number of seconds for which a hotline's number is good after it was given; `nil` while that is not known,
        /// and if the authority has no such numbers.
        public var teleTANSeconds: Int64?

        /// Creates the reply of the plugin to `GetTests`. No value is checked. See the properties for units and `nil`.
        public init(tests: [Test], news: Bool, nextExchange: Int64?, teleTANSeconds: Int64? = nil) {
            self.tests = tests
            self.news = news
            self.nextExchange = nextExchange
            self.teleTANSeconds = teleTANSeconds
        }
    }

    /// Reply of `Watch`: now, and after every change.
    public struct WatchReply: Codable, Sendable {
        /// Whether there is news of any test.
        public var news: Bool
        /// Creates the reply of the plugin to `Watch`. No value is checked.
        public init(news: Bool) { self.news = news }
    }

    /// Parameters of `EnterCode`: enters a test by the text of its code. What is not a test's code, or is here already, is refused with `Refused`;
    /// one more than there may be with `NotPossible`.
    public struct CodeCall: Codable, Sendable {
        /// The text as scanned or pasted; at most 4,096 bytes.
        public var code: String
        /// The date of birth of whoever was tested, as `YYYY-MM-DD`, where the laboratory asked for it; `nil` otherwise. A hash of it and the code
        /// goes to the server. Passed over where the authority is not of the Corona-Warn-App's kind.
        public var dateOfBirth: String?

        /// Creates the parameters of a call of `EnterCode`. Nothing is checked here: the plugin checks the values when the
        /// call arrives. See the properties for `nil`.
        public init(code: String, dateOfBirth: String? = nil) {
            self.code = code
            self.dateOfBirth = dateOfBirth
        }
    }

    /// Parameters of `EnterTeleTAN` and `CheckTeleTAN`: what somebody has typed of a hotline's number. `EnterTeleTAN` refuses what is none, or is
    /// here already, with `Refused`, and one more test than there may be with `NotPossible`; `CheckTeleTAN` refuses nothing.
    public struct TypedCall: Codable, Sendable {
        /// Thirteen characters, or ten of a Corona-Warn-App hotline; spaces, dashes and small letters do no harm. For `CheckTeleTAN` as
        /// far as it was typed.
        public var typed: String
        /// Creates the parameters of a call of either method. Nothing is checked here: the plugin checks the text when the
        /// call arrives.
        public init(typed: String) { self.typed = typed }
    }

    /// Names a test: the parameters of `GetResult`, `Withdraw` and `Forget`, and the reply of `EnterCode` and `EnterTeleTAN`. `GetResult` of a test
    /// that is not registered is refused with `NotPossible`.
    public struct NumberCall: Codable, Sendable {
        /// The test's number, from 1 on.
        public var number: Int
        /// Creates a part of calls, and of replies of the plugin. Nothing is checked here: an unknown number is refused
        /// with `NoSuchTest`. See the properties for units.
        public init(number: Int) { self.number = number }
    }

    /// Reply of `CheckTeleTAN`: what is wrong with what was typed so far.
    public struct CheckReply: Codable, Sendable {
        /// English sentences for people, at most 16; empty while it can still become a number, and where the authority is not of the
        /// Corona-Warn-App's kind.
        public var problems: [String]
        /// Whether it is a whole number that could be entered.
        public var isWhole: Bool

        /// Creates the reply of the plugin to `CheckTeleTAN`. No value is checked.
        public init(problems: [String], isWhole: Bool) {
            self.problems = problems
            self.isWhole = isWhole
        }
    }

    /// Reply of `GetResult`: the result, which counts as seen from now on.
    public struct ResultReply: Codable, Sendable {
        /// The result of the test; see ``Result``.
        public var result: Result
        /// Creates the reply of the plugin to `GetResult`. No value is checked.
        public init(result: Result) { self.result = result }
    }

    /// Parameters of `Warn`: warns others, after a positive result, once. Refused with `NotPossible` where no warning is possible, with `NoSuchTest`
    /// for an unknown number, with `Refused` for a statement whose days do not belong to it.
    public struct WarnCall: Codable, Sendable {
        /// The number of the test whose result is positive.
        public var number: Int
        /// A ticket of a consent to `releaseKeys` (`org.vigil.device1.GiveConsent`). It is spent by the call.
        public var ticket: String
        /// The wearer's statement about symptoms.
        public var symptoms: Symptoms
        /// Whether health authorities of other countries may publish the keys, too.
        public var federation: Bool

        /// Creates the parameters of a call of `Warn`. Nothing is checked here: the plugin checks the values when the call
        /// arrives. See the properties for units.
        public init(number: Int, ticket: String, symptoms: Symptoms, federation: Bool) {
            self.number = number
            self.ticket = ticket
            self.symptoms = symptoms
            self.federation = federation
        }
    }

    /// Reply of `Warn`: the keys are taken and wait for the next exchange.
    public struct WarnReply: Codable, Sendable {
        /// The time of the next exchange (the next slot), Unix seconds; `nil` while the time is not known.
        public var nextExchange: Int64?
        /// Creates the reply of the plugin to `Warn`. No value is checked. See the properties for units and `nil`.
        public init(nextExchange: Int64?) { self.nextExchange = nextExchange }
    }

    /// Reply of `Withdraw`: what was prepared is erased.
    public struct WithdrawReply: Codable, Sendable {
        /// Whether what had not left will not leave: the whole warning, or the rest of its day. False if there was nothing to withdraw
        /// any more.
        public var isWithdrawn: Bool
        /// Creates the reply of the plugin to `Withdraw`. No value is checked.
        public init(isWithdrawn: Bool) { self.isWithdrawn = isWithdrawn }
    }

    /// Reply of `Forget`: the test is gone, if it could be.
    public struct ForgetReply: Codable, Sendable {
        /// Whether the test and all that belongs to it are erased; false while its warning, or the rest of the warning's day, is being sent.
        public var isForgotten: Bool
        /// Creates the reply of the plugin to `Forget`. No value is checked.
        public init(isForgotten: Bool) { self.isForgotten = isForgotten }
    }
}
