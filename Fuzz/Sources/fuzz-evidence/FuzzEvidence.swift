// SPDX-License-Identifier: Apache-2.0

import CBOR
import Cryptography
import DeviceEvidence
import FuzzSupport

/// Deterministic CBOR, messages of COSE, and evidence of devices: read, or refused with words that can be shown.
///
/// The first byte chooses: a value, a message, a token, claims that are signed first.
@_cdecl("LLVMFuzzerTestOneInput")
public func testEvidence(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    _ = tables
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    switch choice % 4 {
    case 0: checkValue(bytes)
    case 1: checkMessage(bytes)
    case 2: checkToken(bytes)
    default: checkClaims(bytes)
    }
    return 0
}

private func checkValue(_ bytes: [UInt8]) {
    do throws(CBORError) {
        let value = try CBOR(decoding: bytes)
        claim(value.encoded == bytes, "written it is another value")
        claim((try? CBOR(decoding: bytes, maximumDepth: 0)) == nil || !isNested(value), "a limit that does not limit")
        if let map = value.map {
            for entry in map.entries.prefix(20) { claim(map[entry.key] == entry.value, "a map does not find its own key") }
        }
    } catch {
        claim(isShowable(error.description), "a refusal that cannot be shown")
        claim((0...bytes.count).contains(error.offset), "a refusal outside of the bytes")
    }
}

private func isNested(_ value: CBOR) -> Bool {
    switch value {
    case .array, .map, .tagged: true
    default: false
    }
}

private func checkMessage(_ bytes: [UInt8]) {
    guard let value = try? CBOR(decoding: bytes) else { return }
    do throws(EvidenceError) {
        let message = try COSESign1(value)
        let again = needed("the message written again") { try COSESign1(message.cbor) }
        claim(again == message, "written it is another message")
        claim(again.toBeSigned() == message.toBeSigned(), "what is signed changes with the form")
        claim(!message.isValid(by: stranger), "a signature by a key that never signed")
    } catch { checkWords(error) }
}

/// The corpus has evidence by the key of the fuzzers; nobody else has that.
private func checkToken(_ bytes: [UInt8]) {
    do throws(EvidenceError) {
        let found = try check.evidence(in: bytes) { $0 == keyID ? device : nil }
        claim(found == sample, "evidence that nobody gave")
    } catch { checkWords(error) }
}

private func checkClaims(_ bytes: [UInt8]) {
    do throws(EvidenceError) {
        let evidence = try DeviceEvidence(payload: bytes)
        let again = needed("the claims written again") { try DeviceEvidence(payload: evidence.payload) }
        claim(again == evidence, "written they are other claims")
        let token = needed("a token") { try evidence.token(signedBy: TestKeys.export) }
        do throws(EvidenceError) {
            let found = try check.evidence(in: token) { _ in device }
            claim(found == evidence, "other evidence than was signed")
            claim(found.nonce == sample.nonce && found.profile == DeviceEvidence.profile, "a rule that does not hold")
        } catch {
            checkWords(error)
            claim(error.code != .badSignature && error.code != .unknownDevice, "its own signature is refused")
        }
    } catch { checkWords(error) }
}

private func checkWords(_ error: EvidenceError) {
    claim(isShowable(error.description), "a refusal that cannot be shown")
}

private let device = TestKeys.export.verificationKey
private let stranger = TestKeys.cosigner.verificationKey
private let keyID = DeviceEvidence.keyID(of: device)
private let check = EvidenceCheck(
    issuerNonce: [UInt8](repeating: 7, count: 32), requestDigest: [UInt8](repeating: 8, count: 32), now: 1_794_963_600)
private let sample = DeviceEvidence(
    issuedAt: 1_794_963_600,
    nonce: DeviceEvidence.nonce(
        issuerNonce: [UInt8](repeating: 7, count: 32), requestDigest: [UInt8](repeating: 8, count: 32)),
    ueid: [1] + [UInt8](repeating: 5, count: 16), hardwareModel: Array("board".utf8), softwareVersion: "1.0.0",
    bootWasVerified: false, debugStatus: .disabled, tier: .software)

// Tables of the libraries live to the end, where LeakSanitizer does not find them.
@_silgen_name("__lsan_disable") private func lookAway()
@_silgen_name("__lsan_enable") private func lookAgain()

private let tables: Bool = {
    lookAway()
    defer { lookAgain() }
    checkClaims(sample.payload)
    checkToken(needed("a token") { try sample.token(signedBy: TestKeys.export) })
    checkMessage([])
    checkValue([])
    return true
}()
