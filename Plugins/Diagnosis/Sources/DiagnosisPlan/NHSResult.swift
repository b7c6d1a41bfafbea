// SPDX-License-Identifier: Apache-2.0

public import CivilTime
import JSON

/// The answer of NHS COVID-19's servers about a test (specification rules-and-nhs 2). Verify the answer's signature before
/// reading it.
public struct NHSResult: Sendable, Hashable {
    /// The outcomes of a test. Raw values are the servers' words.
    public enum Verdict: String, Sendable, Hashable, Codable, CaseIterable {
        /// The test found the virus.
        case positive = "POSITIVE"
        /// The test did not find the virus.
        case negative = "NEGATIVE"
        /// The test could not be evaluated.
        case void = "VOID"
        /// Only the laboratory's first examination was positive; the test counts as one that could not be evaluated.
        case plod = "PLOD"

        var result: TestResult {
            switch self {
            case .positive: TestResult(.positive)
            case .negative: TestResult(.negative)
            case .void, .plod: TestResult(.invalid)
            }
        }
    }

    /// The kinds of tests. Raw values are the servers' words.
    public enum Kit: String, Sendable, Hashable, Codable, CaseIterable {
        /// A test that a laboratory evaluated.
        case laboratory = "LAB_RESULT"
        /// A rapid test that a person other than the wearer evaluated.
        case rapid = "RAPID_RESULT"
        /// A rapid test that the person evaluated and reported.
        case selfReported = "RAPID_SELF_REPORTED"
    }

    /// The outcome of the test.
    public var verdict: Verdict
    /// The kind of test: a laboratory's, a rapid one, or one that the person evaluated themselves.
    public var kit: Kit
    /// The day on which the test ended: the first ten characters of `testEndDate`. `nil` only in a result that was not read
    /// from an answer.
    public var end: CivilDate?
    /// Whether the server accepts keys, with ``submissionToken``. If the answer does not say so, whether the test is
    /// positive.
    public var allowsSubmission: Bool
    /// Whether a second test has to confirm this one, within ``confirmationDays``; `false` if the answer does not say so.
    public var needsConfirmation: Bool
    /// The number of days after ``end`` within which a second test may confirm this one: 0 for the same day only, a
    /// negative number (−1 from servers) for no day, `nil` for any later day. Not checked otherwise.
    public var confirmationDays: Int?
    /// Whether the server recommends that the person take another test; `false` if the answer does not say so.
    public var offersFollowUp: Bool
    /// The token that keys are submitted with, as the server wrote it; `nil` if there is none. Servers give it only with
    /// positive results, which is not checked here. A secret.
    public var submissionToken: String?

    /// Creates a result of these values; nothing is checked, see ``isSound``.
    public init(
        _ verdict: Verdict, _ kit: Kit, end: CivilDate? = nil, allowsSubmission: Bool = false,
        needsConfirmation: Bool = false, confirmationDays: Int? = nil, offersFollowUp: Bool = false,
        submissionToken: String? = nil
    ) {
        self.verdict = verdict
        self.kit = kit
        self.end = end
        self.allowsSubmission = allowsSubmission
        self.needsConfirmation = needsConfirmation
        self.confirmationDays = confirmationDays
        self.offersFollowUp = offersFollowUp
        self.submissionToken = submissionToken
    }

    /// The most bytes of an answer that is read: 10,000, our choice, because answers have about 500.
    public static let maximumBytes = 10_000
    /// The number of seconds for which a submission token is valid after its result was read: four days
    /// (`virology-ttl.md`).
    public static let tokenSeconds: Int64 = 4 * UTCDay.seconds
    /// The number of days for which a code and a polling token are valid: 28 (`virology-ttl.md`).
    public static let codeDays: Int64 = 28

    /// Reads the body of an answer 200, whose signature has to be verified before. If `testKit` is missing, the test is a
    /// laboratory's.
    /// - Throws: `DiagnosisPlanError.malformedAnswer` if the body is not a JSON object or longer than ``maximumBytes``, or
    ///   has no outcome or no valid day; `DiagnosisPlanError.unknownResult` if the outcome or the kind of test is unknown,
    ///   or if the result is not ``isSound``.
    public init(_ body: [UInt8]) throws(DiagnosisPlanError) {
        guard body.count <= Self.maximumBytes, let json = try? JSON(parsing: body, maximumDepth: 8),
            let object = json.object, let verdict = object["testResult"]?.string, let date = object["testEndDate"]?.string,
            let end = CivilDate(isoText: String(date.prefix(10))), date.utf8.dropFirst(10).first == UInt8(ascii: "T")
        else { throw DiagnosisPlanError(.malformedAnswer, "a result's field is missing") }
        // Answers of the first version have no kit's rules.
        let kit = object["testKit"]?.string ?? Kit.laboratory.rawValue
        // Once a word of its own for the same.
        guard let known = Verdict(rawValue: verdict == "INDETERMINATE" ? Verdict.void.rawValue : verdict),
            let knownKit = Kit(rawValue: kit)
        else { throw DiagnosisPlanError(.unknownResult) }
        self.init(
            known, knownKit, end: end,
            allowsSubmission: object["diagnosisKeySubmissionSupported"]?.bool ?? (known == .positive),
            needsConfirmation: object["requiresConfirmatoryTest"]?.bool ?? false,
            confirmationDays: object["confirmatoryDayLimit"]?.int.map { Int(clamping: $0) },
            offersFollowUp: object["shouldOfferFollowUpTest"]?.bool ?? false,
            submissionToken: object["diagnosisKeySubmissionToken"]?.string)
        guard isSound else { throw DiagnosisPlanError(.unknownResult) }
    }

    /// Whether other clients accept such a result (`CtaTokenValidator.kt`, `LinkVirologyTestResultEndpoint.swift`): a
    /// result that is not positive is a laboratory's and needs no confirmation, and only a result that needs confirmation
    /// has ``confirmationDays`` or ``offersFollowUp``.
    public var isSound: Bool {
        if verdict != .positive, kit != .laboratory || needsConfirmation { return false }
        return needsConfirmation || confirmationDays == nil && !offersFollowUp
    }

    /// Returns whether a second test that ended on `day` may confirm this one by ``confirmationDays``: it must have ended
    /// on the same day as this one or later. `false` for a result without ``end``.
    public func isConfirmable(by day: CivilDate) -> Bool {
        guard let end else { return false }
        let days = day.dayNumber - end.dayNumber
        return days >= 0 && (confirmationDays.map { days <= Int64($0) } ?? true)
    }

    /// Returns the day of onset that other clients assume (`IsolationStateMachine.kt`): the one that the person stated,
    /// else two days before the self-assessment. For a positive test it is the test's own day, if that is earlier or
    /// nothing was stated. `nil` for a test that is not positive if nothing was stated.
    ///
    /// - Parameters:
    ///   - end: The day on which the test ended.
    ///   - selfAssessment: The day of the self-assessment; `nil` if there was none.
    ///   - onset: The day of onset that the person stated; `nil` if they stated none.
    public static func assumedOnset(
        end: CivilDate, isPositive: Bool, selfAssessment: CivilDate? = nil, onset: CivilDate? = nil
    ) -> CivilDate? {
        let said = onset ?? selfAssessment.map { CivilDate(day: $0.dayNumber - KeySubmissionRange.daysBeforeOnset) }
        guard isPositive else { return said }
        guard let said else { return end }
        return said.dayNumber < end.dayNumber ? said : end
    }

    /// The times for which a server stores an order, a result and a token, in seconds
    /// (`doc/design/details/virology-ttl.md`).
    public struct Lifetime: Sendable, Hashable {
        /// The number of seconds for which the server stores an order, 0 or more.
        public let order: Int64
        /// The number of seconds for which the server stores a result, 0 or more.
        public let result: Int64
        /// The number of seconds for which a submission token is valid, 0 or more; `nil` if there is none.
        public let submissionToken: Int64?

        /// The lifetimes that begin with the order, or with the upload of a result.
        public static let ordered = Lifetime(
            order: codeDays * UTCDay.seconds, result: codeDays * UTCDay.seconds, submissionToken: nil)
        /// Returns the lifetimes that begin when the result is read: four hours for the order and the result, and
        /// ``tokenSeconds`` for the token of a positive result (`virology-ttl.md`). Cannot fail.
        public static func read(_ verdict: Verdict) -> Lifetime {
            Lifetime(order: 14_400, result: 14_400, submissionToken: verdict == .positive ? tokenSeconds : nil)
        }
    }

    /// The client's next step after an answer to one of the two calls (rules-and-nhs 1, 2).
    public enum Reaction: String, Sendable, Hashable {
        /// Read the answer: it is a result.
        case read
        /// Ask again later: there is no result yet.
        case askAgain
        /// Ask the person for another code: this one is wrong, unknown or used.
        case invalidCode
        /// Tell the operator to correct the API key: it is wrong.
        case configuration
        /// Correct this software: the method or the body of the request is wrong.
        case fault
        /// Send the same request later: the server has a problem.
        case retry

        /// Returns the reaction to an HTTP status; ``retry`` for an unknown one.
        ///
        /// - Parameter isExchange: Whether the request was the exchange of a code; otherwise it asked for a result by a
        ///   polling token, which stays in use until it expires.
        public static func of(status: Int, isExchange: Bool) -> Reaction {
            switch status {
            case 200: .read
            case 204: .askAgain
            case 400, 404: isExchange ? .invalidCode : .askAgain
            case 401, 403: .configuration
            case 405, 422: .fault
            default: .retry
            }
        }
    }
}
