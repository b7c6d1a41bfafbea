// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Cryptography
import ExposureRisk
import PresenceTracing
import Testing
import VenuePlan

@testable import VenuePlugin

/// A server that plays configurations that the authority has signed, in whatever order it likes.
extension WarningFetcherTests {
    private var number: Int64 { now / 60 }

    private func problem(_ store: VenueStore) -> String { store.records.downloads.problems[.coronaWarnApp] ?? "" }

    @Test func anOlderSignedConfigurationIsNotBelieved() throws {
        let store = try visited()
        try servers.publish((hour - 3)...(hour - 2))
        try servers.publish(hour - 3, try cafe().id, [(now - 3 * 3_600, 30, 8)], tag: "\"good\"")
        try servers.publishConfiguration(versions: [7], number: number)
        try run(store)
        let before = store.records
        #expect(before.downloads.problems == [:] && before.withdrawnVersions == [7])
        #expect(before.diary.notices.map(\.content) == [.level(.level(.increased))])
        #expect(before.downloads.configuration?.number.value == number)
        // Each of these is signed as it should be. By any of them the warning would be taken back.
        for (other, words) in [
            (number - 1, "older than one this device had"), (1, "older than one this device had"),
            (nil, "has no number"), (number + 1_561, "is of the future"), (Int64(Int32.max), "is of the future"),
        ] as [(Int64?, String)] {
            try servers.publishConfiguration(withdrawn: ["\"good\""], versions: [8], number: other)
            try servers.forgetRequests()
            // What is remembered is on the disk.
            let later = try open()
            try run(later, at: now + 7_200)
            #expect(problem(later).contains(words), "\(problem(later))")
            #expect(later.records.withdrawnVersions == [7] && later.records.diary.notices == before.diary.notices)
            #expect(later.records.downloads.configuration == before.downloads.configuration)
            #expect(servers.requests == ["version/v2/app_config_android"])
        }
        // The newest one, again, and the next one.
        for (next, withdrawn) in [(number, []), (number + 1, ["\"good\""])] as [(Int64, [String])] {
            try servers.publishConfiguration(withdrawn: withdrawn, versions: [7], number: next)
            let later = try open()
            try run(later, at: now + 14_400)
            #expect(later.records.downloads.problems == [:])
            #expect(later.records.downloads.configuration?.number.value == next)
            #expect(later.records.diary.notices.isEmpty == !withdrawn.isEmpty)
        }
    }

    /// What nobody has signed is not remembered: else anybody could shut out all that follow.
    @Test func aNumberThatNobodySignedIsNotRemembered() throws {
        let store = try visited()
        try servers.publish((hour - 3)...(hour - 2))
        try servers.publishConfiguration(number: number)
        try run(store)
        try servers.publishConfiguration(number: number + 500, with: P256.SigningKey.generate())
        try run(store, at: now + 7_200)
        #expect(problem(store).contains("not signed") && store.records.downloads.configuration?.number.value == number)
        try servers.publishConfiguration(number: number + 1)
        try run(store, at: now + 14_400)
        #expect(store.records.downloads.problems == [:])
    }

    /// The last visit goes, and with it what is known of warnings; an older configuration is not believed with the next one. Elsewhere all begins anew.
    @Test func theNumberStaysWhenTheVisitGoesAndGoesWithThePlace() throws {
        let store = try visited()
        try servers.publish((hour - 3)...(hour - 2))
        try servers.publishConfiguration(number: number)
        try run(store)
        let desk = VisitDesk(store: store, reader: .init(), followed: [])
        try desk.delete(try #require(store.records.diary.visits.first?.number))
        try run(store, at: now + 7_200)
        #expect(store.records.downloads.origins == [:])
        let later = try visited()
        try servers.publishConfiguration(number: number - 5)
        try run(later, at: now + 14_400)
        #expect(problem(later).contains("older"))
        // The operator names another address, whatever was believed at this one.
        try servers.publishConfiguration(isForIOS: true, number: number - 5)
        var fetcher = try servers.fetcher(later, [.coronaWarnApp])
        fetcher.settings.coronaWarnAppConfig = "version/v2/app_config_ios"
        fetcher.settings.coronaWarnAppForm = "ios"
        try fetcher.run(at: now + 21_600)
        #expect(later.records.downloads.problems == [:])
        #expect(later.records.downloads.configuration?.number.value == number - 5)
    }

    /// The Corona-Warn-App's own have no number: whoever plays two of them by turns has all compared anew once a day, and no warning is lost or counted twice.
    @Test func twoConfigurationsByTurnsFetchAllOnceADay() throws {
        let store = try visited()
        try servers.publish((hour - 30)...(hour - 2))
        try servers.publish(hour - 3, try cafe().id, [(now - 3 * 3_600 + 1_200, 10, 3)])
        try run(store)
        let before = store.records.diary.matches
        #expect(before.count == 1)
        try servers.forgetRequests()
        for round in Int64(1)...24 {
            try servers.publishConfiguration(withdrawn: round % 2 == 0 ? [] : ["\"another\""])
            try run(store, at: now + round * 7_200)
            #expect(store.records.diary.matches == before && store.records.downloads.problems == [:])
        }
        // Two days: at most three times, and not 24.
        let fetched = servers.requests.count { $0 == "\(WarningServers.hours)/\(hour - 3)" }
        #expect((1...3).contains(fetched), "\(fetched)")
    }
}
