// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why a set of keys or a succession was refused. Two errors are equal when their codes are.
public struct TrustError: CodedError {
    /// The rules for documents with keys, one of which was broken.
    public enum Code: String, Sendable {
        /// The document or statement is too large, of another format, or a field is missing or out of range.
        case malformedDocument
        /// Two keys of one role have the same name.
        case duplicateName
        /// The sequence number is not higher than the one in force; an old document may have been replayed.
        case notNewer
        /// The sequence number is more than ``Succession/maximumStep`` above the one in force, and the operator did not sign.
        case stepTooLarge
        /// No valid key of the role, and no valid operator key, signed the document.
        case notSigned
        /// A new key has no proof that its holder has the private key, or a proof that does not verify.
        case notProven
        /// The document changes the keys of another authority.
        case wrongSource
        /// The role whose key signed has already made as many changes as are stored.
        case tooMany
        /// A role would be left without a key that is valid now.
        case leavesRoleEmpty
    }

    /// The rule that was broken; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The field, role or number that is wrong, for the person who wrote the document; may quote it.
    public let detail: String

    /// Creates an error; `detail` must be free of secrets, and may quote the document. Cannot fail.
    public init(_ code: Code, _ detail: String, file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.detail = detail
    }

    /// A sentence with the detail, for answers and logs. May quote names from a document that nobody has signed.
    public var description: String {
        switch code {
        case .malformedDocument: return "the trust document is malformed: \(detail)"
        case .duplicateName: return "two keys have the same role and name: \(detail)"
        case .notNewer: return "the trust document is not newer than the one in force: \(detail)"
        case .stepTooLarge: return "the number of the trust document is too far above the one in force: \(detail)"
        case .notSigned: return "no key that may do so signed the change of role \(detail)"
        case .notProven: return "nobody has shown to hold the new key \(detail)"
        case .wrongSource: return "the trust document is for another authority: \(detail)"
        case .tooMany: return "no more changes of keys can be kept: \(detail)"
        case .leavesRoleEmpty: return "the change would leave no valid key for role \(detail)"
        }
    }
}
