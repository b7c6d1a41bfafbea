// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FuzzSupport
import GAEN
import KeyExport

/// The limit on bytes is out of reach: it is checked before what is in a chunk, and the first refusal then depends on the
/// chunks.
private let limits = {
    var limits = ExportLimits()
    limits.maximumKeys = 400
    limits.maximumSignatures = 4
    return limits
}()

/// export.bin alone: it reads the same in whatever chunks it comes, and what was read can be written and read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func testExport(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    let whole = decode(bytes) { $0.count }
    claim(decode(bytes) { _ in 1 } == whole, "byte by byte it reads differently")
    // Uneven, and other for each input.
    var state = bytes.reduce(UInt32(count)) { $0 &* 16_777_619 ^ UInt32($1) }
    let uneven = decode(bytes) { rest in
        state = state &* 1_664_525 &+ 1_013_904_223
        // Now and then an empty one, and mostly fewer than systemd's 143.
        return min(rest.count, Int(state >> 24) % 144)
    }
    claim(uneven == whole, "in uneven chunks it reads differently")

    guard case .accepted(let summary, let keys) = whole else { return 0 }
    claim(summary.byteCount == UInt64(count), "the summary has another length")
    for key in keys { check(key, in: bytes) }
    checkEncoding(summary, keys.filter { $0.dataByteCount == 16 && !$0.isUnrepresentable })
    return 0
}

/// Decodes chunks whose lengths `length` gives for the rest that is left.
private func decode(_ bytes: UnsafeRawBufferPointer, _ length: (UnsafeRawBufferPointer) -> Int) -> KeyFileReading {
    KeyFileReading { take in
        var decoder = ExportDecoder(limits: limits)
        var rest = bytes
        while !rest.isEmpty {
            let count = length(rest)
            // A copy of its own, so that reading beyond a chunk is reading beyond an allocation.
            try Array(rest[..<(rest.startIndex + count)]).withUnsafeBytes { try decoder.decode($0, take) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return try decoder.finish(take)
    }
}

private func check(_ key: ExportedKey, in bytes: UnsafeRawBufferPointer) {
    claim((key.diagnosisKey == nil) == (key.flaw != nil), "a key without flaw cannot be used, or one with a flaw can")
    guard key.dataByteCount > 0 else { return }
    let data = bytes[Int(key.dataOffset)..<(Int(key.dataOffset) + Int(key.dataByteCount))].prefix(16)
    claim(key.data.bytes.starts(with: data), "a key's data does not stand where it says")
    claim(key.data.bytes.dropFirst(data.count).allSatisfy { $0 == 0 }, "a short key is not padded with zeros")
}

private func checkEncoding(_ summary: ExportSummary, _ keys: [ExportedKey]) {
    let encoder = ExportEncoder(
        startTimestamp: summary.startTimestamp, endTimestamp: summary.endTimestamp, region: summary.region,
        batchNumber: summary.batchNumber ?? 0, batchSize: summary.batchSize ?? 0, signatureInfos: summary.signatureInfos)
    let encoded = encoder.exportBin(keys)
    let reading = encoded.withUnsafeBytes { bytes in decode(bytes) { $0.count } }
    guard case .accepted(let again, let keysAgain) = reading else { fatalError("property violated: written, then refused") }
    claim(
        again.startTimestamp == summary.startTimestamp && again.endTimestamp == summary.endTimestamp
            && again.region == summary.region && again.signatureInfos == summary.signatureInfos
            && again.batchNumber == summary.batchNumber ?? 0 && again.batchSize == summary.batchSize ?? 0,
        "written and read, the summary differs")
    claim(census(keysAgain) == census(keys), "written and read, the keys differ")
    for list in [keysAgain.filter { !$0.isRevised }, keysAgain.filter(\.isRevised)] {
        let isSorted = zip(list, list.dropFirst()).allSatisfy { !$1.data.bytes.lexicographicallyPrecedes($0.data.bytes) }
        claim(isSorted, "written, the keys are not sorted")
    }
}

/// How often each key is there, wherever it stands.
private func census(_ keys: [ExportedKey]) -> [ExportedKey: Int] {
    keys.reduce(into: [:]) { counts, key in
        var key = key
        key.dataOffset = 0
        counts[key, default: 0] += 1
    }
}
