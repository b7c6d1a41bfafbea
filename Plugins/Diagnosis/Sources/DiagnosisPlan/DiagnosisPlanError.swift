// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why a code, an answer or a payload was refused: the rule that it breaks, and what to do. Two errors are equal
/// if their codes are.
///
/// The texts name the rule and never the content of a code: test codes carry names and dates of birth.
public struct DiagnosisPlanError: CodedError {
    /// The rules for codes, answers and payloads that can be broken. Raw values are stable: they appear in interfaces and
    /// logs.
    public enum Code: String, Sendable, CaseIterable {
        /// The text is not a teleTAN: its length, a character or its check character is wrong.
        case teleTANRefused
        // Test codes.
        /// The text is not the code of a test.
        case notATestCode
        /// The text is longer than ``TestCode/maximumBytes``.
        case codeTooLong
        /// The number in a test's code does not have the form of a test's number.
        case malformedIdentifier
        /// A test's code is not valid Base64 or Base64url.
        case malformedEncoding
        /// The content of a test's code is not that of a test: it is not a JSON object, or a member of it has the wrong
        /// type.
        case malformedContent
        /// The check value of a test's code is missing, or not 64 hexadecimal digits.
        case malformedHash
        /// The time in a test's code is missing, or not from 1 to 253,402,300,799 (the end of the year 9999).
        case malformedTimestamp
        /// The salt in a test's code is missing, not hexadecimal, or longer than 128 digits.
        case malformedSalt
        /// A test's code contains a person's data, but no test number.
        case missingTestIdentifier
        /// A test's code contains only a part of the person's data; a code must have all of it or none.
        case incompletePersonalData
        /// The date of birth in a test's code is not a date.
        case malformedDateOfBirth
        /// A test's code does not match its check value: it was changed, or made wrongly.
        case hashMismatch
        // Codes of other systems.
        /// The text is not a code of this health authority.
        case notACode
        /// The link belongs to the health authority of another region.
        case otherRegion
        // Dates of birth that somebody gives with a code.
        /// The text is not a date of birth in year, month and day, or the date is in the future, or its year is more than
        /// 130 before the current one.
        case notADateOfBirth
        /// The code was made for another date of birth.
        case otherDateOfBirth
        // What verification servers say and are told.
        /// The hash of a date of birth is not an x or hexadecimal digit followed by 63 hexadecimal digits.
        case malformedDateOfBirthKey
        /// The verification server's answer about a test cannot be read; the same call is made again later.
        case malformedAnswer
        /// The verification server gave a result that is not among the known ones, or that contradicts itself.
        case unknownResult
        // Submissions.
        /// There is no key to submit.
        case noKeys
        /// There are more keys than a submission may have: 14 (``SubmissionPayload/maximumKeys``,
        /// ``NHSSubmission/maximumKeys``), or 30 for Google's servers (``PublishRequest/maximumKeys``).
        case tooManyKeys
        /// A key breaks a rule of submissions.
        case malformedKey
        /// A country of a submission, or its origin, is not two capital letters, or there are more countries than
        /// ``SubmissionPayload/maximumCountries``.
        case malformedCountry
        /// The number of days since onset is not 0 to 21, or was given with a statement that takes none.
        case malformedSymptoms
        /// A part of a check-in's report does not have the length that the format requires.
        case malformedReport
        /// The content is larger than the constant size of submissions, or of requests to Google's servers, allows.
        case doesNotFit
        /// The submission is not a valid protobuf message, or longer than ``SubmissionPayload/maximumBytes``.
        case malformedSubmission
        // What is kept of tests.
        /// The test was entered already, and is waiting to be registered.
        case alreadyEntered
        /// The number of stored tests is at its limit, and none of them is finished.
        case tooManyTests
        /// No warning is possible: the test has no positive result, its token has expired, or others were warned already.
        case noWarningPossible
        /// The test is not waiting for the call that is to be made, is unknown, or was entered for another way.
        case notWaiting
        /// The stored registry of tests, or what it stores of a warning, cannot be read.
        case damagedBook
    }

    /// The rule that was broken; the only part that counts when two errors are compared.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The numbers and positions that belong to the case; nothing personal. Empty if there are none.
    public let detail: String

    /// Creates an error of this code; it equals every other error of the code.
    ///
    /// - Parameter detail: The numbers and positions that belong to the case; nothing personal, and nothing of a code's
    ///   content.
    public init(_ code: Code, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.detail = detail
    }

    /// A sentence for the wearer, with the code in brackets; it contains nothing of a test's code or of a person.
    public var description: String {
        let more = detail.isEmpty ? "" : ": \(detail)"
        return "\(Self.sentence(code))\(more) [\(code.rawValue)]"
    }

    private static let scanAgain = "scan it again, or ask where you were tested"

    private static func sentence(_ code: Code) -> String {
        switch code {
        case .teleTANRefused: "this is not a teleTAN; read it again, or ask the hotline for another one"
        case .notATestCode: "this is not the code of a test; scan the code you got with the test"
        case .codeTooLong: "this is longer than the code of a test can be; scan the code you got with the test"
        case .malformedIdentifier: "the number in the code does not have the form of a test's; \(scanAgain)"
        case .malformedEncoding: "the code is damaged (neither Base64 nor Base64url); \(scanAgain)"
        case .malformedContent: "the content of the code is not that of a test; \(scanAgain)"
        case .malformedHash: "the check value of the code is missing or not 64 hexadecimal digits; \(scanAgain)"
        case .malformedTimestamp: "the time in the code is missing or none; \(scanAgain)"
        case .malformedSalt: "the salt in the code is missing or not hexadecimal; \(scanAgain)"
        case .missingTestIdentifier: "the code names a person but no test; \(scanAgain)"
        case .incompletePersonalData: "the code has a part of the person's data; all or nothing belongs there; \(scanAgain)"
        case .malformedDateOfBirth: "the date of birth in the code is no date; \(scanAgain)"
        case .hashMismatch: "the code contradicts its check value: it was changed or made wrongly; \(scanAgain)"
        case .notACode:
            "this is not a code of this health authority; look at it again, or ask the authority for another one"
        case .otherRegion: "this link belongs to another region's health authority; this device warns another one"
        case .notADateOfBirth: "this is not a date of birth; write year, month and day, like 1961-08-13"
        case .otherDateOfBirth:
            "the code was made for another date of birth; look at the date, or ask where you were tested"
        case .malformedDateOfBirthKey: "the date of birth's hash is not an x or digit and 63 hexadecimal digits"
        case .malformedAnswer: "the verification server's answer cannot be read; the same call is made again later"
        case .unknownResult: "the verification server gave a result that nobody knows; this software may be too old"
        case .noKeys: "there is no key to submit; keys exist only for days on which the beacon ran"
        case .tooManyKeys: "a submission has at most 14 keys"
        case .malformedKey: "a key breaks a rule of submissions"
        case .malformedCountry: "a country is not two capital letters"
        case .malformedSymptoms: "say how many days ago symptoms began, 0 to 21, with that statement and with no other"
        case .malformedReport: "a check-in's report does not have the lengths that reports have"
        case .doesNotFit: "the content is larger than the constant size of submissions allows"
        case .malformedSubmission: "the submission is not a valid protobuf message"
        case .alreadyEntered: "this test was entered already and waits to be registered"
        case .tooManyTests: "there are as many tests here as fit; look at the finished ones, or forget one"
        case .noWarningPossible: "others can be warned once, after a positive result"
        case .notWaiting: "this test does not wait for that call"
        case .damagedBook: "what was kept about tests cannot be read"
        }
    }
}
