// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Enrolment
import RandomValues
import Testing

struct CertificateTests {
    @Test func aRequestIsReadBack() throws {
        let lab = try Lab()
        let request = try CertificateRequest(lab.name, key: lab.key)
        #expect(try CertificateRequest(der: request.encoded) == request)
        #expect(request.key == lab.key.verificationKey)
    }

    @Test func aCertificateIsReadBackAndVerified() throws {
        let lab = try Lab()
        let certificate = try lab.certificate()
        #expect(certificate.name == lab.name && certificate.key == lab.key.verificationKey)
        #expect(certificate.validity == CertificateValidity(notBefore: Lab.now, notAfter: Lab.now + 397 * Lab.day))
        #expect(certificate.isSigned(by: lab.signer.certificate))
        #expect(lab.signer.certificate.isSigned(by: lab.signer.certificate))
        #expect(try !certificate.isSigned(by: Lab().signer.certificate))
        #expect(try DeviceCertificate(pem: "a remark\n" + certificate.pem) == certificate)
        #expect(throws: EnrolmentError(.badCertificate)) { try DeviceCertificate(pem: "-----BEGIN CERTIFICATE-----") }
    }

    @Test func datesBeyond2049AreWritten() throws {
        let lab = try Lab()
        #expect(try lab.certificate(days: 20_000).validity.notAfter == Lab.now + 20_000 * Lab.day)
    }

    @Test func aSignerNeedsItsOwnCertificate() throws {
        let lab = try Lab()
        #expect(throws: EnrolmentError(.otherKey)) {
            try CertificateSigner(key: P256.SigningKey.generate(), certificate: lab.signer.certificate)
        }
    }

    @Test func namesThatAreNoBoardsAreRefused() {
        for text in ["", "VG-7K3M", "a b", "a\u{0}", "ä", String(repeating: "a", count: 65), "../x", "a:b"] {
            #expect(BoardName(text) == nil)
        }
        #expect(BoardName("vg-7k3m-q0r1x") != nil)
    }

    /// Of a request for evidence only the key says anything, and neither kind passes for the other.
    @Test func aRequestForEvidenceNamesNobody() throws {
        let lab = try Lab()
        let request = try EvidenceKeyRequest(key: lab.key)
        #expect(try EvidenceKeyRequest(der: request.encoded).key == lab.key.verificationKey)
        #expect(throws: EnrolmentError(.badCertificateRequest)) { try CertificateRequest(der: request.encoded) }
        #expect(throws: EnrolmentError(.badCertificateRequest)) {
            try EvidenceKeyRequest(der: CertificateRequest(lab.name, key: lab.key).encoded)
        }
        // What is signed begins with a SEQUENCE behind that of the whole; evidence signs an array of CBOR.
        #expect(request.encoded[0] == 0x30 && request.encoded[1] & 0x80 == 0x80)
        #expect(request.encoded[2 + Int(request.encoded[1] & 0x7F)] == 0x30)
        for index in request.encoded.indices {
            var bytes = request.encoded
            bytes[index] ^= 0x40
            if let taken = try? EvidenceKeyRequest(der: bytes) { #expect(taken.key == request.key, "\(index)") }
            #expect(throws: EnrolmentError(.badCertificateRequest)) {
                try EvidenceKeyRequest(der: Array(request.encoded[..<index]))
            }
        }
    }

    /// Whichever byte is changed, and wherever it ends: a request is refused, or says what it said.
    @Test func noChangedRequestIsTaken() throws {
        let lab = try Lab()
        let request = try CertificateRequest(lab.name, key: lab.key)
        for index in request.encoded.indices {
            #expect(throws: EnrolmentError(.badCertificateRequest)) {
                try CertificateRequest(der: Array(request.encoded[..<index]))
            }
            for bit in [UInt8(1), 0x80] {
                var bytes = request.encoded
                bytes[index] ^= bit
                // Encodings that differ in nothing but form may pass; contents may not.
                if let taken = try? CertificateRequest(der: bytes) {
                    #expect(taken.name == request.name && taken.key == request.key)
                }
            }
        }
        #expect(throws: EnrolmentError(.badCertificateRequest)) { try CertificateRequest(der: request.encoded + [0]) }
    }

    /// Nothing that arrives ends the program.
    @Test func whateverArrivesIsRefusedOrRead() throws {
        var random = SeededGenerator(seed: 24)
        let lab = try Lab()
        let sources = [
            try CertificateRequest(lab.name, key: lab.key).encoded, try lab.certificate().encoded,
            CertificateBag.encoded([try lab.certificate(), lab.signer.certificate]),
        ]
        for _ in 0..<3_000 {
            var bytes = sources.randomElement(using: &random)!
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: index)
                default: bytes.insert([0x00, 0x30, 0x7F, 0x84, 0xFF].randomElement(using: &random)!, at: index)
                }
            }
            _ = try? CertificateRequest(der: bytes)
            if let certificate = try? DeviceCertificate(der: bytes) { #expect(certificate.encoded == bytes) }
            for found in CertificateBag.certificates(der: bytes) ?? [] { #expect(found.count <= bytes.count) }
        }
    }
}
