// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DeviceEvidence
import Ledger

/// The name and the key by which the issuer of tokens knows this device, and nobody else does. Made when first needed; a reset and a change of role take it.
struct DonorKey {
    static let setting = "donation.device"
    /// 01 and 16 random bytes.
    let name: [UInt8]
    let key: P256.SigningKey

    /// Makes a new one. Throws `CryptographyError` if the system has no random numbers.
    init(using random: inout some RandomNumberGenerator) throws(CryptographyError) {
        name = [1] + (1..<DeviceEvidence.ueidByteCount).map { _ in UInt8.random(in: 0...255, using: &random) }
        key = try P256.SigningKey.generate()
    }

    /// Reads what ``bytes`` has written; `nil` for anything else.
    init?(bytes: [UInt8]) {
        guard bytes.count > DeviceEvidence.ueidByteCount, bytes[0] == 1,
            let key = try? P256.SigningKey(
                pemOrDER: SecretBytes(copying: Array(bytes[DeviceEvidence.ueidByteCount...])))
        else { return nil }
        name = Array(bytes[..<DeviceEvidence.ueidByteCount])
        self.key = key
    }

    /// The secret bytes to keep.
    var bytes: [UInt8] { name + key.withEncoded { Array($0) } }
}
