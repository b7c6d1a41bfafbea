// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why a venue's code or a package of warnings was refused: the rule, and what to do. Two errors are equal
/// when their codes are.
///
/// The texts name the rule and nothing of the code's content, because they must not reveal where somebody has been.
public struct PresenceTracingError: CodedError {
    /// The rules for venue codes and packages of warnings, one of which was broken. The raw values are stable: they
    /// appear in interfaces and logs.
    public enum Code: String, Sendable, CaseIterable {
        // Codes of venues.
        /// A text has more than ``VenueCode/maximumBytes`` bytes.
        case codeTooLong
        /// A text matches none of the authority's descriptors of codes.
        case notAVenueCode
        /// The link or the content has another version than this software reads.
        case unsupportedVersion
        /// The health authority has withdrawn codes with this version, or with this version of the part that
        /// describes the place.
        case revokedVersion
        /// The text of the code is not Base64URL or Base32.
        case malformedEncoding
        /// The content is not the protobuf message of a venue's code.
        case malformedContent
        /// The name is empty, longer than ``TraceLocation/maximumTextLength``, or has several lines.
        case invalidName
        /// The address is empty, longer than ``TraceLocation/maximumTextLength``, or has several lines.
        case invalidAddress
        /// The event begins after its end, has a start and no end, or ends after the year 9999.
        case invalidTimes
        /// The random part does not have 16 bytes.
        case invalidSeed
        // Check-ins.
        /// A check-in is not a protobuf message, or has no venue of 32 bytes, no time, more than
        /// ``PlainCheckIn/maximumPeriod``, or a level that is not 1 to 8.
        case malformedCheckIn
        // Protected reports.
        /// A report has fields of other lengths than 32, 16, 16 and 32 bytes, or is not a protobuf message; or the
        /// cryptographic library failed.
        case malformedReport
        /// The report was not made with this venue's code, or was changed.
        case wrongKey
        /// The report was made with this venue's code, but its record has implausible values.
        case implausibleRecord
        // Packages of warnings.
        /// A package has more bytes than the limit.
        case packageTooLarge
        /// A package has more warnings than the limit.
        case tooManyWarnings
        /// A package is not a valid protobuf message.
        case malformedPackage
        /// No trusted key has signed the package, or its signatures cannot be read.
        case noTrustedSignature
        /// The package is for another hour than its address states.
        case wrongHour
    }

    /// The rule that was broken; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The numbers and places that belong to the error, printable, may be empty; nothing of the venue.
    public let detail: String

    /// Creates an error. `detail` must be printable and have nothing of the venue.
    public init(_ code: Code, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.detail = detail
    }

    /// A sentence for people and logs: what is wrong, what to do, detail and code; nothing of the venue.
    public var description: String {
        let more = detail.isEmpty ? "" : ": \(detail)"
        return "\(Self.sentence(code))\(more) [\(code.rawValue)]"
    }

    private static let scanAgain = "scan it again, or ask the host of the place for another one"

    private static func sentence(_ code: Code) -> String {
        switch code {
        case .codeTooLong: "this is longer than a venue's code can be; scan the code at the door"
        case .notAVenueCode: "this is not a venue's code of the Corona-Warn-App; scan the code at the door"
        case .unsupportedVersion: "the code has a version that this software does not know; it may be too old"
        case .revokedVersion:
            "the health authority has withdrawn codes of this version; ask the host of the place for another one"
        case .malformedEncoding: "the code is damaged (its text cannot be decoded); \(scanAgain)"
        case .malformedContent: "the content of the code is not that of a venue; \(scanAgain)"
        case .invalidName: "the name in the code is missing, too long or has several lines; \(scanAgain)"
        case .invalidAddress: "the address in the code is missing, too long or has several lines; \(scanAgain)"
        case .invalidTimes: "the event in the code begins after its end; \(scanAgain)"
        case .invalidSeed: "the random part of the code does not have 16 bytes; \(scanAgain)"
        case .malformedCheckIn: "a check-in names no venue, no time, more than a day, or a level that there is not"
        case .malformedReport: "a report does not have the lengths that reports have"
        case .wrongKey: "a report was not made with this venue's code"
        case .implausibleRecord: "a report names no time, or a level that there is not"
        case .packageTooLarge: "the package of warnings is larger than any real one"
        case .tooManyWarnings: "the package has more warnings than any real one"
        case .malformedPackage: "the package of warnings is not a valid protobuf message"
        case .noTrustedSignature: "the package of warnings is not signed by a key that is trusted here"
        case .wrongHour: "the package of warnings is of another hour than its address says"
        }
    }
}
