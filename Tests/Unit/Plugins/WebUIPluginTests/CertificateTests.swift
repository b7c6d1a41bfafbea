// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Testing

@testable import WebUIPlugin

struct CertificateTests {
    @Test func aCertificateIsPEMWithTheNamesInIt() throws {
        let key = try P256.SigningKey.generate()
        let text = try TransportCertificate.make(
            key, names: [.host("vigil.local"), .address([192, 0, 2, 7])], serial: [UInt8](1...15))
        let lines = text.split(separator: "\n")
        #expect(lines.first == "-----BEGIN CERTIFICATE-----" && lines.last == "-----END CERTIFICATE-----")
        let bytes = try #require(Base64.bytes(lines.dropFirst().dropLast().joined()))
        #expect(bytes[0] == 0x30)
        #expect(bytes.count == Int(bytes[2]) << 8 + Int(bytes[3]) + 4)
        let all = bytes.map { String($0) }.joined(separator: ",")
        #expect(all.contains([UInt8]([0x87, 4, 192, 0, 2, 7]).map { String($0) }.joined(separator: ",")))
        #expect(all.contains(Array("vigil.local".utf8).map { String($0) }.joined(separator: ",")))
    }

    @Test func lengthsAreWrittenInTheirShortestForm() {
        #expect(DER.value(4, [UInt8](repeating: 0, count: 127)).prefix(2) == [4, 127])
        #expect(DER.value(4, [UInt8](repeating: 0, count: 128)).prefix(3) == [4, 0x81, 128])
        #expect(DER.value(4, [UInt8](repeating: 0, count: 256)).prefix(4) == [4, 0x82, 1, 0])
    }
}
