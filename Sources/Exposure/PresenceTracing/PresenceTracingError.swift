// SPDX-License-Identifier: Apache-2.0

/// Why a venue's code or a package of warnings was refused: which rule, and what to do. Equal by code.
///
/// Texts name the rule and never what was in the code: where somebody has been is nobody's business.
public struct PresenceTracingError: Error, Hashable, CustomStringConvertible {
    /// The rules. Raw values are stable: they appear in interfaces and logs.
    public enum Code: String, Sendable, CaseIterable {
        // Codes of venues.
        case codeTooLong
        case notAVenueCode
        case unsupportedVersion
        case revokedVersion
        case malformedEncoding
        case malformedContent
        case invalidName
        case invalidAddress
        case invalidTimes
        case invalidSeed
        // Protected reports.
        case malformedReport
        case wrongKey
        case implausibleRecord
        // Packages of warnings.
        case packageTooLarge
        case tooManyWarnings
        case malformedPackage
        case noTrustedSignature
        case wrongHour
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
