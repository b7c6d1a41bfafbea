// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// Proof that a browser signed in to a role before: a number of its own and a code over it. Nothing is kept for it. It opens nothing; whoever has it is
/// only counted apart from strangers. It ends when the role's secret is changed, because its key comes of what is kept of the secret.
enum KnownBrowser {
    private static let numberDigits = 32

    /// 96 digits.
    static func proof(number: String, of secret: AccessRecords.Secret) -> String? {
        guard let key = Hex.bytes(secret.hash),
            let code = try? HMACSHA256.code(
                for: Array("7:browser\(secret.salt.utf8.count):\(secret.salt)\(number.utf8.count):\(number)".utf8),
                key: SecretBytes(copying: key))
        else { return nil }
        return number + Hex.string(code)
    }

    /// The number in a proof that is good.
    static func number(in proof: String, of secret: AccessRecords.Secret) -> String? {
        guard proof.utf8.count == numberDigits + 2 * SHA256.byteCount, Hex.bytes(proof) != nil else { return nil }
        let number = String(decoding: proof.utf8.prefix(numberDigits), as: UTF8.self)
        guard let expected = self.proof(number: number, of: secret) else { return nil }
        // Compared in time that depends on nothing.
        return SecretBytes(copying: Array(proof.utf8)) == SecretBytes(copying: Array(expected.utf8)) ? number : nil
    }
}
