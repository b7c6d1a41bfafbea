// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why a poster's code or a list of venues was refused: the rule, and what to do. Two errors are equal
/// when their codes are.
///
/// The texts name the rule and nothing of the code's content, because they must not reveal where somebody has been.
public struct VenueNoticesError: CodedError {
    /// The rules for posters' codes and for lists of venues, one of which was broken. The raw values are stable: they
    /// appear in interfaces and logs.
    public enum Code: String, Sendable, CaseIterable {
        // Posters.
        /// A text is longer than ``VenuePoster/maximumBytes``.
        case codeTooLong
        /// A text does not have the three parts and the prefix of a poster's code.
        case notAPoster
        /// The version is not a whole number from 1 to 2³¹ - 1.
        case unsupportedVersion
        /// The third part is not a JSON Web Signature of three parts with a readable header.
        case malformedToken
        /// The token is signed in another way than by ES256, or asks for an extension.
        case unsupportedAlgorithm
        /// The token names no key, or one that is not among those of the board's settings.
        case unknownKey
        /// The signature does not verify or cannot be read: the code was changed, or the NHS did not make it.
        case wrongSignature
        /// The signed content is not a JSON object, lacks an id or a name, has an id with other characters than
        /// visible ASCII, or has a text that is too long.
        case malformedVenue
        // Lists.
        /// A list has more than ``RiskyVenueList/maximumBytes`` bytes.
        case listTooLarge
        /// No trusted key has signed the list.
        case listNotSigned
        /// The list is not JSON with an array `venues`.
        case malformedList
        /// The list has more than ``RiskyVenueList/maximumVenues`` venues.
        case tooManyVenues
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

    private static func sentence(_ code: Code) -> String {
        switch code {
        case .codeTooLong: "this is longer than a poster's code can be; scan the official NHS poster at the door"
        case .notAPoster: "this is not the code of an official NHS poster; scan the one at the door"
        case .unsupportedVersion: "the code has no version that there can be; scan it again"
        case .malformedToken: "the code is damaged; scan it again"
        case .unsupportedAlgorithm: "the code is signed in a way that official posters are not"
        case .unknownKey: "the code is signed with a key that is not known here"
        case .wrongSignature: "the code was changed, or was not made by the NHS"
        case .malformedVenue: "the code does not describe a venue"
        case .listTooLarge: "the list of venues is larger than any real one"
        case .listNotSigned: "the list of venues is not signed by a key that is trusted here"
        case .malformedList: "the list of venues cannot be read"
        case .tooManyVenues: "the list has more venues than any real one"
        }
    }
}
