// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import Testing
import Trust

@Suite struct TrustStoreTests {
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
            TrustedKey(
                name: .init(id: "fleet", version: "1"), role: .operator, key: operatorKey.verificationKey),
            TrustedKey(
                name: .init(id: "262", version: "v1"), role: .export, key: exportKey.verificationKey, validUntil: 2_000),
            TrustedKey(
                name: .init(id: "262", version: "v2"), role: .export, key: nextKey.verificationKey, isSpare: true),
        ])
    }

    private func document(
        sequence: Int = 1, role: String = "export", version: String = "v3", key: P256.SigningKey? = nil, extra: String = ""
    ) -> [UInt8] {
        let spki = Data((key ?? nextKey).verificationKey.subjectPublicKeyInfo).base64EncodedString()
        let name = KeyName(id: "262", version: version)
        let proof = KeyRole(rawValue: role).flatMap { try? KeyProof.make(with: key ?? nextKey, role: $0, name: name) }
        let proven = proof.map { ", \"proof\": \"\(Base64.string($0))\"" } ?? ""
        return Array(
            """
            {"format": "vigil-trust-1", "sequence": \(sequence), "roles": {"\(role)": [
              {"id": "262", "version": "\(version)", "publicKey": "\(spki)"\(proven)\(extra)}]}}
            """.utf8)
    }

    private func signed(
        _ document: [UInt8], _ role: KeyRole, _ name: KeyName, _ key: P256.SigningKey
    ) throws -> Succession {
        let signature = try key.sign(Succession.digest(of: document))
        return Succession(document: document, signatures: [.init(role: role, name: name, signature: signature)])
    }

    @Test func aKeyCountsOnlyForItsRoleAndTime() throws {
        let store = try store()
        let digest = SHA256.digest(of: [1])
        let signature = try exportKey.sign(digest)
        #expect(store.signer(of: digest, signature: signature, role: .export, at: 1_999)?.name.version == "v1")
        #expect(store.signer(of: digest, signature: signature, role: .export, at: 2_000) == nil)
        #expect(store.signer(of: digest, signature: signature, role: .export, at: nil) != nil)
        #expect(store.signer(of: digest, signature: signature, role: .config, at: 1_000) == nil)
        #expect(store.keys(for: .export, at: 1_000).map(\.isSpare) == [false, true])
        #expect(store.key(named: .init(id: "262", version: "v9"), for: .export, at: nil) == nil)
    }

    @Test func aKeySucceedsItsOwnRole() throws {
        let next = try store().applying(
            signed(document(), .export, .init(id: "262", version: "v1"), exportKey), at: 1_000)
        #expect(next.sequences == [.export: 1])
        #expect(next.keys(for: .export, at: nil).map(\.name.version) == ["v3"])
        #expect(next.keys(for: .operator, at: nil).count == 1)
    }

    @Test func theOperatorSucceedsEveryRole() throws {
        for role in KeyRole.allCases {
            let next = try store().applying(
                signed(document(role: role.rawValue), .operator, .init(id: "fleet", version: "1"), operatorKey), at: nil)
            #expect(next.keys(for: role, at: nil).map(\.name.version) == ["v3"])
        }
    }

    @Test func nobodyElseSucceedsTheOperator() throws {
        let succession = try signed(
            document(role: "operator"), .export, .init(id: "262", version: "v1"), exportKey)
        #expect(throws: TrustError(.notSigned, "")) { try store().applying(succession, at: nil) }
    }

    @Test func refusalsLeaveEverythingAsItWas() throws {
        let name = KeyName(id: "262", version: "v1")
        let store = try store()
        func refused(_ code: TrustError.Code, _ succession: Succession, at time: Int64? = nil) {
            #expect(throws: TrustError(code, "")) { try store.applying(succession, at: time) }
        }
        refused(.notNewer, try signed(document(sequence: 0), .export, name, exportKey))
        refused(.notSigned, try signed(document(), .export, name, nextKey))
        refused(.notSigned, try signed(document(role: "config"), .export, name, exportKey))
        refused(.notSigned, Succession(document: document(), signatures: []))
        // An expired key may not name its successor any more.
        refused(.notSigned, try signed(document(), .export, name, exportKey), at: 3_000)
        refused(
            .leavesRoleEmpty, try signed(document(extra: ", \"validUntil\": 5"), .export, name, exportKey), at: 1_000)
        refused(
            .malformedDocument, try signed(document(role: "king"), .operator, .init(id: "fleet", version: "1"), operatorKey)
        )
        refused(
            .malformedDocument,
            try signed(document(extra: ", \"validFrom\": 9, \"validUntil\": 9"), .export, name, exportKey))
        let long = String(repeating: "v", count: 65)
        refused(.malformedDocument, try signed(document(version: long), .export, name, exportKey))
        let good = document()
        for length in stride(from: 0, to: good.count, by: 7) {
            refused(.malformedDocument, try signed(Array(good[..<length]), .export, name, exportKey))
        }
        refused(.malformedDocument, try signed([UInt8](repeating: 32, count: 70_000), .export, name, exportKey))
        // A signature over the bare document, without the domain line, is none.
        let bare = try exportKey.sign(SHA256.digest(of: good))
        refused(.notSigned, Succession(document: good, signatures: [.init(role: .export, name: name, signature: bare)]))
    }

    /// Whoever has one role's key takes its numbers as far as he may; the operator's succession counts all the same, and the thief's none from then on.
    @Test func whoStealsOneRolesKeyCannotBlockTheOperator() throws {
        let (stolen, fleet) = (KeyName(id: "262", version: "v1"), KeyName(id: "fleet", version: "1"))
        for sequence in [1_001, 1 << 53, Int.max] {
            let far = try signed(document(sequence: sequence), .export, stolen, exportKey)
            let store = try store()
            #expect(throws: TrustError(.stepTooLarge, "")) { try store.applying(far, at: 1_000) }
        }
        // The thief puts in a key of his own, and then again.
        let thief = try P256.SigningKey.generate()
        let mine = KeyName(id: "262", version: "v3")
        var taken = try store().applying(
            signed(document(sequence: 1_000, key: thief), .export, stolen, exportKey), at: 1_000)
        taken = try taken.applying(signed(document(sequence: 2_000, key: thief), .export, mine, thief), at: 1_000)
        #expect(taken.key(named: mine, for: .export, at: 1_000)?.key == thief.verificationKey)
        // The operator has numbered one succession.
        let mended = try taken.applying(
            signed(document(sequence: 1, version: "v4"), .operator, fleet, operatorKey), at: 1_000)
        #expect(mended.keys(for: .export, at: 1_000).map(\.name.version) == ["v4"])
        #expect(mended.sequences == [.export: 2_000, .operator: 1])
        for (name, key) in [(stolen, exportKey), (mine, thief)] {
            let late = try signed(document(sequence: 2_001, key: thief), .export, name, key)
            #expect(throws: TrustError(.notSigned, "")) { try mended.applying(late, at: 1_000) }
        }
        // Nor does an old one of the operator's come back.
        let old = try signed(document(sequence: 1), .operator, fleet, operatorKey)
        #expect(throws: TrustError(.notNewer, "")) { try mended.applying(old, at: 1_000) }
    }

    @Test func aStoreCannotHoldTwoKeysOfOneName() {
        let key = TrustedKey(name: .init(id: "a", version: "1"), role: .time, key: exportKey.verificationKey)
        #expect(throws: TrustError(.duplicateName, "")) { try TrustStore(keys: [key, key]) }
    }
}
