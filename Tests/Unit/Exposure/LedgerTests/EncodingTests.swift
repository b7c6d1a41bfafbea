// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Matching
import RandomValues
import Testing

@testable import Ledger

/// Bytes as the first release with a ledger wrote them: a change here loses what devices have.
@Suite struct EncodingTests {
    private static let firstForm =
        "010500000000000000080706050403020140492b0090000000030101feffffff0101010502000000"
        + "0000000040492b0000ae736500000000baec02" + "0100000041492b0058b0736501000000baec02"

    @Test func aMatchHasTheBytesOfTheSecondForm() throws {
        var set = MatchSet([try Sample.match(5).attributed(to: ["262"])])
        set.merge(try Sample.match(5, type: .revoked).attributed(to: ["262"]))
        set.merge(try Sample.match(5, type: .selfReport).attributed(to: ["208"]))
        let match = try #require(set.matches.first)
        let bytes = try #require(MatchCoding.encode(match))
        #expect(
            Hex.string(bytes) == "020500000000000000080706050403020140492b009000000002" + "0300323632030101feffffff01010105"
                + "0300323038030301feffffff010100" + "02000000" + "0000000040492b0000ae736500000000baec02"
                + "0100000041492b0058b0736501000000baec02")
        #expect(MatchCoding.decode(bytes) == match)
    }

    /// What devices have that were not updated yet: of nobody known, and everything else as it was.
    @Test func aMatchOfTheFirstFormIsRead() throws {
        var set = MatchSet([try Sample.match(5)])
        set.merge(try Sample.match(5, type: .revoked))
        let old = try #require(Hex.bytes(Self.firstForm))
        #expect(MatchCoding.decode(old) == nil)
        #expect(MatchCoding.decodeFirstForm(old) == set.matches.first)
        #expect(MatchCoding.decodeFirstForm(old)?.statements.map(\.source) == [""])
    }

    /// A ledger as the first form left it.
    @Test func aLedgerOfTheFirstFormBecomesOneOfTheSecond() throws {
        let old = try #require(Hex.bytes(Self.firstForm))
        let expected = try #require(MatchCoding.decodeFirstForm(old))
        let folder = try Folder()
        func age() throws {
            let ledger = try folder.open()
            try ledger.transaction("ledger.write.commit") {
                try ledger.put(.match, expected.key.data.bytes, old)
                var writer = LedgerWriter()
                writer.write(UInt32(1))
                try ledger.put(.meta, LedgerForm.formName, writer.bytes)
                try ledger.database.run("PRAGMA user_version = 1")
            }
        }
        try age()
        let ledger = try folder.open()
        #expect(ledger.findings.isEmpty)
        #expect(try ledger.matches() == [expected])
        #expect(try ledger.database.integer("PRAGMA user_version") == 2)
        #expect(try ledger.rows(.match).allSatisfy { $0.content.first == 2 })
        // What is published later about it by somebody changes nothing: whose it is nobody knows.
        try ledger.write { _ = try $0.merge([try Sample.match(5, type: .selfReport).attributed(to: ["262"])]) }
        #expect(try ledger.matches().first?.statements.map(\.source) == ["", "262"])
    }

    @Test func evidenceHasTheBytesOfTheFirstForm() throws {
        var hour = EvidenceHour(hour: 472_800)
        (hour.scans, hour.quietScans, hour.reports, hour.exposureNotifications) = (1, 2, 3, 4)
        (hour.storedIdentifiers, hour.identifiersSent, hour.secondsOnAir) = (5, 6, 7)
        (hour.secondsListening, hour.troubles) = (8, 9)
        #expect(
            Hex.string(hour.bytes) == "01e0360700010000000200000003000000040000000500000006000000070000000800000009000000")
        #expect(EvidenceHour(hour.bytes) == hour)
    }

    @Test func anAuditEntryHasTheBytesAndTheHashOfTheFirstForm() throws {
        let entry = AuditEntry(kind: "k", actor: "me", time: 258, details: ["b": "2", "a": "1"])
        let bytes = try #require(entry.bytes)
        #expect(Hex.string(bytes) == "0101020100000000000001006b02006d650200010061010031010062010032")
        #expect(AuditEntry(bytes) == entry)
        let ledger = try Ledger(path: nil, keys: MemoryLedgerKeys())
        try ledger.write { try $0.audit(entry) }
        let zeros = [UInt8](repeating: 0, count: 32)
        // SHA-256 of 32 zeros, 1 in eight bytes, and the entry.
        #expect(
            try ledger.auditEntries(limit: 1).first?.hash
                == SHA256.digest(of: zeros + [1, 0, 0, 0, 0, 0, 0, 0] + bytes))
    }

    /// A reader that took damage for something else would give back what encodes differently.
    @Test func noiseIsRefusedOrMeansWhatItSays() throws {
        let seeds = [
            try #require(MatchCoding.encode(try Sample.match(5).attributed(to: ["262", "208"]))),
            EvidenceHour(hour: 7).bytes,
            try #require(AuditEntry(kind: "k", actor: "me", time: 258, details: ["a": "1"]).bytes),
        ]
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<30_000 {
            var noise = seeds[.random(in: 0..<seeds.count, using: &generator)]
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                noise[.random(in: noise.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) {
                noise = Array(noise.prefix(.random(in: 0...noise.count, using: &generator)))
            }
            if let match = MatchCoding.decode(noise) { #expect(MatchCoding.encode(match) == noise) }
            if let hour = EvidenceHour(noise) { #expect(hour.bytes == noise) }
            if let entry = AuditEntry(noise) { #expect(entry.bytes == noise) }
        }
    }
}
