// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import GAEN
import JSON
import KeyExport
import RandomValues
import SQLiteFile
import Testing
import Verification

@testable import Authority

/// Warnings that are taken back: two people, revised keys, and what is said when it cannot be.
@Suite struct WarningTests {
    private let now = Scene.start
    private let later = Scene.start + 2 * Scene.hour

    private func handle(_ number: Int) throws -> WarningHandle {
        try #require(WarningHandle(hexadecimal: Hex.string(SHA256.digest(of: Array("warning \(number)".utf8)))))
    }

    /// Two warnings of three keys each, public since an hour; the second in one region only.
    private func published(_ change: (inout AuthoritySettings) -> Void = { _ in }) throws -> Scene {
        let scene = try Scene(threshold: 0, change)
        if !scene.settings.publishing.encodesLevels { try LevelPublishingTests().useRealOnsets(scene) }
        try scene.publish(now)
        try accept(scene, 0..<3, warning: 1)
        try accept(scene, 3..<6, warning: 2, regions: ["EUR"])
        try scene.publish(now + Scene.hour)
        return scene
    }

    private func accept(
        _ scene: Scene, _ numbers: Range<Int>, warning: Int, regions: [String]? = nil, at time: Int64? = nil
    ) throws {
        let keys = numbers.map { SubmittedKey(Scene.key($0, days: Int64($0 % 5) + 1), regions: regions) }
        let report = try scene.authority.accept(keys, source: "test", warning: handle(warning), now: time ?? now)
        try #require(report.accepted == numbers.count)
    }

    private func code(_ body: () throws -> Void) -> AuthorityError.Code? {
        do { try body() } catch { return (error as? AuthorityError)?.code }
        return nil
    }

    private func propose(
        _ scene: Scene, _ warning: Int, _ change: WarningChange = .revoked, by person: String = "anna"
    ) throws -> WarningProposal {
        try scene.authority.propose(
            change, of: .handles([handle(99), handle(warning)]), by: person, reason: "samples were mixed up", now: later)
    }

    private func hourPath(_ hour: Int, _ region: String) -> String {
        "/version/v1/diagnosis-keys/country/\(region)/date/2026-11-13/hour/\(hour)"
    }

    @Test func twoPeopleTakeAWarningBackAndTheNextPackagesSayIt() throws {
        let scene = try published()
        let before = scene.file(hourPath(10, "EUR"))
        let proposal = try propose(scene, 1)
        #expect(proposal.published == 3 && proposal.waiting == 0 && proposal.regions == ["DE", "EUR"])
        // Levels 3 to 5 are published as self-reports and a clinical diagnosis: phones let go of these.
        #expect(proposal.believedByPhones == 3 && proposal.lastDay - proposal.firstDay == 2)
        // A proposal alone changes nothing.
        try scene.publish(later)
        #expect(try scene.package(hourPath(11, "EUR")).keys.isEmpty)
        _ = try scene.authority.confirm(proposal.number, by: "bert", now: later)
        #expect(try scene.authority.openProposals(now: later).isEmpty)
        try scene.publish(later + Scene.hour)
        for region in ["DE", "EUR"] {
            let keys = try scene.package(hourPath(12, region)).keys
            #expect(keys.count == 3 && keys.allSatisfy { $0.isRevised && $0.reportType == 5 })
            #expect(keys.allSatisfy { !$0.hasOnset && !$0.hasVariant && $0.transmissionRiskLevel == 0 })
            #expect(Set(keys.map(\.data)) == Set((0..<3).map { Scene.key($0).data }))
            #expect(keys.allSatisfy { $0.rollingPeriod == 144 })
        }
        // What was published stays byte for byte, and the other warning stands.
        #expect(scene.file(hourPath(10, "EUR")) == before)
        #expect(try scene.package(hourPath(10, "EUR")).keys.count == 6)
        // Once, and in the day that holds the hour.
        try scene.publish(later + 2 * Scene.hour)
        #expect(try scene.package(hourPath(13, "EUR")).keys.isEmpty)
        try scene.publish(now + Scene.day)
        let day = try scene.package("\(Scene.dates)/2026-11-13").keys
        #expect(day.filter(\.isRevised).count == 3 && day.count == 9)
        let audit = try scene.authority.audit()
        #expect(audit.isWhole)
        let kinds = audit.events.map(\.event).filter { $0.hasPrefix("warning") }
        #expect(kinds == ["warning-proposed", "warning-confirmed"])
        #expect(audit.events.filter { $0.event.hasPrefix("warning") }.map { $0.detail["by"]?.string } == ["anna", "bert"])
        try scene.checkTree()
    }

    /// Each refusal has its own sentence.
    @Test func whatCannotBeIsSaidInItsOwnSentence() throws {
        // Where types are facts, they can be changed.
        let scene = try published { $0.publishing.encodesLevels = false }
        var codes: [AuthorityError.Code] = []
        func expect(_ wanted: AuthorityError.Code, _ body: () throws -> Void) {
            #expect(code(body) == wanted)
            codes.append(wanted)
        }
        expect(.unknownWarning) { _ = try propose(scene, 7) }
        expect(.unknownWarning) {
            _ = try scene.authority.propose(
                .revoked, of: .keys([Scene.key(500).data.bytes]), by: "anna", reason: "why", now: later)
        }
        for person in ["", "Änne", "a b", String(repeating: "a", count: 65), "a\n"] {
            expect(.invalidPerson) { _ = try propose(scene, 1, by: person) }
        }
        for reason in ["", "  ", "no", String(repeating: "x", count: 201)] {
            expect(.invalidReason) {
                _ = try scene.authority.propose(.revoked, of: .handles([handle(1)]), by: "anna", reason: reason, now: later)
            }
        }
        let proposal = try propose(scene, 1)
        expect(.alreadyProposed) { _ = try propose(scene, 1, by: "bert") }
        expect(.samePerson) { _ = try scene.authority.confirm(proposal.number, by: "anna", now: later) }
        expect(.samePerson) { _ = try scene.authority.confirm(proposal.number, by: "ANNA", now: later) }
        expect(.unknownProposal) { _ = try scene.authority.confirm(proposal.number + 1, by: "bert", now: later) }
        expect(.unknownProposal) { _ = try scene.authority.confirm(-1, by: "bert", now: later) }
        _ = try scene.authority.confirm(proposal.number, by: "bert", now: later)
        expect(.unknownProposal) { _ = try scene.authority.confirm(proposal.number, by: "carla", now: later) }
        expect(.warningRevoked) { _ = try propose(scene, 1) }
        // A test never becomes a clinical diagnosis.
        expect(.olderRevision) { _ = try propose(scene, 2, .clinicalDiagnosis) }
        try accept(scene, 6..<8, warning: 3, at: later)
        expect(.warningNotPublished) { _ = try propose(scene, 3, .clinicalDiagnosis) }
        let sentences = Set(Set(codes).map { AuthorityError($0).description })
        #expect(sentences.count == Set(codes).count && sentences.allSatisfy { $0.contains(";") })
    }

    @Test func aProposalIsForgottenAfterThreeDaysAndCanBeDropped() throws {
        let scene = try published()
        let first = try propose(scene, 1)
        #expect(try scene.authority.openProposals(now: later + 3 * Scene.day - 1).map(\.number) == [first.number])
        #expect(try scene.authority.openProposals(now: later + 3 * Scene.day).isEmpty)
        #expect(
            code { _ = try scene.authority.confirm(first.number, by: "bert", now: later + 3 * Scene.day) }
                == .unknownProposal)
        let second = try scene.authority.propose(
            .revoked, of: .handles([handle(1)]), by: "bert", reason: "samples", now: later + 3 * Scene.day)
        let end = later + 3 * Scene.day
        try scene.authority.drop(second.number, by: "carla", now: end)
        #expect(code { try scene.authority.drop(second.number, by: "carla", now: end) } == .unknownProposal)
        // Nothing of either is left, and it can be proposed anew.
        _ = try propose(scene, 1)
    }

    /// What waits never becomes public, and what comes later under the same handle is not taken.
    @Test func whatWaitsIsHeldBackAndWhatComesLaterIsNotTaken() throws {
        let scene = try published()
        try accept(scene, 8..<10, warning: 1, at: later)
        let proposal = try propose(scene, 1)
        #expect(proposal.published == 3 && proposal.waiting == 2)
        _ = try scene.authority.confirm(proposal.number, by: "bert", now: later)
        let rest = try scene.authority.accept(
            [SubmittedKey(Scene.key(10)), SubmittedKey(Scene.key(11))], source: "test", warning: handle(1), now: later)
        #expect(rest.accepted == 0 && rest.refused == [.takenBack: 2])
        let other = try scene.authority.accept(
            [SubmittedKey(Scene.key(12))], source: "test", warning: handle(2), now: later)
        #expect(other.accepted == 1)
        try scene.publish(later + Scene.hour)
        let keys = try scene.package(hourPath(12, "EUR")).keys
        #expect(
            Set(keys.filter { !$0.isRevised }.map(\.data)) == [Scene.key(12).data] && keys.filter(\.isRevised).count == 3)
        #expect(code { _ = try propose(scene, 1) } == .warningRevoked)
        // Of one that never became public nothing is told to anybody.
        try accept(scene, 20..<22, warning: 4, at: later)
        let unborn = try propose(scene, 4)
        #expect(unborn.published == 0 && unborn.waiting == 2 && unborn.regions.isEmpty)
        _ = try scene.authority.confirm(unborn.number, by: "bert", now: later)
        try scene.publish(later + 2 * Scene.hour)
        #expect(try scene.package(hourPath(13, "EUR")).keys.isEmpty)
        #expect(code { _ = try propose(scene, 4) } == .warningRevoked)
    }

    /// Random keys beside a real one are taken back with it: otherwise the rest is known to be random, or it to be real.
    @Test(arguments: [(3, 0), (1, 40)])
    func randomKeysGoWithTheirRealOne(_ multiplier: Int64, _ threshold: Int64) throws {
        let scene = try Scene(threshold: threshold) {
            $0.publishing.paddingMultiplier = multiplier
            $0.publishing.holdHours = 0
            $0.publishing.paddingExtra = 0
        }
        try scene.publish(now)
        try accept(scene, 0..<1, warning: 1)
        try accept(scene, 1..<2, warning: 2)
        try scene.publish(now + Scene.hour)
        let all = try scene.package(hourPath(10, "EUR")).keys
        #expect(all.count == (threshold > 0 ? 40 : 6))
        let proposal = try propose(scene, 1)
        #expect(proposal.published == 1)
        _ = try scene.authority.confirm(proposal.number, by: "bert", now: later)
        try scene.publish(later + Scene.hour)
        let revised = try scene.package(hourPath(12, "EUR")).keys.filter(\.isRevised)
        #expect(revised.count == all.count / 2)
        #expect(Set(revised.map(\.data)).isSubset(of: Set(all.map(\.data))))
        #expect(try scene.package(hourPath(12, "DE")).keys.filter(\.isRevised).count == revised.count)
    }

    @Test func typesMoveAsPhonesBelieveAndOnlyOnce() throws {
        let scene = try Scene(threshold: 0) { $0.publishing.encodesLevels = false }
        try LevelPublishingTests().useRealOnsets(scene)
        try scene.publish(now)
        var key = Scene.key(0)
        key.reportType = 3
        key.hasOnset = true
        key.daysSinceOnset = 2
        _ = try scene.authority.accept([SubmittedKey(key)], source: "test", warning: handle(1), now: now)
        try scene.publish(now + Scene.hour)
        let proposal = try propose(scene, 1, .confirmedTest)
        #expect(proposal.believedByPhones == 1)
        _ = try scene.authority.confirm(proposal.number, by: "bert", now: later)
        try scene.publish(later + Scene.hour)
        let revised = try #require(try scene.package(hourPath(12, "EUR")).keys.first)
        #expect(revised.isRevised && revised.reportType == 1 && revised.hasOnset && revised.daysSinceOnset == 2)
        #expect(code { _ = try propose(scene, 1, .clinicalDiagnosis) } == .olderRevision)
        // It can still be taken back, and both are told that phones do not follow.
        let back = try propose(scene, 1)
        #expect(back.published == 1 && back.believedByPhones == 0)
    }

    @Test func aTrialChangesNothing() throws {
        let scene = try published()
        let before = try scene.authority.audit().events.count
        let trial = try scene.authority.propose(
            .revoked, of: .handles([handle(1)]), by: "anna", reason: "samples", isTrial: true, now: later)
        #expect(trial.published == 3)
        #expect(try scene.authority.openProposals(now: later).isEmpty)
        let real = try propose(scene, 1)
        _ = try scene.authority.confirm(real.number, by: "bert", isTrial: true, now: later)
        #expect(try scene.authority.openProposals(now: later).map(\.number) == [real.number])
        let count = try scene.authority.revoke(
            region: "EUR", date: "2026-11-13", hour: 10, reason: "test", isTrial: true, now: later)
        #expect(count == 6)
        try scene.publish(later + Scene.hour)
        #expect(try scene.package(hourPath(12, "EUR")).keys.isEmpty && scene.package(hourPath(10, "EUR")).keys.count == 6)
        #expect(try scene.authority.audit().events.filter { $0.event.hasPrefix("warning") }.count == 1)
        #expect(before > 0)
    }

    /// A row of a later release hides the other proposals from nobody.
    @Test func oneProposalThatCannotBeJudgedLeavesTheOthers() throws {
        let scene = try published()
        let first = try propose(scene, 1)
        let second = try propose(scene, 2)
        let database = try SQLiteDatabase<TestFailure>(
            path: scene.path + "/authority.db", schema: AuthoritySchema.schema)
        #expect(try scene.authority.openProposals(now: later).map(\.number) == [first.number, second.number])
        try database.run("UPDATE proposal SET type = 99 WHERE id = ?", [.integer(first.number)])
        #expect(try scene.authority.openProposals(now: later).map(\.number) == [second.number])
    }

    /// A list is looked at while somebody else writes.
    @Test func proposalsAreListedWhileAnotherProcessWrites() throws {
        let scene = try published()
        let first = try propose(scene, 1)
        let writer = try SQLiteDatabase<TestFailure>(
            path: scene.path + "/authority.db", schema: AuthoritySchema.schema)
        try writer.run("BEGIN IMMEDIATE")
        defer { try? writer.run("ROLLBACK") }
        #expect(try scene.authority.openProposals(now: later).map(\.number) == [first.number])
    }

    /// Who copies the database learns neither the handle nor which keys belong together.
    @Test func theDatabaseHoldsNoHandleAndNoTwoEqualMarks() throws {
        let scene = try published()
        var bytes: [UInt8] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: scene.path) where name.hasPrefix("authority.db") {
            bytes += FileManager.default.contents(atPath: scene.path + "/" + name).map { [UInt8]($0) } ?? []
        }
        let text = try handle(1).hexadecimal
        let secret = try #require(Hex.bytes(text))
        #expect(!Data(bytes).contains(secret) && !Data(bytes).contains(Array(text.utf8)))
        let file = try SQLiteDatabase<TestFailure>(
            path: scene.path + "/authority.db", schema: AuthoritySchema.schema)
        var marks: [[UInt8]] = []
        try file.run("SELECT mark FROM known") { if let mark = $0[0].blob { marks.append(mark) } }
        #expect(marks.count == 6 && Set(marks).count == 6 && marks.allSatisfy { $0.count == 16 })
    }

    struct TestFailure: SQLiteFailure {
        init(_ fault: SQLiteFault) {}
    }

    @Test func packagesThatAreRevokedTakeTheirKeysBackToo() throws {
        let scene = try published()
        let count = try scene.authority.revoke(
            region: "EUR", date: "2026-11-13", hour: 10, keys: [Scene.key(0).data.bytes], reason: "test", now: later)
        #expect(count == 1)
        try scene.publish(later + Scene.hour)
        #expect(try scene.package(hourPath(10, "EUR")).keys.count == 5)
        let keys = try scene.package(hourPath(12, "EUR")).keys
        #expect(keys.map(\.data) == [Scene.key(0).data] && keys[0].isRevised && keys[0].reportType == 5)
        // The other region keeps its package, and is told nothing.
        #expect(try scene.package(hourPath(10, "DE")).keys.count == 3 && scene.package(hourPath(12, "DE")).keys.isEmpty)
    }

    @Test func publishingEarlyPublishesRevisionsToo() throws {
        let scene = try published()
        _ = try scene.authority.confirm(propose(scene, 1).number, by: "bert", now: later)
        try scene.publish(later + 60, early: true)
        #expect(try scene.package(hourPath(12, "EUR")).keys.filter(\.isRevised).count == 3)
        try scene.checkTree()
    }

    /// The folder of an authority of before.
    @Test func aDatabaseOfTheFirstSchemaIsBroughtToTheLast() throws {
        let scene = try published()
        for statement in [
            "DROP TABLE companion", "DROP TABLE revision", "DROP TABLE proposal", "DROP TABLE proposed",
            "DROP TABLE barred", "DROP TABLE check_in", "DROP TABLE trace_package", "DROP TABLE trace_hours",
            "DROP TABLE venue", "DROP TABLE proposed_check_in", "DROP TABLE trace_key", "DROP TABLE trace_list",
            "DROP TABLE trace_secret", "DROP TABLE proposed_trace_key",
            "DROP TABLE push_registration", "DROP TABLE venue_wake", "DROP TABLE configuration_number",
            "ALTER TABLE known DROP COLUMN mark", "PRAGMA user_version = 1",
        ] { try scene.tamper(statement) }
        try scene.reopen()
        // Its keys have no handle, and are found by themselves.
        #expect(code { _ = try propose(scene, 1) } == .unknownWarning)
        let proposal = try scene.authority.propose(
            .revoked, of: .keys(Set((0..<3).map { Scene.key($0).data.bytes })), by: "anna", reason: "samples", now: later)
        _ = try scene.authority.confirm(proposal.number, by: "bert", now: later)
        try scene.publish(later + Scene.hour)
        #expect(try scene.package(hourPath(12, "EUR")).keys.filter(\.isRevised).count == 3)
    }

    /// The programs, killed at every step of the publication that tells it: whatever the step, the next start ends where an undisturbed one
    /// would have ended.
    @Test func powerMayFailBetweenProposalConfirmationAndPublication() throws {
        let keys = Scene.base + "/vigil-keys-\(Unique.name()).json"
        let list = (0..<3).map { number in
            let key = Scene.key(number, days: Int64(number % 5) + 1)
            return #"{"key": "\#(Base64.string(key.data.bytes))", "rollingStartNumber": \#(key.rollingStart)}"#
        }
        try #require(
            FileManager.default.createFile(
                atPath: keys, contents: Data("{\"temporaryExposureKeys\": [\(list.joined(separator: ","))]}".utf8)))
        defer { try? FileManager.default.removeItem(atPath: keys) }
        func run(
            _ scene: Scene, _ arguments: [String], at time: Int64
        ) throws -> (status: Int32, output: String, errors: String) {
            let result = try Program.run(
                Program.authority, arguments + ["--state", scene.path, "--now", "\(time)", "--shifting-threshold", "0"])
            return (result.status, result.output, result.errors)
        }
        var step = 1
        var died = 0
        while true {
            let scene = try published()
            let propose = ["warnings", "propose", "--keys", keys, "--by", "anna", "--reason", "samples were mixed up"]
            let trial = try run(scene, propose + ["--dry-run"], at: later)
            #expect(trial.status == 0 && trial.output.contains("nothing was changed"))
            #expect(try run(scene, ["warnings", "list"], at: later).output.isEmpty)
            #expect(try run(scene, propose, at: later).status == 0)
            let same = try run(scene, ["warnings", "confirm", "--by", "Anna", "1"], at: later)
            #expect(same.status == 1 && same.errors.contains("another person must"))
            #expect(try run(scene, ["warnings", "list"], at: later).output.contains("proposal 1 by anna"))
            #expect(try run(scene, ["warnings", "confirm", "--by", "bert", "1"], at: later).status == 0)
            // The programs' settings are the folder's: they wait a minute after the hour.
            let due = later + Scene.hour + 120
            let status = try run(scene, ["publish", "--die-at-step", "\(step)"], at: due).status
            guard status != 0 else { break }
            try #require(status == 128 + 9)
            died += 1
            try scene.checkTree()
            _ = try run(scene, ["publish", "--die-at-step", "2"], at: due)
            #expect(try run(scene, ["publish"], at: due).status == 0)
            for region in ["DE", "EUR"] {
                let revised = try scene.package(hourPath(12, region)).keys.filter(\.isRevised)
                #expect(Set(revised.map(\.data)) == Set((0..<3).map { Scene.key($0).data }), "step \(step)")
            }
            try scene.publish(later + 2 * Scene.hour)
            #expect(try scene.package(hourPath(13, "EUR")).keys.isEmpty)
            #expect(try scene.authority.audit().isWhole)
            step += step < 8 ? 1 : 5
        }
        #expect(died > 8)
    }

    /// The door of the portal: its token is good for nothing else, and the other token not for it.
    @Test func thePortalsDoorAnswersOnlyItsOwnToken() throws {
        let scene = try published()
        #expect(scene.folder.warningTokenFile != scene.folder.tokenFile)
        let tokens = try [scene.folder.tokenFile, scene.folder.warningTokenFile].map {
            String(decoding: try #require(FileManager.default.contents(atPath: $0)), as: UTF8.self)
        }
        #expect(Set(tokens).count == 2)
        let rights = try FileManager.default.attributesOfItem(atPath: scene.folder.warningTokenFile)[.posixPermissions]
        #expect((rights as? Int) == 0o600)
    }
}
