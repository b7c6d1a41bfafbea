// SPDX-License-Identifier: Apache-2.0

import CFuzz
import FuzzSupport
import KeyArchive
import KeyExport
import Trust

/// Small enough that inputs of a few hundred bytes reach each of them.
private let limits = {
    var limits = ExportLimits()
    limits.maximumExportBytes = 16 << 10
    limits.maximumSignatureBytes = 1 << 10
    limits.maximumKeys = 400
    limits.ratioFreeBytes = 512
    limits.maximumSignatures = 4
    return limits
}()

private let signedDigests = ExportSeeds.signedDigests

/// Who signed comes last: behind everything about the archive.
private let verdicts: Set<KeyExportError.Code> = [
    .invalidBatchNumber, .signatureCountMismatch, .unsupportedAlgorithm, .noTrustedSigner, .signatureMismatch,
]
/// What a changed byte of export.bin can bring about: then a file that is not signed is refused for that instead.
private let contentCodes: Set<KeyExportError.Code> = [
    .wrongHeader, .truncated, .malformedProtobuf, .elementTooLarge, .tooManySignatureInfos,
]

/// Whole key files: they are refused or read, alike with and without signatures, and nothing is accepted that was not signed.
@_cdecl("LLVMFuzzerTestOneInput")
public func testKeyFile(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let content = KeyFileReading { try KeyFileReader(bytes: bytes, limits: limits).readUnverified(keys: $0) }
    let named = verified(bytes, .namedKeys, content)
    // A refusal that is about neither signatures nor content comes before both, whatever the policy.
    if case .refused(let code, _) = named, !verdicts.contains(code), !contentCodes.contains(code) { return 0 }
    let cosigned = verified(bytes, .cosigners([[TestKeys.exportName, TestKeys.cosignerName]]), content)
    let signed = verified(bytes, .anyKey, content)
    if case .accepted = cosigned { claim(named == content, "cosigned, but not signed") }
    if case .accepted = named { claim(signed == content, "signed by a named key, but not by any key") }
    return 0
}

/// Reads with signatures; `content` is what comes of reading without.
private func verified(_ bytes: [UInt8], _ policy: SignaturePolicy, _ content: KeyFileReading) -> KeyFileReading {
    let reading = verified(bytes, policy)
    switch (reading, content) {
    case (.accepted, _): claim(reading == content, "an accepted file reads differently without its signatures")
    case (.refused(let code, _), .accepted): claim(verdicts.contains(code), "only its signatures make a file \(code)")
    case (.refused(let code, _), .refused(let contentCode, _)):
        claim(
            reading == content || verdicts.contains(code) && contentCodes.contains(contentCode),
            "\(contentCode), but \(code) with signatures")
    }
    return reading
}

private func verified(_ bytes: [UInt8], _ policy: SignaturePolicy) -> KeyFileReading {
    KeyFileReading { take in
        let file = try KeyFileReader(bytes: bytes, limits: limits)
            .read(trust: TestKeys.trust, policy: policy, time: 1_606_003_200, keys: take)
        claim(signedDigests.contains(file.contentDigest), "a file was accepted that nobody signed")
        claim(!file.signers.isEmpty && file.signers.allSatisfy { $0.role == .export }, "accepted without an export key")
        return file.summary
    }
}

/// Three of four mutants get their checksums and offsets mended, or nearly none would be inflated.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutateKeyFile(
    _ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ capacity: Int, _ seed: CUnsignedInt
) -> Int {
    let size = LLVMFuzzerMutate(data, size, capacity)
    if seed % 4 != 0 { StoredZip.mend(UnsafeMutableBufferPointer(start: data, count: size)) }
    return size
}
