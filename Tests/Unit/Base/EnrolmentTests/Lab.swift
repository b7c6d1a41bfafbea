// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Enrolment

/// An authority and a board of these tests.
struct Lab {
    static let now: Int64 = 1_795_000_000
    static let day: Int64 = 86_400
    let signer: CertificateSigner
    let key: P256.SigningKey
    let name = BoardName("vg-7k3m-q0r1x")!

    init() throws {
        signer = try CertificateSigner(
            key: P256.SigningKey.generate(), title: "Fleet", serial: Array(1...16),
            validity: CertificateValidity(notBefore: Self.now - Self.day, notAfter: Self.now + 3_650 * Self.day))
        key = try .generate()
    }

    /// A certificate for a key, by default this board's.
    func certificate(
        _ name: BoardName? = nil, key: P256.SigningKey? = nil, from: Int64 = now, days: Int64 = 397
    ) throws -> DeviceCertificate {
        try signer.certify(
            CertificateRequest(name ?? self.name, key: key ?? self.key), serial: Array(17...32),
            validity: CertificateValidity(notBefore: from, notAfter: from + days * Self.day))
    }
}
