// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// A certificate (X.509, RFC 5280) on P-256, as far as enrolment looks at it. Extensions are not read: whoever relies on the certificate
/// in TLS checks them there.
public struct DeviceCertificate: Sendable, Hashable {
    /// The longest certificate that is read, in bytes.
    public static let maximumByteCount = 16_384

    /// The certificate in DER.
    public let encoded: [UInt8]
    /// Its serial number, 1 to 20 bytes.
    public let serial: [UInt8]
    /// The key that it certifies.
    public let key: P256.VerificationKey
    /// When it is valid.
    public let validity: CertificateValidity
    /// The board that its subject names; `nil` if the subject is something else.
    public let name: BoardName?
    let issuer: [UInt8]
    let subject: [UInt8]
    private let content: [UInt8]
    private let signature: [UInt8]

    /// Reads a certificate in DER. The signature is not checked: ``isSigned(by:)`` does that. Throws `badCertificate`.
    public init(der bytes: [UInt8]) throws(EnrolmentError) {
        var outer = DERReader(bytes[...])
        guard bytes.count <= Self.maximumByteCount, let all = outer.take(0x30), outer.isAtEnd,
            let validity = CertificateValidity(der: bytes)
        else { throw EnrolmentError(.badCertificate) }
        var parts = DERReader(all)
        guard let content = parts.takeWhole(0x30), parts.take(0x30) != nil, let signature = parts.take(0x03), parts.isAtEnd,
            signature.first == 0
        else { throw EnrolmentError(.badCertificate) }
        var inner = DERReader(content)
        var fields = DERReader(inner.take(0x30) ?? [])
        _ = fields.take(0xA0)
        guard let serial = fields.take(0x02), (1...20).contains(serial.count), fields.take(0x30) != nil,
            let issuer = fields.takeWhole(0x30), fields.take(0x30) != nil, let subject = fields.takeWhole(0x30),
            let info = fields.takeWhole(0x30), let key = try? P256.VerificationKey(pemOrDER: Array(info))
        else { throw EnrolmentError(.badCertificate) }
        encoded = bytes
        self.serial = Array(serial)
        self.key = key
        self.validity = validity
        self.issuer = Array(issuer)
        self.subject = Array(subject)
        self.content = Array(content)
        self.signature = Array(signature.dropFirst())
        var whole = DERReader(subject)
        name = Names.board(in: whole.take(0x30) ?? [])
    }

    /// Whether `issuer` has signed this certificate (ECDSA with SHA-256) and has the name that it gives.
    public func isSigned(by issuer: DeviceCertificate) -> Bool {
        self.issuer == issuer.subject && issuer.key.isValid(signature: signature, over: SHA256.digest(of: content))
    }

    /// The certificate in PEM, with a line feed at its end.
    public var pem: String { PEM.text(encoded, label: "CERTIFICATE") }

    /// Reads the first certificate of a text in PEM. Throws `badCertificate`.
    public init(pem text: some StringProtocol) throws(EnrolmentError) {
        guard text.utf8.count <= 4 * Self.maximumByteCount,
            let bytes = PEM.blocks("CERTIFICATE", in: text, longest: Self.maximumByteCount).first
        else {
            throw EnrolmentError(.badCertificate)
        }
        try self.init(der: bytes)
    }
}
