// SPDX-License-Identifier: Apache-2.0

import BLS12381
import Cryptography
import VirtualAir

/// Measures the arithmetic of CrowdNotifier's privacy mode, beside a verification on P-256 by Mbed TLS in the same run.
public enum PairingBenchmark {
    private static let repetitions = 20

    /// Measures, and returns the figures; blocks. The least time of `rounds` turns (1 or more, not checked) counts. Throws when Mbed TLS fails.
    public static func run(rounds: Int = 9) throws -> BenchmarkResult {
        var generator = SplitMix64(seed: 12)
        let secret = Scalar.random(using: &generator)
        let identity = [UInt8](repeating: 1, count: 32)
        let master = try MasterPublicKey(secret: secret)
        let (point1, point2) = (G1(hashing: identity), G2.generator.multiplied(by: secret))
        let bytes = try IdentityKey(identity: [2], secret: secret).bytes
        let text = try IdentityCiphertext(
            encrypting: [UInt8](repeating: 0, count: 100), to: identity, under: master, using: &generator)
        let signingKey = try P256.SigningKey.generate()
        let digest = SHA256.digest(of: identity)
        let signature = try signingKey.sign(digest)
        let key = signingKey.verificationKey

        var done = 0
        func repeated(_ work: @escaping () -> Bool) -> () -> Void {
            { for _ in 0..<repetitions where work() { done += 1 } }
        }
        let works = [
            repeated { GT(pairing: point1, point2) != GT(pairing: .zero, .zero) },
            repeated { (try? IdentityCiphertext(encrypting: [1], to: identity, under: master, using: &generator)) != nil },
            // As for each warning: its key is read, and does not open what is stored.
            repeated { (try? IdentityKey(bytes)).flatMap { try? text.opened(identity: [2], key: $0) } == nil },
            repeated { key.isValid(signature: signature, over: digest) },
        ]
        let least = Measurement.least(rounds: rounds, works).map { $0 / Double(repetitions) }
        precondition(done == rounds * repetitions * works.count, "everything that was measured went well")
        return BenchmarkResult(
            "pairing",
            [
                Figure("pairings", 1e9 / least[0], "/s"),
                Figure("encryptions to an identity", 1e9 / least[1], "/s"),
                Figure("3,000 warnings tried on one stored hour", 3_000 * least[2] / 1e9, "s"),
                Figure("pairing / Mbed TLS's verification on P-256", least[0] / least[3], "ratio"),
            ])
    }
}
