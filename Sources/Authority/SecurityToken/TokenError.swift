// SPDX-License-Identifier: Apache-2.0

import CPKCS11
public import CodedError

/// The reason why a security token does not do what is asked. Two errors are equal if their codes are. Has neither a PIN nor a key in it.
public struct TokenError: CodedError {
    /// The kinds of failure, by what an operator can do. The raw values are stable: they appear in logs.
    public enum Code: String, Sendable, CaseIterable {
        /// The file is no PKCS#11 module, or it does not start.
        case moduleUnusable
        /// The name of a key is no URI that can be used.
        case unusableURI
        /// The file with the PIN cannot be read, or is empty.
        case noPIN
        /// There is no token with this label.
        case noToken
        /// Two tokens have this label.
        case twoTokens
        /// The PIN is wrong. It is not tried again: a token counts.
        case wrongPIN
        /// The PIN is locked, or has ended.
        case pinLocked
        /// The token has no PIN yet.
        case pinNotSet
        /// The token was removed, or does not answer.
        case tokenRemoved
        /// The session is gone, and logging in again did not help.
        case sessionLost
        /// The token has no key of this name.
        case noKey
        /// The token has two keys of this name.
        case twoKeys
        /// The key can leave the token.
        case keyCanLeave
        /// The key is none on P-256, or not the one that is expected.
        case otherKey
        /// The token cannot be written to, or is full.
        case notWritable
        /// The token does not know the mechanism (ECDSA on P-256).
        case unsupported
        /// The module has returned what PKCS#11 does not allow.
        case badAnswer
        /// The signature is not one by the key.
        case badSignature
        /// Any other failure.
        case failed
    }

    /// The kind; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// What was tried, and PKCS#11's number of the fault; may be empty.
    public let detail: String

    /// Creates an error. `detail` must be printable and without secrets.
    public init(_ code: Code, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        (self.code, self.detail) = (code, detail)
        origin = ErrorOrigin(file: file, line: line)
    }

    /// What a module has returned, while it was asked for `action`.
    init(_ value: CK_RV, _ action: String, file: StaticString = #fileID, line: UInt = #line) {
        self.init(Self.code(value), "\(action): CKR 0x\(String(value, radix: 16))", file: file, line: line)
    }

    private static func code(_ value: CK_RV) -> Code {
        switch value {
        case CKR_PIN_INCORRECT, CKR_PIN_INVALID, CKR_PIN_LEN_RANGE: .wrongPIN
        case CKR_PIN_LOCKED, CKR_PIN_EXPIRED: .pinLocked
        case CKR_USER_PIN_NOT_INITIALIZED: .pinNotSet
        case CKR_TOKEN_NOT_PRESENT, CKR_DEVICE_REMOVED, CKR_DEVICE_ERROR, CKR_SLOT_ID_INVALID, CKR_TOKEN_NOT_RECOGNIZED:
            .tokenRemoved
        case CKR_SESSION_HANDLE_INVALID, CKR_SESSION_CLOSED, CKR_USER_NOT_LOGGED_IN, CKR_CRYPTOKI_NOT_INITIALIZED,
            CKR_KEY_HANDLE_INVALID, CKR_OBJECT_HANDLE_INVALID:
            .sessionLost
        case CKR_TOKEN_WRITE_PROTECTED, CKR_SESSION_READ_ONLY, CKR_DEVICE_MEMORY: .notWritable
        case CKR_MECHANISM_INVALID: .unsupported
        default: .failed
        }
    }

    /// A sentence for operators: what is wrong and what to do, the detail, the code.
    public var description: String {
        let more = detail.isEmpty ? "" : ": \(detail)"
        return "\(Self.sentence(code))\(more) [\(code.rawValue)]"
    }

    private static func sentence(_ code: Code) -> String {
        switch code {
        case .moduleUnusable:
            "this is no PKCS#11 module that starts; name the shared library of the token's maker by its whole path"
        case .unusableURI:
            "this names no key in a token; write pkcs11:token=LABEL;object=NAME?module-path=/usr/lib/….so&pin-source=file:/…"
        case .noPIN: "the file with the token's PIN cannot be read"
        case .noToken: "there is no token with this label; plug it in, or look at its label"
        case .twoTokens: "two tokens have this label; remove one"
        case .wrongPIN: "the token refuses the PIN; correct the file with it, and start again: it is not tried twice"
        case .pinLocked: "the token's PIN is locked or has ended; set a new one with its security officer's PIN"
        case .pinNotSet: "the token has no PIN yet; set one with its maker's program"
        case .tokenRemoved: "the token was removed or does not answer; plug it in again"
        case .sessionLost: "the token has ended the session, and logging in again did not help; start again"
        case .noKey: "the token has no such key; is it the right token?"
        case .twoKeys: "the token has two keys of this name; choose another name, or delete one"
        case .keyCanLeave: "this key can leave the token, so others may have it; choose another name, and a new one is made"
        case .otherKey: "the key in the token is not the one that belongs to this folder, or not on P-256"
        case .notWritable: "the token is full or cannot be written to"
        case .unsupported: "the token cannot do ECDSA on P-256"
        case .badAnswer: "the module has returned what PKCS#11 does not allow; nothing was taken from it"
        case .badSignature: "the token has returned a wrong signature; nothing was signed"
        case .failed: "the token has failed; start again, or ask its maker what the number means"
        }
    }
}
