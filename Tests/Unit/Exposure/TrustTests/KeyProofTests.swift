// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Testing
import Trust

/// New keys prove that somebody has them, and documents say whose keys they change.
@Suite struct KeyProofTests {
    private let fleet = KeyName(id: "fleet", version: "1")
    private let present = KeyName(id: "262", version: "v1")
    private let next = KeyName(id: "262", version: "v2")
    private let operatorKey: P256.SigningKey
    private let exportKey: P256.SigningKey
    private let nextKey: P256.SigningKey

    init() throws {
        operatorKey = try .generate()
        exportKey = try .generate()
        nextKey = try .generate()
    }

    private func store() throws -> TrustStore {
        try TrustStore(keys: [
            TrustedKey(name: fleet, role: .operator, key: operatorKey.verificationKey),
            TrustedKey(name: present, role: .export, key: exportKey.verificationKey),
        ])
    }

    private func succession(
        _ keys: [TrustedKey], source: String? = nil, proofs: [TrustedKey: [UInt8]], by signer: KeyRole
    ) throws -> Succession {
        let document = try SuccessionContent(sequence: 1, roles: [.export: keys], source: source, proofs: proofs).document()
        let key = signer == .operator ? operatorKey : exportKey
        return Succession(
            document: document,
            signatures: [
                .init(
                    role: signer, name: signer == .operator ? fleet : present,
                    signature: try key.sign(Succession.digest(of: document)))
            ])
    }

    private func new(isSpare: Bool = false) -> TrustedKey {
        TrustedKey(name: next, role: .export, key: nextKey.verificationKey, isSpare: isSpare)
    }

    @Test func aNewKeyNeedsItsOwnProof() throws {
        let store = try store()
        let key = new()
        let good = try KeyProof.make(with: nextKey, role: .export, name: next)
        for signer in [KeyRole.export, .operator] {
            let proven = try succession([key], proofs: [key: good], by: signer)
            #expect(try store.applying(Succession(file: proven.file()), at: nil).keys(for: .export, at: nil) == [key])
            for proof in [
                nil, try KeyProof.make(with: exportKey, role: .export, name: next),
                try KeyProof.make(with: nextKey, role: .config, name: next),
                try KeyProof.make(with: nextKey, role: .export, name: present),
            ] {
                let unproven = try succession([key], proofs: proof.map { [key: $0] } ?? [:], by: signer)
                #expect(throws: TrustError(.notProven, "")) { try store.applying(unproven, at: nil) }
            }
        }
    }

    /// A key that is in force already is known, and a spare one lies in a safe; when the spare becomes the regular one it proves itself.
    @Test func aKnownKeyAndASpareNeedNone() throws {
        let regular = TrustedKey(name: present, role: .export, key: exportKey.verificationKey, validUntil: 9_000)
        let stored = try store().applying(succession([regular, new(isSpare: true)], proofs: [:], by: .export), at: nil)
        #expect(stored.keys(for: .export, at: 10).map(\.isSpare) == [false, true])
        let document = try SuccessionContent(sequence: 2, roles: [.export: [new()]]).document()
        let promoted = Succession(
            document: document,
            signatures: [
                .init(role: .export, name: present, signature: try exportKey.sign(Succession.digest(of: document)))
            ])
        #expect(throws: TrustError(.notProven, "")) { try stored.applying(promoted, at: 10) }
    }

    /// What the operator signed for one authority is not handed over as another's; without a name it is for the device's own.
    @Test func aSuccessionIsForOneSource() throws {
        let store = try store()
        let key = new()
        let proofs = [key: try KeyProof.make(with: nextKey, role: .export, name: next)]
        for (named, source, signer, isTaken) in [
            (nil, "authority", KeyRole.operator, true), ("authority", "authority", .operator, true),
            ("cwa", "cwa", .operator, true), ("cwa", "authority", .operator, false), (nil, "cwa", .operator, false),
            ("authority", "cwa", .operator, false), (nil, "cwa", .export, true), ("cwa", "cwa", .export, true),
            ("cwa", "authority", .export, false),
        ] as [(String?, String, KeyRole, Bool)] {
            let offered = try succession([key], source: named, proofs: proofs, by: signer)
            if isTaken {
                #expect(throws: Never.self) { try store.applying(offered, for: source, at: nil) }
            } else {
                #expect(throws: TrustError(.wrongSource, "")) { try store.applying(offered, for: source, at: nil) }
            }
        }
        for source in ["", String(repeating: "x", count: 33)] {
            let offered = try succession([key], source: source, proofs: proofs, by: .operator)
            #expect(throws: TrustError(.malformedDocument, "")) { try offered.content() }
        }
    }
}
