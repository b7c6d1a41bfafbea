// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import FoundationEssentials
public import Trust

/// Keys that protect nothing: their private halves are the hashes of published words, so that seeds can be made again.
public enum TestKeys {
    /// First signer of the key files; called fuzz-v1 in them.
    public static let export = key("vigil fuzz export 1")
    /// Second signer, for rules that need two; called fuzz-v2.
    public static let cosigner = key("vigil fuzz export 2")
    /// The fleet's operator in the successions.
    public static let `operator` = key("vigil fuzz operator")

    public static let exportName = KeyName(id: "fuzz", version: "v1")
    public static let cosignerName = KeyName(id: "fuzz", version: "v2")

    /// The keys of the seeds named a_*.zip, which come from the conformance vectors. Their private halves are gone.
    private static let vectorKeys = [
        "v1": "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqpuGj/3kpOzPbeXRmoHavjRNpp9MMcYiHvh8TrX75fUU"
            + "mc+C2azUAOOBHWK/MG0QKraaSYtHw/QoULjsFG0KiA==",
        "v2": "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEZIOVRnCFjPhjsn4R7L6yYKjy8ilg5oiC3J/uH7zQ5V9A"
            + "uk18/13a1SiNpAgY9ZoSOimvZj6fNg023q8aoV+TPQ==",
    ]

    /// What the fuzzers trust: both export keys, the vectors' keys and the operator.
    public static let trust = needed("trust store") {
        var keys = [
            TrustedKey(name: exportName, role: .export, key: export.verificationKey),
            TrustedKey(name: cosignerName, role: .export, key: cosigner.verificationKey),
            TrustedKey(name: KeyName(id: "op", version: "1"), role: .operator, key: `operator`.verificationKey),
        ]
        for (version, text) in vectorKeys.sorted(by: { $0.key < $1.key }) {
            let der = needed("vector key") { Data(base64Encoded: text) }
            keys.append(
                TrustedKey(
                    name: KeyName(id: "999", version: version), role: .export,
                    key: try P256.VerificationKey(pemOrDER: [UInt8](der))))
        }
        return try TrustStore(keys: keys)
    }

    private static func key(_ words: String) -> P256.SigningKey {
        // SEC 1, appendix C.4: version 1, the private number, the curve prime256v1; the public point is left out.
        let der: [UInt8] =
            [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20] + SHA256.digest(of: Array(words.utf8))
            + [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        return needed("key \(words)") { try P256.SigningKey(pemOrDER: SecretBytes(copying: der)) }
    }
}
