// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// How often signatures of one document are tried with keys, and in which order.
///
/// A verification takes 1.5 ms on a desktop processor and some 30 to 60 ms on the smallest board (docs/core.md), all in the loop that changes the identifiers. Who brings a
/// document chooses its signatures, so without a bound it chooses how long that loop stands still: 16 signatures and four keys are 64 trials.
public struct SignatureTrials: Sendable {
    /// The most trials for one document: 8, our choice. A real one has one or two signatures, and an authority two or three keys: the present one, its successor, a
    /// spare.
    public static let most = 8

    /// How many trials are left, 0 or more.
    public private(set) var left: Int

    /// Begins with so many trials, ``most`` by default; several searches may share them.
    public init(most: Int = Self.most) { left = max(0, most) }

    /// Returns the key that made one of the signatures over `digest`; `nil` if none did, and also if none of the pairs did that were tried before no trial was left.
    ///
    /// Pairs of a signature and the key that it names come first, in the order of the signatures, so one with the right name is found among others by strangers. The
    /// same bytes with the same name are tried once.
    /// - Parameters:
    ///   - digest: The SHA-256 of what is signed.
    ///   - signatures: The signatures in ASN.1 DER, each with the name of the key that is said to have made it.
    ///   - keys: The keys that count.
    ///   - isNamed: Whether only the key counts that a signature names.
    public mutating func signer(
        of digest: [UInt8], signatures: [(name: KeyName, signature: [UInt8])], keys: [TrustedKey], isNamed: Bool = false
    ) -> TrustedKey? {
        for (signature, key) in Self.pairs(signatures, keys, isNamed: isNamed) {
            guard left > 0 else { return nil }
            left -= 1
            if key.key.isValid(signature: signature, over: digest) { return key }
        }
        return nil
    }

    private static func pairs(
        _ signatures: [(name: KeyName, signature: [UInt8])], _ keys: [TrustedKey], isNamed: Bool
    ) -> [(signature: [UInt8], key: TrustedKey)] {
        var seen: Set<[UInt8]> = []
        let different = signatures.filter { seen.insert(Array("\($0.name)\n".utf8) + $0.signature).inserted }
        let all = different.flatMap { signature in keys.map { (signature, $0) } }
        let named = all.filter { $0.0.name == $0.1.name }.map { ($0.0.signature, $0.1) }
        let others = all.filter { $0.0.name != $0.1.name }.map { ($0.0.signature, $0.1) }
        return isNamed ? named : named + others
    }
}
