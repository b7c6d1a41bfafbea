// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The certificate by which a browser knows this board again: self-signed, for the transport alone. It says nothing about who the board is to
/// anybody else, and shares no key with anything.
enum TransportCertificate {
    /// One name a browser may have used.
    enum Name: Equatable {
        case host(String)
        /// 4 or 16 bytes.
        case address([UInt8])
    }

    /// PEM of a certificate for `names`, good from 2026 to the end of 2035 whatever the board's clock says: it may know no time when it makes it. From
    /// 2034 on, for ten years more each time.
    ///
    /// - Parameter now: Unix seconds.
    static func make(
        _ key: P256.SigningKey, names: [Name], serial: [UInt8], now: Int64 = 0
    ) throws(CryptographyError) -> String {
        let algorithm = DER.sequence(DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]))
        let validity = DER.sequence(DER.value(0x17, Array("260101000000Z".utf8)), end(after: now))
        let common = DER.value(0x0C, Array("vigil.local".utf8))
        let subject = DER.sequence(DER.value(0x31, DER.sequence(DER.identifier([0x55, 0x04, 0x03]), common)))
        let alternatives = names.map { name -> [UInt8] in
            switch name {
            case .host(let host): DER.value(0x82, Array(host.utf8))
            case .address(let bytes): DER.value(0x87, bytes)
            }
        }
        let extensions = DER.sequence(
            // subjectAltName
            DER.sequence(DER.identifier([0x55, 0x1D, 0x11]), DER.value(0x04, DER.sequence(alternatives))),
            // basicConstraints: no authority. Critical.
            DER.sequence(DER.identifier([0x55, 0x1D, 0x13]), DER.value(0x01, [0xFF]), DER.value(0x04, DER.sequence())),
            // keyUsage: digitalSignature. Critical.
            DER.sequence(
                DER.identifier([0x55, 0x1D, 0x0F]), DER.value(0x01, [0xFF]), DER.value(0x04, DER.value(0x03, [7, 0x80]))),
            // extKeyUsage: serverAuth.
            DER.sequence(
                DER.identifier([0x55, 0x1D, 0x25]),
                DER.value(0x04, DER.sequence(DER.identifier([0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01])))))
        let content = DER.sequence(
            // Version 3.
            DER.value(0xA0, DER.value(0x02, [2])), DER.value(0x02, [0x40] + serial.prefix(15)), algorithm, subject,
            validity, subject,
            key.verificationKey.subjectPublicKeyInfo, DER.value(0xA3, extensions))
        let signature = try key.sign(SHA256.digest(of: content))
        return PEM.text(DER.sequence(content, algorithm, DER.value(0x03, [0] + signature)), label: "CERTIFICATE")
    }

    /// The last second of 2035, 2045, 2055, …, the first that is more than a year away: UTCTime up to 2049, GeneralizedTime from then on (RFC 5280,
    /// 4.1.2.5).
    private static func end(after now: Int64) -> [UInt8] {
        // Years of 365.2425 days, up to 9892: to the day is good enough for a choice among tens of years.
        let year = 1970 + min(max(now, 0), 250_000_000_000) / 31_556_952
        let last = max(2035, (year + 1 - 5 + 9) / 10 * 10 + 5)
        return last < 2050
            ? DER.value(0x17, Array("\(last % 100)1231235959Z".utf8)) : DER.value(0x18, Array("\(last)1231235959Z".utf8))
    }
}
