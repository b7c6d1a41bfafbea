// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// An error of the cryptographic functions. Carries the status of Mbed TLS, never key bytes. Two errors are equal if their
/// ``code`` is.
public struct CryptographyError: CodedError {
    /// The kinds of error. They are used in memory only; logs contain the text of ``CryptographyError/description``.
    public enum Code: String, Sendable {
        /// The library refused to hash, encrypt or derive: it was called with wrong arguments, or no memory was left.
        case operationFailed
        /// The bytes are not a key in PEM or DER, or Mbed TLS cannot read it: it is damaged or encrypted, or of a
        /// kind that this build of the library lacks.
        case malformedKey
        /// The key can be read, but it is not on the curve P-256.
        case unsupportedKey
        /// The kernel returned no random bytes.
        case noRandomness
        /// The bytes are not the modulus of an RSA key that blind signatures may use.
        case unusableModulus
        /// A blinding factor, a salt, a blinded message or a blind signature has a wrong length, or is not in the range of its key.
        case unusableBlinding
        /// What the signer answered is not a blind signature of the message by this key.
        case wrongBlindSignature
        /// The self-test did not give the published test vector: this machine must not derive keys.
        case selfTestFailed
    }

    /// The kind of error; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The status of Mbed TLS, which is negative, or 0 if Mbed TLS did not cause the error. Not part of equality.
    public let status: Int32

    /// Creates an error of this kind. `status` is the status of Mbed TLS, which is negative, or 0 if Mbed TLS did not cause
    /// the error.
    public init(_ code: Code, status: Int32 = 0, file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.status = status
    }

    /// A sentence in English for logs and technicians; contains no key and no text from outside.
    public var description: String {
        let detail = status == 0 ? "" : " (Mbed TLS status \(status))"
        switch code {
        case .operationFailed: return "the cryptographic library refused an operation\(detail)"
        case .malformedKey: return "this is not a readable key; PEM or DER of an EC key is expected\(detail)"
        case .unsupportedKey:
            return "this key is not on the curve P-256 (secp256r1), the only one key files are signed with"
        case .noRandomness: return "the kernel gave no random bytes\(detail)"
        case .unusableModulus:
            return "this is not the modulus of an RSA key of 2048 to 4096 bits; ask the signer for another key"
        case .unusableBlinding:
            return "a number does not fit this RSA key; blind the message again with other random bytes"
        case .wrongBlindSignature:
            return "the answer is not a blind signature by this key; the signer uses another key, or the answer was changed"
        case .selfTestFailed: return "the cryptographic self-test failed: this machine or its library computes wrongly"
        }
    }
}
