// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import Testing
import Trust

@Suite struct SuccessionFileTests {
    private let name = KeyName(id: "262", version: "v1")

    private func made(sequence: UInt64 = 1) throws -> (key: P256.SigningKey, succession: Succession) {
        let key = try P256.SigningKey.generate()
        let next = TrustedKey(
            name: .init(id: "2/62", version: "v2"), role: .export, key: try P256.SigningKey.generate().verificationKey,
            validFrom: 5, validUntil: 9_000, isSpare: true)
        let document = try SuccessionContent(sequence: sequence, roles: [.export: [next]]).document()
        let signature = try key.sign(Succession.digest(of: document))
        return (key, Succession(document: document, signatures: [.init(role: .export, name: name, signature: signature)]))
    }

    @Test func whatIsWrittenIsReadAndApplied() throws {
        let (key, succession) = try made(sequence: 7)
        let read = try Succession(file: succession.file())
        #expect(read.document == succession.document)
        #expect(read.signatures.map(\.name) == [name] && read.signatures.map(\.role) == [.export])
        let store = try TrustStore(keys: [TrustedKey(name: name, role: .export, key: key.verificationKey)])
        let next = try store.applying(read, at: 10)
        #expect(next.sequences == [.export: 7])
        #expect(next.keys == (try succession.content()).roles[.export])
        #expect(next.keys.first?.validFrom == 5 && next.keys.first?.validUntil == 9_000 && next.keys.first?.isSpare == true)
    }

    @Test func theSameContentIsTheSameBytes() throws {
        let content = try made().succession.content()
        #expect(try content.document() == content.document())
        let keys = [KeyRole.export, .config, .time].map { role in
            (role, content.roles[.export]!.map { TrustedKey(name: $0.name, role: role, key: $0.key) })
        }
        let one = try SuccessionContent(sequence: 2, roles: .init(uniqueKeysWithValues: keys)).document()
        let other = try SuccessionContent(sequence: 2, roles: .init(uniqueKeysWithValues: keys.reversed())).document()
        #expect(one == other)
    }

    /// Every file that is cut off, and 2,000 with changed bytes: refused, or the very document with signatures that no longer count.
    @Test func damagedFilesAreRefused() throws {
        let (key, succession) = try made()
        let file = try succession.file()
        // Without its line end and its last brace.
        for length in 0..<file.count - 1 {
            #expect(throws: TrustError(.malformedDocument, "")) { try Succession(file: Array(file[..<length])) }
        }
        let store = try TrustStore(keys: [TrustedKey(name: name, role: .export, key: key.verificationKey)])
        var random: UInt64 = 0x5EED
        var refused = 0
        for _ in 0..<2_000 {
            var changed = file
            for _ in 0...1 {
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                changed[Int(random >> 33) % changed.count] = UInt8(truncatingIfNeeded: random >> 24)
            }
            do throws(TrustError) {
                let read = try Succession(file: changed)
                guard read.document != succession.document else { continue }
                _ = try store.applying(read, at: 10)
                Issue.record("another document counts")
            } catch { refused += 1 }
        }
        #expect(refused > 1_000)
    }

    @Test func hostileFilesAreRefused() throws {
        let (_, succession) = try made()
        let good = String(decoding: try succession.file(), as: UTF8.self)
        func refused(_ text: String, _ line: Int = #line) {
            #expect(throws: TrustError(.malformedDocument, ""), "line \(line)") { try Succession(file: Array(text.utf8)) }
        }
        func replaced(_ old: String, _ new: String) -> String { good.replacing(old, with: new) }
        refused(replaced("vigil-succession-1", "vigil-succession-2"))
        refused(replaced("\"role\":\"export\"", "\"role\":\"king\""))
        refused(replaced("\"id\":\"262\"", "\"id\":\"\(String(repeating: "2", count: 65))\""))
        refused(replaced("\"signature\":\"", "\"signature\":\" "))
        refused(replaced("\"document\":\"", "\"document\":\"="))
        refused(replaced("\"document\":\"", "\"document\":7,\"x\":\""))
        refused(String(repeating: " ", count: Succession.maximumFileByteCount) + good)
        refused(String(repeating: "[", count: 90_000))
        let long = Base64.string([UInt8](repeating: 1, count: 81))
        refused(
            #"{"format":"vigil-succession-1","document":"","signatures":[{"role":"export","id":"2","version":"1","signature":""#
                + long + #""}]}"#)
        let one = succession.signatures[0]
        let many = Succession(
            document: succession.document, signatures: .init(repeating: one, count: Succession.maximumSignatures + 1))
        refused(String(decoding: try many.file(), as: UTF8.self))
        let large = [UInt8](repeating: 32, count: Succession.maximumByteCount + 1)
        refused(String(decoding: try Succession(document: large, signatures: []).file(), as: UTF8.self))
        // What is as large as allowed is read.
        let largest = Succession(document: Array(large.dropLast()), signatures: [])
        #expect(try Succession(file: largest.file()).document == largest.document)
        #expect(throws: TrustError(.malformedDocument, "")) {
            try Succession(document: large + large, signatures: []).file()
        }
    }
}
