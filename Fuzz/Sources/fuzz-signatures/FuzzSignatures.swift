// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FuzzSupport
import KeyExport

private let limits = {
    var limits = ExportLimits()
    limits.maximumSignatures = 6
    return limits
}()

private let digest = SHA256.digest(of: Array("vigil fuzz".utf8))
private let key = TestKeys.export.verificationKey
/// The number r of the one signature over `digest` there is. Whoever finds another, or s, has broken the curve.
private let knownNumber = needed("signature") {
    let signature = try TestKeys.export.sign(digest)
    // SEQUENCE, its length, INTEGER, its length, the number, with a zero in front of a high bit.
    return Array(signature[4..<(4 + Int(signature[3]))].drop { $0 == 0 })
}

/// The same bytes as export.sig, as one signature and as a public key.
@_cdecl("LLVMFuzzerTestOneInput")
public func testSignatures(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    checkList(bytes)
    checkSignature(bytes)
    checkKey(bytes)
    return 0
}

/// Lists behind one another are one list, as repeated fields of protobuf are.
private func checkList(_ bytes: [UInt8]) {
    guard let list = read(bytes) else { return }
    claim(list.count <= limits.maximumSignatures, "more signatures than allowed")
    let twice = read(bytes + bytes)
    claim(twice == (2 * list.count <= limits.maximumSignatures ? list + list : nil), "a list twice is not the list twice")
    for entry in list { checkSignature(entry.signature) }
}

private func read(_ bytes: [UInt8]) -> [ExportSignature]? {
    do {
        return try ExportSignatureList.read(bytes, limits: limits)
    } catch {
        claim(error.code == .malformedSignatureList, "a list is refused as \(error.code)")
        return nil
    }
}

private func checkSignature(_ bytes: [UInt8]) {
    guard key.isValid(signature: bytes, over: digest) else { return }
    let isThere = bytes.indices.contains { bytes[$0...].starts(with: knownNumber) }
    claim(isThere, "a signature was accepted that nobody made")
}

private func checkKey(_ bytes: [UInt8]) {
    guard let key = try? P256.VerificationKey(pemOrDER: bytes) else { return }
    let again = try? P256.VerificationKey(pemOrDER: key.subjectPublicKeyInfo)
    claim(again == key, "a key's own DER reads differently")
    guard let text = try? key.pem() else { fatalError("property violated: a key cannot be written") }
    let fromText = try? P256.VerificationKey(pemOrDER: Array(text.utf8))
    claim(fromText == key, "a key's own PEM reads differently")
}
