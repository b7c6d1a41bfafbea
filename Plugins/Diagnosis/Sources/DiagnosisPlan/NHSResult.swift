// SPDX-License-Identifier: Apache-2.0

public import CivilTime
import JSON

/// The answer of NHS COVID-19's servers about a test (specification rules-and-nhs 2). Read after the answer's signature was
/// verified, never before.
public struct NHSResult: Sendable, Hashable {
    /// The outcomes of a test. Raw values are the servers' words.
    public enum Verdict: String, Sendable, Hashable, Codable, CaseIterable {
        /// The test found the virus.
        case positive = "POSITIVE"
        /// The test did not find the virus.
        case negative = "NEGATIVE"
        /// The test could not be evaluated.
        case void = "VOID"
        /// The laboratory's first look alone was positive; it counts as a test that could not be judged.
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
        /// A rapid test that somebody else evaluated.
        case rapid = "RAPID_RESULT"
        /// A rapid test that the person evaluated and reported.
        case selfReported = "RAPID_SELF_REPORTED"
    }

    /// The outcome of the test.
    public var verdict: Verdict
    /// The kind of test: a laboratory's, a rapid one, or one that the person evaluated.
    public var kit: Kit
    /// The day on which the test was over, as the first ten characters of `testEndDate` name it; `nil` only in a result that was not read from an
    /// answer.
    public var end: CivilDate?
    /// Whether the server permits keys to be sent, with ``submissionToken``; where the answer does not say, whether the test is positive.
    public var allowsSubmission: Bool
    /// Whether another test has to confirm this one, within ``confirmationDays``; `false` where the answer does not say.
    public var needsConfirmation: Bool
    /// The number of days after ``end`` within which a second test may confirm it, 0 for the same day only; `nil` for any later day, a negative
    /// number (−1 from servers) for none. Otherwise not checked.
    public var confirmationDays: Int?
    /// Whether the server recommends that the person takes another test; `false` where the answer does not say.
    public var offersFollowUp: Bool
    /// The token that keys are submitted with, as it was sent; servers give it with positive results only, which is not checked. `nil` if there is
    /// none. A secret.
    public var submissionToken: String?

    /// A result with what is given; nothing is checked, see ``isSound``.
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

    /// The longest answer that is read, in bytes; answers have about 500, so this is a choice of ours.
    public static let maximumBytes = 10_000
    /// The number of seconds for which a submission token is good after its result was read: four days (`virology-ttl.md`).
    public static let tokenSeconds: Int64 = 4 * UTCDay.seconds
    /// The number of days for which a code and a polling token are good: 28 (`virology-ttl.md`).
    public static let codeDays: Int64 = 28

    /// Reads the body of a 200, whose signature was verified before. Without `testKit` the test is a laboratory's.
    /// - Throws: `DiagnosisPlanError`: `malformedAnswer` if the body is no JSON object or longer than ``maximumBytes``, or has no outcome or no
    ///   day; `unknownResult` for an unknown word, and for a result that is not ``isSound``.
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

    /// Whether the other clients take such a result (`CtaTokenValidator.kt`, `LinkVirologyTestResultEndpoint.swift`): what is not positive is of
    /// a laboratory and final, and only what needs confirmation has limits for it.
    public var isSound: Bool {
        if verdict != .positive, kit != .laboratory || needsConfirmation { return false }
        return needsConfirmation || confirmationDays == nil && !offersFollowUp
    }

    /// Whether another test that ended on `day` may confirm this one, by ``confirmationDays``: on the same day or later.
    /// `false` for a result without ``end``.
    public func isConfirmable(by day: CivilDate) -> Bool {
        guard let end else { return false }
        let days = day.dayNumber - end.dayNumber
        return days >= 0 && (confirmationDays.map { days <= Int64($0) } ?? true)
    }

    /// The day of onset that other clients assume (`IsolationStateMachine.kt`): what was said, else two days before the
    /// self-assessment; of a positive test its own day when that is earlier or there is nothing else. `nil` for a test that
    /// is not positive when nothing was said.
    public static func assumedOnset(
        end: CivilDate, isPositive: Bool, selfAssessment: CivilDate? = nil, onset: CivilDate? = nil
    ) -> CivilDate? {
        let said = onset ?? selfAssessment.map { CivilDate(day: $0.dayNumber - KeySubmissionRange.daysBeforeOnset) }
        guard isPositive else { return said }
        guard let said else { return end }
        return said.dayNumber < end.dayNumber ? said : end
    }

    /// The times for which a server keeps an order, a result and a token, in seconds
    /// (`doc/design/details/virology-ttl.md`).
    public struct Lifetime: Sendable, Hashable {
        /// The number of seconds for which an order is known to the server, 0 or more.
        public let order: Int64
        /// The number of seconds for which the server keeps a result, 0 or more.
        public let result: Int64
        /// The number of seconds for which a submission token is good, 0 or more; `nil` if there is none.
        public let submissionToken: Int64?

        /// The lifetimes after the order, or after the upload of a result.
        public static let ordered = Lifetime(
            order: codeDays * UTCDay.seconds, result: codeDays * UTCDay.seconds, submissionToken: nil)
        /// The lifetimes after the result was read: four hours for order and result, and ``tokenSeconds`` for the token of
        /// a positive one (`virology-ttl.md`). Cannot fail.
        public static func read(_ verdict: Verdict) -> Lifetime {
            Lifetime(order: 14_400, result: 14_400, submissionToken: verdict == .positive ? tokenSeconds : nil)
        }
    }

    /// The reactions of whoever asked to a status of the two calls (rules-and-nhs 1, 2).
    public enum Reaction: String, Sendable, Hashable {
        /// The answer is a result: read it.
        case read
        /// There is no result yet: ask again later.
        case askAgain
        /// The code is wrong, unknown or used up: ask the person for another one.
        case invalidCode
        /// The API key is wrong: the operator has to correct it.
        case configuration
        /// The method or the body of our request is wrong: this software has to be mended.
        case fault
        /// The server has trouble: send the same request later.
        case retry

        /// The reaction to an HTTP status; any status that is not known means ``retry``.
        ///
        /// - Parameter isExchange: Whether it answers the exchange of a code; otherwise it is about a polling token, which
        ///   is kept until its time is over.
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
