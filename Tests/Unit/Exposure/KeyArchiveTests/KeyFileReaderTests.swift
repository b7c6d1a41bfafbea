// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import KeyArchive
import KeyExport
import RandomValues
import Testing
import Trust

@Suite struct KeyFileReaderTests {
    private static let folder =
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .path + "/Vectors/gaen/export/"
    private let signer: P256.SigningKey
    private let trust: TrustStore
    private let bin: [UInt8]
    private let sig: [UInt8]

    init() throws {
        signer = try .generate()
        let name = KeyName(id: "1", version: "v1")
        trust = try TrustStore(keys: [TrustedKey(name: name, role: .export, key: signer.verificationKey)])
        var key = ExportedKey()
        key.data = Block(low: 0x0123_4567_89ab_cdef, high: 77)
        key.dataByteCount = 16
        key.rollingStart = 2_650_032
        let encoder = ExportEncoder(
            startTimestamp: 1, endTimestamp: 2, region: "DE", signatureInfos: [ExportEncoder.signatureInfo(for: name)])
        bin = encoder.exportBin([key])
        sig = try encoder.exportSig(for: bin, keys: [signer])
    }

    private func read(_ bytes: [UInt8], limits: ExportLimits = .standard) throws -> Int {
        var count = 0
        _ = try KeyFileReader(bytes: bytes, limits: limits).read(trust: trust, time: nil) { count += $0.count }
        return count
    }

    private func refused(_ code: KeyExportError.Code, _ bytes: [UInt8], limits: ExportLimits = .standard) {
        #expect(throws: KeyExportError(code)) { try read(bytes, limits: limits) }
    }

    @Test func anArchiveOfOursIsRead() throws {
        let zip = try KeyArchiveWriter.archive(exportBin: bin, exportSig: sig)
        #expect(try read(zip) == 1)
        #expect(try KeyArchiveWriter.archive(exportBin: bin, exportSig: sig) == zip)
        #expect(
            try read(
                RawZip(entries: [.init(name: "export.sig", content: sig), .init(name: "export.bin", content: bin)]).bytes)
                == 1)
    }

    /// Each authored file of the vectors that must be refused is refused with its own rule.
    @Test(arguments: [
        ("a_tampered", KeyExportError.Code.signatureMismatch), ("a_sig_without_header", .signatureMismatch),
        ("a_bad_header", .wrongHeader), ("a_truncated", .truncated), ("a_extra_entry", .unexpectedEntry),
        ("a_no_sig", .missingSignature), ("a_traversal", .illegalEntryName), ("a_sig_count", .signatureCountMismatch),
        ("a_bad_oid", .unsupportedAlgorithm), ("a_batch0", .invalidBatchNumber),
    ])
    func vectorsAreRefusedWithTheirOwnRule(_ name: String, _ code: KeyExportError.Code) throws {
        let der = try #require(
            Data(
                base64Encoded: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqpuGj/3kpOzPbeXRmoHavjRNpp9MMcYiHvh8TrX75fUUmc+C2az"
                    + "UAOOBHWK/MG0QKraaSYtHw/QoULjsFG0KiA=="))
        let trust = try TrustStore(keys: [
            TrustedKey(
                name: .init(id: "999", version: "v1"), role: .export, key: P256.VerificationKey(pemOrDER: [UInt8](der)))
        ])
        #expect(throws: KeyExportError(code)) {
            try KeyFileReader(path: Self.folder + name + ".zip").read(trust: trust, time: nil) { _ in }
        }
    }

    @Test func everyCutOfTheArchiveIsRefused() throws {
        let zip = try KeyArchiveWriter.archive(exportBin: bin, exportSig: sig)
        for length in zip.indices {
            #expect(throws: KeyExportError.self) { try read(Array(zip[..<length])) }
        }
    }

    @Test func everyCutOfExportBinIsRefused() throws {
        for length in bin.indices {
            let zip = try KeyArchiveWriter.archive(exportBin: Array(bin[..<length]), exportSig: sig)
            #expect(throws: KeyExportError.self) { try read(zip) }
        }
    }

    @Test func everyFlippedBitIsRefused() throws {
        for bit in 0..<(bin.count * 8) {
            var changed = bin
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let zip = RawZip(entries: [
                .init(name: "export.bin", content: changed), .init(name: "export.sig", content: sig),
            ])
            #expect(throws: KeyExportError.self) { try read(zip.bytes) }
        }
        let signature = try ExportSignatureList.read(sig)[0].signature
        let start = sig.count - signature.count
        for bit in (start * 8)..<(sig.count * 8) {
            var changed = sig
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let zip = RawZip(entries: [
                .init(name: "export.bin", content: bin), .init(name: "export.sig", content: changed),
            ])
            #expect(throws: KeyExportError(.signatureMismatch)) { try read(zip.bytes) }
        }
    }

    @Test func shapesThatAreNoKeyFile() throws {
        let good = RawZip.Entry(name: "export.bin", content: bin)
        let list = RawZip.Entry(name: "export.sig", content: sig)
        refused(.notAZipArchive, [])
        refused(.notAZipArchive, Array("no zip at all".utf8))
        refused(.notAZipArchive, RawZip(entries: []).bytes)
        refused(.missingExport, RawZip(entries: [list]).bytes)
        refused(.missingSignature, RawZip(entries: [good]).bytes)
        for name in ["../export.bin", "/export.bin", "EXPORT.BIN", "export.bin/", "a/export.bin", "export.bin\u{0}x", ""] {
            #expect(throws: KeyExportError.self) {
                try read(RawZip(entries: [.init(name: name, content: bin), list]).bytes)
            }
        }
        #expect(throws: KeyExportError.self) { try read(RawZip(entries: [good, good, list]).bytes) }
        #expect(throws: KeyExportError.self) { try read(RawZip(entries: [good, list, list]).bytes) }
        #expect(throws: KeyExportError(.unreadableFile)) { _ = try KeyFileReader(path: "/no/such/file.zip") }
        #expect(throws: KeyExportError.self) { _ = try KeyFileReader(path: "/") }
    }

    @Test func lyingDirectoriesAreRefused() throws {
        let list = RawZip.Entry(name: "export.sig", content: sig)
        func zip(_ change: (inout RawZip.Entry) -> Void) -> [UInt8] {
            var entry = RawZip.Entry(name: "export.bin", content: bin)
            change(&entry)
            return RawZip(entries: [entry, list]).bytes
        }
        #expect(try read(zip { _ in }) == 1)
        #expect(throws: KeyExportError.self) { try read(zip { $0.claimedCRC = 1 }) }
        #expect(throws: KeyExportError.self) { try read(zip { $0.flags = 1 }) }
        refused(.unsupportedCompression, zip { $0.method = 12 })
        refused(.unsupportedCompression, zip { $0.method = 93 })
        #expect(throws: KeyExportError.self) { try read(zip { $0.method = 8 }) }
        refused(
            .entryTooLarge,
            zip {
                $0.claimedSize = .max - 1; $0.claimedPackedSize = .max - 1
            })
        refused(.suspiciousRatio, zip { $0.claimedSize = 100_000_000 })
        #expect(throws: KeyExportError.self) {
            try read(
                zip {
                    $0.claimedSize = 1_000; $0.claimedPackedSize = 1_000
                })
        }
        #expect(throws: KeyExportError.self) { try read(zip { $0.claimedSize = 10 }) }
    }

    @Test func bombsAreRefusedBeforeTheyGoOff() throws {
        let zeros = [UInt8](repeating: 0, count: 30 << 20)
        refused(.suspiciousRatio, try KeyArchiveWriter.archive(exportBin: zeros, exportSig: sig))
        refused(.suspiciousRatio, try KeyArchiveWriter.archive(exportBin: bin, exportSig: Array(zeros.prefix(1 << 20))))
        var limits = ExportLimits()
        limits.maximumExportBytes = UInt64(bin.count - 1)
        refused(.entryTooLarge, try KeyArchiveWriter.archive(exportBin: bin, exportSig: sig), limits: limits)
        limits = ExportLimits()
        limits.maximumSignatureBytes = UInt64(sig.count - 1)
        refused(.entryTooLarge, try KeyArchiveWriter.archive(exportBin: bin, exportSig: sig), limits: limits)
    }

    @Test func readingCanBeStopped() throws {
        let zip = try KeyArchiveWriter.archive(exportBin: bin, exportSig: sig)
        #expect(throws: KeyExportError(.stopped)) {
            try KeyFileReader(bytes: zip).read(trust: trust, time: nil, progress: { _ in false }) { _ in }
        }
    }

    @Test func noiseInTheArchiveIsRefusedOrHarmless() throws {
        let zip = try KeyArchiveWriter.archive(exportBin: bin, exportSig: sig)
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<1_500 {
            var changed = zip
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                changed[Int.random(in: changed.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            // Dates and the like may change; keys may not.
            if let count = try? read(changed) { #expect(count == 1) }
        }
    }
}
