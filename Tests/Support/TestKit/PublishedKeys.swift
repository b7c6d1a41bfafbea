// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import PrivacyPass

/// Fifteen issuer's keys of published primes, and their public halves. Slow to make, so all tests have the same.
public enum PublishedKeys {
    /// The keys, in the order of ``IssuerKey/day(_:)``.
    public static let all: [(issuer: IssuerKey, key: TokenKey)] = (0..<IssuerKey.dayCount).compactMap { number in
        guard let issuer = try? IssuerKey.day(number), let key = try? BlindRSA.PublicKey(modulus: issuer.modulus),
            let token = try? TokenKey(key)
        else { return nil }
        return (issuer, token)
    }
}
