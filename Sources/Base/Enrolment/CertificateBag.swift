// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// Certificates in a message of PKCS#7 without any signature (certs-only; RFC 7030, 4.1.3): how EST servers send them.
public enum CertificateBag {
    /// The most certificates that are read from one message.
    public static let mostCertificates = 16
    private static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    private static let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]

    /// The message in DER with these certificates in their order; at most 60,000 bytes of them.
    public static func encoded(_ certificates: [DeviceCertificate]) -> [UInt8] {
        let content = DER.sequence(
            DER.value(0x02, [1]), DER.value(0x31, []), DER.sequence(DER.identifier(data)),
            DER.value(0xA0, Array(certificates.map(\.encoded).joined())), DER.value(0x31, []))
        return DER.sequence(DER.identifier(signedData), DER.value(0xA0, content))
    }

    /// The certificates of a message in DER, each in DER and in the order of the message; what else is in it is not looked at. `nil` if it
    /// is no such message, or has no certificate or more than ``mostCertificates``.
    public static func certificates(der bytes: [UInt8]) -> [[UInt8]]? {
        var outer = DERReader(bytes[...])
        guard let message = outer.take(0x30) else { return nil }
        var parts = DERReader(message)
        guard parts.take(0x06).map(Array.init) == signedData, let wrapped = parts.take(0xA0) else { return nil }
        var inner = DERReader(wrapped)
        guard let content = inner.take(0x30) else { return nil }
        var fields = DERReader(content)
        guard fields.take(0x02) != nil, fields.take(0x31) != nil, fields.take(0x30) != nil, let bag = fields.take(0xA0)
        else {
            return nil
        }
        var found: [[UInt8]] = []
        var certificates = DERReader(bag)
        while !certificates.isAtEnd {
            guard found.count < mostCertificates, let certificate = certificates.takeWhole(0x30) else { return nil }
            found.append(Array(certificate))
        }
        return found.isEmpty ? nil : found
    }
}
