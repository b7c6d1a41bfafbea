// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The fault in a setting or an order of an operator or the supervisor. Equal by code. The text says what happened, why,
/// and what to do.
public struct SocksError: CodedError {
    /// The kinds of failure. Raw values are stable: they appear in logs.
    public enum Code: String, Sendable, CaseIterable {
        /// An entry of an allow-list is no `host:port`.
        case malformedRule
        /// More destinations than one caller may have.
        case tooManyRules
        /// A name and password that are none.
        case malformedCredentials
        /// The proxy to go through is not written as one is.
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

    /// A text for the operator, with the code in brackets; an entry of an allow-list is quoted, credentials never.
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
