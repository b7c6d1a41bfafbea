// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import KeyExport
import KeyIntake
import LabKit
import Ledger
import Matching
import Testing

@testable import Core

@Suite struct FreshnessAccountTests {
    private static let day: Int64 = 86_400
    private static let midnight = ExposureServiceBench.noon / day * day

    private let ledger: Ledger
    private let account: FreshnessAccount

    init() throws {
        ledger = try Ledger(path: nil, keys: MemoryLedgerKeys())
        account = FreshnessAccount(ledger)
    }

    private static func note(back: Int64) throws -> FileNote {
        let start = midnight - back * day
        let period = try #require(ExportPeriod(start: start, end: start + day, region: "EUR"))
        return try #require(FileNote(bytes: JSON(encoding: period).bytes))
    }

    private static func terms(_ sources: [Exposure1.Source]? = nil) throws -> ProvideTerms {
        try ProvideTerms(Exposure1.Files(files: [], source: "home", sources: sources))
    }

    private func taken(_ notes: [FileNote?], _ terms: ProvideTerms) throws -> KeyFreshness {
        try account.next(with: notes, terms, by: "sync", at: ExposureServiceBench.noon) { _ in nil }
    }

    @Test func nothingIsKeptAtFirst() throws {
        #expect(try account.read() == KeyFreshness())
    }

    @Test func whatWasStoredIsReadByTheNextAccount() throws {
        let next = try taken(
            [Self.note(back: 1)], Self.terms([Exposure1.Source(name: "home", region: "EUR", continuous: true)]))
        try ledger.write { try account.store(next, $0) }
        account.adopt(next)
        #expect(try account.read() == next)
        let again = try FreshnessAccount(ledger).read()
        #expect(again == next)
        #expect(again.until("home", by: "sync", at: ExposureServiceBench.noon) == Self.midnight)
    }

    @Test func aTransactionThatFailsChangesNothing() throws {
        struct Cut: Error {}
        let next = try taken([Self.note(back: 1)], Self.terms())
        #expect(throws: Cut.self) {
            try ledger.write {
                try account.store(next, $0)
                throw Cut()
            }
        }
        #expect(try account.read() == KeyFreshness())
        #expect(try FreshnessAccount(ledger).read() == KeyFreshness())
    }

    @Test func anUnchangedAccountIsNotWritten() throws {
        let same = try account.read()
        try ledger.write { try account.store(same, $0) }
        #expect(try ledger.setting("freshness") == nil)
    }

    @Test func aDamagedAccountBeginsAnew() throws {
        try ledger.write { try $0.set("freshness", Array("{".utf8)) }
        #expect(try account.read() == KeyFreshness())
    }

    @Test func aFileThatWasNotReadHasTheNoteThatWasKept() throws {
        let note = try Self.note(back: 2)
        try ledger.write {
            try $0.rememberFile(
                signatureListDigest: [UInt8](repeating: 1, count: 32), contentDigest: [UInt8](repeating: 2, count: 32),
                day: UInt32(Self.midnight / Self.day), note: try #require(note.bytes))
        }
        let files = [UInt8(1), 3].map {
            IntakeFile(
                name: "\($0).zip", outcome: .repeated, export: nil, signatureListDigest: [UInt8](repeating: $0, count: 32),
                matches: [])
        }
        #expect(try account.notes(of: IntakeResult(files: files, statistics: .init(), flaws: [:])) == [note, nil])
    }
}
