// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// An authority that certifies boards: its key and its own certificate.
public struct CertificateSigner: Sendable {
    /// Its own certificate.
    public let certificate: DeviceCertificate
    private let key: any P256Signer

    /// A use that no TLS library knows: 2.25 and the UUID e7ce2190-379d-4589-aea8-b11c476a534d as a number (X.667).
    private static let evidenceUse: [UInt8] = [
        0x69, 0x83, 0xCF, 0xCE, 0x90, 0xE4, 0x86, 0xF9, 0xEA, 0x96, 0x93, 0xAE, 0xD4, 0xAC, 0xA3, 0xC4, 0xBB, 0xA9, 0xA6,
        0x4D,
    ]

    /// Takes a key and the certificate of it. Throws `otherKey` if it is the certificate of another.
    public init(key: any P256Signer, certificate: DeviceCertificate) throws(EnrolmentError) {
        guard certificate.key == key.verificationKey else { throw EnrolmentError(.otherKey) }
        self.key = key
        self.certificate = certificate
    }

    /// Makes an authority with a certificate that it signs itself. `title` is its common name, up to 64 bytes; `serial` has 16 random
    /// bytes. Throws `cryptography`.
    public init(
        key: any P256Signer, title: String, serial: [UInt8], validity: CertificateValidity
    ) throws(EnrolmentError) {
        let subject = DER.sequence(Names.attribute(Names.commonName, DER.value(0x0C, Array(title.utf8.prefix(64)))))
        try self.init(key: key, subject: subject, serial: serial, validity: validity)
    }

    /// The same authority with a new certificate: its name and its key stay, so what it has certified stays good. `serial` has 16 random bytes.
    /// Throws `cryptography`.
    public func renewed(serial: [UInt8], validity: CertificateValidity) throws(EnrolmentError) -> CertificateSigner {
        try CertificateSigner(key: key, subject: certificate.subject, serial: serial, validity: validity)
    }

    private init(
        key: any P256Signer, subject: [UInt8], serial: [UInt8], validity: CertificateValidity
    ) throws(EnrolmentError) {
        let extensions = DER.sequence(
            // basicConstraints: an authority, and none below it. Critical.
            Self.critical([0x55, 0x1D, 0x13], DER.sequence(DER.value(0x01, [0xFF]), DER.value(0x02, [0]))),
            // keyUsage: keyCertSign, cRLSign. Critical.
            Self.critical([0x55, 0x1D, 0x0F], DER.value(0x03, [1, 0x06])))
        let bytes = try Self.signed(
            by: key, issuer: subject, subject: subject, subjectKey: key.verificationKey, serial: serial, validity,
            extensions)
        self.key = key
        certificate = try DeviceCertificate(der: bytes)
    }

    /// Certifies the key of a request for a board's part of TLS. `serial` has 16 random bytes. Throws `cryptography`.
    public func certify(
        _ request: CertificateRequest, serial: [UInt8], validity: CertificateValidity
    ) throws(EnrolmentError) -> DeviceCertificate {
        // extKeyUsage: clientAuth.
        try certify(
            request.key, of: request.name, for: [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02], serial: serial, validity)
    }

    /// Certifies a board's key for evidence: not for TLS. `serial` has 16 random bytes. Throws `cryptography`.
    public func certify(
        _ request: EvidenceKeyRequest, of name: BoardName, serial: [UInt8], validity: CertificateValidity
    ) throws(EnrolmentError) -> DeviceCertificate {
        try certify(request.key, of: name, for: Self.evidenceUse, serial: serial, validity)
    }

    private func certify(
        _ subjectKey: P256.VerificationKey, of name: BoardName, for usage: [UInt8], serial: [UInt8],
        _ validity: CertificateValidity
    ) throws(EnrolmentError) -> DeviceCertificate {
        let extensions = DER.sequence(
            Self.critical([0x55, 0x1D, 0x13], DER.sequence()),
            // keyUsage: digitalSignature. Critical.
            Self.critical([0x55, 0x1D, 0x0F], DER.value(0x03, [7, 0x80])),
            DER.sequence(
                DER.identifier([0x55, 0x1D, 0x25]), DER.value(0x04, DER.sequence(DER.identifier(usage)))))
        let bytes = try Self.signed(
            by: key, issuer: certificate.subject, subject: Names.subject(name), subjectKey: subjectKey, serial: serial,
            validity, extensions)
        return try DeviceCertificate(der: bytes)
    }

    private static func critical(_ identifier: [UInt8], _ value: [UInt8]) -> [UInt8] {
        DER.sequence(DER.identifier(identifier), DER.value(0x01, [0xFF]), DER.value(0x04, value))
    }

    private static func signed(
        by key: any P256Signer, issuer: [UInt8], subject: [UInt8], subjectKey: P256.VerificationKey, serial: [UInt8],
        _ validity: CertificateValidity, _ extensions: [UInt8]
    ) throws(EnrolmentError) -> [UInt8] {
        let content = DER.sequence(
            // Version 3; a serial number is positive, and has 64 random bits at least (CA/Browser Forum).
            DER.value(0xA0, DER.value(0x02, [2])), DER.value(0x02, [0x40] + serial.prefix(16)), Names.ecdsaWithSHA256,
            issuer,
            DER.sequence(DER.time(validity.notBefore), DER.time(validity.notAfter)), subject,
            subjectKey.subjectPublicKeyInfo,
            DER.value(0xA3, extensions))
        let digest = SHA256.digest(of: content)
        let signature: [UInt8]
        do { signature = try key.signature(of: digest) } catch { throw EnrolmentError(.cryptography, "\(error)") }
        // Others' code may have signed: nothing goes out that boards would refuse.
        guard key.verificationKey.isValid(signature: signature, over: digest) else {
            throw EnrolmentError(.cryptography, "the signature is not one by the authority's key")
        }
        return DER.sequence(content, Names.ecdsaWithSHA256, DER.value(0x03, [0] + signature))
    }
}
