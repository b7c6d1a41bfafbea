// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// A token that was asked for and that the issuer has not signed yet: what the device must keep to itself, and what it sends.
///
/// It is made of one seed's worth of secrets, and the same secrets make the same request: a device that keeps them before it asks
/// loses nothing when the power fails, and an issuer can answer a repeated request again. Printing shows nothing of it.
public struct PendingToken: Sendable, CustomStringConvertible, CustomReflectable {
    /// The random numbers of one token.
    public struct Secrets: Sendable {
        /// The token's nonce, 32 bytes.
        public let nonce: SecretBytes
        /// The salt of the padding, 48 bytes.
        public let salt: SecretBytes
        /// The blinding factor, 256 bytes, from 1 to the modulus - 1 (``BlindRSA/PublicKey/factor(from:)``).
        public let blind: SecretBytes

        /// Takes the numbers; ``PendingToken/init(key:challengeDigest:secrets:)`` checks them.
        public init(nonce: SecretBytes, salt: SecretBytes, blind: SecretBytes) {
            self.nonce = nonce
            self.salt = salt
            self.blind = blind
        }
    }

    /// The key that shall sign.
    public let key: TokenKey
    /// The request to send.
    public let request: TokenRequest
    private let input: SecretBytes
    private let blind: SecretBytes

    /// Makes the request for a token.
    ///
    /// - Parameters:
    ///   - key: The issuer's key, from a source that gives everybody the same: a key of one's own would be a name.
    ///   - challengeDigest: The digest of the challenge that the token is for, 32 bytes (``TokenChallenge/digest``).
    ///   - secrets: Random numbers that are used for no other token.
    ///
    /// Throws `unusableSecret` if a length is wrong or the blinding factor does not fit the key, and `operationFailed` if Mbed
    /// TLS fails. Takes as long as a power with the exponent 65537: under a millisecond on a desktop computer.
    public init(key: TokenKey, challengeDigest: [UInt8], secrets: Secrets) throws(PrivacyPassError) {
        guard secrets.nonce.count == Token.nonceByteCount, secrets.salt.count == BlindRSA.saltByteCount,
            challengeDigest.count == SHA256.byteCount
        else { throw PrivacyPassError(.unusableSecret, "wrong length") }
        // The authenticator's input (RFC 9577, section 2.2): a token without its signature.
        let input = SecretBytes(count: Token.byteCount - Token.authenticatorByteCount) { buffer in
            buffer.copyBytes(from: bigEndian(TokenChallenge.tokenType))
            secrets.nonce.withBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[2...]).copyMemory(from: $0) }
            UnsafeMutableRawBufferPointer(rebasing: buffer[34...]).copyBytes(from: challengeDigest)
            UnsafeMutableRawBufferPointer(rebasing: buffer[66...]).copyBytes(from: key.id)
        }
        do throws(CryptographyError) {
            let message = try key.publicKey.blind(input, salt: secrets.salt, factor: secrets.blind)
            request = TokenRequest(truncatedKeyID: key.truncatedID, blindedMessage: message)
        } catch {
            throw PrivacyPassError(error.code == .unusableBlinding ? .unusableSecret : .operationFailed)
        }
        self.key = key
        self.input = input
        blind = secrets.blind
    }

    /// Makes the token out of the issuer's answer, which may come from anywhere. Throws `badResponse` unless the answer is a blind
    /// signature of the request by the key, and `operationFailed` if Mbed TLS fails.
    public func finished(by response: [UInt8]) throws(PrivacyPassError) -> Token {
        let signature: [UInt8]
        do throws(CryptographyError) {
            signature = try key.publicKey.finish(response, message: input, factor: blind)
        } catch {
            throw PrivacyPassError(error.code == .wrongBlindSignature ? .badResponse : .operationFailed)
        }
        return try Token(decoding: input.withBytes { Array($0) } + signature)
    }

    /// The name of the type; reveals nothing of the token.
    public var description: String { "PendingToken" }
    /// A mirror without children, so that `dump` shows nothing of the token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
