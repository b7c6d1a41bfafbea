// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Testing

@Suite struct CertificateValidityTests {
    /// Made by OpenSSL 3.0: `openssl req -x509 -new -days 23`, and 9999 days, which goes beyond UTCTime. The times are what `openssl x509 -dates` says.
    private static let soon = """
        -----BEGIN CERTIFICATE-----
        MIIBezCCASGgAwIBAgIUMcLr8YPgQMN8zjeWVqIoJGaCHtowCgYIKoZIzj0EAwIw
        EzERMA8GA1UEAwwIYnJva2VyMjMwHhcNMjYxMTIyMjIwMjMzWhcNMjYxMjE1MjIw
        MjMzWjATMREwDwYDVQQDDAhicm9rZXIyMzBZMBMGByqGSM49AgEGCCqGSM49AwEH
        A0IABJbiiwoglOcG0fWJovBL1+/G42bRZYAlVniB7E3SW9ayeF5RL1OK/7s3r5K2
        x4AIUZtv6mrblu8NLv8YE5iqSIajUzBRMB0GA1UdDgQWBBR6x0yu1BTmDAMm5jPi
        vZXzzFeMhDAfBgNVHSMEGDAWgBR6x0yu1BTmDAMm5jPivZXzzFeMhDAPBgNVHRMB
        Af8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQCVPbU7UQqO41NhpsGaymAoRfaw
        OahRerEsJBX/gjvcbAIgEvwfFUBAGmscAPMpxhuGdxvITcuPRPAVbbxLthEVTk0=
        -----END CERTIFICATE-----
        """
    private static let late = """
        -----BEGIN CERTIFICATE-----
        MIIBgjCCASegAwIBAgIUUe2dk2pA/C/v+WRgkGAsPxg3VoIwCgYIKoZIzj0EAwIw
        FTETMBEGA1UEAwwKYnJva2VyOTk5OTAgFw0yNjExMjIyMjAyMzNaGA8yMDU0MDQw
        ODIyMDIzM1owFTETMBEGA1UEAwwKYnJva2VyOTk5OTBZMBMGByqGSM49AgEGCCqG
        SM49AwEHA0IABJbiiwoglOcG0fWJovBL1+/G42bRZYAlVniB7E3SW9ayeF5RL1OK
        /7s3r5K2x4AIUZtv6mrblu8NLv8YE5iqSIajUzBRMB0GA1UdDgQWBBR6x0yu1BTm
        DAMm5jPivZXzzFeMhDAfBgNVHSMEGDAWgBR6x0yu1BTmDAMm5jPivZXzzFeMhDAP
        BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDtXSn/F99u+BMY3e/O
        b/6g8VwO3+chrxiBPHqq7blofAIhAIQbPIfL+688+T01FkEqSeAIv2a7VBn6eAOs
        nmnGpr+h
        -----END CERTIFICATE-----
        """
    private static let soonDates = CertificateValidity(notBefore: 1_795_384_953, notAfter: 1_797_372_153)
    private static let lateDates = CertificateValidity(notBefore: 1_795_384_953, notAfter: 2_659_298_553)

    @Test func bothFormsOfTimeAreRead() {
        #expect(CertificateValidity.all(pem: Self.soon) == [Self.soonDates])
        #expect(CertificateValidity.all(pem: Self.late) == [Self.lateDates])
    }

    @Test func aBundleIsReadInItsOrder() {
        let text =
            "# A broker's\n" + Self.late.replacing("\n", with: "\r\n") + "\n\n" + Self.soon
            + "\n-----BEGIN CERTIFICATE-----\n"
        #expect(CertificateValidity.all(pem: text) == [Self.lateDates, Self.soonDates])
    }

    /// Each length of the front of a certificate, and each of its bytes changed: nothing is believed that makes no sense, and nothing crashes.
    @Test func damagedOnesAreNone() throws {
        let whole = try bytes(Self.soon)
        #expect(CertificateValidity(der: whole) == Self.soonDates)
        for count in 0..<whole.count { #expect(CertificateValidity(der: Array(whole[..<count])) == nil) }
        #expect(CertificateValidity(der: whole + [0]) == nil)
        for index in whole.indices {
            for change in [1, 0x7F, 0x80, 0xFF] as [UInt8] {
                var other = whole
                other[index] ^= change
                if let dates = CertificateValidity(der: other) { #expect(dates.notBefore <= dates.notAfter) }
            }
        }
    }

    @Test(arguments: [
        "261315220233Z", "261200220233Z", "261215240233Z", "261215226033Z", "2612152202330", "26121522023Z",
        "-61215220233Z",
        // There is no such day; our own count of days took it for one of the next month.
        "260231220233Z", "261131220233Z",
    ])
    func timesThatAreNoneAreRefused(_ time: String) throws {
        var other = try bytes(Self.soon)
        let old = Array("261215220233Z".utf8)
        let place = try #require(other.indices.first { other[$0...].starts(with: old) })
        other.replaceSubrange(place..<place + min(time.utf8.count, 13), with: Array(time.utf8.prefix(13)))
        if time.utf8.count == 13 { #expect(CertificateValidity(der: other) == nil) }
    }

    @Test(arguments: [
        "", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----",
        "-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----",
        String(repeating: "-----BEGIN CERTIFICATE-----\n", count: 10_000),
        "-----BEGIN CERTIFICATE-----\n" + String(repeating: String(repeating: "A", count: 64) + "\n", count: 4_000),
    ])
    func whatIsNoCertificateIsPassedOver(_ text: String) { #expect(CertificateValidity.all(pem: text).isEmpty) }

    @Test func nestedLengthsStayInside() {
        #expect(CertificateValidity(der: [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]) == nil)
        #expect(CertificateValidity(der: [0x30, 0x83, 0xFF, 0xFF, 0xFF]) == nil)
        #expect(CertificateValidity(der: [0x30, 0x80, 0, 0]) == nil)
        #expect(CertificateValidity(der: [UInt8](repeating: 0x30, count: 70_000)) == nil)
    }

    private func bytes(_ pem: String) throws -> [UInt8] {
        let body = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        return try #require(Base64.bytes(body))
    }
}
