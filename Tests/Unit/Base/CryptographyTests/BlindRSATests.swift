// SPDX-License-Identifier: Apache-2.0

import Cryptography
import RandomValues
import TestKit
import Testing

@Suite struct BlindRSATests {
    private let issuer = IssuerKey.first
    private let key: BlindRSA.PublicKey

    init() throws { key = try BlindRSA.PublicKey(modulus: IssuerKey.first.modulus) }

    private func refusal(_ body: () throws -> Void) -> CryptographyError.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? CryptographyError)?.code }
    }

    @Test func anAnswerGivesASignature() throws {
        var random = SeededGenerator(seed: 9_301)
        for count in [0, 1, 47, 48, 98, 5_000] {
            let text = random.bytes(count)
            let message = SecretBytes(copying: text)
            for saltByteCount in [0, 1, 48, 206] {
                let salt = SecretBytes(count: saltByteCount, from: &random)
                let factor = try key.factor(from: SecretBytes(count: 272, from: &random))
                let blinded = try key.blind(message, salt: salt, factor: factor)
                #expect(try key.blind(message, salt: salt, factor: factor) == blinded)
                let signature = try key.finish(
                    issuer.sign(blinded), message: message, saltByteCount: saltByteCount, factor: factor)
                #expect(key.isValid(signature, over: text, saltByteCount: saltByteCount))
                #expect(!key.isValid(signature, over: text, saltByteCount: saltByteCount + 1))
                #expect(!key.isValid(signature, over: text + [0], saltByteCount: saltByteCount))
                #expect(!key.isValid(blinded, over: text, saltByteCount: saltByteCount))
            }
        }
    }

    /// The signature is that of the plain message, whatever it was blinded with.
    @Test func blindingLeavesNoTrace() throws {
        var random = SeededGenerator(seed: 9_302)
        let message = SecretBytes(copying: random.bytes(98))
        let salt = SecretBytes(count: 48, from: &random)
        var requests: Set<[UInt8]> = []
        var signatures: Set<[UInt8]> = []
        for _ in 0..<5 {
            let factor = try key.factor(from: SecretBytes(count: 272, from: &random))
            let blinded = try key.blind(message, salt: salt, factor: factor)
            requests.insert(blinded)
            signatures.insert(try key.finish(issuer.sign(blinded), message: message, factor: factor))
        }
        #expect(requests.count == 5)
        #expect(signatures.count == 1)
    }

    @Test func aWrongAnswerIsRefused() throws {
        var random = SeededGenerator(seed: 9_303)
        let message = SecretBytes(copying: random.bytes(98))
        let factor = try key.factor(from: SecretBytes(count: 272, from: &random))
        let blinded = try key.blind(message, salt: SecretBytes(count: 48, from: &random), factor: factor)
        let answer = try issuer.sign(blinded)
        let other = try key.factor(from: SecretBytes(count: 272, from: &random))
        var changed: [[UInt8]] = [
            [], Array(answer.dropLast()), [0] + answer, answer + [0], [UInt8](repeating: 0, count: 256),
            [UInt8](repeating: 0xFF, count: 256), issuer.modulus, blinded, try IssuerKey.second.sign(blinded),
        ]
        for index in stride(from: 0, to: 256, by: 17) {
            var flipped = answer
            flipped[index] ^= 1
            changed.append(flipped)
        }
        for answer in changed {
            #expect(refusal { _ = try key.finish(answer, message: message, factor: factor) } == .wrongBlindSignature)
        }
        #expect(refusal { _ = try key.finish(answer, message: message, factor: other) } == .wrongBlindSignature)
        #expect(
            refusal { _ = try key.finish(answer, message: message, saltByteCount: 47, factor: factor) }
                == .wrongBlindSignature)
        #expect(
            refusal { _ = try key.finish(answer, message: SecretBytes(copying: [1]), factor: factor) }
                == .wrongBlindSignature)
        #expect(refusal { _ = try key.finish(answer, message: message, factor: factor) } == nil)
    }

    /// A signature and the same plus the modulus are one number; only the smaller one counts.
    @Test func aSignatureHasOneForm() throws {
        var random = SeededGenerator(seed: 9_304)
        let text = random.bytes(98)
        let message = SecretBytes(copying: text)
        // A small signature, so that the sum still has 256 bytes.
        var small: [UInt8]?
        for _ in 0..<200 where small == nil {
            let factor = try key.factor(from: SecretBytes(count: 272, from: &random))
            let blinded = try key.blind(message, salt: SecretBytes(count: 48, from: &random), factor: factor)
            let signature = try key.finish(issuer.sign(blinded), message: message, factor: factor)
            if signature[0] < 0x30 { small = signature }
        }
        let signature = try #require(small)
        #expect(key.isValid(signature, over: text))
        var sum = [UInt8](repeating: 0, count: 256)
        var carry = 0
        for index in (0..<256).reversed() {
            carry += Int(signature[index]) + Int(issuer.modulus[index])
            sum[index] = UInt8(carry & 0xFF)
            carry >>= 8
        }
        #expect(carry == 0)
        #expect(!key.isValid(sum, over: text))
        #expect(!key.isValid([0] + signature, over: text))
        #expect(!key.isValid(Array(signature.dropFirst()), over: text))
        #expect(!key.isValid([], over: text))
        #expect(!key.isValid(signature, over: text, saltByteCount: -1))
        #expect(!key.isValid(signature, over: text, saltByteCount: 100_000))
    }

    @Test func factorsThatDoNotFitAreRefused() throws {
        let message = SecretBytes(copying: [1, 2, 3])
        let salt = SecretBytes(copying: [UInt8](repeating: 4, count: 48))
        func blind(_ factor: [UInt8]) -> CryptographyError.Code? {
            refusal { _ = try key.blind(message, salt: salt, factor: SecretBytes(copying: factor)) }
        }
        func number(_ last: UInt8) -> [UInt8] { [UInt8](repeating: 0, count: 255) + [last] }
        var below = issuer.modulus
        below[255] -= 1
        #expect(blind(number(0)) == .unusableBlinding)
        #expect(blind(number(1)) == nil)
        #expect(blind(below) == nil)
        #expect(blind(issuer.modulus) == .unusableBlinding)
        #expect(blind([UInt8](repeating: 0xFF, count: 256)) == .unusableBlinding)
        #expect(blind([]) == .unusableBlinding)
        #expect(blind([5]) == .unusableBlinding)
        #expect(blind([0] + number(1)) == .unusableBlinding)
        let answer = SecretBytes(copying: number(1))
        #expect(
            refusal { _ = try key.finish(number(2), message: message, factor: SecretBytes(copying: number(0))) }
                == .unusableBlinding)
        #expect(
            refusal {
                _ = try key.blind(message, salt: SecretBytes(copying: [UInt8](repeating: 0, count: 206)), factor: answer)
            }
                == nil)
        #expect(
            refusal {
                _ = try key.blind(message, salt: SecretBytes(copying: [UInt8](repeating: 0, count: 207)), factor: answer)
            }
                == .unusableBlinding)
    }

    @Test func factorsAreInRange() throws {
        func factor(_ wide: [UInt8]) throws -> [UInt8] {
            try key.factor(from: SecretBytes(copying: wide)).withBytes { Array($0) }
        }
        let padding = [UInt8](repeating: 0, count: 16)
        let zero = [UInt8](repeating: 0, count: 272)
        let one = [UInt8](repeating: 0, count: 255) + [1]
        // x modulo (n - 1), plus 1: 0 gives 1, n - 1 gives 1, n - 2 gives n - 1.
        #expect(try factor(zero) == one)
        var below = issuer.modulus
        below[255] -= 1
        #expect(try factor(padding + below) == one)
        below[255] -= 1
        #expect(try factor(padding + below).prefix(255) == issuer.modulus.prefix(255))
        #expect(try factor(padding + issuer.modulus) == Array(one.dropLast()) + [2])
        #expect(refusal { _ = try factor([UInt8](repeating: 1, count: 271)) } == .unusableBlinding)
        #expect(refusal { _ = try factor([UInt8](repeating: 1, count: 400)) } == nil)
    }

    @Test func moduliThatAreNoneAreRefused() {
        let odd = [UInt8](repeating: 0xFF, count: 512)
        func refused(_ modulus: [UInt8]) -> Bool {
            refusal { _ = try BlindRSA.PublicKey(modulus: modulus) } == .unusableModulus
        }
        #expect(!refused(Array(odd.prefix(256))))
        #expect(!refused(odd))
        #expect(refused([]))
        #expect(refused(Array(odd.prefix(255))))
        #expect(refused(odd + [0xFF]))
        #expect(refused([0x7F] + odd.prefix(255)))
        #expect(refused(odd.prefix(255) + [0xFE]))
    }

    @Test func blindingNumbersThatDivideTheModulusAreRefused() throws {
        // 3 divides 2^2048 - 1: such a "key" has factors that have no inverse.
        let weak = try BlindRSA.PublicKey(modulus: [UInt8](repeating: 0xFF, count: 256))
        let three = SecretBytes(copying: [UInt8](repeating: 0, count: 255) + [3])
        let salt = SecretBytes(copying: [])
        #expect(refusal { _ = try weak.blind(SecretBytes(copying: []), salt: salt, factor: three) } == .unusableBlinding)
        let answer = [UInt8](repeating: 0, count: 255) + [1]
        #expect(
            refusal { _ = try weak.finish(answer, message: SecretBytes(copying: []), factor: three) } == .unusableBlinding)
    }

    @Test func paddedBase64() {
        var random = SeededGenerator(seed: 9_305)
        for count in 0..<40 {
            let bytes = random.bytes(count)
            let text = Base64URL.paddedString(bytes)
            #expect(text.utf8.count == (count + 2) / 3 * 4)
            #expect(Base64URL.paddedBytes(text.utf8) == bytes)
            #expect(Base64URL.paddedBytes((text + "=").utf8) == nil)
            #expect(count.isMultiple(of: 3) || Base64URL.paddedBytes(text.utf8.dropLast()) == nil)
        }
        for text in ["A", "AA", "AAA", "A===", "====", "AB==", "AAB=", "AA=A", "AA+/", "AA\n=", "AA==AAAA"] {
            #expect(Base64URL.paddedBytes(text.utf8) == nil, "\(text)")
        }
        #expect(Base64URL.paddedBytes("-_8=".utf8) == [0xFB, 0xFF])
    }

    @Test func sha384() throws {
        // FIPS 180-4, example for "abc".
        #expect(
            Hex.string(try SHA384.digest(of: Array("abc".utf8)))
                == "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7")
    }
}
