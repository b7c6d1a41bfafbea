// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Testing

private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.bytes(hex)) }

@Suite struct Base64URLTests {
    @Test func everyLengthComesBack() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 255 - $0 * 7) }
            let text = Base64URL.string(bytes)
            #expect(Base64URL.bytes(text.utf8) == bytes)
            #expect(Base64URL.lenientBytes(text.utf8) == bytes)
            #expect(Base64URL.lenientBytes(Base64.string(bytes).utf8) == bytes)
        }
    }

    @Test func theTwoAlphabetsAreKeptApart() {
        #expect(Base64URL.string([0xFB, 0xFF, 0xFE]) == "-__-")
        #expect(Base64URL.bytes("-__-".utf8) == [0xFB, 0xFF, 0xFE])
        #expect(Base64URL.lenientBytes("+//+".utf8) == [0xFB, 0xFF, 0xFE])
        for text in ["+__-", "-/_-", "+/_-"] {
            #expect(Base64URL.lenientBytes(text.utf8) == nil, "\(text)")
        }
        for text in ["+//+", "Zg==", "Z", "Zh", "Zm9v Zg", "Zg\n", "\u{E9}Zg"] {
            #expect(Base64URL.bytes(text.utf8) == nil, "\(text)")
        }
        for text in ["Z", "Zh", "Zg=", "Zg===", "=", "Z=g=", "+=//", "Zh=="] {
            #expect(Base64URL.lenientBytes(text.utf8) == nil, "\(text)")
        }
    }
}

@Suite struct RawSignatureTests {
    @Test func aSignatureIsTheSameInBothForms() throws {
        let key = try P256.SigningKey.generate()
        let digest = SHA256.digest(of: [1, 2, 3])
        for _ in 0..<40 {
            let der = try key.sign(digest)
            let raw = try #require(P256.RawSignature.raw(der))
            #expect(raw.count == P256.RawSignature.byteCount)
            #expect(P256.RawSignature.der(raw) == der)
        }
    }

    @Test func shortNumbersAreFilledUp() throws {
        let raw = [UInt8](repeating: 0, count: 31) + [0x80] + [UInt8](repeating: 0, count: 30) + [0x7F, 1]
        #expect(P256.RawSignature.der(raw) == [0x30, 8, 2, 2, 0, 0x80, 2, 2, 0x7F, 1])
        #expect(P256.RawSignature.raw([0x30, 8, 2, 2, 0, 0x80, 2, 2, 0x7F, 1]) == raw)
    }

    @Test func whatIsNoneIsRefused() {
        #expect(P256.RawSignature.der([UInt8](repeating: 1, count: 63)) == nil)
        for der: [UInt8] in [
            [], [0x30], [0x30, 0], [0x31, 6, 2, 1, 1, 2, 1, 1], [0x30, 7, 2, 1, 1, 2, 1, 1], [0x30, 6, 3, 1, 1, 2, 1, 1],
            [0x30, 6, 2, 9, 1, 2, 1, 1], [0x30, 7, 2, 1, 1, 2, 1, 1, 0],
            [0x30, 38, 2, 33] + [UInt8](repeating: 1, count: 33) + [2, 1, 1],
        ] {
            #expect(P256.RawSignature.raw(der) == nil, "\(der)")
        }
    }
}

@Suite struct AES256CBCTests {
    /// NIST SP 800-38A, F.2.5; the last block is padding of our own.
    @Test func theVectorOfTheStandard() throws {
        let key = SecretBytes(copying: try bytes("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"))
        let plain = try bytes(
            "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
        )
        let expected =
            "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"
        let vector = Array(0..<16 as Range<UInt8>)
        let encrypted = try AES256CBC.encrypt(plain, key: key, initializationVector: vector)
        #expect(encrypted.count == 80)
        #expect(Hex.string(encrypted.prefix(64)) == expected)
        #expect(try AES256CBC.decrypt(encrypted, key: key, initializationVector: vector) == plain)
    }

    @Test func everyLengthComesBackAndNothingElse() throws {
        let key = SecretBytes(copying: [UInt8](repeating: 7, count: 32))
        let vector = [UInt8](repeating: 9, count: 16)
        for count in 0..<50 {
            let message = (0..<count).map { UInt8($0) }
            let encrypted = try AES256CBC.encrypt(message, key: key, initializationVector: vector)
            #expect(encrypted.count == (count / 16 + 1) * 16)
            #expect(try AES256CBC.decrypt(encrypted, key: key, initializationVector: vector) == message)
            #expect(try AES256CBC.decrypt(Array(encrypted.dropLast()), key: key, initializationVector: vector) == nil)
        }
        #expect(try AES256CBC.decrypt([], key: key, initializationVector: vector) == nil)
        // One block of a message in the last place: its last byte is no padding.
        let two = try AES256CBC.encrypt([UInt8](repeating: 0x55, count: 16), key: key, initializationVector: vector)
        #expect(try AES256CBC.decrypt(Array(two.prefix(16)), key: key, initializationVector: vector) == nil)
    }

    @Test func keysAndVectorsOfOtherLengthsAreRefused() {
        let key = SecretBytes(copying: [UInt8](repeating: 7, count: 16))
        #expect(throws: CryptographyError(.operationFailed)) {
            try AES256CBC.encrypt([1], key: key, initializationVector: [UInt8](repeating: 0, count: 16))
        }
        #expect(throws: CryptographyError(.operationFailed)) {
            try AES256CBC.encrypt(
                [1], key: SecretBytes(copying: [UInt8](repeating: 7, count: 32)),
                initializationVector: [UInt8](repeating: 0, count: 32))
        }
    }
}

@Suite struct SecretBoxTests {
    private static let message =
        "be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705"
    private static let box =
        "f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5"

    /// "Cryptography in NaCl", section 10: the message of its example.
    @Test func theExampleOfNaCl() throws {
        let key = SecretBytes(copying: try bytes("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389"))
        let nonce = try bytes("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37")
        let message = try bytes(Self.message)
        #expect(Hex.string(try SecretBox.seal(message, key: key, nonce: nonce)) == Self.box)
        #expect(try SecretBox.open(try bytes(Self.box), key: key, nonce: nonce) == message)
    }

    @Test func everyChangeIsNoticed() throws {
        let key = SecretBytes(copying: Array(0..<32 as Range<UInt8>))
        let nonce = [UInt8](repeating: 3, count: 24)
        for count in [0, 1, 31, 32, 33, 200] {
            let message = [UInt8](repeating: 0xA5, count: count)
            let box = try SecretBox.seal(message, key: key, nonce: nonce)
            #expect(box.count == count + SecretBox.tagByteCount)
            #expect(try SecretBox.open(box, key: key, nonce: nonce) == message)
            for index in box.indices {
                var changed = box
                changed[index] ^= 1 << UInt8(index % 8)
                #expect(try SecretBox.open(changed, key: key, nonce: nonce) == nil)
            }
            var otherNonce = nonce
            otherNonce[23] = 4
            #expect(try SecretBox.open(box, key: key, nonce: otherNonce) == nil)
            #expect(try SecretBox.open(Array(box.prefix(15)), key: key, nonce: nonce) == nil)
        }
    }
}
