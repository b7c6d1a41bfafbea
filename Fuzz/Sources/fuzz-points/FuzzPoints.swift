// SPDX-License-Identifier: Apache-2.0

import BLS12381
import Cryptography
import FuzzSupport

/// Points and numbers of BLS12-381, keys, and messages to an identity: read, or refused with words that can be shown.
///
/// The first byte chooses: a point of the first group, one of the second, a number modulo r, a message with all its parts, an identity.
@_cdecl("LLVMFuzzerTestOneInput")
public func testPoints(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    _ = tables
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    switch choice % 5 {
    case 0: checkFirst(bytes)
    case 1: checkSecond(bytes)
    case 2: checkNumber(bytes)
    case 3: checkMessage(bytes)
    default: checkIdentity(bytes)
    }
    return 0
}

private func checkFirst(_ bytes: [UInt8]) {
    do throws(BLS12381Error) {
        let point = try G1(bytes)
        claim(point.bytes == bytes, "written it is another one")
        claim((point + -point).isZero && point + .zero == point, "no group")
        claim(((try? IdentityKey(bytes)) == nil) == point.isZero, "zero is a key, or a point is none")
    } catch {
        checkWords(error)
        claim((try? IdentityKey(bytes)) == nil, "no point, and a key")
    }
}

private func checkSecond(_ bytes: [UInt8]) {
    do throws(BLS12381Error) {
        let point = try G2(bytes)
        claim(point.bytes == bytes, "written it is another one")
        claim((point + -point).isZero && point + .zero == point, "no group")
        claim(((try? MasterPublicKey(bytes)) == nil) == point.isZero, "zero is a key, or a point is none")
    } catch {
        checkWords(error)
        claim((try? MasterPublicKey(bytes)) == nil, "no point, and a key")
    }
}

private func checkNumber(_ bytes: [UInt8]) {
    do throws(BLS12381Error) {
        let secret = SecretBytes(copying: bytes)
        let number = try Scalar(secret)
        claim(number.bytes == secret, "written it is another one")
        claim(number.isZero == !bytes.contains { $0 != 0 }, "zero is not the only zero")
        claim(G1.generator.multiplied(by: number).isZero == number.isZero, "the multiple is zero, the number is not")
    } catch {
        checkWords(error)
    }
}

/// A point, a mask, a nonce, and the box.
private func checkMessage(_ bytes: [UInt8]) {
    let (point, rest) = (bytes.prefix(96), bytes.dropFirst(96))
    do throws(BLS12381Error) {
        let text = try IdentityCiphertext(
            point: point, masked: Array(rest.prefix(32)), box: Array(rest.dropFirst(56)),
            nonce: Array(rest.dropFirst(32).prefix(24)))
        claim(text.pointBytes == Array(point), "written it is another one")
        // The corpus has one message that opens; the fuzzer would have to break the scheme to find another.
        let opened = needed("an answer") { try text.opened(identity: identity, key: key) as [UInt8]?? }
        claim(opened == nil || opened == message, "a message that nobody encrypted")
    } catch {
        checkWords(error)
    }
}

private func checkIdentity(_ bytes: [UInt8]) {
    let own = needed("a key") { try IdentityKey(identity: bytes, secret: secret) }
    claim((try? G1(own.bytes)) != nil, "a hash outside the group")
    claim(own.bytes != key.bytes || bytes == identity, "two identities with one key")
}

private func checkWords(_ error: BLS12381Error) {
    claim(isShowable(error.description), "a refusal that cannot be shown")
}

private let identity = [UInt8](repeating: 1, count: 32)
private let message = Array("a visit".utf8)
private let secret = needed("a secret") { try Scalar(SecretBytes(copying: [7] + [UInt8](repeating: 0, count: 31))) }
private let key = needed("a key") { try IdentityKey(identity: identity, secret: secret) }

// Tables of the libraries live to the end, where LeakSanitizer does not find them.
@_silgen_name("__lsan_disable") private func lookAway()
@_silgen_name("__lsan_enable") private func lookAgain()

private let tables: Bool = {
    lookAway()
    defer { lookAgain() }
    checkFirst([])
    checkIdentity(identity)
    checkFirst(G1.generator.bytes)
    checkSecond(G2.generator.bytes)
    checkNumber([1] + [UInt8](repeating: 0, count: 31))
    return true
}()
