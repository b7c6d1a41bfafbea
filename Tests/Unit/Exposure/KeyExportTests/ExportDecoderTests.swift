// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import KeyExport
import RandomValues
import Testing

/// A file with everything a key can carry.
enum SampleExport {
    static let info = SignatureInfo(keyID: "262", keyVersion: "v1", algorithm: SignatureAlgorithm.ecdsaSHA256.rawValue)

    static func keys(_ count: Int, seed: UInt64 = 1) -> [ExportedKey] {
        var state = seed
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
        return (0..<count).map { index in
            var key = ExportedKey()
            key.data = Block(low: next(), high: next())
            key.dataByteCount = 16
            key.rollingStart = Int32(2_650_000 + index % 14 * 144)
            key.rollingPeriod = index % 3 == 0 ? 144 : Int32(1 + index % 143)
            key.transmissionRiskLevel = Int32(index % 9)
            key.reportType = Int32(index % 6)
            key.hasOnset = index % 2 == 0
            key.daysSinceOnset = key.hasOnset ? Int32(index % 29) - 14 : 0
            key.hasVariant = index % 5 == 0
            key.variantOfConcern = key.hasVariant ? Int32(index % 5) : 0
            key.isRevised = index % 7 == 6
            return key
        }
    }

    static func bin(_ keys: [ExportedKey]) -> [UInt8] {
        ExportEncoder(startTimestamp: 1_600_000_000, endTimestamp: 1_600_003_600, region: "DE", signatureInfos: [info])
            .exportBin(keys)
    }
}

/// Decodes `bytes` in chunks of the sizes given, again and again.
func decode(
    _ bytes: [UInt8], chunks: [Int] = [.max], limits: ExportLimits = .standard
) throws -> (summary: ExportSummary, keys: [ExportedKey]) {
    var decoder = ExportDecoder(limits: limits)
    var keys: [ExportedKey] = []
    var rest = bytes[...]
    var turn = 0
    while !rest.isEmpty {
        let chunk = rest.prefix(chunks[turn % chunks.count])
        rest = rest.dropFirst(chunk.count)
        turn += 1
        try chunk.withUnsafeBytes { try decoder.decode($0) { keys += $0 } }
    }
    let summary = try decoder.finish { keys += $0 }
    return (summary, keys)
}

@Suite struct ExportDecoderTests {
    private func withoutOffsets(_ keys: [ExportedKey]) -> Set<ExportedKey> {
        Set(
            keys.map {
                var key = $0
                key.dataOffset = 0
                return key
            })
    }

    @Test(arguments: [0, 1, 2, 255, 256, 257, 1_000])
    func whatIsWrittenIsRead(_ count: Int) throws {
        let keys = SampleExport.keys(count)
        let (summary, read) = try decode(SampleExport.bin(keys))
        #expect(withoutOffsets(read) == withoutOffsets(keys))
        #expect(summary.keyCount + summary.revisedKeyCount == UInt64(count))
        #expect(summary.region == "DE")
        #expect(summary.startTimestamp == 1_600_000_000)
        #expect(summary.signatureInfos == [SampleExport.info])
    }

    @Test(arguments: [[1], [2], [3, 1], [7], [16], [143], [1, 4_096, 5], [8_191], [8_193]])
    func chunksDoNotMatter(_ chunks: [Int]) throws {
        let bytes = SampleExport.bin(SampleExport.keys(700))
        let whole = try decode(bytes)
        let pieces = try decode(bytes, chunks: chunks)
        #expect(whole.summary == pieces.summary)
        #expect(whole.keys == pieces.keys)
    }

    @Test func everyCutIsRefusedOrEndsBetweenFields() throws {
        let bytes = SampleExport.bin(SampleExport.keys(12))
        var whole = 0
        for length in bytes.indices {
            for chunks in [[Int.max], [5]] {
                do {
                    let (summary, _) = try decode(Array(bytes[..<length]), chunks: chunks)
                    // Protobuf has no end mark: a cut between fields can only be seen by the signature.
                    #expect(summary.byteCount == UInt64(length))
                    whole += 1
                } catch let error as KeyExportError {
                    #expect([.truncated, .wrongHeader].contains(error.code))
                    #expect((error.offset ?? 0) <= UInt64(length))
                }
            }
        }
        // Header, start, end, region, batch number and size, info, and 11 of the 12 keys.
        #expect(whole == 2 * 18)
    }

    @Test func orderOfFieldsDoesNotMatter() throws {
        let bytes = SampleExport.bin(SampleExport.keys(3))
        let head = Array(bytes[16..<25])
        let moved = Array(bytes[..<16]) + bytes[25...] + head
        #expect(try decode(moved).summary == decode(bytes).summary)
    }

    @Test func unknownFieldsAreSteppedOverWithoutBeingHeld() throws {
        let bytes = SampleExport.bin(SampleExport.keys(2))
        // Field 100, 300,000 bytes; field 101, a number; field 102, 8 bytes; field 103, 4 bytes.
        let unknown: [UInt8] =
            [0xa2, 0x06, 0xe0, 0xa7, 0x12] + [UInt8](repeating: 0x55, count: 300_000) + [0xa8, 0x06, 0xff, 0x01]
            + [0xb1, 0x06, 1, 2, 3, 4, 5, 6, 7, 8] + [0xbd, 0x06, 1, 2, 3, 4]
        for chunks in [[Int.max], [1_000], [7]] {
            #expect(try decode(bytes + unknown, chunks: chunks).keys.count == 2)
        }
    }

    @Test func hostileFieldsAreRefusedWithTheirRule() {
        let header = ExportDecoder.header
        func refused(_ code: KeyExportError.Code, _ tail: [UInt8], limits: ExportLimits = .standard) {
            for chunks in [[Int.max], [1]] {
                #expect(throws: KeyExportError(code)) { try decode(header + tail, chunks: chunks, limits: limits) }
            }
        }
        refused(.malformedProtobuf, [UInt8](repeating: 0xff, count: 12))
        refused(.malformedProtobuf, [0x00, 0x01])
        refused(.malformedProtobuf, [0x3b])  // a group
        refused(.malformedProtobuf, [0x0a, 0x01, 0x00])  // start as bytes
        refused(.malformedProtobuf, [0x38, 0x01])  // keys as a number
        refused(.malformedProtobuf, [0x1a, 0x01, 0xff])  // region not UTF-8
        let marks = Array(String(repeating: "\u{301}", count: 31).utf8)
        refused(.malformedProtobuf, [0x1a, UInt8(marks.count)] + marks)  // region that takes long to compare
        refused(.malformedProtobuf, [0x32, UInt8(marks.count + 2), 0x22, UInt8(marks.count)] + marks)  // key id likewise
        refused(.malformedProtobuf, [0x3a, 0x02, 0x0a, 0x05])  // key data beyond the key
        refused(.malformedProtobuf, [0x32, 0x02, 0x22, 0x09])  // info text beyond the info
        refused(.elementTooLarge, [0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01])
        refused(.elementTooLarge, [0x1a, 0x80, 0x02])
        refused(.truncated, [0xa2, 0x06, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01])
        refused(.tooManySignatureInfos, (0..<17).flatMap { _ -> [UInt8] in [0x32, 0x00] })
        var limits = ExportLimits()
        limits.maximumKeys = 3
        refused(.tooManyKeys, (0..<4).flatMap { _ -> [UInt8] in [0x3a, 0x00] }, limits: limits)
        limits.maximumExportBytes = 20
        refused(.entryTooLarge, [0xa2, 0x06, 20] + [UInt8](repeating: 0, count: 20), limits: limits)
        #expect(throws: KeyExportError(.wrongHeader)) { try decode([]) }
        #expect(throws: KeyExportError(.wrongHeader)) { try decode(Array("EK Export v2    ".utf8)) }
        #expect(throws: KeyExportError(.wrongHeader)) { try decode(Array("EK Export".utf8)) }
    }

    @Test func flawedKeysAreNamedAndDoNotSpoilTheFile() throws {
        var keys = SampleExport.keys(7).map {
            var key = $0
            key.isRevised = false
            key.reportType = 1
            key.rollingPeriod = 100
            return key
        }
        keys[1].dataByteCount = 15
        keys[2].rollingPeriod = 0
        keys[3].rollingPeriod = 145
        keys[4].transmissionRiskLevel = 9
        keys[5].reportType = 6
        keys[6].rollingStart = -1
        let read = try decode(SampleExport.bin(keys)).keys
        #expect(read.count == 7)
        #expect(read.filter { $0.diagnosisKey != nil }.count == 1)
        #expect(
            Set(read.compactMap(\.flaw)) == [
                .wrongKeyLength, .wrongRollingPeriod, .wrongTransmissionRiskLevel, .unknownReportType, .wrongRollingStart,
            ])
    }

    @Test func numbersBeyond32BitsAreAFlaw() throws {
        // rolling_start 2^40.
        let key: [UInt8] = [0x0a, 0x10] + [UInt8](repeating: 1, count: 16) + [0x18, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20]
        let read = try decode(ExportDecoder.header + [0x3a, UInt8(key.count)] + key).keys
        #expect(read.map(\.isUnrepresentable) == [true])
        #expect(read[0].diagnosisKey == nil)
    }

    @Test func everyOnsetComesBack() throws {
        let values: [Int32] = [0, 1, -1, 14, -14, 100, -100, .max, .min]
        let keys = values.enumerated().map { index, onset in
            var key = SampleExport.keys(1, seed: UInt64(index + 1))[0]
            key.hasOnset = true
            key.daysSinceOnset = onset
            return key
        }
        #expect(Set(try decode(SampleExport.bin(keys)).keys.map(\.daysSinceOnset)) == Set(values))
    }

    @Test func noiseBehindTheHeaderIsRefusedOrRead() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<3_000 {
            let noise = generator.bytes(.random(in: 0...120, using: &generator))
            let whole = Result { try decode(ExportDecoder.header + noise) }
            let bytewise = Result { try decode(ExportDecoder.header + noise, chunks: [1]) }
            switch (whole, bytewise) {
            case (.success(let a), .success(let b)): #expect(a.summary == b.summary && a.keys == b.keys)
            case (.failure(let a), .failure(let b)): #expect(a as? KeyExportError == b as? KeyExportError)
            default: Issue.record("chunking changed the verdict for \(Hex.string(noise))")
            }
        }
    }
}
