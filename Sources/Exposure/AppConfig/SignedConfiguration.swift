// SPDX-License-Identifier: Apache-2.0

import Cryptography
import KeyExport
public import Trust

/// The verification of documents that are signed in the way of key files, without their 16-byte header (spec
/// cwa-protocols 2.3).
public enum SignedConfiguration {
    /// Whether one of the signatures in export.sig over export.bin is by a key of role `config` that is valid at
    /// `time` (Unix seconds, `nil` when unknown); `false` for a malformed export.sig, for one with more than 16
    /// signatures, and if ``Trust/SignatureTrials`` finds none. The signature is ECDSA over the SHA-256 of export.bin. The algorithm's name in the list does not
    /// matter: published tools write it wrongly.
    public static func isSigned(exportBin: [UInt8], exportSig: [UInt8], trust: TrustStore, time: Int64?) -> Bool {
        signer(exportBin: exportBin, exportSig: exportSig, trust: trust, time: time) != nil
    }

    /// Returns the key that made one of the signatures in export.sig for which
    /// ``isSigned(exportBin:exportSig:trust:time:)`` would be `true`; `nil` when there is none. `time` is in Unix
    /// seconds, `nil` when unknown.
    public static func signer(exportBin: [UInt8], exportSig: [UInt8], trust: TrustStore, time: Int64?) -> TrustedKey? {
        var trials = SignatureTrials()
        return signer(exportBin: exportBin, exportSig: exportSig, trust: trust, time: time, trials: &trials)
    }

    /// The same with trials that several searches share. With `isNamed` only the key counts that a signature names.
    public static func signer(
        exportBin: [UInt8], exportSig: [UInt8], trust: TrustStore, time: Int64?, isNamed: Bool = false,
        trials: inout SignatureTrials
    ) -> TrustedKey? {
        guard let signatures = try? ExportSignatureList.read(exportSig) else { return nil }
        return trials.signer(
            of: SHA256.digest(of: exportBin), signatures: signatures.map { ($0.info.keyName, $0.signature) },
            keys: trust.keys(for: .config, at: time), isNamed: isNamed)
    }
}
