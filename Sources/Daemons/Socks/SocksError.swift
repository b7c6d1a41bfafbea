// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// A fault in a setting, or in what the supervisor ordered. Two errors are equal if their codes are. The text says what
/// happened, why, and what to do.
public struct SocksError: CodedError {
    /// The kinds of failure. Raw values are stable: they appear in logs.
    public enum Code: String, Sendable, CaseIterable {
        /// An entry of an allow-list does not have the form `host:port`.
        case malformedRule
        /// There are more destinations than one caller may have.
        case tooManyRules
        /// The name or the password does not have 1 to 255 bytes, or they are not separated by a colon.
        case malformedCredentials
        /// The proxy for all connections is not written in a valid form.
        case malformedProxy
    }

    /// The kind of fault; the only part that counts when two errors are compared.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    private let detail: String

    init(_ code: Code, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.detail = detail
    }

    /// A text for the operator, with the code in brackets; it quotes an entry of an allow-list, but never credentials.
    public var description: String {
        let text =
            switch code {
            case .malformedRule:
                "\"\(detail)\" is no destination. Write host:port, with an international name in its ASCII form (xn--…), an "
                    + "address of version 6 in brackets, and ! behind it if it may be private."
            case .tooManyRules:
                "One caller may have \(AllowList.maximumCount) destinations, not \(detail). Take away those it does not need."
            case .malformedCredentials:
                "Name and password for SOCKS are written user:password, each 1 to 255 bytes, the name without a colon."
            case .malformedProxy:
                "The proxy cannot be read. Write host:port for SOCKS5 or http://host:port, and :user:password behind it if it asks for them."
            }
        return "\(text) [\(code.rawValue)]"
    }
}
