// SPDX-License-Identifier: Apache-2.0

/// Why a poster's code or a list of venues was refused: which rule, and what to do. Equal by code.
///
/// Texts name the rule and never what was in the code: where somebody has been is nobody's business.
public struct VenueNoticesError: Error, Hashable, CustomStringConvertible {
    /// The rules. Raw values are stable: they appear in interfaces and logs.
    public enum Code: String, Sendable, CaseIterable {
        // Posters.
        case codeTooLong
        case notAPoster
        case unsupportedVersion
        case malformedToken
        case unsupportedAlgorithm
        case unknownKey
        case wrongSignature
        case malformedVenue
        // Lists.
        case listTooLarge
        case listNotSigned
        case malformedList
        case tooManyVenues
    }

    public let code: Code
    /// Numbers and places of the case; nothing of the venue.
    public let detail: String

    public init(_ code: Code, _ detail: String = "") {
        self.code = code
        self.detail = detail
    }

    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

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
