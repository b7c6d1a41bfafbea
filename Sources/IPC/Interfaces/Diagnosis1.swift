// SPDX-License-Identifier: Apache-2.0

/// What travels over `org.vigil.diagnosis1`; the interface's text says what each part means.
public enum Diagnosis1 {
    public static let name = "org.vigil.diagnosis1"

    public enum Kind: String, Codable, Sendable, CaseIterable { case pcr, rapidAntigen, rapidPCR }

    public enum State: String, Codable, Sendable, CaseIterable { case registering, waiting, ready, refused }

    public enum Warning: String, Codable, Sendable, CaseIterable { case agreed, prepared, sending, sent, ended }

    public enum Refusal: String, Codable, Sendable, CaseIterable {
        case unknownOrUsed, expired, otherBirth, answerLost, forgotten, spent, unsupported, misconfigured
    }

    public enum Remainder: String, Codable, Sendable, CaseIterable {
        case waiting, prepared, sending, sent, withdrawn, dropped, nothing, notOffered
    }

    public enum Result: String, Codable, Sendable, CaseIterable { case pending, negative, positive, invalid, redeemed }

    public enum Statement: String, Codable, Sendable, CaseIterable {
        case since, lastSevenDays, oneToTwoWeeksAgo, moreThanTwoWeeksAgo, unknownSince, noSymptoms, noStatement
    }

    public struct Test: Codable, Sendable, Equatable {
        public var number: Int
        public var kind: Kind
        public var byTelephone: Bool
        public var entered: Int64
        public var state: State
        public var warning: Warning?
        public var sentence: String?
        public var news: Bool
        public var refusal: Refusal?
        public var remainder: Remainder?
        public var remainderFrom: Int64?
        public var remainderTo: Int64?

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

    public struct Symptoms: Codable, Sendable, Equatable {
        public var statement: Statement
        public var daysAgo: Int?

        public init(statement: Statement, daysAgo: Int? = nil) {
            self.statement = statement
            self.daysAgo = daysAgo
        }
    }

    public struct WarnedDaysCall: Codable, Sendable {
        public var symptoms: Symptoms

        public init(symptoms: Symptoms) { self.symptoms = symptoms }
    }

    public struct WarnedDaysReply: Codable, Sendable, Equatable {
        public var days: [Int]

        public init(days: [Int]) { self.days = days }
    }

    public struct TestsReply: Codable, Sendable {
        public var tests: [Test]
        public var news: Bool
        public var nextExchange: Int64?
        public var teleTANSeconds: Int64?

        public init(tests: [Test], news: Bool, nextExchange: Int64?, teleTANSeconds: Int64? = nil) {
            self.tests = tests
            self.news = news
            self.nextExchange = nextExchange
            self.teleTANSeconds = teleTANSeconds
        }
    }

    public struct WatchReply: Codable, Sendable {
        public var news: Bool
        public init(news: Bool) { self.news = news }
    }

    public struct CodeCall: Codable, Sendable {
        public var code: String
        public var dateOfBirth: String?

        public init(code: String, dateOfBirth: String? = nil) {
            self.code = code
            self.dateOfBirth = dateOfBirth
        }
    }

    public struct TypedCall: Codable, Sendable {
        public var typed: String
        public init(typed: String) { self.typed = typed }
    }

    /// A test by its number: of several calls, and the reply to those that enter one.
    public struct NumberCall: Codable, Sendable {
        public var number: Int
        public init(number: Int) { self.number = number }
    }

    public struct CheckReply: Codable, Sendable {
        public var problems: [String]
        public var isWhole: Bool

        public init(problems: [String], isWhole: Bool) {
            self.problems = problems
            self.isWhole = isWhole
        }
    }

    public struct ResultReply: Codable, Sendable {
        public var result: Result
        public init(result: Result) { self.result = result }
    }

    public struct WarnCall: Codable, Sendable {
        public var number: Int
        public var ticket: String
        public var symptoms: Symptoms
        public var federation: Bool

        public init(number: Int, ticket: String, symptoms: Symptoms, federation: Bool) {
            self.number = number
            self.ticket = ticket
            self.symptoms = symptoms
            self.federation = federation
        }
    }

    public struct WarnReply: Codable, Sendable {
        public var nextExchange: Int64?
        public init(nextExchange: Int64?) { self.nextExchange = nextExchange }
    }

    public struct WithdrawReply: Codable, Sendable {
        public var isWithdrawn: Bool
        public init(isWithdrawn: Bool) { self.isWithdrawn = isWithdrawn }
    }

    public struct ForgetReply: Codable, Sendable {
        public var isForgotten: Bool
        public init(isForgotten: Bool) { self.isForgotten = isForgotten }
    }
}
