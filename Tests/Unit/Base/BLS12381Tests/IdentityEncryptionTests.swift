// SPDX-License-Identifier: Apache-2.0

import Cryptography
import RandomValues
import Testing

@testable import BLS12381

@Suite struct IdentityEncryptionTests {
    private let secret: Scalar
    private let master: MasterPublicKey
    private let identity = [UInt8](repeating: 9, count: 32)
    private let key: IdentityKey

    init() throws {
        var generator = SeededGenerator(seed: 8)
        secret = Scalar.random(using: &generator)
        master = try MasterPublicKey(secret: secret)
        key = try IdentityKey(identity: identity, secret: secret)
    }

    private func encrypted(_ message: [UInt8], seed: UInt64) throws -> IdentityCiphertext {
        var generator = SeededGenerator(seed: seed)
        return try IdentityCiphertext(encrypting: message, to: identity, under: master, using: &generator)
    }

    @Test func whatIsEncryptedOpens() throws {
        for (number, length) in [0, 1, 16, 143, 5_000].enumerated() {
            let message = [UInt8](repeating: UInt8(number), count: length)
            let text = try encrypted(message, seed: UInt64(number))
            #expect(try text.opened(identity: identity, key: key) == message)
            let again = try IdentityCiphertext(
                point: text.pointBytes, masked: text.masked, box: text.box, nonce: text.nonce)
            #expect(again == text)
            #expect(text.box.count == length + 16 && text.nonce.count == 24 && text.masked.count == 32)
            // The SDKs store nonces of 32 bytes.
            let longer = try IdentityCiphertext(
                point: text.pointBytes, masked: text.masked, box: text.box,
                nonce: text.nonce + [UInt8](repeating: 5, count: 8))
            #expect(longer == text)
        }
        // Nothing of it repeats.
        let (one, two) = (try encrypted([1], seed: 20), try encrypted([1], seed: 21))
        #expect(
            one.pointBytes != two.pointBytes && one.masked != two.masked && one.box != two.box && one.nonce != two.nonce)
    }

    @Test func nothingElseOpensIt() throws {
        var generator = SeededGenerator(seed: 9)
        let message = Array("a visit".utf8)
        let text = try encrypted(message, seed: 10)
        let stranger = Scalar.random(using: &generator)
        let other = [UInt8](repeating: 8, count: 32)
        #expect(try text.opened(identity: identity, key: IdentityKey(identity: identity, secret: stranger)) == nil)
        #expect(try text.opened(identity: other, key: IdentityKey(identity: other, secret: secret)) == nil)
        #expect(try text.opened(identity: other, key: key) == nil)
        func changed(
            point: [UInt8]? = nil, masked: [UInt8]? = nil, box: [UInt8]? = nil, nonce: [UInt8]? = nil
        ) throws -> [UInt8]? {
            try IdentityCiphertext(
                point: point ?? text.pointBytes, masked: masked ?? text.masked, box: box ?? text.box,
                nonce: nonce ?? text.nonce
            ).opened(identity: identity, key: key)
        }
        func flipped(_ bytes: [UInt8], _ bit: Int) -> [UInt8] {
            var bytes = bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            return bytes
        }
        #expect(try changed() == message)
        for bit in [0, 100, 255] { #expect(try changed(masked: flipped(text.masked, bit)) == nil) }
        for bit in [0, 127, 128, 183] { #expect(try changed(box: flipped(text.box, bit)) == nil) }
        for bit in [0, 191] { #expect(try changed(nonce: flipped(text.nonce, bit)) == nil) }
        #expect(try changed(point: flipped(text.pointBytes, 767)) == nil)
        #expect(try changed(point: encrypted(message, seed: 11).pointBytes) == nil)
        #expect(try changed(box: text.box.dropLast()) == nil)
        #expect(try changed(box: Array(text.box.prefix(16))) == nil)
    }

    /// Who knows a seed could mask it anew with an exponent of their own: the message opens, and is refused all the same.
    @Test func anotherExponentIsRefused() throws {
        var generator = SeededGenerator(seed: 12)
        let seed = SecretBytes(count: 32, from: &generator)
        let nonce = [UInt8](repeating: 1, count: 24)
        let message = Array("forged".utf8)
        func text(_ exponent: Scalar) throws -> IdentityCiphertext {
            let value = GT(pairing: G1(hashing: identity).multiplied(by: exponent), master.point)
            let digest = value.bytes.withBytes { SHA256.digest(of: Array($0)) }
            let masked = seed.withBytes { seed in zip(seed, digest).map { $0 ^ $1 } }
            let boxKey = SecretBytes(copying: seed.withBytes { SHA256.digest(of: Array($0)) })
            return try IdentityCiphertext(
                point: G2.generator.multiplied(by: exponent).bytes, masked: masked,
                box: SecretBox.seal(message, key: boxKey, nonce: nonce), nonce: nonce)
        }
        let right = IdentityCiphertext.exponent(seed: seed, identity: identity, message: message)
        #expect(try text(right).opened(identity: identity, key: key) == message)
        #expect(try text(Scalar.random(using: &generator)).opened(identity: identity, key: key) == nil)
    }

    @Test func whatCannotBeOneIsRefused() throws {
        let text = try encrypted([1, 2], seed: 13)
        func refusal(
            point: [UInt8]? = nil, masked: [UInt8]? = nil, box: [UInt8]? = nil, nonce: [UInt8]? = nil
        )
            -> BLS12381Error.Code?
        {
            do throws(BLS12381Error) {
                _ = try IdentityCiphertext(
                    point: point ?? text.pointBytes, masked: masked ?? text.masked, box: box ?? text.box,
                    nonce: nonce ?? text.nonce)
                return nil
            } catch { return error.code }
        }
        #expect(refusal() == nil)
        for count in [0, 31, 33] { #expect(refusal(masked: [UInt8](repeating: 1, count: count)) == .wrongLength) }
        for count in [0, 15] { #expect(refusal(box: [UInt8](repeating: 1, count: count)) == .wrongLength) }
        for count in [0, 23] { #expect(refusal(nonce: [UInt8](repeating: 1, count: count)) == .wrongLength) }
        #expect(refusal(point: G2.zero.bytes) == .isZero)
        #expect(refusal(point: []) == .wrongLength && refusal(point: key.bytes) == .wrongLength)
        #expect(refusal(point: [2] + [UInt8](repeating: 0, count: 95)) == .notInGroup)
    }

    @Test func keys() throws {
        var generator = SeededGenerator(seed: 14)
        #expect(try MasterPublicKey(master.bytes) == master)
        #expect(try IdentityKey(key.bytes) == key)
        #expect(key.belongs(to: identity, under: master))
        #expect(!key.belongs(to: [1], under: master))
        let other = Scalar.random(using: &generator)
        #expect(!key.belongs(to: identity, under: try MasterPublicKey(secret: other)))
        // Two holders, neither of whom can decrypt alone.
        let joined = try MasterPublicKey(joining: master, MasterPublicKey(secret: other))
        let theirs = try IdentityKey(identity: identity, secret: other)
        let text = try IdentityCiphertext(encrypting: [7], to: identity, under: joined, using: &generator)
        #expect(try text.opened(identity: identity, key: IdentityKey(joining: key, theirs)) == [7])
        #expect(try text.opened(identity: identity, key: key) == nil)
        #expect(try text.opened(identity: identity, key: theirs) == nil)

        func isRefusedAsZero(_ body: () throws -> Void) -> Bool {
            do {
                try body()
                return false
            } catch { return (error as? BLS12381Error)?.code == .isZero }
        }
        let zero = try Scalar(SecretBytes(count: 32) { _ in })
        #expect(isRefusedAsZero { _ = try MasterPublicKey(G2.zero.bytes) })
        #expect(isRefusedAsZero { _ = try IdentityKey(G1.zero.bytes) })
        #expect(isRefusedAsZero { _ = try MasterPublicKey(secret: zero) })
        #expect(isRefusedAsZero { _ = try IdentityKey(identity: identity, secret: zero) })
        #expect(isRefusedAsZero { _ = try MasterPublicKey(joining: master, MasterPublicKey((-G2(master.bytes)).bytes)) })
        #expect(isRefusedAsZero { _ = try IdentityKey(joining: key, IdentityKey((-G1(key.bytes)).bytes)) })
    }
}
