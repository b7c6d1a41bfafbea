// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why a venue's code, a list of trace keys or an upload was refused: the rule, and what to do. Two errors
/// are equal when their codes are.
///
/// The texts name the rule and nothing of the code's content, because they must not reveal where somebody has been.
public struct CrowdNotifierError: CodedError {
    /// The rules for venue codes, trace keys and uploads, one of which was broken. The raw values are stable: they
    /// appear in interfaces and logs.
    public enum Code: String, Sendable, CaseIterable {
        // Codes of venues.
        /// A text is longer than ``CrowdNotifierCode/maximumBytes``.
        case codeTooLong
        /// A text is not a link to exactly this system's host, or has no fragment.
        case notAVenueCode
        /// The link or its content has another version than this software reads, or none.
        case unsupportedVersion
        /// The link's fragment is not Base64URL.
        case malformedEncoding
        /// The content is not a valid protobuf message.
        case malformedContent
        /// Name or address has more than ``CrowdNotifierVenue/maximumTextLength`` scalars.
        case invalidText
        /// The public key does not have 96 bytes.
        case invalidKey
        /// The random part does not have 32 bytes.
        case invalidSeed
        /// The code ends before it begins, or after the year 9999.
        case invalidTimes
        /// The check-in is before the first second in which the code is valid; the device's date may be wrong.
        case notYetValid
        /// The check-in is after the last second in which the code is valid.
        case expired
        // Lists of trace keys, and uploads.
        /// A list or an upload has more bytes than the limit.
        case tooLarge
        /// A list or an upload has more entries than the limit.
        case tooManyEntries
        /// A list or an upload is not a valid protobuf message, or an entry of an upload has fields of wrong lengths,
        /// or is neither genuine nor fake.
        case malformedMessage
        /// A list came with a token that cannot be read.
        case malformedSignature
        /// No trusted key has signed the list: the token was made with another key, or for another list.
        case wrongSignature
        /// The token has expired by the clock of this device.
        case signatureExpired
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
        case .notAVenueCode: "this is not a venue's code of this system; scan the code at the door"
        case .unsupportedVersion: "the code has a version that this software does not know; it may be too old"
        case .malformedEncoding: "the code is damaged (its text cannot be decoded); \(scanAgain)"
        case .malformedContent: "the content of the code is not that of a venue; \(scanAgain)"
        case .invalidText: "the name or the address in the code is too long; \(scanAgain)"
        case .invalidKey: "the public key in the code does not have 96 bytes; \(scanAgain)"
        case .invalidSeed: "the random part of the code does not have 32 bytes; \(scanAgain)"
        case .invalidTimes: "the code ends before it begins; \(scanAgain)"
        case .notYetValid: "the code is not valid yet; look at the date of this device, or come back later"
        case .expired: "the code is not valid any more; ask the host of the place for the new one"
        case .tooLarge: "the list is larger than any real one"
        case .tooManyEntries: "the list has more entries than any real one"
        case .malformedMessage: "the list is not a valid protobuf message"
        case .malformedSignature: "the list came without a signature that can be read"
        case .wrongSignature: "the list is not signed by a key that is trusted here, or was changed"
        case .signatureExpired: "the signature of the list has expired"
        }
    }
}
