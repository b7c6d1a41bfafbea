// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Testing
import Trust

@Suite struct SignedTimeTests {
    private let key = KeyName(id: "262", version: "v1")
    private let nonce = [UInt8](0..<16)

    private func text(_ signer: P256.SigningKey, name: KeyName? = nil) throws -> String {
        try SignedTime.text(key: name ?? key, nonce: nonce, milliseconds: 1_795_262_400_123, uncertainty: 250) {
            try signer.sign(SHA256.digest(of: $0))
        }
    }

    @Test func whatWasSignedIsReadAndVerified() throws {
        let signer = try P256.SigningKey.generate()
        let store = try TrustStore(keys: [TrustedKey(name: key, role: .time, key: signer.verificationKey)])
        let time = try SignedTime(parsing: try text(signer))
        #expect(time.key == key && time.nonce == nonce)
        #expect(time.milliseconds == 1_795_262_400_123 && time.uncertainty == 250)
        #expect(time.isSigned(by: store, at: nil))
        // A key of another role or name signs no time.
        let export = try TrustStore(keys: [TrustedKey(name: key, role: .export, key: signer.verificationKey)])
        #expect(!time.isSigned(by: export, at: nil))
        let stranger = try P256.SigningKey.generate()
        #expect(!(try SignedTime(parsing: try text(stranger))).isSigned(by: store, at: nil))
        let other = KeyName(id: "262", version: "v2")
        #expect(!(try SignedTime(parsing: try text(signer, name: other))).isSigned(by: store, at: nil))
    }

    /// A change of any byte is refused or no longer signed; nothing is read in two ways.
    @Test func noByteMayChange() throws {
        let signer = try P256.SigningKey.generate()
        let store = try TrustStore(keys: [TrustedKey(name: key, role: .time, key: signer.verificationKey)])
        let good = Array(try text(signer).utf8)
        for index in good.indices {
            for change: UInt8 in [1, 0x20, 0x80] {
                var bytes = good
                bytes[index] ^= change
                guard let time = try? SignedTime(parsing: String(decoding: bytes, as: UTF8.self)) else { continue }
                #expect(!time.isSigned(by: store, at: nil), "byte \(index) changed by \(change)")
            }
            #expect(throws: TrustError.self) {
                _ = try SignedTime(parsing: String(decoding: good[..<index], as: UTF8.self))
            }
        }
    }

    @Test(arguments: [
        "", "vigil-time 1\n", "vigil-time 2\nkey=a-b\nnonce=\nnonce=\ntime=1\nuncertainty=1\n",
        "vigil-time 1\nkey=a-b\nnonce=000102030405060708090a0b0c0d0e0f\ntime=-1\nuncertainty=1\nsignature=\n",
        "vigil-time 1\nkey=a-b\nnonce=000102030405060708090a0b0c0d0e0f\ntime=01\nuncertainty=1\nsignature=\n",
        "vigil-time 1\nkey=a-b\nnonce=000102030405060708090A0B0C0D0E0F\ntime=1\nuncertainty=1\nsignature=\n",
        "vigil-time 1\nkey=ab\nnonce=000102030405060708090a0b0c0d0e0f\ntime=1\nuncertainty=1\nsignature=\n",
        "vigil-time 1\nkey=a-b\nnonce=000102030405060708090a0b0c0d0e0f\ntime=99999999999999999999\nuncertainty=1\nsignature=\n",
    ])
    func whatIsNoStatementIsRefused(_ text: String) { #expect(throws: TrustError.self) { try SignedTime(parsing: text) } }
}
