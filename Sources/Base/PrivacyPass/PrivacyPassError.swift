// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why something of Privacy Pass was refused: the rule, and what to do. Two errors are equal if their codes are.
/// Holds nothing of a token.
public struct PrivacyPassError: CodedError {
    /// The rules, one of which was broken. The raw values are stable: they appear in logs.
    public enum Code: String, Sendable, CaseIterable {
        /// A challenge is cut, too long, or has a name that is not one of a server.
        case malformedChallenge
        /// A challenge is for another type of token than 0x0002.
        case unsupportedType
        /// A token key is not that of a 2048-bit key for RSASSA-PSS with SHA-384.
        case malformedKey
        /// A request for a token is not one of type 0x0002, or has a wrong length.
        case malformedRequest
        /// A token is not one of type 0x0002, or has a wrong length.
        case malformedToken
        /// A token or a request is for another key.
        case unknownKey
        /// A token is for another challenge.
        case challengeMismatch
        /// A token's signature is not one by its key.
        case badSignature
        /// The issuer's answer does not fit the request and its key.
        case badResponse
        /// A seed or a number for blinding has a wrong length or does not fit the key.
        case unusableSecret
        /// A directory of keys is not one, or is too long.
        case malformedDirectory
        /// The cryptographic library failed.
        case operationFailed
    }

    /// The rule that was broken; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// Lengths and numbers that belong to the error; may be empty.
    public let detail: String

    /// Creates an error. `detail` must be printable and have nothing of a token.
    public init(_ code: Code, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        self.detail = detail
        origin = ErrorOrigin(file: file, line: line)
    }

    /// A sentence for logs: what is wrong, what to do, detail and code.
    public var description: String {
        let more = detail.isEmpty ? "" : ": \(detail)"
        return "\(Self.sentence(code))\(more) [\(code.rawValue)]"
    }

    private static func sentence(_ code: Code) -> String {
        switch code {
        case .malformedChallenge: "this is not a token challenge (RFC 9577, section 2.1); look at the server's settings"
        case .unsupportedType: "this challenge is for another type of token; only 0x0002 is supported here"
        case .malformedKey:
            "this is not an issuer's key of type 0x0002 (RFC 9578, section 6.5); fetch the configuration again"
        case .malformedRequest: "this is not a request for a token of type 0x0002 (RFC 9578, section 6.1)"
        case .malformedToken: "this is not a token of type 0x0002 (RFC 9577, section 2.2)"
        case .unknownKey: "the token or the request is for another key; fetch the configuration again"
        case .challengeMismatch: "the token was made for another challenge; ask for a new one"
        case .badSignature: "the token is not signed by its key; do not accept it"
        case .badResponse: "the issuer did not sign with the key that it published; stop using it and tell its operator"
        case .unusableSecret: "the random bytes for this token do not fit its key; draw others"
        case .malformedDirectory: "this is not a directory of an issuer's keys (RFC 9578, section 4); tell its operator"
        case .operationFailed: "the cryptographic library refused an operation; try again later"
        }
    }
}
