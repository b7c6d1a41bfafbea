// SPDX-License-Identifier: Apache-2.0

import Cryptography
import KeyExport
public import Trust

/// Documents signed the way key files are, without their 16-byte header (spec cwa-protocols 2.3).
public enum SignedConfiguration {
    /// Whether one of the signatures in export.sig over export.bin is by a key of role `config` that is valid at `time` (Unix seconds, `nil` when
    /// unknown). The algorithm's name in the list does not matter: published tools write it wrongly.
    public static func isSigned(exportBin: [UInt8], exportSig: [UInt8], trust: TrustStore, time: Int64?) -> Bool {
        guard let signatures = try? ExportSignatureList.read(exportSig) else { return false }
        let digest = SHA256.digest(of: exportBin)
        return signatures.contains { trust.signer(of: digest, signature: $0.signature, role: .config, at: time) != nil }
    }
}
