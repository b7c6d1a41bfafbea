// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DiagnosisPlan
import GAEN
import JSON
import RandomValues
import Testing

@Suite struct PublishRequestTests {
    /// The keys, secret and code of exposure-notifications-server `pkg/verification/utils_test.go`.
    @Test func proofIsTheServersOwn() throws {
        let secret = SecretBytes(copying: try #require(Hex.bytes("0102030405060708090a0b0c0d0e0f10")))
        func key(_ text: String, _ start: UInt32, _ level: UInt8) throws -> DiagnosisKey {
            let data = try #require(Base64.bytes(text).flatMap { Block($0) })
            return try #require(DiagnosisKey(data: data, rollingStart: ENIN(start), transmissionRiskLevel: level))
        }
        let request = PublishRequest(
            keys: [try key("z2Cx9hdz2SlxZ8GEgqTYpA==", 1, 3), try key("dPCphLzfG4uzXneNimkPRQ==", 144, 5)],
            healthAuthority: "org.example", certificate: "a.b.c", secret: secret)
        #expect(Base64.string(try request.proof()) == "2u1nHt5WWurJytFLF3xitNzM99oNrad2y4YGOL53AeY=")
    }

    @Test func bodiesHaveOneLength() throws {
        var random = SeededGenerator(seed: 1)
        let secret = SecretBytes(count: 32, from: &random)
        for count in 1...14 {
            let keys = try Samples.keys(count, using: &random)
            let request = PublishRequest(
                keys: keys, healthAuthority: "org.example", certificate: String(repeating: "c", count: 40 * count),
                secret: secret, symptomOnset: count % 2 == 0 ? ENIN(2_678_400) : nil, isTraveler: count % 3 == 0,
                revisionToken: count > 7 ? "token\"\\" : "")
            let body = try request.encoded(using: &random)
            #expect(body.count == 4_096)
            let json = try JSON(parsing: body)
            #expect(json["temporaryExposureKeys"]?.array?.count == count)
            #expect(json["symptomOnsetInterval"]?.int == (count % 2 == 0 ? 2_678_400 : nil))
            #expect(json["revisionToken"]?.string == request.revisionToken)
            #expect(
                json["temporaryExposureKeys"]?.array?.first?["key"]?.string
                    == keys.first.map { Base64.string($0.data.bytes) })
        }
        let none = PublishRequest(keys: [], healthAuthority: "", certificate: "", secret: secret)
        #expect(throws: DiagnosisPlanError(.noKeys)) { try none.encoded(using: &random) }
        var long = none
        long.keys = try Samples.keys(1, using: &random)
        long.certificate = String(repeating: "c", count: 4_096)
        #expect(throws: DiagnosisPlanError(.doesNotFit)) { try long.encoded(using: &random) }
    }
}
