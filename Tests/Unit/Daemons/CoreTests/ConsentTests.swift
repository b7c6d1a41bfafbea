// SPDX-License-Identifier: Apache-2.0

import Core
import GAEN
import Interfaces
import LabKit
import Ledger
import Testing
import TimeTrust
import Vault

@Suite struct ConsentTests {
    private let caller = ExposureServiceBench.caller()

    private func kinds(_ bench: ExposureServiceBench) throws -> [String] {
        try bench.service.audit(after: nil).records.map(\.kind)
    }

    @Test func aNewDeviceIsSilentUntilSomebodyAgrees() throws {
        let bench = try ExposureServiceBench()
        #expect(try bench.service.status(for: caller, at: bench.now).state == .disabled)
        #expect(bench.vault.schedule.current == nil)
        try bench.service.enable(by: caller, at: bench.now)
        #expect(bench.beacon.isEnabled)
        #expect(bench.vault.isEnabled == true)
        #expect(bench.vault.schedule.current != nil)
        #expect(try kinds(bench) == ["enabled"])
        #expect(try bench.service.audit(after: nil).records.first?.details == ["presence": "console"])
    }

    @Test func withdrawingSilencesAndIsRecorded() throws {
        let bench = try ExposureServiceBench()
        try bench.service.enable(by: caller, at: bench.now)
        try bench.service.disable(by: caller, at: bench.now)
        #expect(bench.vault.isEnabled == false)
        #expect(try bench.service.status(for: caller, at: bench.now).state == .disabled)
        #expect(try kinds(bench) == ["enabled", "disabled"])
        // Agreeing or withdrawing twice changes nothing and says nothing.
        try bench.service.disable(by: caller, at: bench.now)
        #expect(try kinds(bench) == ["enabled", "disabled"])
    }

    @Test func ownKeysAreReleasedOncePerTicketAndTodaysIsCutOff() throws {
        let bench = try ExposureServiceBench()
        try bench.service.enable(by: caller, at: bench.now)
        let used = try #require(bench.vault.schedule.current)
        bench.set(ExposureServiceBench.noon + 3_600)
        let ticket = try bench.service.giveConsent(.releaseKeys, by: caller, at: bench.now).ticket
        let keys = try bench.service.takeKeys(ticket: ticket, by: caller, at: bench.now)
        let present = try #require(ENIN(unixSeconds: ExposureServiceBench.noon + 3_600))
        #expect(keys.map(\.secret) == [used.secret])
        // What is on air now was heard already; nothing after it is published.
        #expect(keys.map(\.end) == [ENIN(present.number + 1)])
        // What is on air stays until it is due, and the fresh key begins then.
        #expect(bench.vault.schedule.current == nil)
        go(bench, to: ExposureServiceBench.noon + 3_600 + 2_400)
        let fresh = try #require(bench.vault.schedule.current)
        #expect(fresh.rollingStart > present && fresh.secret != used.secret)
        #expect(throws: Refusal.self) { try bench.service.takeKeys(ticket: ticket, by: caller, at: bench.now) }
        #expect(try kinds(bench) == ["enabled", "consentGiven", "releaseBegun", "keysReleased"])
    }

    /// A device that beacons from one interval to the next.
    private func go(_ bench: ExposureServiceBench, to seconds: Int64) {
        bench.set(seconds)
        bench.pass(.seconds(1))
    }

    @Test func theRestOfTheDayFollowsByTheSameConsentOnce() throws {
        let bench = try ExposureServiceBench()
        try bench.service.enable(by: caller, at: bench.now)
        let released = ExposureServiceBench.noon + 3_600 + 17
        go(bench, to: released)
        let ticket = try bench.service.giveConsent(.releaseKeys, by: caller, at: bench.now).ticket
        #expect(bench.service.remainder(of: ticket) == nil)
        let first = try bench.service.takeKeys(ticket: ticket, by: caller, at: bench.now)
        let rest = try #require(bench.service.remainder(of: ticket))
        let midnight = (released / 86_400 + 1) * 86_400
        #expect(rest.from <= released && released - rest.from < 600)
        #expect(
            rest.after == midnight && rest.until == rest.released + 86_400 && (0...2).contains(rest.released - released))
        go(bench, to: released + 2_400)
        let fresh = try #require(bench.vault.schedule.current)

        func refusal(_ ticket: String) -> (String, String?)? {
            let refusal = #expect(throws: Refusal.self) {
                try bench.service.takeRemainder(ticket: ticket, by: caller, at: bench.now)
            }
            return refusal.map { ($0.name, $0.parameters.cause) }
        }
        // Not while the day lasts: what is in use is never published.
        go(bench, to: midnight - 30)
        let early = refusal(ticket)
        #expect(early?.0 == "TooEarly")
        go(bench, to: midnight + 60)
        #expect(refusal(String(ticket.reversed()))?.1 == "spent")
        let keys = try bench.service.takeRemainder(ticket: ticket, by: caller, at: bench.now)
        #expect(keys.map(\.secret) == [fresh.secret])
        #expect(keys.allSatisfy { $0.end.unixSeconds <= midnight && $0.rollingStart.unixSeconds >= rest.from })
        #expect(!keys.contains { key in first.contains { $0.secret == key.secret } })
        #expect(bench.vault.schedule.current?.secret != fresh.secret)
        // Once; and a clock that is set back does not bring the published key back on air.
        #expect(refusal(ticket)?.1 == "spent")
        go(bench, to: midnight - 1_200)
        #expect(bench.vault.schedule.current?.secret != fresh.secret)
        #expect(
            try kinds(bench).filter { $0 == "keysReleased" || $0 == "releaseBegun" }
                == ["releaseBegun", "keysReleased", "releaseBegun", "keysReleased"])
        let records = try bench.service.audit(after: nil).records
        #expect(records.filter { $0.details["part"] == "remainder" }.map(\.kind) == ["releaseBegun", "keysReleased"])
    }

    /// Later than 24 hours after the first keys nothing is given, and nothing at all by a consent that a later one has replaced.
    @Test func theRestOfTheDayEnds() throws {
        let bench = try ExposureServiceBench()
        try bench.service.enable(by: caller, at: bench.now)
        let ticket = try bench.service.giveConsent(.releaseKeys, by: caller, at: bench.now).ticket
        _ = try bench.service.takeKeys(ticket: ticket, by: caller, at: bench.now)
        go(bench, to: ExposureServiceBench.noon + 2_400)
        let second = try bench.service.giveConsent(.releaseKeys, by: caller, at: bench.now).ticket
        // The second release hands out what was in use since the first.
        let keys = try bench.service.takeKeys(ticket: second, by: caller, at: bench.now)
        #expect(keys.count == 2)
        #expect(bench.service.remainder(of: ticket) == nil)
        let until = try #require(bench.service.remainder(of: second)).until
        go(bench, to: until)
        let late = #expect(throws: Refusal.self) {
            try bench.service.takeRemainder(ticket: second, by: caller, at: bench.now)
        }
        #expect(late?.parameters.cause == "expired")
        let old = #expect(throws: Refusal.self) {
            try bench.service.takeRemainder(ticket: ticket, by: caller, at: bench.now)
        }
        #expect(old?.parameters.cause == "spent")
    }

    /// A device that was off for the rest of the day has nothing more to give, and gives nothing of another day.
    @Test func aRestWithoutBeaconIsEmpty() throws {
        let bench = try ExposureServiceBench()
        try bench.service.enable(by: caller, at: bench.now)
        let ticket = try bench.service.giveConsent(.releaseKeys, by: caller, at: bench.now).ticket
        try bench.service.disable(by: caller, at: bench.now)
        _ = try bench.service.takeKeys(ticket: ticket, by: caller, at: bench.now)
        let rest = try #require(bench.service.remainder(of: ticket))
        go(bench, to: rest.after + 600)
        try bench.service.enable(by: caller, at: bench.now)
        #expect(try bench.service.takeRemainder(ticket: ticket, by: caller, at: bench.now).isEmpty)
        #expect(bench.vault.schedule.current != nil)
    }

    /// A key that began in the ten minutes of the release was on air already: it goes with the first keys, and not once more with the rest,
    /// which would tell the server that the two submissions are one person's.
    @Test func theKeyOfTheReleasesOwnIntervalGoesOnce() throws {
        let bench = try Bench(clock: Bench.right)
        let service = try bench.service()
        bench.run(for: .seconds(60))
        try #require(!bench.broadcasts.isEmpty)
        func release() throws -> (ticket: String, keys: [TemporaryExposureKey]) {
            let ticket = try service.giveConsent(.releaseKeys, by: caller, at: bench.now).ticket
            return (ticket, try service.takeKeys(ticket: ticket, by: caller, at: bench.now))
        }
        // The key that follows begins with the next identifier, and somebody agrees once more a moment later.
        _ = try release()
        let count = bench.broadcasts.count
        while bench.broadcasts.count == count { bench.run(for: .seconds(1)) }
        let (ticket, first) = try release()
        #expect(first.contains { $0.rollingPeriod == 1 })
        bench.run(for: .seconds(2 * 3_600))
        let rest = try service.takeRemainder(ticket: ticket, by: caller, at: bench.now)
        // From the identifier that followed to midnight.
        let end = try #require(first.map(\.end).max())
        #expect(rest.count == 1 && rest[0].rollingStart >= end && rest[0].rollingStart.number <= end.number + 2)
        #expect(rest[0].end == ENIN(end.day * 144 + 144))
        #expect(!rest.contains { key in first.contains { $0.secret == key.secret } })
    }

    /// Agreed twice within ten minutes: the key that is on air ahead of its time goes with the rest of the day, and with nothing before.
    @Test(arguments: [5, 130, 430] as [Int64]) func aKeyThatBeginsAheadGoesOnce(seconds: Int64) throws {
        let bench = try Bench(clock: Bench.right)
        let service = try bench.service()
        bench.run(for: .seconds(60))
        func release() throws -> (ticket: String, keys: [TemporaryExposureKey], at: ENIN) {
            let ticket = try service.giveConsent(.releaseKeys, by: caller, at: bench.now).ticket
            let time = try #require(bench.beacon.present(at: bench.now).time?.seconds)
            return (
                ticket, try service.takeKeys(ticket: ticket, by: caller, at: bench.now),
                try #require(ENIN(unixSeconds: time))
            )
        }
        _ = try release()
        bench.run(for: .seconds(seconds))
        let (ticket, keys, at) = try release()
        #expect(keys.allSatisfy { $0.rollingStart <= at })
        bench.run(for: .seconds(2 * 3_600))
        let rest = try service.takeRemainder(ticket: ticket, by: caller, at: bench.now)
        #expect(!rest.isEmpty && !rest.contains { key in keys.contains { $0.secret == key.secret } })
        // Without a gap: each interval that was on air is given.
        let all = (keys + rest).sorted { $0.rollingStart < $1.rollingStart }
        for (key, next) in zip(all, all.dropFirst()) { #expect(key.end == next.rollingStart) }
    }

    @Test func whatIsNoRemainderIsNotRead() {
        for bytes in [
            [], [UInt8](repeating: 0, count: 8), [UInt8](repeating: 255, count: 40), [UInt8](repeating: 1, count: 200),
        ] {
            #expect(ReleaseRemainder(bytes: bytes) == nil)
        }
    }

    @Test(arguments: [Device1.Purpose.reset, .pair]) func aTicketIsGoodForItsPurposeOnly(purpose: Device1.Purpose) throws {
        let bench = try ExposureServiceBench()
        let ticket = try bench.service.giveConsent(purpose, by: caller, at: bench.now).ticket
        let refusal = #expect(throws: Refusal.self) {
            try bench.service.takeKeys(ticket: ticket, by: caller, at: bench.now)
        }
        #expect(refusal?.parameters.cause == "otherPurpose")
    }

    @Test func ticketsExpire() throws {
        let bench = try ExposureServiceBench()
        let ticket = try bench.service.giveConsent(.releaseKeys, by: caller, at: bench.now).ticket
        bench.set(ExposureServiceBench.noon + 16 * 60)
        let refusal = #expect(throws: Refusal.self) {
            try bench.service.takeKeys(ticket: ticket, by: caller, at: bench.now)
        }
        #expect(refusal?.parameters.cause == "expired")
    }

    @Test func aDiskThatRefusesReleasesNothingAndKeepsTodaysKey() throws {
        let bench = try ExposureServiceBench()
        try bench.service.enable(by: caller, at: bench.now)
        let used = try #require(bench.vault.schedule.current)
        let ticket = try bench.service.giveConsent(.releaseKeys, by: caller, at: bench.now).ticket
        bench.data.isReadOnly = true
        let refusal = #expect(throws: Refusal.self) {
            try bench.service.takeKeys(ticket: ticket, by: caller, at: bench.now)
        }
        #expect(refusal?.name == "StorageUnavailable")
        #expect(bench.vault.schedule.current == used)
    }

    @Test func aPlaceReleasesNothingAndForgetsWhatWasPersonal() throws {
        let bench = try ExposureServiceBench()
        let match = try #require(try ExposureServiceBench.match(1))
        try bench.ledger.write { try $0.merge([match]) }
        #expect(try bench.service.windows(at: bench.now).count == 1)
        try bench.service.setRole(.place, by: caller, at: bench.now)
        #expect(try bench.ledger.matchCount() == 0)
        let ticket = try bench.service.giveConsent(.releaseKeys, by: caller, at: bench.now).ticket
        for refused in [
            #expect(throws: Refusal.self) { try bench.service.takeKeys(ticket: ticket, by: caller, at: bench.now) },
            #expect(throws: Refusal.self) { try bench.service.windows(at: bench.now) },
            #expect(throws: Refusal.self) { try bench.service.provide(["a.zip"], by: caller, at: bench.now) },
        ] { #expect(refused?.name == "WrongRole") }
        try bench.service.setRole(.person, by: caller, at: bench.now)
        #expect(bench.service.role == .person)
    }

    @Test func withoutTimeNothingIsReleased() throws {
        let bench = try ExposureServiceBench(hasTime: false)
        let ticket = try bench.service.giveConsent(.releaseKeys, by: caller, at: bench.now).ticket
        let refusal = #expect(throws: Refusal.self) {
            try bench.service.takeKeys(ticket: ticket, by: caller, at: bench.now)
        }
        #expect(refusal?.name == "TimeUnknown")
    }

    @Test func resetLeavesNothingAndNeedsConsent() throws {
        let bench = try ExposureServiceBench()
        try bench.service.enable(by: caller, at: bench.now)
        #expect(throws: Refusal.self) { try bench.service.reset(ticket: "0", by: caller, at: bench.now) }
        let ticket = try bench.service.giveConsent(.reset, by: caller, at: bench.now).ticket
        try bench.service.reset(ticket: ticket, by: caller, at: bench.now)
        #expect(bench.service.wasReset)
        let next = try Vault(bench.data, provider: FileKeyProvider(bench.keys))
        #expect(next.isEnabled == nil)
        #expect(next.schedule == TEKSchedule())
    }

    @Test func whatIsSaidAboutOneselfNamesWhatIsLeftOut() throws {
        let bench = try ExposureServiceBench()
        try bench.service.enable(by: caller, at: bench.now)
        let sections = try bench.service.myData(by: caller, at: bench.now)
        #expect(
            sections.map(\.topic) == [
                "device", "ownKeys", "sightings", "matches", "settings", "donations", "records", "leftOut",
            ])
        #expect(try kinds(bench).last == "dataExported")
    }
}
