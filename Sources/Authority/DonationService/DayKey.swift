// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Cryptography
package import PrivacyPass

/// An issuer's private key of one day: RSA with 2048 bits, by swift-crypto, so that issuer and board have two implementations that check
/// each other. Neither printing nor an error shows anything of it.
package struct DayKey: Sendable, CustomStringConvertible, CustomReflectable {
    private let key: _RSA.BlindSigning.PrivateKey<Crypto.SHA384>
    /// The public key, as boards get it.
    package let publicKey: TokenKey

    /// Makes a new key; takes some 40 ms. Throws `cryptography` if the library fails.
    package static func generate() throws(DonationServiceError) -> DayKey {
        do {
            return try DayKey(.init(keySize: .bits2048, parameters: .RSABSSA_SHA384_PSS_Deterministic))
        } catch { throw DonationServiceError(.cryptography, "a key could not be made") }
    }

    /// Reads what ``encoded`` gave. Throws `storageDamaged` if it is not a private key with 2048 bits and the exponent 65537.
    package init(encoded: [UInt8]) throws(DonationServiceError) {
        do {
            try self.init(.init(derRepresentation: encoded, parameters: .RSABSSA_SHA384_PSS_Deterministic))
        } catch { throw DonationServiceError(.storageDamaged, "a private key") }
    }

    private init(_ key: _RSA.BlindSigning.PrivateKey<Crypto.SHA384>) throws {
        self.key = key
        let numbers = try key.publicKey.getKeyPrimitives()
        guard Array(numbers.publicExponent).drop(while: { $0 == 0 }) == [1, 0, 1] else {
            throw DonationServiceError(.cryptography, "another exponent")
        }
        // swift-crypto writes rsaEncryption where tokens want RSASSA-PSS with its parameters, so the key is written by our own rules.
        publicKey = try TokenKey(BlindRSA.PublicKey(modulus: Array(numbers.modulus)))
    }

    /// The private key as DER (PKCS #1), to be stored.
    package var encoded: [UInt8] { Array(key.derRepresentation) }

    /// Whether this key can sign a blinded message: a number of 256 bytes from 1 to the modulus - 1.
    package func canSign(_ blindedMessage: [UInt8]) -> Bool {
        let modulus = publicKey.publicKey.modulus
        return blindedMessage.count == modulus.count && blindedMessage.lexicographicallyPrecedes(modulus)
            && blindedMessage.contains { $0 != 0 }
    }

    /// The blind signature, 256 bytes; equal messages get equal signatures. Throws `cryptography` if the library refuses.
    package func sign(_ blindedMessage: [UInt8]) throws(DonationServiceError) -> [UInt8] {
        do { return Array(try key.blindSignature(for: blindedMessage).rawRepresentation) } catch {
            throw DonationServiceError(.cryptography, "a message could not be signed")
        }
    }

    /// The name of the type; reveals nothing of the key.
    package var description: String { "DayKey" }
    /// A mirror without children, so that `dump` shows nothing of the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
