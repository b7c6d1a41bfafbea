// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import GAEN
import LabKit
import Ledger
import Matching
import RandomValues
import Testing

/// What is committed is there, and the rules of each table hold.
@Suite struct LedgerTests {
    private func memory() throws -> Ledger { try Ledger(path: nil, keys: MemoryLedgerKeys()) }

    /// A share of `vigil-lab prove ledger`.
    @Test(arguments: 0..<4)
    func nothingCommittedIsLostByCuts(_ trial: Int) {
        var trial = LedgerCutTrial(generator: SeededGenerator(seed: trial))
        #expect(trial.run(cuts: 40) == nil)
    }

    @Test func whatIsKeptComesBackFromARealFile() throws {
        let folder = try Folder()
        let before: [String]
        do {
            let ledger = try folder.open()
            #expect(ledger.findings.isEmpty)
            try Sample.fill(ledger)
            before = try Sample.contents(ledger)
            for name in try folder.names {
                let rights = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)[.posixPermissions]
                #expect(rights as? Int == 0o600, "\(name)")
            }
        }
        #expect(before.contains("true") && before.contains("1"))
        let again = try folder.open()
        #expect(try Sample.contents(again) == before)
        #expect(again.findings.isEmpty)
        #expect(try folder.names.filter { !$0.hasPrefix("ledger.sqlite") }.isEmpty)
    }

    /// The same content under another signature is no other file; and the count follows every change, one that is taken back too.
    @Test func filesAreCountedByTheirContent() throws {
        let ledger = try memory()
        func remember(_ signatures: UInt8, _ content: UInt8, day: UInt32 = Sample.day) throws {
            try ledger.write {
                try $0.rememberFile(
                    signatureListDigest: [UInt8](repeating: signatures, count: 32),
                    contentDigest: [UInt8](repeating: content, count: 32), day: day)
            }
        }
        #expect(try ledger.matchedFileCount() == 0)
        try remember(1, 1, day: Sample.day - 20)
        try remember(2, 2)
        #expect(try ledger.matchedFileCount() == 2)
        for signatures in UInt8(3)...6 { try remember(signatures, 2) }
        #expect(try ledger.matchedFileCount() == 2)
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try ledger.write {
                try $0.rememberFile(
                    signatureListDigest: [UInt8](repeating: 9, count: 32), contentDigest: [UInt8](repeating: 9, count: 32),
                    day: Sample.day)
                #expect(try ledger.matchedFileCount() == 3)
                throw Stop()
            }
        }
        #expect(try ledger.matchedFileCount() == 2)
        try ledger.forget(before: Sample.day - 15)
        #expect(try ledger.matchedFileCount() == 1)
        try ledger.write { try $0.forgetAllMatches() }
        #expect(try ledger.matchedFileCount() == 0)
    }

    @Test func aTransactionThatThrowsLeavesNothing() throws {
        let ledger = try memory()
        var kept: LedgerTransaction?
        #expect(throws: LedgerFailure(.tooMany)) {
            try ledger.write { transaction in
                kept = transaction
                try transaction.set("name", [1])
                throw LedgerFailure(.tooMany)
            }
        }
        #expect(try ledger.setting("name") == nil)
        #expect(throws: LedgerFailure(.failed)) { try kept?.set("name", [1]) }
        #expect(throws: LedgerFailure(.failed)) { try ledger.write { _ in try ledger.write { _ in } } }
        try ledger.write { try $0.set("name", [2]) }
        #expect(try ledger.setting("name") == [2])
        try ledger.write { try $0.set("name", nil) }
        #expect(try ledger.setting("name") == nil)
    }

    @Test func nothingLiesInTheClear() throws {
        let folder = try Folder()
        let ledger = try folder.open()
        try Sample.fill(ledger)
        let ticket = try ledger.write {
            try $0.makeTicket(purpose: "keys.release", presence: "button", caller: "webui", made: 0, expires: 9)
        }
        let secrets = [
            Array("value".utf8), Array("filled".utf8), Array("phone".utf8), Array("sync".utf8), Array("keys.release".utf8),
            try Sample.match(UInt64(Sample.day)).key.data.bytes, Sample.digest(1, Sample.day), Sample.digest(3, Sample.day),
            try #require(Hex.bytes(ticket.id)), Array(ticket.id.utf8),
        ]
        for name in try folder.names {
            let bytes = Array(try #require(FileManager.default.contents(atPath: folder.path + "/" + name)))
            for secret in secrets {
                #expect(!(0...(bytes.count - secret.count)).contains { bytes[$0...].starts(with: secret) })
            }
        }
    }

    @Test func mergingFollowsTheRulesOfAMatchSet() throws {
        let ledger = try memory()
        let first = try Sample.match(1, type: .selfReport)
        let moved = try Sample.match(1, type: .confirmedTest, sightings: 9)
        let contradiction = try Sample.match(1, period: 100)
        let other = try Sample.match(2)
        #expect(try ledger.write { try $0.merge([first, other]) } == MergeOutcome(new: 2))
        #expect(try ledger.write { try $0.merge([first, other]) } == MergeOutcome())
        #expect(
            try ledger.write { try $0.merge([moved, contradiction]) } == MergeOutcome(changed: 1, contradictions: 1))
        var set = MatchSet([first, other])
        set.merge([moved, contradiction])
        #expect(try ledger.matches() == set.matches)
        #expect(throws: LedgerFailure(.invalid)) {
            try ledger.write { try $0.merge([try Sample.match(3, sightings: 65_537)]) }
        }
        try ledger.write { try $0.forgetMatches(endedBefore: Sample.day + 1) }
        #expect(try ledger.matches().isEmpty)
    }

    @Test func attemptsSurviveClocksThatJumpAbout() throws {
        let ledger = try memory()
        for day in 0..<50 as Range<UInt32> {
            try ledger.write { try $0.recordAttempt(by: "sync", kind: "match", day: 30_000 - day * 7) }
        }
        try ledger.write { try $0.recordAttempt(by: "other", kind: "match", day: 1) }
        #expect(try ledger.write { try $0.recordAttempt(by: "sync", kind: "match", day: 30_000 - 49 * 7) } == 2)
        #expect(try ledger.write { try $0.recordAttempt(by: "sync", kind: "read", day: 30_000 - 49 * 7) } == 1)
        let kept = try (0..<50 as Range<UInt32>).filter {
            try ledger.attempts(by: "sync", kind: "match", day: 30_000 - $0 * 7) > 0
        }
        #expect(kept == Array(10..<50))
        #expect(try ledger.attempts(by: "other", kind: "match", day: 1) == 1)
        #expect(throws: LedgerFailure(.tooMany)) {
            for kind in 0..<17 { try ledger.write { try $0.recordAttempt(by: "sync", kind: "\(kind)", day: 5) } }
        }
    }

    @Test func aFullAuditLogDropsTheOldestAndStillVerifies() throws {
        let ledger = try memory()
        try ledger.write { transaction in
            for number in 0..<5_007 {
                try transaction.audit(AuditEntry(kind: "k", actor: "a", time: nil, details: ["n": "\(number)"]))
            }
        }
        #expect(try ledger.verifyAudit() == AuditVerdict(intact: 5_000, firstBroken: nil, dropped: 7))
        let page = try ledger.auditEntries(after: 5_000, limit: 3)
        #expect(page.map(\.sequence) == [5_001, 5_002, 5_003])
        #expect(page.first?.entry.details == ["n": "5000"])
        #expect(try ledger.auditEntries(limit: 1).first?.sequence == 8)
        #expect(throws: LedgerFailure(.invalid)) {
            try ledger.write {
                try $0.audit(AuditEntry(kind: String(repeating: "k", count: 5_000), actor: "", time: nil))
            }
        }
    }

    @Test func aTicketIsGoodOnceForOneThingInItsTime() throws {
        let folder = try Folder()
        var ledger = try folder.open()
        func code(_ id: String, _ purpose: String = "release", at time: Int64) throws -> LedgerFailure.Code? {
            do {
                _ = try ledger.write { try $0.redeemTicket(id: id, purpose: purpose, at: time) }
                return nil
            } catch let failure as LedgerFailure {
                return failure.code
            }
        }
        func make(_ made: Int64) throws -> Ticket {
            try ledger.write {
                try $0.makeTicket(purpose: "release", presence: "button", caller: "webui", made: made, expires: made + 100)
            }
        }
        let ticket = try make(1_000)
        #expect(ticket.id.count == 32 && ticket.presence == "button")
        #expect(try code("0123", at: 1_000) == .ticketUnknown)
        #expect(try code(String(repeating: "0", count: 32), at: 1_000) == .ticketUnknown)
        #expect(try code(ticket.id, "else", at: 1_000) == .ticketPurpose)
        #expect(try code(ticket.id, at: 1_100) == .ticketExpired)
        #expect(try code(ticket.id, at: 399) == .ticketExpired)
        #expect(try code(ticket.id, at: 400) == nil)
        #expect(try code(ticket.id, at: 1_000) == .ticketSpent)
        ledger = try Self.reopened(folder, &ledger)
        #expect(try code(ticket.id, at: 1_000) == .ticketSpent)
        for _ in 0..<16 { _ = try make(2_000) }
        #expect(throws: LedgerFailure(.tooMany)) { try make(2_000) }
        #expect(try ledger.openTicketCount(at: 2_050) == 16)
        // The expired ones make room.
        _ = try make(2_100)
        #expect(try ledger.openTicketCount(at: 2_100) == 1)
        #expect(try code(ticket.id, at: 1_000) == .ticketSpent)
    }

    private static func reopened(_ folder: Folder, _ ledger: inout Ledger) throws -> Ledger {
        ledger = try Ledger(path: nil, keys: MemoryLedgerKeys())
        return try folder.open()
    }

    @Test func evidenceAddsUp() throws {
        let ledger = try memory()
        var hour = EvidenceHour(hour: 100)
        hour.scans = 2
        hour.troubles = .max
        try ledger.write {
            try $0.record(hour)
            try $0.record(hour)
        }
        let sum = try #require(try ledger.evidence(from: 100, to: 100).first)
        #expect(sum.scans == 4 && sum.troubles == .max && sum.reports == 0)
        try ledger.write { transaction in
            for number in 0..<800 { try transaction.record(EvidenceHour(hour: UInt32(number * 3))) }
        }
        #expect(try ledger.evidence(from: 0, to: .max).count == 720)
        #expect(try ledger.evidence(from: 2_390, to: 2_397).map(\.hour) == [2_391, 2_394, 2_397])
    }

    @Test func pairedDevicesAreBounded() throws {
        let ledger = try memory()
        let many = (0..<UInt32(150)).map { Sample.digest(9, $0) }
        try ledger.write { try $0.addPaired(name: "phone", digests: many, day: 1) }
        try ledger.write { try $0.addPaired(name: "phone", digests: many.map { SHA256.digest(of: $0) }, day: 2) }
        #expect(try ledger.pairedDigests() == Set(many.suffix(50) + many.map { SHA256.digest(of: $0) }))
        for number in 0..<7 { try ledger.write { try $0.addPaired(name: "\(number)", digests: [], day: 1) } }
        #expect(throws: LedgerFailure(.tooMany)) { try ledger.write { try $0.addPaired(name: "9", digests: [], day: 1) } }
        #expect(throws: LedgerFailure(.tooMany)) {
            try ledger.write { try $0.addPaired(name: "phone", digests: many + many, day: 1) }
        }
        try ledger.write { try $0.removePaired(name: "phone") }
        #expect(try ledger.pairedNames() == (0..<7).map { "\($0)" })
        #expect(try ledger.pairedDigests().isEmpty)
    }

    @Test func forgettingRenewsTheKeyAndOldContentsDoNotOpen() throws {
        let folder = try Folder()
        var ledger = try folder.open()
        for day in [Sample.day - 20, Sample.day] { try Sample.fill(ledger, day: day) }
        let audit = try ledger.auditEntries(limit: 9)
        ledger = try Self.reopened(folder, &ledger)
        // What flash cells may still hold.
        let before = try #require(FileManager.default.contents(atPath: folder.file))
        let old = folder.keys.keys[0]
        var seen: [String] = []
        ledger.stepHook = { seen.append($0) }
        #expect(try ledger.forget(before: Sample.day - 15))
        #expect(seen == Ledger.steps.filter { $0.hasPrefix("ledger.renew") })
        #expect(folder.keys.keys.count == 1 && !folder.keys.keys.contains(old))
        #expect(try ledger.matches() == [try Sample.match(UInt64(Sample.day))])
        #expect(try ledger.evidence(from: 0, to: .max).map { $0.hour / 24 } == [Sample.day])
        #expect(try !ledger.isMatched(contentDigest: Sample.digest(2, Sample.day - 20)))
        #expect(try ledger.pairedDigests() == [Sample.digest(3, Sample.day)])
        #expect(try ledger.attempts(by: "sync", kind: "match", day: Sample.day) == 1)
        #expect(try ledger.attempts(by: "sync", kind: "match", day: Sample.day - 20) == 0)
        #expect(try ledger.auditEntries(limit: 9) == audit)
        #expect(try ledger.verifyAudit().firstBroken == nil)
        #expect(try ledger.setting("name") == Array("value".utf8))
        #expect(try !ledger.forget(before: Sample.day - 15))
        let kept = try Sample.contents(ledger)
        ledger = try Self.reopened(folder, &ledger)
        #expect(try Sample.contents(ledger) == kept)
        #expect(ledger.findings.isEmpty)
        ledger = try Ledger(path: nil, keys: MemoryLedgerKeys())
        #expect(FileManager.default.createFile(atPath: folder.file, contents: before))
        ledger = try folder.open()
        #expect(ledger.findings == [.setAside(as: Ledger.damagedName, because: "it cannot be unsealed")])
        #expect(try ledger.matches().isEmpty && ledger.auditEntries(limit: 9).isEmpty)
    }

    @Test func aRenewalThatWasInterruptedIsFinished() throws {
        for commits in [false, true] {
            let folder = try Folder()
            var ledger = try folder.open()
            try Sample.fill(ledger)
            let before = try Sample.contents(ledger)
            struct Stop: Error {}
            final class Stopping: LedgerKeys {
                let inner: MemoryLedgerKeys
                var keys: [SecretBytes] { inner.keys }
                init(_ inner: MemoryLedgerKeys) { self.inner = inner }
                func stage() throws -> SecretBytes { inner.stage() }
                func retireOthers() throws { throw Stop() }
            }
            if commits {
                ledger = try Self.reopened(folder, &ledger)
                ledger = try Ledger(path: nil, keys: MemoryLedgerKeys())
                ledger = try Ledger(path: folder.file, keys: Stopping(folder.keys))
                #expect(throws: LedgerFailure(.failed)) { try ledger.renewKey() }
            } else {
                _ = folder.keys.stage()
            }
            #expect(folder.keys.keys.count == 2)
            ledger = try Self.reopened(folder, &ledger)
            #expect(ledger.findings == [.renewalFinished])
            #expect(folder.keys.keys.count == 1)
            #expect(try Sample.contents(ledger) == before)
        }
    }

    /// Two ledgers that differ in what is the wearer's alone, until much more than is kept has come and gone: who is not shown that sees the same.
    @Test func entriesOfTheWearerLeaveNoGap() throws {
        func ledger() throws -> Ledger {
            let ledger = try Ledger(path: nil, keys: MemoryLedgerKeys())
            ledger.isPersonal = { $0.kind == "p" }
            return ledger
        }
        let (plain, other) = (try ledger(), try ledger())
        func same(_ words: Comment) throws {
            let (one, two) = (try plain.commonAuditEntries(), try other.commonAuditEntries())
            #expect(one.records.map(\.sequence) == two.records.map(\.sequence), words)
            #expect(one.records.map(\.entry) == two.records.map(\.entry), words)
            #expect(one.dropped == two.dropped, words)
        }
        for round in 0..<60 {
            for (ledger, isTold) in [(plain, false), (other, true)] {
                try ledger.write { transaction in
                    if isTold { try transaction.audit(AuditEntry(kind: "p", actor: "a", time: nil)) }
                    for index in 0..<50 {
                        try transaction.audit(AuditEntry(kind: "c", actor: "a", time: Int64(round * 50 + index)))
                        if isTold, index % 10 == 0 { try transaction.audit(AuditEntry(kind: "p", actor: "a", time: nil)) }
                    }
                }
            }
            try same("round \(round)")
        }
        let (records, dropped) = try other.commonAuditEntries()
        #expect(records.count == Ledger.maximumCommonEntries && dropped == 500)
        #expect(records.map(\.sequence) == Array(501...3_000))
        #expect(try other.verifyAudit().isIntact)
    }

    /// Whoever makes tickets for one purpose cannot count those for another, and keeps nobody else from making some for the same.
    @Test func ticketsAreCountedForEachPurposeAndCaller() throws {
        let ledger = try Ledger(path: nil, keys: MemoryLedgerKeys())
        func make(_ purpose: String, _ caller: String = "other") throws {
            _ = try ledger.write {
                try $0.makeTicket(purpose: purpose, presence: "page", caller: caller, made: 100, expires: 1_000)
            }
        }
        for _ in 0..<5 { try make("releaseKeys") }
        for _ in 0..<Ledger.maximumOpenTickets { try make("reset") }
        #expect(throws: LedgerFailure.self) { try make("reset") }
        try make("releaseKeys")
        for _ in 0..<Ledger.maximumOpenTickets { try make("reset", "webui wearer") }
        #expect(throws: LedgerFailure.self) { try make("reset", "webui wearer") }
    }
}
