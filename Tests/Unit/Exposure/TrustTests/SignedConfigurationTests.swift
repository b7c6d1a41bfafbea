// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON
import Testing

@testable import Trust

/// A configuration counts by one signature of one key of its operator.
struct SignedConfigurationTests {
    private let document = Array(#"{"version": 1}"#.utf8)

    @Test func whatIsSignedIsReadBack() throws {
        let keys = try (0..<4).map { _ in try P256.SigningKey.generate() }
        let file = try SignedConfiguration(signing: document, with: keys).file
        let read = try SignedConfiguration(file: file)
        #expect(read.document == document && read.signatures.count == 4)
        for key in keys { #expect(read.isSigned(byOneOf: [key.verificationKey])) }
        #expect(try !read.isSigned(byOneOf: [P256.SigningKey.generate().verificationKey]) && !read.isSigned(byOneOf: []))
        // The operator's role counts, and no other; and not after its time.
        for (role, time, until, isGood) in [
            (KeyRole.operator, Int64?.none, Int64?.none, true), (.operator, 5, 9, true), (.operator, 10, 9, false),
            (.config, nil, nil, false),
        ] {
            let key = TrustedKey(
                name: KeyName(id: "fleet", version: "1"), role: role, key: keys[1].verificationKey, validUntil: until)
            #expect(try read.isSigned(by: TrustStore(keys: [key]), at: time) == isGood)
        }
        #expect(throws: TrustError(.malformedDocument, "")) { try SignedConfiguration(signing: document, with: []) }
        #expect(throws: TrustError(.malformedDocument, "")) {
            try SignedConfiguration(signing: document, with: keys + keys)
        }
        let long = [UInt8](repeating: 32, count: SignedConfiguration.maximumByteCount + 1)
        #expect(throws: TrustError(.malformedDocument, "")) { try SignedConfiguration(signing: long, with: [keys[0]]) }
        let longest = try SignedConfiguration(signing: Array(long.dropLast()), with: keys)
        #expect(longest.file.count <= SignedConfiguration.maximumFileByteCount)
    }

    /// Whatever bit of the file is another one, it is refused, not signed, or says the same.
    @Test func noChangedBitCounts() throws {
        let key = try P256.SigningKey.generate()
        let file = try SignedConfiguration(signing: document, with: [key]).file
        for index in file.indices {
            var changed = file
            changed[index] ^= UInt8(1 << (index % 7))
            guard let read = try? SignedConfiguration(file: changed), read.isSigned(byOneOf: [key.verificationKey]) else {
                continue
            }
            #expect(read.document == document)
        }
    }

    /// A signature over the same bytes for something else is none.
    @Test func aSignatureForSomethingElseIsNone() throws {
        let key = try P256.SigningKey.generate()
        let foreign: JSON = [
            "format": "vigil-signed-configuration-1", "document": .string(Base64.string(document)),
            "signatures": [
                [
                    "key": .string(Hex.string(SignedConfiguration.name(of: key.verificationKey))),
                    "signature": .string(Base64.string(try key.sign(SHA256.digest(of: document)))),
                ]
            ],
        ]
        #expect(try !SignedConfiguration(file: foreign.bytes).isSigned(byOneOf: [key.verificationKey]))
    }

    @Test func otherFormsAreRefused() throws {
        let good = #""format": "vigil-signed-configuration-1", "document": "e30=""#
        func entry(_ signature: String = "AA==", key: Int = 0) -> String {
            #"{"key": "000000000000000\#(key)", "signature": "\#(signature)"}"#
        }
        let five = (0..<5).map { entry(key: $0) }.joined(separator: ",")
        #expect(
            try SignedConfiguration(file: Array(#"{\#(good), "signatures": [\#(entry())]}"#.utf8)).signatures.count == 1)
        for text in [
            "", "{}", "[]", "{\(good)}", #"{\#(good), "signatures": []}"#, #"{\#(good), "signatures": [1]}"#,
            #"{\#(good), "signatures": ["AA=="]}"#, #"{\#(good), "signatures": [{}]}"#,
            #"{\#(good), "signatures": [{"key": "00", "signature": "AA=="}]}"#,
            #"{\#(good), "signatures": [{"signature": "AA=="}]}"#,
            #"{\#(good), "signatures": [{"key": "0000000000000000", "signature": "AA==", "more": 1}]}"#,
            #"{\#(good), "signatures": [\#(entry()), \#(entry("AQ=="))]}"#,
            #"{\#(good), "signatures": [\#(entry("*"))]}"#, #"{\#(good), "signatures": [\#(entry(""))]}"#,
            #"{\#(good), "signatures": [\#(five)]}"#, #"{\#(good), "signatures": [\#(entry())], "more": 1}"#,
            #"{"format": "other", "document": "e30=", "signatures": [\#(entry())]}"#,
            #"{\#(good), "signatures": [\#(entry(Base64.string([UInt8](repeating: 0, count: 81))))]}"#,
            String(repeating: " ", count: SignedConfiguration.maximumFileByteCount + 1),
        ] {
            #expect(throws: TrustError(.malformedDocument, ""), "\(text.prefix(80))") {
                try SignedConfiguration(file: Array(text.utf8))
            }
        }
    }
}
