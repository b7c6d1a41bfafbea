// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.diagnosis1`. The interface's text explains each of them.
///
/// All methods but `CheckTeleTAN`, `GetWarnedDays` and `GetPublished` are refused with `NotSignedIn` for a caller other than the
/// console that sends no valid proof (`org.vigil.access1.MakeProof`). A `Watch` by a proof ends with it after 10
/// minutes.
public enum Diagnosis1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.diagnosis1"

    /// The kind of test. `pcr`: a PCR test in a laboratory; `rapidAntigen`: a rapid antigen test; `rapidPCR`: a rapid PCR
    /// test.
    public enum Kind: String, Codable, Sendable, CaseIterable { case pcr, rapidAntigen, rapidPCR }

    /// The state of a test. `registering`: the server does not know the test yet; `waiting`: there is no result yet;
    /// `ready`: the result can be requested; `refused`: there will be no result.
    public enum State: String, Codable, Sendable, CaseIterable { case registering, waiting, ready, refused }

    /// The state of a warning. `agreed`: the wearer has consented, and the keys are being taken; `prepared`: it is ready
    /// for the next exchange; `sending`: it may have been sent; `sent`: the server accepted it; `ended`: it is over, and
    /// was not accepted or its outcome is unknown.
    public enum Warning: String, Codable, Sendable, CaseIterable { case agreed, prepared, sending, sent, ended }

    /// Why a registration will have no result.
    public enum Refusal: String, Codable, Sendable, CaseIterable {
        /// `unknownOrUsed`: the server does not know the code or has already assigned it; `expired`: the hotline's number
        /// has expired; `otherBirth`: the laboratory has a different date of birth; `answerLost`: the test was registered,
        /// but the answer was lost; `forgotten`: the server no longer has it; `spent`: the server accepted the code and
        /// then failed; `unsupported`: a kind of result that this software does not know; `misconfigured`: the server does
        /// not accept this device.
        case unknownOrUsed, expired, otherBirth, answerLost, forgotten, spent, unsupported, misconfigured
    }

    /// The state of the remainder: the keys of the rest of the day on which a warning's keys were taken.
    public enum Remainder: String, Codable, Sendable, CaseIterable {
        /// `waiting`: the day has not ended; `prepared`, `sending`, `sent`: as for a warning; `withdrawn`: the wearer
        /// withdrew the consent; `dropped`: it was not sent in time, was refused, or its keys were lost; `nothing`: the
        /// device broadcast nothing in those hours; `notOffered`: the server accepts keys one time only.
        case waiting, prepared, sending, sent, withdrawn, dropped, nothing, notOffered
    }

    /// The result of a test. `pending`: there is none yet; `negative`, `positive`, `invalid`: as the laboratory reported;
    /// `redeemed`: the server no longer has it.
    public enum Result: String, Codable, Sendable, CaseIterable { case pending, negative, positive, invalid, redeemed }

    /// The wearer's statement about symptoms.
    public enum Statement: String, Codable, Sendable, CaseIterable {
        /// `since`: they began on a known day; `lastSevenDays`, `oneToTwoWeeksAgo`, `moreThanTwoWeeksAgo`: roughly when
        /// they began; `unknownSince`: there are symptoms that began at an unknown time; `noSymptoms`: there are none;
        /// `noStatement`: the wearer does not want to say.
        case since, lastSevenDays, oneToTwoWeeksAgo, moreThanTwoWeeksAgo, unknownSince, noSymptoms, noStatement
    }

    /// A test of the wearer, without its result.
    public struct Test: Codable, Sendable, Equatable {
        /// The number of the test on this device, from 1; never used again.
        public var number: Int
        /// The kind of test that was taken.
        public var kind: Kind
        /// Whether the test was entered as a number from a hotline (a teleTAN of the Corona-Warn-App).
        public var byTelephone: Bool
        /// The time when the test was entered, in Unix seconds by the device's clock.
        public var entered: Int64
        /// The state of the test; see ``State``.
        public var state: State
        /// The state of the warning; `nil` if there is none.
        public var warning: Warning?
        /// The outcome of the registration or the warning, in an English sentence with advice; `nil` if there is nothing to
        /// report.
        public var sentence: String?
        /// Whether the test has changed since a person last looked at it.
        public var news: Bool
        /// Why there will be no result; `nil` unless ``state`` is `refused`.
        public var refusal: Refusal?
        /// The state of the keys of the rest of the day on which the warning's keys were taken; see ``Remainder``. They are
        /// sent after midnight (UTC) under the same consent. `nil` without a warning, before its keys are taken, if nothing
        /// was left of that day, and if the warning ended first.
        public var remainder: Remainder?
        /// The start of that rest of the day, in Unix seconds; `nil` whenever ``remainder`` is.
        public var remainderFrom: Int64?
        /// The end of that rest of the day, in Unix seconds: the next midnight (UTC); `nil` whenever ``remainder`` is.
        public var remainderTo: Int64?
        /// The number of visits that go, or went, along with the warning, 0 to 32; `nil` before its keys are there, on a
        /// device without check-in, and if the authority takes none.
        public var visits: Int?
        /// Why no visit goes along; `nil` unless ``visits`` is 0, and where an earlier version did not note it.
        public var noVisits: NoVisits?

        /// Creates a part of replies of the plugin. No value is checked. See the properties for units and `nil`.
        public init(
            number: Int, kind: Kind, byTelephone: Bool, entered: Int64, state: State, warning: Warning?, sentence: String?,
            news: Bool, refusal: Refusal? = nil, remainder: Remainder? = nil, remainderFrom: Int64? = nil,
            remainderTo: Int64? = nil, visits: Int? = nil, noVisits: NoVisits? = nil
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
            self.visits = visits
            self.noVisits = noVisits
        }
    }

    /// Why no visit goes along with a warning.
    public enum NoVisits: String, Codable, Sendable, CaseIterable {
        /// The diary has none that the wearer lets be published and that counts by the authority's rules.
        case noneCounts
        /// The diary has none left, and visits wait to go out with another test's warning.
        case underWay
        /// So many earlier warnings with visits are not over that one more could not be noted.
        case tooMany
        /// The diary did not answer, or could not hand any out.
        case unanswered
        /// The keys leave no room for them.
        case noRoom
    }

    /// The wearer's statement about symptoms. It determines for which days people who were met are warned.
    public struct Symptoms: Codable, Sendable, Equatable {
        /// The kind of statement; only `since` includes a day.
        public var statement: Statement
        /// For `since`, the number of days before today on which the symptoms began, 0 to 21; `nil` for all other
        /// statements. Refused with `Refused` otherwise.
        public var daysAgo: Int?

        /// Creates the statement for a request of a warning or of its days. Nothing is checked here. See the properties for
        /// units and `nil`.
        public init(statement: Statement, daysAgo: Int? = nil) {
            self.statement = statement
            self.daysAgo = daysAgo
        }
    }

    /// Parameters of `GetWarnedDays`, which is called before a consent; nothing of it is kept. Refused with `Refused` if
    /// ``Symptoms/daysAgo`` does not match the statement.
    public struct WarnedDaysCall: Codable, Sendable {
        /// The wearer's statement about symptoms, which determines the days.
        public var symptoms: Symptoms

        /// Creates the parameters of a call of `GetWarnedDays`. Nothing is checked here: the plugin checks the values when
        /// the call arrives.
        public init(symptoms: Symptoms) { self.symptoms = symptoms }
    }

    /// Reply of `GetWarnedDays`: the days for which people who were met would be warned.
    public struct WarnedDaysReply: Codable, Sendable, Equatable {
        /// The numbers of days before today, ascending, each 0 to 13; 0 is today. At most 14; empty if nobody would be
        /// warned.
        public var days: [Int]

        /// Creates the reply of the plugin to `GetWarnedDays`. No value is checked. See the properties for units.
        public init(days: [Int]) { self.days = days }
    }

    /// Reply of `GetTests`: the wearer's tests, without results.
    public struct TestsReply: Codable, Sendable {
        /// The tests, oldest first, at most 8.
        public var tests: [Test]
        /// Whether there is news about any test.
        public var news: Bool
        /// The time when something can next be sent (the next slot), in Unix seconds; `nil` while the time is not known.
        public var nextExchange: Int64?
        /// The number of seconds for which a hotline's number is valid after it was given; `nil` while that is not known,
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

    /// Reply of `Watch`: the first one immediately, and another after every change.
    public struct WatchReply: Codable, Sendable {
        /// Whether there is news about any test.
        public var news: Bool
        /// Creates the reply of the plugin to `Watch`. No value is checked.
        public init(news: Bool) { self.news = news }
    }

    /// Parameters of `EnterCode`, which enters a test by the text of its code. Refused with `Refused` for a text that is
    /// not the code of a test or a code that was already entered, and with `NotPossible` if there are too many tests.
    public struct CodeCall: Codable, Sendable {
        /// The text of the code as scanned or pasted; at most 4,096 bytes.
        public var code: String
        /// The date of birth of the tested person, as `YYYY-MM-DD`, if the laboratory asked for it; `nil`
        /// otherwise. A hash of it and the code is sent to the server. Ignored unless the authority uses the system
        /// of the Corona-Warn-App.
        public var dateOfBirth: String?

        /// Creates the parameters of a call of `EnterCode`. Nothing is checked here: the plugin checks the values when the
        /// call arrives. See the properties for `nil`.
        public init(code: String, dateOfBirth: String? = nil) {
            self.code = code
            self.dateOfBirth = dateOfBirth
        }
    }

    /// Parameters of `EnterTeleTAN` and `CheckTeleTAN`: the number from a hotline as typed. `EnterTeleTAN` is refused with
    /// `Refused` for a text that is not such a number or was already entered, and with `NotPossible` if there are too many
    /// tests; `CheckTeleTAN` is never refused.
    public struct TypedCall: Codable, Sendable {
        /// The number: thirteen characters, or ten from a hotline of the Corona-Warn-App. Spaces, dashes and case do not
        /// matter. For `CheckTeleTAN`, the part that has been typed.
        public var typed: String
        /// Creates the parameters of a call of either method. Nothing is checked here: the plugin checks the text when the
        /// call arrives.
        public init(typed: String) { self.typed = typed }
    }

    /// The number of a test: the parameters of `GetResult`, `Withdraw` and `Forget`, and the reply of `EnterCode` and
    /// `EnterTeleTAN`. `GetResult` is refused with `NotPossible` for a test that is not registered.
    public struct NumberCall: Codable, Sendable {
        /// The number of the test, from 1.
        public var number: Int
        /// Creates a part of calls, and of replies of the plugin. Nothing is checked here: an unknown number is refused
        /// with `NoSuchTest`. See the properties for units.
        public init(number: Int) { self.number = number }
    }

    /// Reply of `CheckTeleTAN`: what is wrong with the text typed so far.
    public struct CheckReply: Codable, Sendable {
        /// The problems as English sentences for people, at most 16; empty if the text can still become a valid number, and
        /// unless the authority uses the system of the Corona-Warn-App.
        public var problems: [String]
        /// Whether the text is a complete number that could be entered.
        public var isWhole: Bool

        /// Creates the reply of the plugin to `CheckTeleTAN`. No value is checked.
        public init(problems: [String], isWhole: Bool) {
            self.problems = problems
            self.isWhole = isWhole
        }
    }

    /// Reply of `GetResult`: the result, which is marked as seen by this call.
    public struct ResultReply: Codable, Sendable {
        /// The result of the test; see ``Result``.
        public var result: Result
        /// Creates the reply of the plugin to `GetResult`. No value is checked.
        public init(result: Result) { self.result = result }
    }

    /// Parameters of `Warn`, which warns others after a positive result; possible one time. Refused with `NotPossible` if
    /// no warning is possible, with `NoSuchTest` for an unknown number, and with `Refused` if ``Symptoms/daysAgo`` does not
    /// match the statement.
    public struct WarnCall: Codable, Sendable {
        /// The number of the test with the positive result.
        public var number: Int
        /// A ticket of a consent to `releaseKeys` (`org.vigil.device1.GiveConsent`). It is checked and used up only
        /// after the reply, when the keys are taken; if the core refuses it, the warning ends.
        public var ticket: String
        /// The wearer's statement about symptoms.
        public var symptoms: Symptoms
        /// Whether health authorities of other countries may publish the keys as well.
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

    /// Reply of `Warn`: the consent has been stored. The keys are taken right afterwards and wait for the next
    /// exchange; ``Test/warning`` says how that goes.
    public struct WarnReply: Codable, Sendable {
        /// The time of the next exchange (the next slot), in Unix seconds; `nil` while the time is not known.
        public var nextExchange: Int64?
        /// Creates the reply of the plugin to `Warn`. No value is checked. See the properties for units and `nil`.
        public init(nextExchange: Int64?) { self.nextExchange = nextExchange }
    }

    /// Reply of `Withdraw`: what was prepared has been erased.
    public struct WithdrawReply: Codable, Sendable {
        /// Whether something was withdrawn: the complete warning, or the rest of its day. `false` if there was nothing left
        /// to withdraw.
        public var isWithdrawn: Bool
        /// Creates the reply of the plugin to `Withdraw`. No value is checked.
        public init(isWithdrawn: Bool) { self.isWithdrawn = isWithdrawn }
    }

    /// Reply of `Forget`: whether the test was erased.
    public struct ForgetReply: Codable, Sendable {
        /// Whether the test and all data that belongs to it were erased; `false` while its warning, or the rest of the
        /// warning's day, is being sent.
        public var isForgotten: Bool
        /// Creates the reply of the plugin to `Forget`. No value is checked.
        public init(isForgotten: Bool) { self.isForgotten = isForgotten }
    }

    /// Parameters of `GetPublished`: batches of reports of visits (`org.vigil.checkin1.TakeReports`).
    public struct BatchesCall: Codable, Sendable, Equatable {
        /// The names that came with the reports; those after the 16th are ignored.
        public var batches: [Int64]
        /// Creates the parameters of a call of `GetPublished`. Nothing is checked here: unknown names are over.
        public init(batches: [Int64]) { self.batches = batches }
    }

    /// Reply of `GetPublished`: the batches that went out, those that did not and never will, and those of which nobody knows. The others may still go
    /// out.
    public struct PublishedReply: Codable, Sendable, Equatable {
        /// Those of the call whose warning was accepted by the server, at most 16.
        public var published: [Int64]
        /// Those of the call that did not go out and never will, at most 16.
        public var over: [Int64]
        /// Those of the call that no warning has any more and that may have gone out, because each answer was lost; at most 16, in neither of the other lists.
        /// `nil` if there are none.
        public var uncertain: [Int64]?
        /// Creates the reply of the plugin to `GetPublished`. No value is checked.
        public init(published: [Int64], over: [Int64], uncertain: [Int64]? = nil) {
            self.published = published
            self.over = over
            self.uncertain = uncertain
        }
    }
}
