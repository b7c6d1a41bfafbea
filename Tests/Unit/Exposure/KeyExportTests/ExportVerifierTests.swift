// SPDX-License-Identifier: Apache-2.0

import Cryptography
import KeyExport
import Testing
import Trust

@Suite struct ExportVerifierTests {
    private let first: P256.SigningKey
    private let second: P256.SigningKey
    private let names = [KeyName(id: "262", version: "v1"), KeyName(id: "262", version: "v2")]

    init() throws {
        first = try .generate()
        second = try .generate()
    }

    private func trust(_ keys: [(KeyName, P256.SigningKey)], role: KeyRole = .export) throws -> TrustStore {
        try TrustStore(keys: keys.map { TrustedKey(name: $0.0, role: role, key: $0.1.verificationKey) })
    }

    private func verify(
        _ signers: [(KeyName, P256.SigningKey)], trust: TrustStore, policy: SignaturePolicy = .namedKeys,
        batch: (Int32, Int32) = (1, 1), change: (inout [ExportSignature]) -> Void = { _ in }
    ) throws -> VerifiedExport {
        let encoder = ExportEncoder(
            startTimestamp: 1, endTimestamp: 2, region: "DE", batchNumber: batch.0, batchSize: batch.1,
            signatureInfos: signers.map { ExportEncoder.signatureInfo(for: $0.0) })
        let bin = encoder.exportBin(SampleExport.keys(3))
        var list = try ExportSignatureList.read(encoder.exportSig(for: bin, keys: signers.map(\.1)))
        change(&list)
        var verifier = ExportVerifier(signatures: list, trust: trust, policy: policy, time: nil)
        bin.withUnsafeBytes { verifier.update($0) }
        return try verifier.finish(decode(bin).summary)
    }

    @Test func theNamedKeyCounts() throws {
        let trust = try trust([(names[0], first)])
        #expect(try verify([(names[0], first)], trust: trust).signers.map(\.name) == [names[0]])
        #expect(throws: KeyExportError(.noTrustedSigner)) { try verify([(names[1], first)], trust: trust) }
        #expect(throws: KeyExportError(.signatureMismatch)) { try verify([(names[0], second)], trust: trust) }
        #expect(throws: KeyExportError(.noTrustedSigner)) { try verify([], trust: trust) }
    }

    /// Whoever makes a file chooses these words; they end in logs and on terminals.
    @Test func whatAFileSaysOfItsSignersIsShownAsText() throws {
        let trust = try trust([(names[0], first)])
        let loud = KeyName(id: "\u{1B}[2J" + String(repeating: "x", count: 300), version: "\u{202E}v1")
        let error = #expect(throws: KeyExportError.self) { try verify([(loud, first)], trust: trust) }
        let detail = try #require(error?.detail)
        #expect(error?.code == .noTrustedSigner && detail.hasPrefix("signed as ") && detail.utf8.count < 250)
        #expect(!detail.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
    }

    @Test func oneOfSeveralSignaturesIsEnough() throws {
        let both = [(names[0], first), (names[1], second)]
        #expect(try verify(both, trust: trust([both[0]])).signers.map(\.name) == [names[0]])
        #expect(try verify(both, trust: trust([both[1]])).signers.map(\.name) == [names[1]])
        #expect(try verify(both, trust: trust(both)).signers.count == 2)
    }

    @Test func cosignersMustAllHaveSigned() throws {
        let both = [(names[0], first), (names[1], second)]
        let policy = SignaturePolicy.cosigners([Set(names)])
        #expect(try verify(both, trust: trust(both), policy: policy).signers.count == 2)
        #expect(throws: KeyExportError(.signatureMismatch)) {
            try verify([both[0]], trust: trust(both), policy: policy)
        }
        #expect(throws: KeyExportError(.signatureMismatch)) {
            try verify(both, trust: trust(both), policy: .cosigners([[]]))
        }
    }

    @Test func coronaWarnAppTakesAnyKeyAndAnyAlgorithmText() throws {
        let trust = try trust([(KeyName(id: "other", version: ""), first)])
        let file = try verify([(names[0], first)], trust: trust, policy: .anyKey) {
            $0[0].info.algorithm = "ECDSA p-256 SHA-256"
        }
        #expect(file.signers.count == 1)
        #expect(throws: KeyExportError(.signatureMismatch)) {
            try verify([(names[0], second)], trust: trust, policy: .anyKey)
        }
    }

    @Test func keysOfOtherRolesDoNotCount() throws {
        for role in KeyRole.allCases where role != .export {
            let trust = try trust([(names[0], first)], role: role)
            for policy in [SignaturePolicy.namedKeys, .anyKey] {
                #expect(throws: KeyExportError(.noTrustedSigner)) {
                    try verify([(names[0], first)], trust: trust, policy: policy)
                }
            }
        }
    }

    @Test func rulesOfTheListHold() throws {
        let signer = [(names[0], first)]
        let trust = try trust(signer)
        #expect(throws: KeyExportError(.unsupportedAlgorithm)) {
            try verify(signer, trust: trust) { $0[0].info.algorithm = "ECDSA" }
        }
        #expect(throws: KeyExportError(.signatureCountMismatch)) { try verify(signer, trust: trust) { $0 += $0 } }
        for batch in [(Int32(0), Int32(1)), (2, 1), (-1, 1), (1, 0)] {
            #expect(throws: KeyExportError(.invalidBatchNumber)) { try verify(signer, trust: trust, batch: batch) }
        }
    }

    @Test func sha512SignaturesCount() throws {
        let bin = SampleExport.bin(SampleExport.keys(1))
        var hash = SHA512()
        bin.withUnsafeBytes { hash.update($0) }
        var info = SampleExport.info
        info.algorithm = SignatureAlgorithm.ecdsaSHA512.rawValue
        let signature = try first.sign(hash.finish(), hash: .sha512)
        let list = [ExportSignature(info: info, batchNumber: 1, batchSize: 1, signature: signature)]
        var verifier = ExportVerifier(
            signatures: list, trust: try trust([(names[0], first)]), policy: .namedKeys, time: nil)
        bin.withUnsafeBytes { verifier.update($0) }
        #expect(try verifier.finish(decode(bin).summary).signers.count == 1)
    }

    @Test func malformedListsAreRefused() throws {
        let encoder = ExportEncoder(startTimestamp: 1, endTimestamp: 2, region: "", signatureInfos: [SampleExport.info])
        let good = try encoder.exportSig(for: [1], keys: [first])
        #expect(try ExportSignatureList.read(good).count == 1)
        #expect(try ExportSignatureList.read([]).isEmpty)
        for length in 1..<good.count {
            #expect(throws: KeyExportError(.malformedSignatureList)) {
                try ExportSignatureList.read(Array(good[..<length]))
            }
        }
        let many = (0..<17).flatMap { _ -> [UInt8] in [0x0a, 0x00] }
        #expect(throws: KeyExportError(.malformedSignatureList)) { try ExportSignatureList.read(many) }
    }

    @Test func batchesMustBeWhole() throws {
        let signer = [(names[0], first)]
        let trust = try trust(signer)
        let one = try verify(signer, trust: trust, batch: (1, 2))
        let two = try verify(signer, trust: trust, batch: (2, 2))
        var batches = ExportBatches()
        try batches.add(one)
        #expect(throws: KeyExportError(.incompleteBatch)) { try batches.checkComplete() }
        try batches.add(one)
        #expect(throws: KeyExportError(.incompleteBatch)) { try batches.checkComplete() }
        try batches.add(two)
        try batches.checkComplete()
    }
}
