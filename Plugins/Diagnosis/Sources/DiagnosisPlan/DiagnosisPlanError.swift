// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why a code, an answer or a payload was refused: the rule, and what to do. Equal by code.
///
/// Texts name the rule and never what was in the code: test codes carry names and dates of birth.
public struct DiagnosisPlanError: CodedError {
    /// The rules for codes, answers and payloads, of which one was broken. Raw values are stable: they appear in interfaces
    /// and logs.
    public enum Code: String, Sendable, CaseIterable {
        /// The text is not a teleTAN: a wrong length, character or check character.
        case teleTANRefused
        // Test codes.
        /// The text is not the code of a test.
        case notATestCode
        /// The text is longer than ``TestCode/maximumBytes``.
        case codeTooLong
        /// The number in a test's code does not have the form that such numbers have.
        case malformedIdentifier
        /// A test's code is neither Base64 nor Base64url.
        case malformedEncoding
        /// The content of a test's code is not that of a test: no JSON object, or a member of it is of another type.
        case malformedContent
        /// The check value of a test's code is missing, or not 64 hexadecimal digits.
        case malformedHash
        /// The time in a test's code is missing, or not from 1 to 253,402,300,799 (the end of the year 9999).
        case malformedTimestamp
        /// The salt in a test's code is missing, not hexadecimal, or longer than 128 digits.
        case malformedSalt
        /// A test's code names a person and no test.
        case missingTestIdentifier
        /// A test's code has a part of the person's data only; all or nothing belongs there.
        case incompletePersonalData
        /// The date of birth in a test's code is no date.
        case malformedDateOfBirth
        /// A test's code contradicts its check value: it was changed, or made wrongly.
        case hashMismatch
        // Codes of other systems.
        /// The text is not a code of this health authority.
        case notACode
        /// The link belongs to another region's health authority.
        case otherRegion
        // Dates of birth that somebody gives with a code.
        /// The text is not a date of birth, year, month and day; or the day is to come, or its year is more than 130 below this one.
        case notADateOfBirth
        /// The code was made for another date of birth.
        case otherDateOfBirth
        // What verification servers say and are told.
        /// The hash of a date of birth is not an x or digit and 63 hexadecimal digits.
        case malformedDateOfBirthKey
        /// The server's answer about a test cannot be read; the same call is made again later.
        case malformedAnswer
        /// The server gave a result that is not among the known ones, or contradicts itself.
        case unknownResult
        // Submissions.
        /// There is no key to submit.
        case noKeys
        /// There are more keys than a submission may have.
        case tooManyKeys
        /// A key breaks a rule of submissions.
        case malformedKey
        /// A country is not two capital letters, or there are more than ``SubmissionPayload/maximumCountries``.
        case malformedCountry
        /// The number of days since onset is not 0 to 21, or stands with a statement that has none.
        case malformedSymptoms
        /// The report of a check-in does not have the lengths that reports have.
        case malformedReport
        /// The content is larger than the constant size of submissions, or of requests to Google's servers, allows.
        case doesNotFit
        /// The submission is not a valid protobuf message, or longer than ``SubmissionPayload/maximumBytes``.
        case malformedSubmission
        // What is kept of tests.
        /// The test was entered already, and waits to be registered.
        case alreadyEntered
        /// As many tests are kept as fit, and none of them is over.
        case tooManyTests
        /// No warning is possible: there is no positive result, its token is over, or there was a warning already.
        case noWarningPossible
        /// The test does not wait for that call.
        case notWaiting
        /// The stored registry of tests, or what it keeps of a warning, cannot be read.
        case damagedBook
    }

    /// The rule that was broken; the only part that counts when two errors are compared.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// Numbers and places of the case; nothing personal.
    public let detail: String

    /// An error of this code; equal to every other one of the code.
    ///
    /// - Parameter detail: Numbers and places of the case; nothing personal, nothing of a code.
    public init(_ code: Code, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.detail = detail
    }

    /// A sentence for the wearer with the code in brackets; nothing of a test's code or of a person is in it.
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
