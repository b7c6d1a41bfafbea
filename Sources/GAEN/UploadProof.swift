// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The code by which a verification server's certificate is bound to exactly these keys (exposure-notifications-server,
/// `pkg/verification/utils.go`): HMAC-SHA256 over the sorted texts "base64.start.period.level", joined by commas.
public enum UploadProof {
    /// 32 bytes. When every level is 0, `withoutLevels` gives the shorter form that servers accept as well.
    public static func code(
        for keys: [DiagnosisKey], secret: SecretBytes, withoutLevels: Bool = false
    ) throws(CryptographyError) -> [UInt8] {
        let texts = keys.map { key in
            let common = "\(base64(key.data.bytes)).\(key.rollingStart).\(key.rollingPeriod)"
            return withoutLevels ? common : "\(common).\(key.transmissionRiskLevel)"
        }
        return try HMACSHA256.code(for: Array(texts.sorted().joined(separator: ",").utf8), key: secret)
    }

    // Standard alphabet with padding (RFC 4648, 4). A dozen lines here spare this pure target FoundationEssentials.
    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.enumerated().reduce(UInt32(0)) { $0 | UInt32($1.element) << (16 - 8 * UInt32($1.offset)) }
            for position in 0..<4 {
                let symbol = alphabet[Int(bits >> (18 - 6 * UInt32(position)) & 63)]
                text.append(position <= group.count ? symbol : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
