// SPDX-License-Identifier: Apache-2.0

import Core
import GAEN
import Interfaces
import Ledger
import Testing
import TimeTrust
import Vault
import VaultTestKit

@Suite struct ConsentTests {
    private let caller = BlackBoxBench.caller()

    private func kinds(_ bench: BlackBoxBench) throws -> [String] { try bench.box.audit(after: nil).records.map(\.kind) }

    @Test func aNewDeviceIsSilentUntilSomebodyAgrees() throws {
        let bench = try BlackBoxBench()
        #expect(try bench.box.status(for: caller, at: bench.now).state == .disabled)
        #expect(bench.vault.schedule.current == nil)
        try bench.box.enable(by: caller, at: bench.now)
        #expect(bench.appliance.isEnabled)
        #expect(bench.vault.isEnabled == true)
        #expect(bench.vault.schedule.current != nil)
        #expect(try kinds(bench) == ["enabled"])
        #expect(try bench.box.audit(after: nil).records.first?.details == ["presence": "console"])
    }

    @Test func withdrawingSilencesAndIsRecorded() throws {
        let bench = try BlackBoxBench()
        try bench.box.enable(by: caller, at: bench.now)
        try bench.box.disable(by: caller, at: bench.now)
        #expect(bench.vault.isEnabled == false)
        #expect(try bench.box.status(for: caller, at: bench.now).state == .disabled)
        #expect(try kinds(bench) == ["enabled", "disabled"])
        // Agreeing or withdrawing twice changes nothing and says nothing.
        try bench.box.disable(by: caller, at: bench.now)
        #expect(try kinds(bench) == ["enabled", "disabled"])
    }

    @Test func ownKeysAreReleasedOncePerTicketAndTodaysIsCutOff() throws {
        let bench = try BlackBoxBench()
        try bench.box.enable(by: caller, at: bench.now)
        let used = try #require(bench.vault.schedule.current)
        bench.set(BlackBoxBench.noon + 3_600)
        let ticket = try bench.box.giveConsent(.releaseKeys, by: caller, at: bench.now).ticket
        let keys = try bench.box.takeKeys(ticket: ticket, by: caller, at: bench.now)
        let present = try #require(ENIN(unixSeconds: BlackBoxBench.noon + 3_600))
        #expect(keys.map(\.secret) == [used.secret])
        #expect(keys.allSatisfy { $0.end <= present })
        #expect(bench.vault.schedule.current?.secret != used.secret)
        #expect(throws: Refusal.self) { try bench.box.takeKeys(ticket: ticket, by: caller, at: bench.now) }
        #expect(try kinds(bench) == ["enabled", "consentGiven", "releaseBegun", "keysReleased"])
    }

    @Test(arguments: [Device1.Purpose.reset, .pair]) func aTicketIsGoodForItsPurposeOnly(purpose: Device1.Purpose) throws {
        let bench = try BlackBoxBench()
        let ticket = try bench.box.giveConsent(purpose, by: caller, at: bench.now).ticket
        let refusal = #expect(throws: Refusal.self) { try bench.box.takeKeys(ticket: ticket, by: caller, at: bench.now) }
        #expect(refusal?.parameters.cause == "otherPurpose")
    }

    @Test func ticketsExpire() throws {
        let bench = try BlackBoxBench()
        let ticket = try bench.box.giveConsent(.releaseKeys, by: caller, at: bench.now).ticket
        bench.set(BlackBoxBench.noon + 16 * 60)
        let refusal = #expect(throws: Refusal.self) { try bench.box.takeKeys(ticket: ticket, by: caller, at: bench.now) }
        #expect(refusal?.parameters.cause == "expired")
    }

    @Test func aDiskThatRefusesReleasesNothingAndKeepsTodaysKey() throws {
        let bench = try BlackBoxBench()
        try bench.box.enable(by: caller, at: bench.now)
        let used = try #require(bench.vault.schedule.current)
        let ticket = try bench.box.giveConsent(.releaseKeys, by: caller, at: bench.now).ticket
        bench.data.isReadOnly = true
        let refusal = #expect(throws: Refusal.self) { try bench.box.takeKeys(ticket: ticket, by: caller, at: bench.now) }
        #expect(refusal?.name == "StorageUnavailable")
        #expect(bench.vault.schedule.current == used)
    }

    @Test func aPlaceReleasesNothingAndForgetsWhatWasPersonal() throws {
        let bench = try BlackBoxBench()
        let match = try #require(try BlackBoxBench.match(1))
        try bench.ledger.write { try $0.merge([match]) }
        #expect(try bench.box.windows(at: bench.now).count == 1)
        try bench.box.setRole(.place, by: caller, at: bench.now)
        #expect(try bench.ledger.matchCount() == 0)
        let ticket = try bench.box.giveConsent(.releaseKeys, by: caller, at: bench.now).ticket
        for refused in [
            #expect(throws: Refusal.self) { try bench.box.takeKeys(ticket: ticket, by: caller, at: bench.now) },
            #expect(throws: Refusal.self) { try bench.box.windows(at: bench.now) },
            #expect(throws: Refusal.self) { try bench.box.provide(["a.zip"], by: caller, at: bench.now) },
        ] { #expect(refused?.name == "WrongRole") }
        try bench.box.setRole(.person, by: caller, at: bench.now)
        #expect(bench.box.role == .person)
    }

    @Test func withoutTimeNothingIsReleased() throws {
        let bench = try BlackBoxBench(hasTime: false)
        let ticket = try bench.box.giveConsent(.releaseKeys, by: caller, at: bench.now).ticket
        let refusal = #expect(throws: Refusal.self) { try bench.box.takeKeys(ticket: ticket, by: caller, at: bench.now) }
        #expect(refusal?.name == "TimeUnknown")
    }

    @Test func resetLeavesNothingAndNeedsConsent() throws {
        let bench = try BlackBoxBench()
        try bench.box.enable(by: caller, at: bench.now)
        #expect(throws: Refusal.self) { try bench.box.reset(ticket: "0", by: caller, at: bench.now) }
        let ticket = try bench.box.giveConsent(.reset, by: caller, at: bench.now).ticket
        try bench.box.reset(ticket: ticket, by: caller, at: bench.now)
        #expect(bench.box.wasReset)
        let next = try Vault(bench.data, provider: FileKeyProvider(bench.keys))
        #expect(next.isEnabled == nil)
        #expect(next.schedule == TEKSchedule())
    }

    @Test func whatIsSaidAboutOneselfNamesWhatIsLeftOut() throws {
        let bench = try BlackBoxBench()
        try bench.box.enable(by: caller, at: bench.now)
        let sections = try bench.box.myData(by: caller, at: bench.now)
        #expect(sections.map(\.topic) == ["device", "ownKeys", "sightings", "matches", "settings", "records", "leftOut"])
        #expect(try kinds(bench).last == "dataExported")
    }
}
