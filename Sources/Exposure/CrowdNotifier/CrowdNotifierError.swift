// SPDX-License-Identifier: Apache-2.0

/// Why a venue's code, a list of trace keys or an upload was refused: which rule, and what to do. Equal by code.
///
/// Texts name the rule and never what was in the code: where somebody has been is nobody's business.
public struct CrowdNotifierError: Error, Hashable, CustomStringConvertible {
    /// The rules. Raw values are stable: they appear in interfaces and logs.
    public enum Code: String, Sendable, CaseIterable {
        // Codes of venues.
        case codeTooLong
        case notAVenueCode
        case unsupportedVersion
        case malformedEncoding
        case malformedContent
        case invalidText
        case invalidKey
        case invalidSeed
        case invalidTimes
        case notYetValid
        case expired
        // Lists of trace keys, and uploads.
        case tooLarge
        case tooManyEntries
        case malformedMessage
        case malformedSignature
        case wrongSignature
        case signatureExpired
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
