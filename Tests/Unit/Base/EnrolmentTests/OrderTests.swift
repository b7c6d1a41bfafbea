// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Enrolment
import JSON
import Testing

struct OrderTests {
    private func order(_ file: JSON, by key: P256.SigningKey, readBy other: P256.SigningKey? = nil) throws -> EnrolmentOrder
    {
        let bytes = file.bytes
        return try EnrolmentOrder(
            file: bytes, signature: key.sign(SHA256.digest(of: bytes)), operatorKey: (other ?? key).verificationKey)
    }

    private func file(_ lab: Lab, address: String = "https://ra.example/.well-known/est", anchor: String? = nil) -> JSON {
        [
            "serial": .string(lab.name.text), "claimHash": "sha256:00",
            "enrolment": ["address": .string(address), "anchor": .string(anchor ?? lab.signer.certificate.pem)],
        ]
    }

    @Test func aSignedFileIsRead() throws {
        let (lab, key) = (try Lab(), try P256.SigningKey.generate())
        let read = try order(file(lab), by: key)
        #expect(
            read.name == lab.name && read.address == "https://ra.example/.well-known/est" && read.claimDigest == "sha256:00"
        )
    }

    @Test func anEditedFileIsRefusedAtEachByte() throws {
        let (lab, key) = (try Lab(), try P256.SigningKey.generate())
        let bytes = file(lab).bytes
        let signature = try key.sign(SHA256.digest(of: bytes))
        for index in bytes.indices {
            var edited = bytes
            edited[index] ^= 1
            #expect(throws: EnrolmentError(.changedDeviceFile)) {
                try EnrolmentOrder(file: edited, signature: signature, operatorKey: key.verificationKey)
            }
        }
        #expect(throws: EnrolmentError(.changedDeviceFile)) { try order(file(lab), by: key, readBy: .generate()) }
        #expect(throws: EnrolmentError(.noDeviceFile)) {
            try EnrolmentOrder(file: bytes, signature: [], operatorKey: key.verificationKey)
        }
    }

    @Test func aServerMustBeNamedWithItsAnchor() throws {
        let (lab, key) = (try Lab(), try P256.SigningKey.generate())
        #expect(throws: EnrolmentError(.noServer)) { try order(["serial": "a", "claimHash": "b"], by: key) }
        #expect(throws: EnrolmentError(.otherBoard)) { try order(["serial": "A B", "claimHash": "b"], by: key) }
        for address in [
            "http://ra.example", "https://", "https://ra.example/", "https:///est", "https://ra example/x",
            "https://u@ra.example/x",
        ] {
            #expect(throws: EnrolmentError(.noServer)) { try order(file(lab, address: address), by: key) }
        }
        #expect(throws: EnrolmentError(.noServer)) { try order(file(lab, anchor: "no certificate"), by: key) }
    }

    @Test func aClaimIsSixteenCharacters() throws {
        let claim = { (text: String) in EnrolmentClaim(SecretBytes(copying: text.utf8)) }
        let good = try #require(claim("7H2K-9D3K-HT6W-4Q7P\n"))
        #expect(good.digest == claim("7H2K9D3KHT6W4Q7P")?.digest)
        #expect(good.authorization(BoardName("vg-1")!) == "Basic " + Base64.string(Array("vg-1:7H2K9D3KHT6W4Q7P".utf8)))
        #expect("\(good)" == "EnrolmentClaim" && !"\(String(reflecting: good))".contains("7H2K"))
        for text in [
            "", "7H2K-9D3K-HT6W-4Q7", "7H2K-9D3K-HT6W-4Q7P5", "7H2K:9D3K-HT6W-4Q7P", String(repeating: "-", count: 80),
        ] {
            #expect(claim(text) == nil)
        }
    }
}

struct StepTests {
    /// A board that is cut off before and after each step comes to the same end.
    @Test func aBoardGoesOnAfterEachCut() throws {
        let lab = try Lab()
        let certificate = try lab.certificate()
        var board = EnrolmentState(name: lab.name, claimDigest: "c")
        #expect(try board.next() == .makeKey)
        board.key = lab.key.verificationKey
        #expect(try board.next() == .waitForTime)
        board.now = Lab.now
        #expect(try board.next() == .enrol)
        board.stored = .init(certificate, claimDigest: "c")
        #expect(try board.next() == .eraseClaim)
        // A claim is erased without the time, too.
        board.now = nil
        #expect(try board.next() == .eraseClaim)
        board.claimDigest = nil
        #expect(try board.next() == .waitForTime)
        let due = RenewalRule.due(certificate.validity, lab.name)
        board.now = due - 1
        #expect(try board.next() == .rest(until: due))
        board.now = due
        #expect(try board.next() == .renew)
        board.now = certificate.validity.notAfter + 80 * Lab.day
        #expect(try board.next() == .renew)
    }

    @Test func whatDoesNotFitIsNotTaken() throws {
        let lab = try Lab()
        var board = EnrolmentState(name: lab.name, key: lab.key.verificationKey, now: Lab.now)
        #expect(throws: EnrolmentError(.noClaim)) { try board.next() }
        // A certificate of another key or board is as none.
        board.stored = .init(try lab.certificate(key: .generate()), claimDigest: "c")
        #expect(throws: EnrolmentError(.noClaim)) { try board.next() }
        board.stored = .init(try lab.certificate(BoardName("vg-other")), claimDigest: "c")
        board.claimDigest = "c"
        #expect(try board.next() == .enrol)
        // A new card brings a new claim.
        board.stored = .init(try lab.certificate(), claimDigest: "old")
        #expect(try board.next() == .enrol)
    }

    @Test func boardsRenewAtDifferentTimes() throws {
        let validity = CertificateValidity(notBefore: Lab.now, notAfter: Lab.now + 397 * Lab.day)
        let times = try (0..<200).map { RenewalRule.due(validity, try #require(BoardName("vg-\($0)"))) }
        #expect(times.allSatisfy { $0 >= RenewalRule.earliest(validity) && $0 <= Lab.now + 305 * Lab.day })
        // Over forty days no day gets a tenth of them.
        #expect(Dictionary(grouping: times) { $0 / Lab.day }.values.allSatisfy { $0.count < 20 })
        let short = CertificateValidity(notBefore: 0, notAfter: 9)
        #expect(RenewalRule.earliest(short) == 6 && RenewalRule.due(short, BoardName("a")!) == 6)
    }
}
