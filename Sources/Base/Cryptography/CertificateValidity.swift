// SPDX-License-Identifier: Apache-2.0

/// The period in which a certificate is valid (RFC 5280, 4.1.2.5), for warnings before it ends. Nothing else of the
/// certificate is read; TLS decides whether it is trusted.
public struct CertificateValidity: Sendable, Hashable {
    /// The first second in which the certificate is valid, in Unix seconds; negative before 1970.
    public let notBefore: Int64
    /// The last second in which the certificate is valid, in Unix seconds.
    public let notAfter: Int64

    /// The largest number of certificates that ``all(pem:)`` returns from one text; any that follow are ignored.
    /// Our own bound for the files of plugins; the bundles of an operating system have more.
    public static let mostCertificates = 64
    /// The length of the longest certificate that is read, in bytes. Our own bound; a real certificate has a few
    /// thousand bytes. In PEM, a block of more than twice as many characters is skipped.
    public static let longest = 65_535

    /// Creates a period from two dates in Unix seconds. Their order is not checked.
    public init(notBefore: Int64, notAfter: Int64) {
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    /// Reads the period from a certificate in DER. The signature is not checked.
    ///
    /// Returns `nil` if the certificate cannot be read, if a date is not in UTC to the second, if it is longer than
    /// ``longest``, or if it ends before it begins.
    public init?(der bytes: [UInt8]) {
        guard bytes.count <= Self.longest else { return nil }
        var outer = DERReader(bytes[...])
        guard let certificate = outer.take(0x30), outer.isAtEnd else { return nil }
        var parts = DERReader(certificate)
        guard let content = parts.take(0x30) else { return nil }
        var fields = DERReader(content)
        // Version, which the oldest form does without; serial number, algorithm, issuer.
        _ = fields.take(0xA0)
        guard fields.take(0x02) != nil, fields.take(0x30) != nil, fields.take(0x30) != nil, let validity = fields.take(0x30)
        else { return nil }
        var times = DERReader(validity)
        guard let first = times.takeTime(), let last = times.takeTime(), times.isAtEnd, first <= last else { return nil }
        notBefore = first
        notAfter = last
    }

    /// Returns the periods of the certificates in a PEM text, in the order of the text, at most ``mostCertificates``.
    /// Blocks that cannot be read are skipped. Empty if there is no readable certificate.
    public static func all(pem text: String) -> [CertificateValidity] {
        let found = PEM.blocks("CERTIFICATE", in: text, longest: longest).lazy.compactMap { CertificateValidity(der: $0) }
        return Array(found.prefix(mostCertificates))
    }
}
