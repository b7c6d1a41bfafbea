// SPDX-License-Identifier: Apache-2.0

import Cryptography
import RandomValues
import Testing

@Suite struct CipherTests {
    /// FIPS 197, appendix C.1.
    @Test func constantTimeAESGivesTheStandardsExample() throws {
        let key = SecretBytes(copying: try #require(Hex.bytes("000102030405060708090a0b0c0d0e0f")))
        let plain = try #require(Hex.bytes("00112233445566778899aabbccddeeff").flatMap(Block.init))
        #expect(Hex.string(ConstantTimeAES128.encrypt(plain, key: key).bytes) == "69c4e0d86a7b0430d8cdb78070b4c55a")
        #expect(Hex.string(try PublicKeyAES128(key: key).encrypt(plain).bytes) == "69c4e0d86a7b0430d8cdb78070b4c55a")
    }

    @Test func bothCiphersAgree() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            let key = SecretBytes(count: 16, from: &generator)
            let block = Block(low: generator.next(), high: generator.next())
            #expect(ConstantTimeAES128.encrypt(block, key: key) == (try PublicKeyAES128(key: key).encrypt(block)))
        }
    }

    @Test(arguments: [0, 15, 17, 24, 32])
    func keysOfAnotherLengthAreRefused(_ count: Int) {
        #expect(throws: CryptographyError(.operationFailed)) {
            _ = try PublicKeyAES128(key: SecretBytes(count: count) { _ in })
        }
    }

    /// RFC 5869, A.3: no salt, no info.
    @Test func hkdfGivesTheStandardsExample() throws {
        let derived = try HKDFSHA256.derive(
            from: SecretBytes(copying: [UInt8](repeating: 0x0b, count: 22)), info: [], count: 42)
        #expect(
            derived.withBytes { Hex.string($0) }
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
    }

    /// RFC 4231, case 2; FIPS 180-4 examples.
    @Test func hashesGiveTheStandardsExamples() throws {
        let code = try HMACSHA256.code(
            for: Array("what do ya want for nothing?".utf8), key: SecretBytes(copying: Array("Jefe".utf8)))
        #expect(Hex.string(code) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            Hex.string(SHA256.digest(of: Array("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        var long = SHA512()
        Array("abc".utf8).withUnsafeBytes { long.update($0) }
        #expect(Hex.string(long.finish()).hasPrefix("ddaf35a193617abacc417349ae204131"))
    }

    @Test func hexRefusesWhatIsNotHex() {
        #expect(Hex.bytes("") == [])
        #expect(Hex.bytes("0aFf") == [0x0a, 0xff])
        for text in ["0", "0g", "zz", " 00", "00 ", "0x00", "\u{e9}0", "٠٠"] { #expect(Hex.bytes(text) == nil) }
    }
}

@Suite struct P256Tests {
    @Test func aSignatureVerifiesAndNothingElseDoes() throws {
        let key = try P256.SigningKey.generate()
        let digest = SHA256.digest(of: [1, 2, 3])
        let signature = try key.sign(digest)
        #expect(key.verificationKey.isValid(signature: signature, over: digest))
        #expect(!key.verificationKey.isValid(signature: signature, over: SHA256.digest(of: [1, 2, 4])))
        #expect(!key.verificationKey.isValid(signature: signature + [0], over: digest))
        #expect(!key.verificationKey.isValid(signature: [], over: digest))
        #expect(!(try P256.SigningKey.generate()).verificationKey.isValid(signature: signature, over: digest))
        for length in signature.indices {
            #expect(!key.verificationKey.isValid(signature: Array(signature[..<length]), over: digest))
        }
    }

    @Test func keysSurviveTheirTextForm() throws {
        let key = try P256.SigningKey.generate()
        let read = try P256.VerificationKey(pemOrDER: Array(key.verificationKey.pem().utf8))
        #expect(read == key.verificationKey)
        #expect(try P256.VerificationKey(pemOrDER: read.subjectPublicKeyInfo) == read)
        let again = try key.withEncoded { try P256.SigningKey(pemOrDER: SecretBytes(copying: $0)) }
        #expect(again.verificationKey == key.verificationKey)
    }

    @Test func aPrivateKeyIsNotPrinted() throws {
        let key = try P256.SigningKey.generate()
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(!text.contains("BEGIN"))
            #expect(text.count < 60)
        }
    }

    @Test func whatIsNotAKeyIsRefused() throws {
        #expect(throws: CryptographyError(.malformedKey)) { try P256.VerificationKey(pemOrDER: []) }
        #expect(throws: CryptographyError(.malformedKey)) { try P256.VerificationKey(pemOrDER: Array("-----".utf8)) }
        let good = try P256.SigningKey.generate().verificationKey.subjectPublicKeyInfo
        for length in good.indices {
            #expect(throws: CryptographyError.self) { try P256.VerificationKey(pemOrDER: Array(good[..<length])) }
        }
        // A key on another curve: secp384r1, made with openssl.
        let other = """
            -----BEGIN PUBLIC KEY-----
            MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEe5K4dtP2t0vNIi85uyyOaF+BIl9KCisA
            9tQMlsVcIspyalvZ8XkAjyomTLFFAOSCbLCXI3ocCxvnJAoszPlxB5EMsk+EcScN
            cNTmOzlK5Ur5oa1+kOVlMRwNadvZS1rH
            -----END PUBLIC KEY-----
            """
        #expect(throws: CryptographyError(.unsupportedKey)) { try P256.VerificationKey(pemOrDER: Array(other.utf8)) }
    }
}
