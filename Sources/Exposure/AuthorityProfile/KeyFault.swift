// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// What somebody put where a public key belongs, in words. Nothing of the text is ever in the sentence.
enum KeyFault {
    private static let rule = "must be a public key on the curve P-256, in PEM or as DER in Base64"

    /// - Parameters:
    ///   - text: As it stands in the document.
    ///   - bytes: PEM as it is, or what the Base64 says; `nil` where it is neither.
    static func sentence(_ text: String, bytes: [UInt8]?) -> String {
        if text.contains("PRIVATE") || bytes.map(isPrivate) == true {
            return
                "is a PRIVATE key: take it out, and if this file has been passed on, treat the key as known to others and replace it"
        }
        if text.contains("BEGIN CERTIFICATE") {
            return "is a certificate; it \(rule): openssl x509 -pubkey -noout -in FILE"
        }
        if text.contains("-----BEGIN") {
            if !text.contains("\n") {
                return
                    "has no ends of lines, which PEM needs (\\n in JSON); write the Base64 alone, without the lines of dashes"
            }
            let body = text.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
            return other(than: Base64.bytes(body))
        }
        if text.hasSuffix(".pem") || text.hasSuffix(".der") || text.hasPrefix("/") || text.hasPrefix("./") {
            return "is the name of a file: write the key itself; it \(rule)"
        }
        return other(than: bytes)
    }

    private static func other(than bytes: [UInt8]?) -> String {
        guard let bytes else { return rule }
        for (name, identifier) in curves where holds(bytes, identifier) { return "is \(name); it \(rule)" }
        return rule
    }

    /// Object identifiers in DER.
    private static let curves: [(String, [UInt8])] = [
        ("a key on the curve P-384", [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]),
        ("a key on the curve P-521", [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x23]),
        ("an RSA key", [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]),
    ]

    /// SEC 1 and PKCS #8 begin with a version, which a public key does not.
    private static func isPrivate(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 8, bytes[0] == 0x30 else { return false }
        let start = bytes[1] < 0x80 ? 2 : 2 + Int(bytes[1] & 0x7F)
        return bytes.dropFirst(start).starts(with: [0x02, 0x01])
    }

    private static func holds(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard bytes.count >= part.count else { return false }
        return (0...(bytes.count - part.count)).contains { bytes[$0..<($0 + part.count)].elementsEqual(part) }
    }
}
