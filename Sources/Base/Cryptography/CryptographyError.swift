// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// A refusal of the cryptographic library. Carries the library's status, never bytes. Equal by ``code`` alone.
public struct CryptographyError: CodedError {
    /// The kinds of refusal. They appear in memory only; logs have the sentence of ``CryptographyError/description``.
    public enum Code: String, Sendable {
        /// The library refused to hash, encrypt or derive: our own misuse or no memory left.
        case operationFailed
        /// A key could not be read: not PEM or DER, or damaged.
        case malformedKey
        /// A key is readable, but not on the curve P-256.
        case unsupportedKey
        /// The kernel gave no randomness.
        case noRandomness
        /// The self-test against the published vector gave another result: nothing may be derived on this machine.
        case selfTestFailed
    }

    /// The kind of refusal; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// Mbed TLS's own status (negative), or 0 when the refusal was ours. Not part of equality.
    public let status: Int32

    /// An error of that kind. `status` is Mbed TLS's, which is negative, or 0 when the library was not the one that
    /// refused.
    public init(_ code: Code, status: Int32 = 0, file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.status = status
    }

    /// An English sentence for logs and technicians; holds no key and no foreign text.
    public var description: String {
        let detail = status == 0 ? "" : " (Mbed TLS status \(status))"
        switch code {
        case .operationFailed: return "the cryptographic library refused an operation\(detail)"
        case .malformedKey: return "this is not a readable key; PEM or DER of an EC key is expected\(detail)"
        case .unsupportedKey:
            return "this key is not on the curve P-256 (secp256r1), the only one key files are signed with"
        case .noRandomness: return "the kernel gave no random bytes\(detail)"
        case .selfTestFailed: return "the cryptographic self-test failed: this machine or its library computes wrongly"
        }
    }
}
