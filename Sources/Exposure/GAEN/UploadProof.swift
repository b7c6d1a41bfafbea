// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The code by which a verification server's certificate is bound to exactly these keys (exposure-notifications-server,
/// `pkg/verification/utils.go`): HMAC-SHA256 over the sorted texts "base64.start.period.level", joined by commas.
public enum UploadProof {
    /// Returns the code, 32 bytes; the order of `keys` does not matter. `secret` is the HMAC key that the device
    /// chose and sends along with the keys. `withoutLevels` leaves the levels out of the texts. Servers accept this
    /// shorter form too when every level is 0, which is not checked. Throws ``CryptographyError`` when the
    /// cryptographic library fails.
    public static func code(
        for keys: [DiagnosisKey], secret: SecretBytes, withoutLevels: Bool = false
    ) throws(CryptographyError) -> [UInt8] {
        let texts = keys.map { key in
            let common = "\(Base64.string(key.data.bytes)).\(key.rollingStart).\(key.rollingPeriod)"
            return withoutLevels ? common : "\(common).\(key.transmissionRiskLevel)"
        }
        return try HMACSHA256.code(for: Array(texts.sorted().joined(separator: ",").utf8), key: secret)
    }
}
